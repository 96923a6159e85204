"""Texts in good form: articles, spacing, agreement, and what a parser reads in them."""
