"""Golden records: one seeded game a number of players, every action and the state after it as text.

`make golden` writes them anew (python tests/golden_records.py); a test compares them, so that a change of
behaviour shows as a readable difference.
"""

from __future__ import annotations

import json
from pathlib import Path

from samurai_env.rules import Game

FOLDER = Path(__file__).parent / "golden"
BY_SEAT = ("hands", "stocks", "captured")
GAMES = {
    "2_players": {"players": 2, "seed": 2},
    "3_players": {"players": 3, "seed": 3, "captures": "end_of_turn"},
    "4_players": {"players": 4, "seed": 4, "hands": "random", "figures": "random"},
}


def parts(position: dict) -> dict[str, str]:
    """Return a position as lines by name: each hex of a board and each seat of a list by itself."""
    lines = {}
    for key, value in position.items():
        items = value.items() if isinstance(value, dict) else enumerate(value) if key in BY_SEAT else [("", value)]
        for name, item in items:
            lines[f"{key} {name}".strip()] = " ".join(item) if key in ("hands", "stocks") else json.dumps(item)
    return lines


def changes(before: dict, after: dict) -> list[str]:
    """Return what differs between two positions, a line each."""
    old, new = parts(before), parts(after)
    lines = [f"    {name}: {new[name]}" for name in new if old.get(name) != new[name]]
    return lines + [f"    {name}: gone" for name in old if name not in new]


def playthrough(options: dict) -> str:
    """Return a whole game as text. Which legal action is played is a matter of arithmetic alone."""
    game = Game(**options)
    position = game.to_dict()
    lines = [json.dumps(options), *changes({}, position)]
    ply = 0
    while not game.is_over:
        legal = game.legal_actions()
        action = game.action_to_string(int(legal[(7919 * ply + 104729) % len(legal)]))
        lines.append(f"{ply}: seat {game.current_player}, {len(legal)} legal: {action}")
        game.apply(action)
        before, position = position, game.to_dict()
        lines += changes(before, position)
        ply += 1
    lines.append(f"winners {game.winners}, places {game.places}, returns {game.returns('place').tolist()}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all records anew."""
    FOLDER.mkdir(exist_ok=True)
    for name, options in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(options), encoding="utf-8")


if __name__ == "__main__":
    main()
