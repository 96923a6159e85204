"""The table of faults: one answer to what an HTTP error means, for texts and for images."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.base.chat.faults import FaultError, Remedy, fault_of

TABLE: list[tuple[int, str | None, str, Remedy]] = [
    (400, None, "request_refused", Remedy.GIVE_UP),
    (307, None, "request_refused", Remedy.GIVE_UP),
    (400, "content_filter", "content_filter", Remedy.REDRAW),
    (400, "moderation_blocked", "moderation_blocked", Remedy.REDRAW),
    (429, "insufficient_quota", "insufficient_quota", Remedy.STOP),
    (400, "billing_hard_limit_reached", "billing_hard_limit_reached", Remedy.STOP),
    (401, "invalid_api_key", "key", Remedy.STOP),
    (403, None, "key", Remedy.STOP),
    (404, "model_not_found", "not_found", Remedy.STOP),
    (429, "rate_limit_exceeded", "request_throttled", Remedy.WAIT),
    *((code, None, "request_server_error", Remedy.RETRY) for code in (408, 409, 425, 500, 599)),
    *((code, None, "request_unavailable", Remedy.UNAVAILABLE) for code in (502, 503, 504, 529)),
]


def body(**error: Any) -> bytes:
    return json.dumps({"error": error}).encode()


@pytest.mark.parametrize(("status", "code", "reason", "remedy"), TABLE)
def test_a_status_and_a_code_have_a_reason_and_a_remedy(
    status: int, code: str | None, reason: str, remedy: Remedy
) -> None:
    fault = fault_of(status, body(message="Not\nnow.", code=code), {"retry-after": "7"})
    assert (fault.reason, fault.remedy) == (reason, remedy)
    assert fault.said == f"HTTP {status}: Not now."
    later = remedy in (Remedy.WAIT, Remedy.RETRY, Remedy.UNAVAILABLE)
    assert fault.wait == (7 if later else None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (body(message="too long", code=400), "too long"),
        (b'{"object": "error", "message": "too long"}', "too long"),
        (b'{"error": "too long"}', '{"error": "too long"}'),
        (b'{"error": {"message": ["too", "long"]}}', '{"error": {"message": ["too", "long"]}}'),
        (b"<h1>too\r\n long</h1>", "<h1>too long</h1>"),
        (b"\xff", "\ufffd"),
        (b"x" * 999, "x" * 300),
    ],
)
def test_what_was_said_is_found_in_whatever_form_it_comes(content: bytes, said: str) -> None:
    assert fault_of(400, content, {}).said == f"HTTP 400: {said}"


@given(st.integers(100, 599), st.binary(max_size=40) | st.builds(lambda v: body(code=v), st.none()))
def test_any_response_is_a_fault(status: int, content: bytes) -> None:
    assert "\n" not in fault_of(status, content, {}).said


def test_a_time_to_wait_may_be_a_date() -> None:
    """A date has whole seconds."""
    date = formatdate(time.time() + 60, usegmt=True)
    wait = fault_of(429, b"", {"retry-after": date}).wait
    assert wait is not None
    assert 50 < wait <= 60


def test_a_key_is_hidden_but_no_stand_in_for_one() -> None:
    fault = FaultError("key", "no such key: sk-0123456789; use an extra one", Remedy.STOP)
    fault.hide("sk-0123456789")
    fault.hide("x")
    fault.hide("")
    assert fault.said == "no such key: ***; use an extra one"
