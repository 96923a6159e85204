"""Attackers that choose between the captions of a pair without its query."""
