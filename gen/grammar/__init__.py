"""The grammar writer: English as data, derived to exact lengths."""

from gen.grammar.writer import GrammarWriter

__all__ = ["GrammarWriter"]
