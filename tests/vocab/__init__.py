"""Tests of `gen.vocab`."""
