"""Write docs/actions.md and docs/observation.md from the code (`make docs`)."""

from __future__ import annotations

from pathlib import Path

from samurai_env.commands.tables import actions, observation

FOLDER = Path(__file__).parent
NOTE = "<!-- Written by docs/tables.py (`make docs`); a test compares it with the code. -->\n\n"
PAGES = {"actions.md": lambda: NOTE + actions(), "observation.md": lambda: NOTE + observation()}


def main() -> None:
    """Write both pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
