"""Games between players, and what they prove: seats rotated, seeds fixed, intervals stated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from samurai_env.agents.base import Player, View
from samurai_env.rules import Game


def play(game: Game, players: Sequence[Player], seed: int = 0) -> Game:
    """Play a game to its end, one player a seat, and return it.

    Args:
        game: a game; it is played on where it stands.
        players: the player of each seat; one object may sit at several.
        seed: from which the players' own random choices follow.

    Raises:
        ValueError: there are not as many players as seats.
    """
    if len(players) != game.players:
        raise ValueError(f"players: {len(players)}; expected {game.players}, one a seat")
    seeds = np.random.SeedSequence(seed).generate_state(len(players), np.uint64)
    for player, own in zip(players, seeds, strict=True):
        player.reset(int(own))
    while not game.is_over:
        seat = game.current_player
        game.apply(players[seat].act(View(game, seat)))
    return game


@dataclass(frozen=True)
class Outcome:
    """How one player did against others over a number of games."""

    games: int
    wins: float
    """Games won; a victory shared by k counts 1/k."""
    by_seat: tuple[tuple[int, float], ...]
    """Games and wins at each seat."""

    @property
    def rate(self) -> float:
        """The share of wins; 1/players is even."""
        return self.wins / self.games

    @property
    def worst_seat(self) -> float:
        """The share of wins at the seat where it is lowest."""
        return min(wins / games for games, wins in self.by_seat)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of wins (Wilson 1927)."""
        return wilson(self.wins, self.games)


def wilson(wins: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval for a share of wins."""
    rate = wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    return max(0.0, centre - half), min(1.0, centre + half)


def evaluate(
    player: Player,
    opponents: Sequence[Player],
    games: int,
    seed: int = 0,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
    **options: str,
) -> Outcome:
    """Play `player` against `opponents`, its seat rotated from game to game.

    Args:
        player: the player that is measured.
        opponents: the others, in their order clockwise behind it.
        games: how many games; a multiple of the number of seats gives every seat as many.
        seed: game i is `Game(seed=...)` of the same number whoever plays, so that results compare.
        progress: wraps the iteration over the games, as `tqdm.tqdm` does.
        options: `hands`, `figures` and `captures` of the games.
    """
    seats = len(opponents) + 1
    played, won = [0] * seats, [0.0] * seats
    seeds = np.random.SeedSequence(seed).generate_state(games, np.uint64)
    for i in progress(range(games)):
        seat = i % seats
        # Each deal is played once from every seat.
        deal = int(seeds[i // seats])
        table = [player if k == seat else opponents[(k - seat - 1) % seats] for k in range(seats)]
        game = play(Game(seats, deal, **options), table, seed=deal)
        played[seat] += 1
        won[seat] += (seat in game.winners) / len(game.winners)
    by_seat = tuple((n, w) for n, w in zip(played, won, strict=True) if n)
    return Outcome(games, sum(won), by_seat)
