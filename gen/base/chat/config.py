"""The settings of whatever asks a model server. Imports nothing heavy: `--help` answers at once."""

from __future__ import annotations

import json
from math import inf
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, PositiveFloat, PositiveInt, field_validator

from gen.base.config import Config
from schemas.manifest import Prices

RESERVED = {"messages", "model", "n", "stream"}
"""Fields of a request that are not for --sampling."""
MAX_TOKENS = 1024
"""Bound on an answer's length where --sampling names none; drafts take some 150 tokens."""


class ServerConfig(Config):
    """How requests to a model are sent: where to, how many at a time, with what."""

    base_url: str | None = Field(
        None,
        description="addresses of servers of that model, with commas between; each ends in /v1 "
        "(default: OpenAI's own). The key is read from OPENAI_API_KEY",
    )
    in_flight: PositiveInt = Field(256, description="requests in flight, on all servers together")
    timeout: PositiveFloat = Field(
        600.0,
        description="seconds that an answer may take; one that takes several times as long as "
        "the latest others is asked for again sooner",
    )
    sampling: str = Field(
        "{}",
        description='JSON sent with each request: \'{"temperature": 0.9, "max_tokens": 1024}\'',
    )
    price: str | None = Field(
        None, description="price of a million prompt,completion tokens: 0.10,0.40"
    )

    @field_validator("base_url")
    @classmethod
    def _addresses(cls, value: str | None) -> str | None:
        for url in value.split(",") if value is not None else ():
            check_address(url.strip())
        return value

    @field_validator("sampling")
    @classmethod
    def _json(cls, value: str) -> str:
        try:
            known = isinstance(json.loads(value, parse_constant=_refuse), dict)
        except ValueError:
            known = False
        if not known:
            raise ValueError("write a JSON object, as in '{\"temperature\": 0.9}'")
        ours = sorted(RESERVED & json.loads(value).keys())
        if ours:
            raise ValueError(f"{ours[0]!r} is set by the program; leave it out")
        return value

    @field_validator("price")
    @classmethod
    def _prices(cls, value: str | None) -> str | None:
        if value is not None:
            parse_price(value)
        return value

    @property
    def urls(self) -> list[str]:
        """The addresses, one by one."""
        return [url.strip() for url in self.base_url.split(",")] if self.base_url else []

    @property
    def prices(self) -> Prices | None:
        """The prices of a million prompt and completion tokens, where they are given."""
        return parse_price(self.price) if self.price else None

    @property
    def request(self) -> dict[str, Any]:
        """What is sent with each request; a bound on its length is always there."""
        given: dict[str, Any] = json.loads(self.sampling)
        bounded = not {"max_tokens", "max_completion_tokens"}.isdisjoint(given)
        return given if bounded else {"max_tokens": MAX_TOKENS, **given}


def _refuse(constant: str) -> None:
    """NaN and Infinity: Python reads them, but they are not JSON."""
    raise ValueError(constant)


def check_address(url: str) -> str:
    """The address of a server, as it is.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with http:// or https:// and a host")
    _ = parts.port  # raises where it is no port
    return url


def parse_price(text: str) -> Prices:
    """The prices of a million prompt and completion tokens.

    Raises:
        ValueError: for anything else than two numbers.
    """
    try:
        prompt, completion = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError("write two numbers with a comma between, as in 0.10,0.40") from None
    if not 0 <= prompt < inf or not 0 <= completion < inf:
        raise ValueError("a price is zero or more")
    return prompt, completion
