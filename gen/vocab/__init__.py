"""The vocabularies: what there is to name and to say of it, as data and as what reads it."""
