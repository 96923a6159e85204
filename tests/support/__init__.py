"""What several test files stand on: servers, drivers of the commands, sample data."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The checkout."""
TESTS = ROOT / "tests"
