"""The grammar writer: English as data, derived to exact lengths."""

from gen.triplets.grammar.writer import GrammarWriter

__all__ = ["GrammarWriter"]
