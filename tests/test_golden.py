"""The golden records are what the engine plays today."""

import pytest
from golden_records import FOLDER, GAMES, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_the_recorded_one(name):
    assert playthrough(GAMES[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
