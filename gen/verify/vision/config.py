"""The settings of the vision check. Imports nothing heavy, so that `--help` answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from pydantic import Field, PositiveInt, model_validator

from gen.base.chat.config import ServerConfig


class VisionConfig(ServerConfig):
    """Ask a vision model how each object of SABER's images looks, instead of proving the folder.

    Any server of OpenAI's chat API that takes images and a JSON schema does. What has been
    answered is kept, and not asked again.
    """

    check_with: str | None = Field(
        None, min_length=1, description="the model's name, as its server knows it"
    )
    check_sample: PositiveInt | None = Field(
        None, description="images of queries, and of candidates, to ask about (default: all)"
    )
    check_out: Path | None = Field(
        None, description="file of the answers (default: vision.jsonl in the folder)"
    )
    check_least: float | None = Field(
        None, ge=0, le=1, description="exit with status 1 if a smaller share of answers agrees: 0.9"
    )
    in_flight: PositiveInt = Field(32, description="requests in flight, on all servers together")
    sampling: str = Field(
        "{}",
        description='JSON sent with each request: \'{"temperature": null, "max_tokens": 2048}\' '
        "(temperature is 0 otherwise)",
    )

    @model_validator(mode="after")
    def _fitting_flags(self) -> Self:
        for name in self.model_fields_set:
            if self.check_with is None:
                raise ValueError(f"--{name.replace('_', '-')} is for --check-with MODEL")
        return self

    @property
    def request(self) -> dict[str, Any]:
        """What is sent with each request: the likeliest answer is asked for."""
        return {"temperature": 0, **super().request}
