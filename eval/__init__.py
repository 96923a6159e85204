"""Scores embedders under published protocols; imports schemas, gen.base and cards alone."""
