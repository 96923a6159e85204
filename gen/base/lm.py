"""A small causal language model on the local machine: loaded, and asked what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def load(name: str, flag: str) -> tuple[Any, Any]:
    """Tokenizer and model of a GGUF file, or of a folder or name that transformers knows.

    Raises:
        ValueError: when it can't be loaded; names the flag that named it.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    path = Path(name)
    options = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
    where = str(path.parent) if options else name
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, **options)
        model = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32, **options)
    except (OSError, ValueError, ImportError) as error:
        raise ValueError(
            f"{flag} {name}: can't be loaded ({str(error).splitlines()[0]}); name a "
            "GGUF file, a folder, or a model of the Hub"
        ) from None
    return tokenizer, model.eval()


def start(tokenizer: Any) -> int:
    """The token that a text begins with."""
    begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    return int(end if begin is None else begin)


def first_tokens(tokenizer: Any, words: Sequence[str]) -> list[int]:
    """The token that each word begins with where it goes on a sentence."""
    rows = tokenizer([f" {word}" for word in words], add_special_tokens=False)["input_ids"]
    return [int(row[0]) for row in rows]


def next_token(tokenizer: Any, model: Any, texts: Sequence[str]) -> Any:
    """Natural log-probabilities of the token after each text: float32 (texts, tokens)."""
    import torch

    rows = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    longest = max(map(len, rows)) + 1
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    for place, row in enumerate(rows):  # what stands after a text can't change its last state
        ids[place, : len(row) + 1] = torch.tensor([start(tokenizer), *row])
    ends = torch.tensor([len(row) for row in rows])
    with torch.inference_mode():
        states = model.base_model(input_ids=ids.to(model.device), use_cache=False)
        last = states.last_hidden_state[torch.arange(len(rows)), ends]
        return model.lm_head(last).float().log_softmax(1).cpu()
