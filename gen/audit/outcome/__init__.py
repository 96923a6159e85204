"""What a dataset teaches a small embedder."""
