"""A game in the format of OpenSpiel's playthroughs; `make playthrough` writes it anew."""

from __future__ import annotations

from pathlib import Path

from open_spiel.python.algorithms.generate_playthrough import playthrough

import samurai_env.wrappers.open_spiel  # noqa: F401 - registers the game

FILE = Path(__file__).with_name("python_samurai.playthrough.txt")


def written_anew() -> str:
    """Return the playthrough as it comes out today."""
    return playthrough("python_samurai(players=2)", None, seed=3)


if __name__ == "__main__":
    FILE.write_text(written_anew(), encoding="utf-8")
