"""Many games between batch players at once: seats rotated, seeds fixed, each deal the same for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from samurai_env.arena import Outcome
from samurai_env.rules import Game
from samurai_env.vector import make_vec
from training.players import BatchPlayer, Indices

_SLOTS = 256  # games at once
_NO_GAME = -1


def play_all(
    players: Sequence[BatchPlayer],
    seatings: Indices,
    deals: NDArray[np.uint64],
    seed: int,
    options: Mapping[str, str],
    when_done: Callable[[int], object] = lambda _: None,
) -> NDArray[np.float64]:
    """Play games and return each seat's share of the victory, (G, seats).

    Args:
        players: who plays.
        seatings: the index of the player at each seat of each game, (G, seats).
        deals: the seed of each game, (G,).
        seed: of all that the players draw.
        options: `hands`, `figures` and `captures`.
        when_done: is told, after each step, how many games it ended.
    """
    total, seats = seatings.shape
    games = make_vec(min(total, _SLOTS), players=seats, seed=seed, **options)
    generator = np.random.default_rng(seed)
    playing = np.full(games.num_games, _NO_GAME)
    shares = np.zeros((total, seats))
    begun = 0
    while True:
        for slot in np.flatnonzero(playing == _NO_GAME)[: total - begun].tolist():
            games.load(slot, Game(seats, int(deals[begun]), **options))
            playing[slot], begun = begun, begun + 1
        busy = np.flatnonzero(playing != _NO_GAME)
        if not len(busy):
            return shares
        actions = games.sample_actions()  # for the slots in which nothing is played any more
        who = seatings[playing[busy], games.seats[busy]]
        for player in np.unique(who).tolist():
            own = busy[who == player]
            actions[own] = players[player].act(games, own, generator)
        games.step(actions)
        ended = busy[games.dones[busy]]
        first = games.final_places[ended] == 1
        shares[playing[ended]] = first / first.sum(-1, keepdims=True)
        playing[ended] = _NO_GAME
        when_done(len(ended))


def deals_of(seed: int, games: int, seats: int) -> NDArray[np.uint64]:
    """Return the seed of each of a number of games: every deal is played once from each seat."""
    seeds = np.random.SeedSequence(seed).generate_state(-(-games // seats), np.uint64).astype(np.uint64)
    return np.repeat(seeds, seats)[:games]


def rotated(games: int, seats: int) -> Indices:
    """Return the seatings of player 0 among players 1: game i has it at seat i modulo `seats`; (games, seats)."""
    return (np.arange(seats) != (np.arange(games) % seats)[:, None]).astype(np.int64)


def match(
    player: BatchPlayer,
    opponent: BatchPlayer,
    games: int,
    seed: int,
    seats: int,
    options: Mapping[str, str],
    when_done: Callable[[int], object] = lambda _: None,
) -> Outcome:
    """Play `player` against as many copies of `opponent` as there are other seats, its seat rotated."""
    seatings, deals = rotated(games, seats), deals_of(seed, games, seats)
    shares = play_all([player, opponent], seatings, deals, seed, options, when_done)
    return outcome(shares, seatings)


def outcome(shares: NDArray[np.float64], seatings: Indices) -> Outcome:
    """Return how player 0 did, who has one seat in each game."""
    seats = (seatings == 0).argmax(-1)
    won = shares[np.arange(len(shares)), seats]
    by_seat = tuple((int((seats == k).sum()), float(won[seats == k].sum())) for k in np.unique(seats))
    return Outcome(len(shares), float(won.sum()), by_seat)
