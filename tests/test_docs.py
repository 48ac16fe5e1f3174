"""The documentation is true: its programs run and its tables are those of the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = [
    pytest.param(page, code, id=f"{page}-{i}")
    for page in ("README.md", "docs/libraries.md", "docs/positions.md", "docs/tournament.md")
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S))
]


@pytest.mark.parametrize(("page", "code"), PROGRAMS)
def test_the_programs_run_as_they_stand(page, code):
    if page == "docs/positions.md" and "import" not in code:
        code = "from samurai_env.rules import Game\n" + code
    exec(compile(code, page, "exec"), {})


def test_the_tables_are_those_of_the_code():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    for name, page in tables.PAGES.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(), f"{name} is stale: run `make docs`"


def test_links_lead_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
