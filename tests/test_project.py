"""The bounds and pins of the dependencies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_bounds_are_loose():
    """A dependency has a lower bound, and no upper one below its next major version."""
    for requirement in PROJECT["dependencies"]:
        match = re.fullmatch(r"([\w-]+)>=(\d+)[.\d]*,<(\d+)", requirement)
        assert match, requirement
        assert int(match[3]) > int(match[2])


def test_every_dependency_is_pinned_for_the_commands():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *extras["train"], *extras["test"]]:
        name = re.match(r"[\w-]+", requirement)[0].lower().replace("_", "-")
        assert name == "samurai-env" or name in pinned, name
