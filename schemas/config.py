"""Configurations: one frozen pydantic model per entry point, exposed as its command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

C = TypeVar("C", bound="Config")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line; `--help` has the rest."""

    def error(self, message: str) -> NoReturn:
        fail(self.prog, f"{message} (see --help)")


class Config(BaseModel):
    """A command's settings: every field is a flag, its description the help text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def from_argv(cls: type[C], argv: Sequence[str] | None, prog: str, about: str) -> C:
        """Parse a command line.

        Exits with status 2 and one clear line for anything that is wrong with it.
        """
        parser = _Parser(
            prog=prog, description=about, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        for name, field in cls.model_fields.items():
            flag = name if field.is_required() else f"--{name.replace('_', '-')}"
            options: dict[str, Any] = {"help": field.description, "default": argparse.SUPPRESS}
            if field.annotation is bool:
                options["action"] = argparse.BooleanOptionalAction
            elif not field.is_required():
                options["metavar"] = name.upper()
                shown = f" (default: {field.default})" if field.default is not None else ""
                options["help"] = f"{field.description}{shown}"
            if field.is_required():
                del options["default"]
            parser.add_argument(flag, **options)
        values = vars(parser.parse_args(argv))
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"][:1])
            name = f"--{place.replace('_', '-')}" if place else "configuration"
            message = first["msg"].removeprefix("Value error, ")
            fail(prog, f"{name} {first['input']!r}: {message}")


def fail(prog: str, message: str, status: int = 2) -> NoReturn:
    """End the command with one line on standard error."""
    print(f"{prog}: error: {' '.join(message.splitlines())}", file=sys.stderr)
    raise SystemExit(status)
