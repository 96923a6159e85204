"""Questions in flight: each answer is handed on as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from gen.base.chat.backend import Backend, RequestFailedError
from gen.base.chat.breaker import Breaker, Limits
from gen.base.chat.client import OpenAIBackend
from gen.base.chat.parse import CAUSES
from gen.triplets.models.session import allow_connections
from gen.verify.vision.answers import Answered
from gen.verify.vision.config import VisionConfig
from gen.verify.vision.question import Question

FAILING = Limits(first=50, later=50)
"""Questions in a row without an answer after which a run stops."""
SAID = 300
"""Characters kept of what is no answer."""

Source = Iterator[tuple[Question, str]]
"""Questions, each with its image as a data URL."""
OnAnswer = Callable[[Answered], None]


async def ask(config: VisionConfig, source: Source, in_flight: int, on_answer: OnAnswer) -> None:
    """Ask all questions, so many at a time.

    Raises:
        ValueError, ConnectionError: as `Backend.ask`, or when nearly everything fails.
    """
    allow_connections(in_flight)
    model = config.check_with or ""
    backend = OpenAIBackend(model, config.urls, config.request, config.timeout)
    breaker = Breaker(FAILING)

    async def work() -> None:
        for question, image in source:
            answered = await _answered(backend, model, question, image)
            on_answer(answered)
            _watch(breaker, answered)

    tasks = [asyncio.create_task(work()) for _ in range(in_flight)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await backend.close()


async def _answered(backend: Backend, model: str, question: Question, image: str) -> Answered:
    """What comes of one question."""
    found = Answered(
        key=question.key,
        model=model,
        row=question.row,
        object=question.object,
        expected=question.look,
        answered=None,
    )
    try:
        answer = await backend.ask(question.request(image))
    except RequestFailedError as failed:
        found.reason, found.text, found.faults = failed.reason, failed.said, dict(failed.faults)
        return found
    found.answered, found.reason = question.choice(answer)
    found.text = answer.text[:SAID] if found.reason else ""
    found.prompt_tokens = answer.prompt_tokens
    found.cached_tokens = answer.cached_tokens
    found.completion_tokens = answer.completion_tokens
    found.faults = dict(answer.faults)
    return found


def _watch(breaker: Breaker, answered: Answered) -> None:
    """Stop a run in which nothing is answered.

    Raises:
        ValueError: naming the likely cause, when too many in a row had no answer.
    """
    if not answered.reason:
        breaker.succeeded()
    elif breaker.failed(answered.reason):
        said = answered.text or "the model can't do it; does it take images?"
        raise ValueError(
            f"{breaker.count} questions in a row had no answer ({breaker.counts}); all else is "
            f"kept. Likely cause: {CAUSES.get(breaker.worst, said)}"
        )
