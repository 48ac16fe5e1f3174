"""What actions and observations mean, as tables made from the code."""

from __future__ import annotations

from collections.abc import Sequence

from samurai_env.markdown import table
from samurai_env.observation import Segment, layout, planes_shape, size
from samurai_env.rules.actions import NUM_ACTIONS, blocks, texts
from samurai_env.rules.board import NUM_LAND, NUM_SEA, NUM_SETTLEMENTS, PLAYER_COUNTS


def spaces(players: Sequence[int] = PLAYER_COUNTS) -> str:
    """Return the sizes of the spaces and of the board."""
    rows = [[n, NUM_ACTIONS[n], size(n), planes_shape(n), NUM_SETTLEMENTS[n], NUM_LAND[n], NUM_SEA[n]] for n in players]
    header = ["players", "actions", "observation", "planes", "settlements", "land hexes", "sea hexes"]
    return table(header, rows, aligned=True)


def actions(players: Sequence[int] = PLAYER_COUNTS) -> str:
    """Return the page of the actions."""
    parts = [
        "# Actions\n\n",
        "One step is one decision; a turn is several steps of the same agent. Ids depend on the number of players "
        "only. Figure types are in the order helmet, buddha, rice, tile kinds in the order of `rules/tiles.py`, "
        "hexes in the order of their ids. The text of the block `place/swap` reads `swap ...` in the phase `play`.\n",
    ]
    for number in players:
        parts += [f"\n## {number} players: {NUM_ACTIONS[number]} ids\n\n", action_blocks(number)]
    return "".join(parts)


def action_blocks(players: int, aligned: bool = False) -> str:
    """Return the blocks of action ids."""
    rows: list[list[object]] = []
    for name, (start, count) in blocks(players).items():
        text = texts(players)
        rows.append([name, start, count, f"`{text[start]}`", f"`{text[start + count - 1]}`"])
    return table(["block", "first id", "ids", "first text", "last text"], rows, aligned)


def segments(players: int, aligned: bool = False) -> str:
    """Return the segments of an observation, without their features."""
    rows = [[segment.name, segment.shape, segment.start] for segment in layout(players)]
    return table(["segment", "shape", "first index"], rows, aligned)


def segment_rows(segment: Segment) -> list[list[object]]:
    """Return a row for each feature of a segment; its place in the flat array where that is one number."""
    rows: list[list[object]] = []
    for i, feature in enumerate(segment.features):
        step = segment.rows if segment.by_feature else 1
        first = segment.start + i * step
        where = f"{first} .. {first + segment.rows - 1}" if segment.by_feature else first
        if segment.name == "seats":
            where = f"{first} + {len(segment.features)} k"
        rows.append([i, where, feature.name, f"0 .. {feature.high}"])
    return rows


def observation(players: Sequence[int] = PLAYER_COUNTS) -> str:
    """Return the page of the observation."""
    parts = [
        "# Observation\n\n",
        "One flat array, relative to the observer: `own` is the observer, `seat +1` the next clockwise. int8 with "
        'the ranges below, or with `obs_dtype="float32"` each number divided by its largest value. '
        "`samurai_env.observation.split` gives the segments as shaped views, `planes` the same as channels, rows and "
        "columns. The rows of `settlements`, `land` and `sea` are in the order of the hexes' ids; k counts seats.\n",
    ]
    for number in players:
        parts.append(f"\n## {number} players: {size(number)} numbers, planes {planes_shape(number)}\n")
        for segment in layout(number):
            parts += [
                f"\n### `{segment.name}` {segment.shape}, from {segment.start}\n\n",
                table(["feature", "in the flat array", "meaning", "range"], segment_rows(segment)),
            ]
    return "".join(parts)
