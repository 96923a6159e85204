"""Which of Mitsuba's variants draws: compiled (llvm) or plain (scalar), chosen when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from ctypes.util import find_library
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal

Variant = Literal["llvm", "scalar"]
NAMES: dict[Variant, str] = {"llvm": "llvm_ad_rgb", "scalar": "scalar_rgb"}
OLDEST_LLVM, NEWEST_LLVM = 19, 30
SECONDS = {"llvm": 3.1, "scalar": 15.0}
"""CPU seconds to trace the light of an image, 512 x 512 with 6 objects at 16 samples, about."""


def _libraries() -> Iterator[str]:
    """LLVM libraries that Mitsuba can use, the newest first."""
    for number in range(NEWEST_LLVM, OLDEST_LLVM - 1, -1):
        for name in (f"LLVM-{number}", f"LLVM.so.{number}"):
            if found := find_library(name):
                yield found
        yield from map(str, Path(f"/usr/lib/llvm-{number}/lib").glob("libLLVM*.so*"))


def seconds(variant: Variant, size: int, samples: int, objects: float) -> float:
    """CPU seconds for an image of `size` x `size` pixels, about: for estimates.

    Light is traced for every sample, noise removed and the file made for every pixel, and the
    scene filled for every object.
    """
    tracing = SECONDS[variant] * samples / 16 * (0.57 + 0.072 * objects)
    return (size / 512) ** 2 * (tracing + 0.85) + 0.07 * objects


@cache
def _say(line: str) -> None:
    """Print a line once a process."""
    print(line, file=sys.stderr)


def load(variant: Variant | None = None) -> ModuleType:
    """Mitsuba in a variant: the one asked for, or the fastest that runs here, with a word on it.

    Raises:
        ValueError: when Mitsuba is missing, or llvm is asked for without its library.
    """
    try:
        import mitsuba
    except ImportError as error:
        raise ValueError(
            f"the renderer needs Mitsuba ({error}); pip install 'saber-toolkit[render]'"
        ) from error
    if variant != "scalar":
        library = os.environ.get("DRJIT_LIBLLVM_PATH") or next(_libraries(), None)
        if library:
            os.environ["DRJIT_LIBLLVM_PATH"] = library
            with suppress(ImportError):  # the library can't be loaded: as if there were none
                mitsuba.set_variant(NAMES["llvm"])
                return mitsuba
        fix = f"install libllvm{OLDEST_LLVM} or newer, or set DRJIT_LIBLLVM_PATH to the library"
        if variant == "llvm":
            raise ValueError(f"variant 'llvm' needs LLVM {OLDEST_LLVM} or newer; {fix}")
        ratio = SECONDS["scalar"] / SECONDS["llvm"]
        _say(
            f"render: no LLVM {OLDEST_LLVM} or newer found: drawing with the scalar variant, "
            f"about {ratio:.0f} times slower; {fix}"
        )
    mitsuba.set_variant(NAMES["scalar"])
    return mitsuba
