"""SABER, the benchmark: questions, captions and the retrieval gallery (paper section 3, A)."""
