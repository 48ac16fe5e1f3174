"""Write docs/actions.md and docs/observation.md from the code (`make docs`)."""

from __future__ import annotations

from pathlib import Path

from samurai_env.observation import Segment, layout, planes_shape, size
from samurai_env.rules.actions import NUM_ACTIONS, blocks, texts
from samurai_env.rules.board import PLAYER_COUNTS

FOLDER = Path(__file__).parent
NOTE = "<!-- Written by docs/tables.py (`make docs`); a test compares it with the code. -->\n\n"


def table(header: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def actions() -> str:
    """Return docs/actions.md."""
    parts = [
        NOTE,
        "# Actions\n\n",
        "One step is one decision; a turn is several steps of the same agent. Ids depend on the number of players "
        "only. Figure types are in the order helmet, buddha, rice, tile kinds in the order of `rules/tiles.py`, "
        "hexes in the order of their ids. The text of the block `place/swap` reads `swap ...` in the phase `play`.\n",
    ]
    for players in PLAYER_COUNTS:
        rows: list[list[object]] = []
        for name, (start, count) in blocks(players).items():
            text = texts(players)
            rows.append([name, start, count, f"`{text[start]}`", f"`{text[start + count - 1]}`"])
        parts += [
            f"\n## {players} players: {NUM_ACTIONS[players]} ids\n\n",
            table(["block", "first id", "ids", "first text", "last text"], rows),
        ]
    return "".join(parts)


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


def observation() -> str:
    """Return docs/observation.md."""
    parts = [
        NOTE,
        "# Observation\n\n",
        "One flat array, relative to the observer: `own` is the observer, `seat +1` the next clockwise. int8 with "
        'the ranges below, or with `obs_dtype="float32"` each number divided by its largest value. '
        "`samurai_env.observation.split` gives the segments as shaped views, `planes` the same as channels, rows and "
        "columns. The rows of `settlements`, `land` and `sea` are in the order of the hexes' ids; k counts seats.\n",
    ]
    for players in PLAYER_COUNTS:
        parts.append(f"\n## {players} players: {size(players)} numbers, planes {planes_shape(players)}\n")
        for segment in layout(players):
            parts += [
                f"\n### `{segment.name}` {segment.shape}, from {segment.start}\n\n",
                table(["feature", "in the flat array", "meaning", "range"], segment_rows(segment)),
            ]
    return "".join(parts)


PAGES = {"actions.md": actions, "observation.md": observation}


def main() -> None:
    """Write both pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
