"""The images of SABER: where they come from, how they are kept, what people think of them."""
