"""Tests of the toolkit; run with `pytest` from the repository root."""

from hypothesis import settings

# The same examples in every run, and no deadline: a busy machine is no failure.
settings.register_profile("toolkit", max_examples=100, deadline=None, derandomize=True)
settings.load_profile("toolkit")
