"""Ratings: Elo points from the wins at all tables together.

The model is Luce's choice, the first place of Plackett-Luce, which between two seats is Bradley and Terry's:
a player of strength s wins with probability s / (the sum of the strengths at the table), copies counted
each. 400 Elo points are a tenfold strength; the mean of all players is 0. A victory shared by k counts 1/k.

Prior: each player also drew one virtual game against a player of strength 1. It keeps the rating of a player who
won or lost all games finite, and is worth as much as one game.

The fit is Newton's method on a concave function of as many numbers as there are players. It is done for all
samples of the bootstrap at once, which optimisers for one function at a time are too slow for; and libraries for
these models take neither shared victories nor copies of a player at a table.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ELO = 400 / math.log(10)  # points for each unit of the logarithm of the strength
_ITERATIONS = 200
_PRECISION = 1e-9


def fit(copies: Floats, wins: Floats) -> Floats:
    """Return the logarithms of the most likely strengths; the last player's is 0.

    Args:
        copies: how many seats each player has at each table, (tables, players).
        wins: how often each player won there, (samples, tables, players).

    Returns:
        (samples, players).
    """
    games = wins.sum(-1, keepdims=True)
    logs = np.zeros((len(wins), copies.shape[1]))
    for _ in range(_ITERATIONS):
        weight = copies * np.exp(logs)[:, None]
        chance = weight / weight.sum(-1, keepdims=True)
        expected = games * chance
        gradient = (wins - expected).sum(1)[:, :-1]
        curvature = _diagonal(expected.sum(1)) - np.einsum("sti,stj->sij", expected, chance)
        step = np.linalg.solve(curvature[:, :-1, :-1], gradient[..., None])[..., 0]
        step /= np.maximum(1.0, np.abs(step).max(-1, keepdims=True))  # far from the maximum, not too far at once
        logs[:, :-1] += step
        if np.abs(step).max() < _PRECISION:
            break
    return logs


def _diagonal(rows: Floats) -> Floats:
    return rows[..., None] * np.eye(rows.shape[-1])


def elo(copies: Floats, wins: Floats, prior: Floats) -> Floats:
    """Return the Elo points of each sample, (samples, players).

    Args:
        copies: (tables, players).
        wins: (samples, tables, players).
        prior: the weight of each player's virtual game, (samples, players).
    """
    players = copies.shape[1]
    virtual = np.eye(players)
    tables = np.block([[copies, np.zeros((len(copies), 1))], [virtual, np.ones((players, 1))]])
    results = np.zeros((len(wins), len(tables), players + 1))
    results[:, : len(copies), :players] = wins
    results[:, len(copies) :, :players] = prior[..., None] * virtual / 2
    results[:, len(copies) :, players] = prior / 2
    logs = fit(tables, results)[:, :players]
    return ELO * (logs - logs.mean(-1, keepdims=True))


def rate(copies: Floats, wins: Floats, samples: int = 1000, seed: int = 0) -> tuple[Floats, Floats]:
    """Return the Elo points and their 95 % intervals, (players,) and (players, 2).

    The intervals are those of the Bayesian bootstrap (Rubin 1981) over the deals: in each sample every deal, with
    all its games, and every virtual game gets a random weight, exponential with mean 1. So games of the
    same deal need not be independent, and the interval of a player who won all games is open towards the top.

    Args:
        copies: how many seats each player has at each table, (tables, players).
        wins: how often each player won there in each deal, (deals, tables, players).
        samples: the number of samples of the bootstrap.
        seed: of the bootstrap.
    """
    deals, players = len(wins), copies.shape[1]
    generator = np.random.default_rng(seed)
    weights = generator.exponential(size=(samples, deals))
    sampled = (weights @ wins.reshape(deals, -1)).reshape(samples, *wins.shape[1:])
    points = elo(copies, wins.sum(0)[None], np.ones((1, players)))[0]
    spread = elo(copies, sampled, generator.exponential(size=(samples, players)))
    return points, np.quantile(spread, (0.025, 0.975), axis=0).T
