"""Blind reading: people judge our captions among human ones, not knowing which are whose."""
