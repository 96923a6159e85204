"""Proofs of finished datasets from their files alone; `gen.verify` chooses by the manifest."""
