"""What speaks to language models: OpenAI-compatible servers, and vLLM in this process."""
