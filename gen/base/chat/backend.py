"""What a language model is asked and what comes back, whatever serves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict


class Message(TypedDict):
    """One turn of a chat."""

    role: str
    content: str | Sequence[Mapping[str, Any]]
    """Text, or parts of the chat API: text and images."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model."""

    id: str
    """`<slot>.<attempt the plan is of>`, with `.r<round>` for a repair; `<row>.<object>` for a
    question about an image. Servers may log it."""
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    """JSON schema that the answer has to follow; of captions the same for a construction."""

    @property
    def response_format(self) -> dict[str, Any]:
        """The schema as a field of a chat completion request."""
        schema = {"name": "draft", "strict": True, "schema": self.schema}
        return {"type": "json_schema", "json_schema": schema}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and what it took."""

    text: str
    finish: str
    """Why it ended: `stop`; `length` when it was cut off; `content_filter`, `refusal`."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that came from the server's prefix cache."""
    completion_tokens: int = 0
    seconds: float = 0.0
    """From the request that was answered to its answer; failed ones before it apart."""
    faults: Counter[str] = field(default_factory=Counter)
    """Failed requests before this one was answered, by reason."""


class RequestFailedError(Exception):
    """A request that found no answer, although the server answers others."""

    def __init__(self, reason: str, said: str, faults: Counter[str]) -> None:
        super().__init__(reason)
        self.reason = reason
        """Slug of the last failure: `request_timeout`, `request_dropped`, ..."""
        self.said = said
        """What the server said, or what happened."""
        self.faults = faults


class Backend(Protocol):
    """Something that answers requests, many at a time."""

    async def ask(self, request: Request) -> Answer:
        """The answer to a request; what can be tried again was.

        Raises:
            RequestFailedError: this request fails each time; others may go on.
            ValueError: no request can succeed: a wrong key, model, address or flag.
            ConnectionError: nothing has been answered for too long.
        """
        ...

    async def close(self) -> None:
        """Let connections and processes go."""
        ...
