"""How varied a dataset is, beside any other or human captions."""
