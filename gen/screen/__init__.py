"""The screening page: people accept or reject the images of a run, in a browser on this machine."""
