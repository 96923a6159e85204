"""Where the running code comes from."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str | None:
    """The commit of the checkout this code runs from, if it is one."""
    here = Path(__file__)
    try:
        # A checkout of something else may hold the environment that this is installed in.
        for command in (["ls-files", "--error-unmatch", here.name], ["rev-parse", "HEAD"]):
            done = subprocess.run(
                ["git", *command], cwd=here.parent, capture_output=True, text=True, timeout=10
            )
            if done.returncode:
                return None
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip()
