"""What a failed request means: one table for all servers that speak OpenAI's APIs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from math import isfinite

from pydantic_core import from_json

LONGEST_TEXT = 300
"""Characters kept of what a server said."""
SECRET = 8
"""Characters of a key from which on it is one: `x` or `EMPTY` stands in where none is needed."""
REFUSALS = {"moderation_blocked", "content_policy_violation", "content_filter", "contentFilter"}
"""Codes of a refusal by the content filter: OpenAI's, and those of Azure."""
UNPAID = {"insufficient_quota", "billing_hard_limit_reached"}
"""Codes that say that no money is left."""
UNAVAILABLE = {502, 503, 504, 529}
"""HTTP statuses that say that the server serves nobody now."""
PASSING = {408, 409, 425}
"""HTTP statuses below 500 that may be others the next time."""


class Remedy(Enum):
    """What to do after a failed request."""

    STOP = "no request can succeed"
    GIVE_UP = "this request can't succeed"
    REDRAW = "another answer may do"
    RETRY = "it may succeed later"
    UNAVAILABLE = "it may succeed later, or at another server now"
    WAIT = "there were too many requests"


@dataclass(eq=False)
class FaultError(Exception):
    """A request that was not answered, or with nothing that will do."""

    reason: str
    """A slug: `request_throttled`, `request_timeout`, `key`, `image_blank`, ..."""
    said: str
    """What the server said, or what happened; one line."""
    remedy: Remedy
    wait: float | None = None
    """Seconds that the server asks to wait."""

    def hide(self, key: str) -> None:
        """Take a key out of what was said: some servers and libraries repeat it."""
        if len(key) >= SECRET:
            self.said = self.said.replace(key, "***")


def fault_of(status: int, content: bytes, headers: Mapping[str, str]) -> FaultError:
    """What an HTTP status other than 200 means, with the body and the headers (in lower case,
    or of a mapping that ignores case) that came with it.
    """
    text, code = _error(content)
    said = f"HTTP {status}: {' '.join(text.split())[:LONGEST_TEXT]}"
    wait = retry_after(headers)
    if code in REFUSALS:
        return FaultError(code, said, Remedy.REDRAW)
    if code in UNPAID:
        return FaultError(code, said, Remedy.STOP)
    if status in (401, 403):
        return FaultError("key", said, Remedy.STOP)
    if status == 404:
        return FaultError("not_found", said, Remedy.STOP)
    if status == 429:
        return FaultError("request_throttled", said, Remedy.WAIT, wait)
    if status in UNAVAILABLE:
        return FaultError("request_unavailable", said, Remedy.UNAVAILABLE, wait)
    if status >= 500 or status in PASSING:
        return FaultError("request_server_error", said, Remedy.RETRY, wait)
    return FaultError("request_refused", said, Remedy.GIVE_UP)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response asks to wait: given as such, or as a date."""
    value = headers.get("retry-after", "")
    try:
        if isfinite(seconds := float(value)):
            return max(seconds, 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def _error(content: bytes) -> tuple[str, str]:
    """(message, code) of an error's body: `{"error": {...}}`, the inner part alone, or text."""
    try:
        body = from_json(content)
        error = body.get("error", body)
        text, code = error["message"], error.get("code")
        if isinstance(text, str):
            return text, code if isinstance(code, str) else ""
    except (AttributeError, LookupError, TypeError, ValueError):
        pass
    return content.decode(errors="replace"), ""
