"""English text: words, articles, captions."""
