"""Configurations: one frozen pydantic model per entry point, exposed as its command line."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

C = TypeVar("C", bound="Config")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line; `--help` has the rest."""

    def error(self, message: str) -> NoReturn:
        fail(self.prog, f"{message} (see --help)")


class Config(BaseModel):
    """A command's settings: every field is a flag, its description the help text.

    A field that is a `Config` itself is a group of flags, described by its docstring. A field
    that is a tuple of words takes what stands after `--`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def from_argv(cls: type[C], argv: Sequence[str] | None, prog: str, about: str) -> C:
        """Parse a command line.

        Exits with status 2 and one clear line for anything that is wrong with it.
        """
        parser = _Parser(
            prog=prog, description=about, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        words = list(sys.argv[1:] if argv is None else argv)
        at = words.index("--") if "--" in words else len(words)
        given = _collect(cls, parser, words[at + 1 :])
        values = given(vars(parser.parse_args(words[:at])))
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            places = [part for part in first["loc"] if isinstance(part, str)]
            message = first["msg"].removeprefix("Value error, ")
            if not places or isinstance(first["input"], dict):  # it is about several flags
                fail(prog, message)
            fail(prog, f"--{places[-1].replace('_', '-')} {first['input']!r}: {message}")


def _collect(
    config: type[Config], parser: argparse._ActionsContainer, after: list[str]
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Add a configuration's flags; returns what makes its values of the parsed ones."""
    groups: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
    rest = ""
    for name, field in config.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Config):
            group = parser.add_argument_group(name.replace("_", " "), inspect.getdoc(kind))
            groups[name] = _collect(kind, group, after)
        elif get_origin(kind) is tuple:
            rest = name
        else:
            _add(parser, name, field)

    def given(values: dict[str, Any]) -> dict[str, Any]:
        own = {name: values[name] for name in config.model_fields if name in values}
        own |= {name: inner(values) for name, inner in groups.items()}
        return own | ({rest: tuple(after)} if rest else {})

    return given


def _add(parser: argparse._ActionsContainer, name: str, field: FieldInfo) -> None:
    """Add the flag of one field."""
    flag = name if field.is_required() else f"--{name.replace('_', '-')}"
    options: dict[str, Any] = {"help": field.description, "default": argparse.SUPPRESS}
    if field.annotation is bool:
        options["action"] = argparse.BooleanOptionalAction
    elif not field.is_required():
        options["metavar"] = name.upper()
        shown = f" (default: {field.default})" if field.default is not None else ""
        options["help"] = f"{field.description}{shown}".replace("%", "%%")
    if field.is_required():
        del options["default"]
    parser.add_argument(flag, **options)


def fail(prog: str, message: str, status: int = 2) -> NoReturn:
    """End the command with one line on standard error."""
    print(f"{prog}: error: {' '.join(message.splitlines())}", file=sys.stderr)
    raise SystemExit(status)
