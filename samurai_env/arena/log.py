"""The log of a tournament: a file that only grows, a header and then a line for each finished game.

Whatever ends a tournament, the lines of its finished games stay. A last line that was not written to its
end does not count, and its game is played again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Key = tuple[int, int, int]
_ELSEWHERE = "choose another folder"


@dataclass(frozen=True)
class Played:
    """A finished game of a tournament; lists have an entry for each seat."""

    table: int
    deal: int
    rotation: int
    seating: list[str]
    places: list[int]
    captured: list[list[int]]
    decisions: list[int]
    seconds: list[float]

    @property
    def key(self) -> Key:
        """What tells this game from the others of its tournament."""
        return self.table, self.deal, self.rotation


class GamesLog:
    """An open log, for one process at a time; a context manager that closes it.

    Args:
        path: the file; it is made where it is missing, with its folder.
        header: what the first line holds, JSON data.
        seatings: who sits where in each game of the tournament.

    Raises:
        ValueError: the file has another header, is damaged, is no log, or is in use.
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], seatings: Mapping[Key, tuple[str, ...]]) -> None:
        self.path = path
        self.played: dict[Key, Played] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = path.open("a+b")
        try:
            self._lock()
            self._read(header, seatings)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> GamesLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def append(self, game: Played) -> None:
        """Add a finished game."""
        self._write(asdict(game))
        self.played[game.key] = game

    def _write(self, entry: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"{self.path}: in use by another tournament; {_ELSEWHERE}") from None

    def _read(self, header: Mapping[str, Any], seatings: Mapping[Key, tuple[str, ...]]) -> None:
        self._file.seek(0)
        content = self._file.read()
        complete = content[: content.rfind(b"\n") + 1]
        first, *lines = complete.splitlines() or [b""]
        if complete:
            self._check_header(first, header)
        elif content and not json.dumps(header).encode().startswith(content):
            raise ValueError(f"{self.path}: not the log of a tournament; {_ELSEWHERE}")
        for number, line in enumerate(lines, 2):
            self._add_line(number, line, seatings)
        self._file.truncate(len(complete))
        if not complete:
            self._write(header)

    def _check_header(self, line: bytes, header: Mapping[str, Any]) -> None:
        try:
            found = json.loads(line)
            is_log = found["format"] == header["format"]
        except (ValueError, TypeError, KeyError):
            is_log = False
        if not is_log:
            raise ValueError(f"{self.path}: not the log of a tournament; {_ELSEWHERE}")
        expected = json.loads(json.dumps(header))
        # Players in another order sit at other tables.
        if json.dumps(found) != json.dumps(expected):
            names = [key for key in expected if json.dumps(found.get(key)) != json.dumps(expected[key])] or ["entries"]
            raise ValueError(f"{self.path}: the log of a tournament with other {', '.join(names)}; {_ELSEWHERE}")

    def _add_line(self, number: int, line: bytes, seatings: Mapping[Key, tuple[str, ...]]) -> None:
        try:
            game = Played(**json.loads(line))
            is_known = seatings.get(game.key) == tuple(game.seating) and game.key not in self.played
        except (ValueError, TypeError):
            is_known = False
        if not is_known:
            raise ValueError(f"{self.path}: line {number} is no game of this tournament; {_ELSEWHERE}")
        self.played[game.key] = game
