"""What a model is asked, what it answers and what becomes of it: for a look before a long run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.console import Console

from gen.base.chat.backend import Answer, Backend, Request, RequestFailedError
from gen.triplets.accept import NO_GUIDANCE
from gen.triplets.constructions import BY_NAME
from gen.triplets.models.drafts import parse, schema
from gen.triplets.pipeline import Judge
from gen.triplets.plan import Plan, Slot, make_plan
from gen.triplets.prompts import render, render_repair
from gen.triplets.show import print_example
from schemas.triplets import Draft, Rejected


async def show(backend: Backend, judge: Judge, seed: int, slots: Sequence[Slot]) -> int:
    """Print the first exchange for each slot; how many gave an example.

    Raises:
        ValueError, ConnectionError: as `Backend.ask`.
    """
    plans = [make_plan(seed, slot, 0) for slot in slots]
    tasks = [asyncio.create_task(_ask(backend, judge, plan)) for plan in plans]
    console = Console(highlight=False, markup=False)
    try:
        pairs = zip(plans, tasks, strict=True)
        return sum([_print(console, judge, plan, *await task) for plan, task in pairs])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ask(
    backend: Backend, judge: Judge, plan: Plan
) -> tuple[str, Answer | RequestFailedError]:
    """The prompt for a plan, and the answer or why there is none."""
    prompt = render(plan, NO_GUIDANCE, judge.vocabulary)
    request = Request(
        f"{plan.slot.id}.{plan.attempt}",
        ({"role": "user", "content": prompt},),
        schema(BY_NAME[plan.slot.construction]),
    )
    try:
        return prompt, await backend.ask(request)
    except RequestFailedError as failed:
        return prompt, failed


def _print(
    console: Console, judge: Judge, plan: Plan, prompt: str, answer: Answer | RequestFailedError
) -> bool:
    """Print one exchange; whether it gave an example."""
    console.rule(plan.slot.id)
    console.print(prompt, style="dim", soft_wrap=True)
    if isinstance(answer, RequestFailedError):
        failure = f"No answer: {answer.reason}: {answer.said}"
        console.print(failure, style="bold red", soft_wrap=True)
        return False
    tokens = f"{answer.prompt_tokens:,} + {answer.completion_tokens:,} tokens"
    console.print(f"Answer ({answer.seconds:.1f} s, {tokens}, {answer.finish}):", style="bold")
    console.print(answer.text, soft_wrap=True)
    draft = parse(answer)
    example = draft if isinstance(draft, Rejected) else judge.example(plan, draft)
    if not isinstance(example, Rejected):
        console.print("Accepted:", style="bold green")
        print_example(console, plan, example)
        return True
    rejected = draft if isinstance(draft, Draft) else None
    wrong = render_repair(plan, example.reason, rejected, NO_GUIDANCE)
    console.print(f"Rejected: {example.reason}", style="bold red")
    console.print(wrong or "A new draft would be asked for.", style="dim", soft_wrap=True)
    return False
