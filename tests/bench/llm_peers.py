"""The bare openai client over a file of prompts: what the writer's speed is compared with.

    python -m tests.bench.llm_peers PROMPTS OUT --base-url URL --in-flight 256 [--naive]

Reads JSON lines (id, prompt) and writes a JSON line for each answer that holds to the schema. It
knows nothing of plans, caps or logs. `--naive` gives each request 5 seconds and asks again at once
until an answer is valid; else each prompt is asked once and what fails is told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel, ConfigDict

MODEL = "gpt-4o-mini"
"""The server takes any name; curator knows this one to be capable of structured output."""


class Answer(BaseModel):
    """The draft that the prompts ask for, as flat as servers like it."""

    model_config = ConfigDict(extra="forbid")

    objects: list[str]
    attributes: list[list[str]]
    positive: str
    distractors: list[list[str]]


async def asks(
    rows: list[dict[str, str]], out: TextIO, base_url: str, in_flight: int, naive: bool
) -> int:
    """Ask with a client and a semaphore, nothing else; returns how many were answered."""
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient, OpenAIError
    from openai.types.shared_params import ResponseFormatJSONSchema

    limits = httpx2.Limits(max_connections=in_flight)
    client = AsyncOpenAI(
        base_url=base_url,
        api_key="none",
        max_retries=0,
        timeout=5.0 if naive else 60.0,
        http_client=DefaultAioHttpClient(limits=limits),
    )
    schema: ResponseFormatJSONSchema = {
        "type": "json_schema",
        "json_schema": {"name": "draft", "strict": True, "schema": Answer.model_json_schema()},
    }
    free = asyncio.Semaphore(in_flight)

    async def ask(row: dict[str, str]) -> bool:
        while True:
            try:
                async with free:
                    answer = await client.chat.completions.create(
                        model=MODEL,
                        messages=[{"role": "user", "content": row["prompt"]}],
                        response_format=schema,
                        extra_headers={"X-Request-Id": row["id"]},
                    )
                draft = Answer.model_validate_json(answer.choices[0].message.content or "")
            except (OpenAIError, ValueError) as error:
                if not naive:
                    print(f"{type(error).__name__}: {error}", file=sys.stderr)
                    return False
            else:
                out.write(draft.model_dump_json() + "\n")
                return True

    async with client:
        return sum(await asyncio.gather(*map(ask, rows)))


def main() -> int:
    """Ask everything; the exit status is 1 when a prompt is left without an answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--naive", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.prompts.read_text().splitlines()]
    with options.out.open("w", buffering=1) as out:
        job = asks(rows, out, options.base_url, options.in_flight, options.naive)
        answered = asyncio.run(job)
    print(f"{answered} of {len(rows)} answered")
    return int(answered < len(rows))


if __name__ == "__main__":
    raise SystemExit(main())
