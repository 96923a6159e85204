"""Generation: plans, writers, construction types, validation, acceptance, shards."""

__version__ = "0.3.0"
