"""Tests of the toolkit; run with `pytest` from the repository root."""
