"""The ground that gen, eval and train stand on; imports nothing else of the project but schemas."""
