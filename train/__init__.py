"""Finetunes embedders on published data; imports schemas, gen.base, cards and eval alone."""
