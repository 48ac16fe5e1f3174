"""How strong the policies of a run are: matches with fixed seeds, and one Elo scale for the whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.policy import load_network
from samurai_env.arena import Outcome
from samurai_env.arena.ratings import rate
from training.config import Config
from training.matches import deals_of, outcome, play_all, rotated
from training.players import BatchPlayer, PolicyBatch, batch_player
from training.run import POLICIES, POLICY, untrained

FAST = ("random", "greedy")  # who plays in a league against everybody; the slow ones meet the last policy only
LAST = "policy"


class Entrant(NamedTuple):
    """A player of a league."""

    name: str
    player: BatchPlayer
    steps: int | None = None
    """How long it had trained, for a policy of the run."""
    is_slow: bool = False


class Match(NamedTuple):
    """One entrant against copies of another."""

    player: str
    against: str
    outcome: Outcome
    wins: NDArray[np.float64]
    """How often each of the two won in each deal, (deals, 2)."""


class Rating(NamedTuple):
    """The Elo points of an entrant, with their 95 % interval."""

    name: str
    steps: int | None
    elo: float
    low: float
    high: float


def entrants(
    config: Config, folder: Path, steps: int, codes: Sequence[str], number: int
) -> tuple[list[Entrant], list[str]]:
    """Return who plays, the weakest first as far as is known, and what is said about those who cannot.

    Args:
        config: the run's configuration.
        folder: its folder.
        steps: how long its last policy has trained.
        codes: the other players.
        number: how many of the policies that were kept play, evenly spread over the run.
    """
    found, refused = [Entrant("untrained", PolicyBatch(untrained(config)), 0)], []
    for code in codes:
        try:
            found.append(Entrant(code, batch_player(code), None, code not in FAST))
        except ValueError as error:
            refused.append(f"{code} is left out: {error}")
    for path in spread(sorted((folder / POLICIES).glob("*.pt")), number):
        at = int(path.stem)
        if at < steps:
            found.append(Entrant(f"{at / 1e6:.2f} M", PolicyBatch(load_network(path)), at))
    found.append(Entrant(LAST, PolicyBatch(load_network(folder / POLICY)), steps))
    return found, refused


def spread(paths: Sequence[Path], number: int) -> list[Path]:
    """Return some of a list, evenly spread, the last one of them."""
    if number >= len(paths):
        return list(paths)
    return [paths[round((i + 1) * len(paths) / number) - 1] for i in range(number)]


def pairings(players: Sequence[Entrant]) -> list[tuple[Entrant, Entrant]]:
    """Return who plays whom: the later one alone among copies of the earlier."""
    pairs = [(later, earlier) for earlier, later in combinations(players, 2)]
    return [pair for pair in pairs if pair[0].name == LAST or not any(player.is_slow for player in pair)]


def play_pair(
    pair: tuple[Entrant, Entrant], games: int, config: Config, when_done: Callable[[int], object] = lambda _: None
) -> Match:
    """Play a match, every deal once from each seat."""
    seats, seed = config.game.players, config.evaluation.seed
    games = -(-games // seats) * seats
    seatings, players = rotated(games, seats), [entrant.player for entrant in pair]
    shares = play_all(players, seatings, deals_of(seed, games, seats), seed, config.game.options, when_done)
    won = np.stack([(shares * (seatings == k)).sum(-1).reshape(-1, seats).sum(-1) for k in (0, 1)], -1)
    return Match(pair[0].name, pair[1].name, outcome(shares, seatings), won)


def ratings(players: Sequence[Entrant], matches: Sequence[Match], seats: int) -> list[Rating]:
    """Return the Elo points of all players, in their order; see `samurai_env.arena.ratings`."""
    names = [player.name for player in players]
    copies = np.zeros((len(matches), len(names)))
    wins = np.zeros((len(matches[0].wins), len(matches), len(names)))
    for table, match in enumerate(matches):
        pair = [names.index(match.player), names.index(match.against)]
        copies[table, pair] = 1, seats - 1
        wins[:, table, pair] = match.wins
    elo, intervals = rate(copies, wins)
    lines = zip(players, elo.tolist(), intervals.tolist(), strict=True)
    return [Rating(player.name, player.steps, points, *interval) for player, points, interval in lines]


def of_last(matches: Iterable[Match]) -> list[Match]:
    """Return the matches of the last policy."""
    return [match for match in matches if match.player == LAST]
