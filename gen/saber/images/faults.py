"""What can go wrong with a request for an image, and how often it is sent again."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gen.base.chat.client import retry_after

if TYPE_CHECKING:
    import openai

FIRST_TRIES, TRIES = 4, 9
"""Failures of the network or the server after which an image is left out: before the first answer
of all, and after."""
REDRAWS = 3
"""The same for refusals and for images that won't do, each of which may have cost something."""
BACKOFF, LONGEST_BACKOFF = 1.0, 60.0
"""Seconds before the first retry, doubled for each further one, and at most; with jitter."""
THROTTLED = 900.0
"""Seconds that one image waits because of too many requests before it is left out."""
REFUSALS = {"moderation_blocked", "content_policy_violation", "content_filter", "contentFilter"}
"""Codes of a refusal by the content filter: OpenAI's, and those of Azure."""
UNPAID = {"insufficient_quota", "billing_hard_limit_reached"}
"""Codes that say that no money is left."""


class Remedy(Enum):
    """What to do after a failed request."""

    STOP = "no request can succeed"
    GIVE_UP = "this request can't succeed"
    REDRAW = "another answer may do"
    RETRY = "it may succeed later"
    WAIT = "there were too many requests"


@dataclass(eq=False)
class FaultError(Exception):
    """A request that gave no image."""

    reason: str
    """A slug: `moderation_blocked`, `request_timeout`, `image_blank`, ..."""
    said: str
    """What the server said, or what happened."""
    remedy: Remedy
    wait: float | None = None
    """Seconds that the server asks to wait."""


class Patience:
    """How often, and how long, a server is asked for one image."""

    def __init__(self) -> None:
        self._faults: Counter[Remedy] = Counter()
        self._throttled = 0.0

    def pause(self, fault: FaultError, *, answered: bool) -> float | None:
        """Seconds to wait after a failure; None when it was the last one.

        `answered` tells whether the server has answered anything at all.
        """
        self._faults[fault.remedy] += 1
        count = self._faults[fault.remedy]
        if fault.remedy in (Remedy.STOP, Remedy.GIVE_UP):
            return None
        if fault.remedy is Remedy.REDRAW:
            return 0.0 if count < REDRAWS else None
        wait = min(BACKOFF * 2 ** (count - 1), LONGEST_BACKOFF) * random.uniform(0.5, 1.0)
        if fault.remedy is Remedy.WAIT:
            wait = wait if fault.wait is None else fault.wait
            self._throttled += wait
            return wait if self._throttled <= THROTTLED else None
        wait = wait if fault.wait is None else min(fault.wait, LONGEST_BACKOFF)
        return wait if count < (TRIES if answered else FIRST_TRIES) else None


def fault_of(error: openai.APIError) -> FaultError:
    """What an error of the client means."""
    import openai

    said = " ".join(error.message.split())
    if isinstance(error, openai.APITimeoutError):
        return FaultError("request_timeout", "no answer in time", Remedy.RETRY)
    if not isinstance(error, openai.APIStatusError):
        cause = " ".join(str(error.__cause__ or "").split())
        return FaultError("request_dropped", cause or said, Remedy.RETRY)
    status, code = error.status_code, error.code or ""
    if isinstance(error.body, dict) and isinstance(error.body.get("message"), str):
        said = " ".join(error.body["message"].split())
    said = f"HTTP {status}: {said[:300]}"
    wait = retry_after(error.response.headers)
    if code in REFUSALS:
        return FaultError(code, said, Remedy.REDRAW)
    if code in UNPAID:
        return FaultError(code, f"{said} (add credit, then run again)", Remedy.STOP)
    if status in (401, 403):
        return FaultError("key", f"{said} (set the key that the server takes)", Remedy.STOP)
    if status == 404:
        hint = "check --model and --base-url, which ends in /v1"
        return FaultError("not_found", f"{said} ({hint})", Remedy.STOP)
    if status == 429:
        return FaultError("request_throttled", said, Remedy.WAIT, wait)
    if status >= 500 or status in (408, 409, 425):
        return FaultError("request_server_error", said, Remedy.RETRY, wait)
    return FaultError("request_refused", said, Remedy.GIVE_UP)
