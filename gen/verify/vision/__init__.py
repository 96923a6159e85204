"""The vision check: a vision model is asked how each object of each image looks."""
