"""Whether a question of SABER gives its answer away, in words or in pixels."""
