"""The examples, run as a user would run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "examples"


def run(name: str) -> str:
    """Return what an example writes.

    Raises:
        AssertionError: it failed.
    """
    command = [sys.executable, "-W", "ignore", str(FOLDER / name)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, result.stderr[-5000:]
    return result.stdout
