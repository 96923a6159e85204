"""How plausible an adjective is for a noun, asked of a small language model."""
