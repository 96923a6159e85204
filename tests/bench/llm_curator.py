"""bespokelabs-curator over a file of prompts, as `tests.bench.llm_peers` reads it.

    OPENAI_BASE_URL=... python -m tests.bench.llm_curator PROMPTS FOLDER --in-flight 256

Runs in an environment of its own, without the packages of this project. Its limits a minute are
out of the way and its display is off; what else it does is its default.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bespokelabs import curator

from tests.bench.llm_peers import MODEL, Answer


class Asker(curator.LLM):
    """One prompt a row, answers by schema."""

    response_format = Answer

    def prompt(self, row: dict[str, Any]) -> str:
        """The row's text."""
        return str(row["prompt"])

    def parse(self, row: dict[str, Any], answer: Answer) -> dict[str, Any]:
        """The row of the dataset."""
        return {"id": row["id"], **answer.model_dump()}


def main() -> int:
    """Ask everything; the exit status is 1 when a prompt is left without an answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompts", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--in-flight", type=int, default=256)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.prompts.read_text().splitlines()]
    asker = Asker(
        MODEL,
        backend="openai",
        backend_params={
            "max_concurrent_requests": options.in_flight,
            "max_requests_per_minute": 10**7,
            "max_tokens_per_minute": 10**10,
            "require_all_responses": False,
        },
    )
    found = asker(rows, working_dir=str(options.folder)).dataset
    print(f"{len(found)} of {len(rows)} answered")
    return int(len(found) < len(rows))


if __name__ == "__main__":
    raise SystemExit(main())
