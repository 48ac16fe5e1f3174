"""The plan of a tournament: who sits at which table, and which games are played there."""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import factorial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import samurai_env
from samurai_env.agents import Player
from samurai_env.checks import choice, seed_in_range, whole
from samurai_env.rules import Game
from samurai_env.rules.board import PLAYER_COUNTS

TABLES = ("pairs", "mixed")
MOST_GAMES = 10**7
# The folders of this package that decide nothing in a game.
_BESIDE = ("arena", "commands", "rendering", "wrappers")
_NAMED = re.compile(r"([\w.+-]+)=(.+)")


class Fixture(NamedTuple):
    """One game that is to be played."""

    table: int
    deal: int
    rotation: int
    seating: tuple[str, ...]
    """The name of the player at each seat."""
    seed: int
    """The seed of the deal: the game is `Game(seed=...)`."""

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells this game from the others of its tournament."""
        return self.table, self.deal, self.rotation

    @property
    def player_seed(self) -> int:
        """The seed of the players' own random choices: another one for another seating."""
        words = [self.seed, *" ".join(self.seating).encode()]
        return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class Plan:
    """A round robin; nothing in it depends on how it is played.

    Args:
        players: names and what plays under them, a code or a `Player`.
        seats: 2, 3 or 4 at each table.
        games: how many at each table, a multiple of `seats`: each deal is played once in every rotation.
        seed: the deals follow from it, and are the same at every table.
        tables: "pairs" (every two players, one of the one among copies of the other) or "mixed" (every
            combination of `seats` different players). With two seats they are the same.
        options: `hands`, `figures` and `captures` of the games.

    Raises:
        ValueError: names what is wrong, and what would be right.
    """

    players: Mapping[str, str | Player]
    seats: int
    games: int
    seed: int
    tables: str
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        choice("seats", self.seats, PLAYER_COUNTS)
        whole("games", self.games, 1, MOST_GAMES)
        if self.games % self.seats:
            raise ValueError(f"games: {self.games}; expected a multiple of {self.seats}, the number of seats")
        seed_in_range("seed", self.seed)
        choice("tables", self.tables, TABLES)
        fewest = self.seats if self.tables == "mixed" else 2
        if len(self.players) < fewest:
            raise ValueError(f"players: {len(self.players)}; expected at least {fewest} different ones")
        Game(self.seats, 0, **self.options)

    @cached_property
    def seatings(self) -> list[tuple[str, ...]]:
        """The players of each table, before any rotation."""
        if self.tables == "mixed" or self.seats == 2:
            return list(combinations(self.players, self.seats))
        copies = self.seats - 1
        pairs = combinations(self.players, 2)
        return [seating for a, b in pairs for seating in ((a, *[b] * copies), (b, *[a] * copies))]

    @property
    def deals(self) -> int:
        """The number of deals."""
        return self.games // self.seats

    @property
    def total(self) -> int:
        """The number of games at all tables."""
        return self.games * len(self.seatings)

    def fixtures(self) -> Iterator[Fixture]:
        """Yield all games, deal by deal, so that a part of them is a fair part."""
        seeds = np.random.SeedSequence(self.seed).generate_state(self.deals, np.uint64)
        for deal, seed in enumerate(seeds.tolist()):
            for table, seating in enumerate(self.seatings):
                order = _order(seating, deal)
                for rotation in range(self.seats):
                    yield Fixture(table, deal, rotation, order[-rotation:] + order[:-rotation], seed)

    def header(self) -> dict[str, Any]:
        """Return what a log of these games begins with; only the same plan may go on with it."""
        return {
            "format": "samurai_env tournament",
            "version": 1,
            "package": samurai_env.__version__,
            "sources": _digest_of_sources(),
            "players": {name: _identity(player) for name, player in self.players.items()},
            "seats": self.seats,
            "games": self.games,
            "seed": self.seed,
            "tables": self.tables,
            **self.options,
        }


def _order(seating: tuple[str, ...], deal: int) -> tuple[str, ...]:
    """Return the players clockwise in a deal: different ones sit in each cyclic order in turn."""
    if len(set(seating)) < len(seating):
        return seating
    first, *others = seating
    orders = list(permutations(others))
    return (first, *orders[deal % factorial(len(others))])


def named(players: Sequence[str] | Mapping[str, str | Player]) -> dict[str, str | Player]:
    """Return players by name, from such a mapping or from texts, "CODE" or "NAME=CODE".

    Raises:
        ValueError: two have the same name.
    """
    if isinstance(players, Mapping):
        return dict(players)
    found: dict[str, str | Player] = {}
    for text in players:
        match = _NAMED.fullmatch(text)
        name, code = match.groups() if match else (text, text)
        if name in found:
            raise ValueError(f"players: {name!r} is there twice; expected different names, as in 'a={code} b={code}'")
        found[name] = code
    return found


def _identity(player: str | Player) -> str:
    """Return a text that tells players apart, the contents of their files included."""
    if not isinstance(player, str):
        name = f"{type(player).__module__}.{type(player).__qualname__}"
        with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
            return f"{name} sha256:{hashlib.sha256(pickle.dumps(player)).hexdigest()}"
        return name
    file = Path(player.partition("policy:")[2])  # also behind "search:400:"
    return f"{player} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" if file.is_file() else player


def _digest_of_sources() -> str:
    package, digest = Path(samurai_env.__file__).parent, hashlib.sha256()
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pt")]):
        name = path.relative_to(package)
        if name.parts[0] not in _BESIDE or name.parts == ("arena", "games.py"):
            digest.update(name.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
