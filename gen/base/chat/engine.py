"""vLLM in this process: what `vllm serve` runs behind its chat endpoint, without the HTTP.

Flags are parsed and requests answered by vLLM's own serving code, so that a chat template, a
reasoning parser, an adapter or a parallel layout given here does what it does to a server.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from multiprocessing import active_children, resource_tracker
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any, NoReturn, Self

from gen.base.chat.backend import Answer, Request, RequestFailedError
from gen.base.workers import sigint_blocked

INSTALL = "pip install 'saber-toolkit[vllm]'"

SETTINGS = {"VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "WARNING"}
"""Environment of vLLM where the user has set none: no telemetry, no running commentary."""

GRACE = 10.0
"""Seconds that the engine's processes may take to end before they are killed."""


class Engine:
    """A `Backend` that answers with a model loaded into this machine."""

    def __init__(
        self, engine: Any, chat: Any, adapter: str | None, sampling: Mapping[str, Any]
    ) -> None:
        """Answer from a running engine; `start` is the way to one."""
        self._engine = engine
        self._chat = chat
        self._adapter = adapter
        self._sampling = sampling
        self._guard = guard()

    @classmethod
    async def start(cls, model: str, flags: Sequence[str], sampling: Mapping[str, Any]) -> Self:
        """Load a model, with the flags that one would write after `vllm serve MODEL`.

        Args:
            model: Folder or hub id of the model.
            flags: Passed on untouched; an adapter in `--lora-modules` is the one that answers.
            sampling: Fields of each chat completion request: `max_tokens`, `temperature`, ...

        Raises:
            ValueError: vLLM is missing, or it refuses the model, a flag or the sampling.
        """
        args = parse_flags(model, flags)
        check_sampling(sampling)
        adapter, *others = [module.name for module in args.lora_modules or ()] or [None]
        if others:
            raise ValueError(f"--lora-modules: give {adapter} or {others[0]}, one adapter answers")
        if model.startswith(("/", ".")) and not Path(model).exists():
            raise ValueError(f"model {model!r}: no such folder")
        try:
            return cls(*await _serve(args), adapter, sampling)
        except Exception as error:
            raise ValueError(f"vLLM does not start with {model!r}: {_brief(error)}") from error

    async def ask(self, request: Request) -> Answer:
        """See `Backend`; cancelling the call takes the request out of the engine."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.entrypoints.serve import create_error_response
        from vllm.v1.engine.exceptions import EngineDeadError

        body = {
            "model": self._adapter,
            "request_id": request.id,
            "messages": [*request.messages],
            "response_format": request.response_format,
            **self._sampling,
        }
        started = monotonic()
        try:
            reply = await self._chat.create_chat_completion(ChatCompletionRequest(**body))
        except EngineDeadError as error:
            raise ConnectionError(f"the vLLM engine died: {error}") from error
        except Exception as error:  # vLLM's own table says which of its errors is whose fault
            reply = create_error_response(error)
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError  # vLLM makes an ordinary reply of a cancellation
        if refused := getattr(reply, "error", None):
            reason = "request_refused" if refused.code < 500 else "request_server_error"
            raise RequestFailedError(reason, refused.message, Counter([reason]))
        choice, usage = reply.choices[0], reply.usage
        details = usage.prompt_tokens_details
        return Answer(
            text=choice.message.content or "",
            finish=choice.finish_reason,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=details.cached_tokens or 0 if details else 0,
            completion_tokens=usage.completion_tokens,
            seconds=monotonic() - started,
        )

    async def close(self) -> None:
        """End the engine and its processes."""
        self._engine.shutdown(GRACE)
        self._engine = self._chat = None
        self._guard.kill()
        self._guard.communicate()


def parse_flags(model: str, flags: Sequence[str]) -> Namespace:
    """What `vllm serve MODEL FLAGS` would run with, by vLLM's own parser.

    Where the flags choose no backend for structured outputs, it is xgrammar without white space
    between fields: some models loop in it.

    Raises:
        ValueError: vLLM is missing or too old, or a flag is wrong.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        from vllm.entrypoints.cli.serve import ServeSubcommand
        from vllm.utils.argparse_utils import FlexibleArgumentParser
    except ImportError as error:
        raise ValueError(f"--writer vllm needs vLLM ({error}): {INSTALL}") from error

    def refuse(message: str) -> NoReturn:
        raise ValueError(message)

    parser = FlexibleArgumentParser()
    command = ServeSubcommand()
    serve = command.subparser_init(parser.add_subparsers(dest="subparser"))
    parser.error = serve.error = refuse
    try:
        args: Namespace = parser.parse_args(
            ["serve", model, "--enable-prompt-tokens-details", *flags]
        )
        command.validate(args)
    except Exception as error:
        raise ValueError(f"vLLM flags: {_brief(error)}; see `vllm serve --help=all`") from error
    args.model = args.model_tag
    structured = args.structured_outputs_config
    if structured.backend == "auto":
        structured.backend, structured.disable_any_whitespace = "xgrammar", True
    return args


def check_sampling(sampling: Mapping[str, Any]) -> None:
    """Check the fields that go into each request.

    Raises:
        ValueError: vLLM does not know one of them, or not with that value.
    """
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    try:
        unknown = ChatCompletionRequest(messages=[], **sampling).model_extra
    except Exception as error:
        raise ValueError(f"--sampling: {_brief(error)}") from error
    if unknown:
        raise ValueError(f"--sampling: vLLM knows no {', '.join(unknown)}")


def guard() -> subprocess.Popen[bytes]:
    """A shell that ends the engine's processes when this one is gone, be it by kill -9.

    They would hold the model's memory forever, and the next run would not start.
    """
    pids = " ".join(str(process.pid) for process in active_children())
    script = f"read _; kill {pids}"
    return subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, start_new_session=True)


def _brief(error: Exception) -> str:
    """What an error says, less pydantic's links."""
    return str(error).partition("\n    For further information")[0]


async def _serve(args: Namespace) -> tuple[Any, Any]:
    """A started engine and its chat endpoint."""
    from vllm.entrypoints.launchers.api_server.app_state import init_app_state

    try:
        engine = await asyncio.to_thread(_load, args)
    except asyncio.CancelledError:
        for process in active_children():  # the thread ends with what it waits for
            process.terminate()
        raise
    try:
        state = SimpleNamespace()
        await init_app_state(engine, state, args, await engine.get_supported_tasks())
        if state.openai_serving_chat is None:
            raise ValueError("it does not generate text")
    except BaseException:
        engine.shutdown(GRACE)
        raise
    return engine, state.openai_serving_chat


def _load(args: Namespace) -> Any:
    """An engine with its processes; they leave Ctrl-C to this one."""
    from vllm import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    resource_tracker.ensure_running()  # to start it later would lift the block
    with sigint_blocked():
        return AsyncLLM.from_engine_args(AsyncEngineArgs.from_cli_args(args))
