"""Data contracts shared by every package; imports nothing else of the project."""
