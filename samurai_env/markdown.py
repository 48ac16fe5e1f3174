"""Tables in Markdown, for pages and for the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[object], rows: Sequence[Sequence[object]], aligned: bool = False) -> str:
    """Return a Markdown table; `aligned` pads the cells, numbers to the right, for reading as plain text."""
    lines = [[str(cell) for cell in line] for line in (header, *rows)]
    rule = ["---"] * len(header)
    if aligned:
        columns = [_padded(column) for column in zip(*lines, strict=True)]
        lines = [list(line) for line in zip(*columns, strict=True)]
        rule = ["-" * len(cell) for cell in lines[0]]
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]]) + "\n"


def _padded(column: Sequence[str]) -> list[str]:
    width = max(3, *map(len, column))
    are_numbers = all(cell.lstrip("+-")[:1].isdigit() for cell in column[1:])
    return [cell.rjust(width) if are_numbers else cell.ljust(width) for cell in column]
