"""Tournaments: every player against every other, seats rotated, the same deals for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from samurai_env.agents import Player
from samurai_env.arena.log import GamesLog, Played
from samurai_env.arena.plan import Fixture, Plan, named
from samurai_env.arena.standings import Results, results
from samurai_env.arena.workers import cores, play_all, try_players
from samurai_env.checks import whole

LOG = "games.jsonl"
MOST_PROCESSES = 1024
Progress = Callable[[Iterable[Played]], Iterable[Played]]


class Tournament:
    """A tournament that is ready to be played: everything that it was given is checked.

    Args:
        plan: which games are played.
        out: see `tournament`.
        processes: see `tournament`.

    Raises:
        ValueError: a player does not work, or the folder has the log of another tournament.
        OSError: the folder cannot be written to.
    """

    def __init__(self, plan: Plan, out: str | os.PathLike[str] | None = None, processes: int | None = None) -> None:
        self.plan = plan
        given = cores() if processes is None else whole("processes", processes, 1, MOST_PROCESSES)
        try_players(plan, given)
        self._fixtures = list(plan.fixtures())
        self._out = None if out is None else Path(out)
        self._log: GamesLog | None = None
        if self._out is not None:
            seatings = {fixture.key: fixture.seating for fixture in self._fixtures}
            self._log = GamesLog(self._out / LOG, plan.header(), seatings)
        self.played: dict[tuple[int, int, int], Played] = dict(self._log.played) if self._log else {}
        """The games that are finished, those of an earlier start included."""
        self._processes = min(given, max(1, len(self.missing())))

    def missing(self) -> list[Fixture]:
        """Return the games that are still to be played."""
        return [fixture for fixture in self._fixtures if fixture.key not in self.played]

    def play(self, progress: Progress = iter, samples: int = 1000) -> Results:
        """Play the games that are missing, write the files where there is a folder, and return the results."""
        with self._log or nullcontext():
            with closing(_Games(self)) as games:
                for game in progress(games):
                    if self._log:
                        self._log.append(game)
                    self.played[game.key] = game
            found = results(self.plan, self.played, samples)
            if self._out is not None:
                found.write(self._out)
        return found


class _Games(Iterable[Played]):
    """The missing games of a tournament: as many as its length says, played as they are asked for."""

    def __init__(self, tournament: Tournament) -> None:
        missing = tournament.missing()
        self._length = len(missing)
        self._games = play_all(tournament.plan, missing, tournament._processes) if missing else None

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Played]:
        return iter(self._games or ())

    def close(self) -> None:
        """Stop what is being played."""
        if self._games is not None:
            self._games.close()


def tournament(
    players: Sequence[str] | Mapping[str, str | Player],
    games: int = 200,
    seats: int = 2,
    seed: int = 0,
    tables: str = "pairs",
    hands: str = "choose",
    figures: str = "draft",
    captures: str = "immediate",
    out: str | os.PathLike[str] | None = None,
    processes: int | None = None,
    progress: Progress = iter,
    samples: int = 1000,
) -> Results:
    """Play a round robin and return its results, which depend on nothing but the first eight arguments.

    Args:
        players: codes (see `samurai_env.agents`), or "NAME=CODE"; or a mapping from names to codes or `Player`s. Of a
            `Player` each seat gets a copy.
        games: how many at each table, a multiple of `seats`; each deal is played once in every rotation of the seats.
        seats: 2, 3 or 4.
        seed: the deals follow from it, and are the same at every table.
        tables: "pairs": every two players, first one of the one among copies of the other, then the reverse;
            "mixed": every combination of `seats` different players. With two seats they are the same.
        hands: see `samurai_env.rules.Game`.
        figures: see `samurai_env.rules.Game`.
        captures: see `samurai_env.rules.Game`.
        out: a folder for the log and the results. A tournament that was interrupted goes on from its log.
        processes: how many play at once; None for one a core. With more than one, a script has to begin under
            `if __name__ == "__main__":`, and a `Player` of a class that a notebook defines cannot play.
        progress: wraps the iteration over the games, as `tqdm.tqdm` does.
        samples: how many samples the intervals of the ratings are taken from.

    Raises:
        ValueError: names what is wrong, and what would be right.
        OSError: the folder cannot be written to.
    """
    options = {"hands": hands, "figures": figures, "captures": captures}
    plan = Plan(named(players), seats, games, seed, tables, options)
    return Tournament(plan, out, processes).play(progress, samples)
