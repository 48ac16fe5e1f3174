"""Fit the search player's judgement of a position to finished games: python benchmarks/judgement.py --players 4

Greedy players, who now and then play something else nearly as good, finish some games. A logistic regression then says
of their positions what makes a seat win: the logarithm of its share by the chances of the majorities, the tiles it has
left, and the move. The constants of `samurai_env.agents.tree` are what this printed. Needs torch.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from samurai_env.agents.greedy import weigh_in_all
from samurai_env.agents.tree import LEAST_SHARE, MEMORY, expect_by_majorities
from samurai_env.compiled import entry_point
from samurai_env.rules.state import PLAY, record
from samurai_env.rules.tiles import NUM_KINDS
from samurai_env.vector import make_vec

KEPT = 0.1  # of the positions of a game: those that follow each other say the same
SURPRISES, NOISE = 0.3, 0.02  # which part of the decisions is noisy, and by how much, where a majority is worth 1
RIDGE = 1e-4
NAMES = ("2", "3", "4", "samurai-1", "samurai-2", "samurai-3", "ronin", "ship-1", "ship-2", "figure-ex.", "tile-ex.")
POWER, MOVE = 0, 1  # where the logarithm and the move stand among the features; the tiles follow


def positions(players: int, games: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return positions of greedy games, (N, STATE_SIZE), and the seats' shares of the victory, (N, players)."""
    vec = make_vec(512, players, seed=11)
    generator = np.random.default_rng(5)
    seen: list[list[NDArray[np.int8]]] = [[] for _ in range(vec.num_games)]
    states, results, ended = [], [], 0
    while ended < games:
        worths = weigh_in_all(vec.states, players)
        is_noisy = generator.random((vec.num_games, 1)) < SURPRISES
        actions = (worths + is_noisy * NOISE * generator.gumbel(size=worths.shape)).argmax(-1)
        for i in np.flatnonzero(generator.random(vec.num_games) < KEPT).tolist():
            seen[i].append(vec.states[i].copy())
        vec.step(actions)
        for i in np.flatnonzero(vec.dones).tolist():
            first = vec.final_places[i] == 1
            states += seen[i]
            results += [first / first.sum()] * len(seen[i])
            seen[i] = []
            ended += 1
    return np.stack(states), np.stack(results).astype(np.float32)


@entry_point
def write_features(states: Any, memories: Any, features: Any, is_used: Any) -> None:
    """Write of each seat in each position its share by majorities, whether it is to move, and the tiles it has left."""
    memory = memories[0]
    game = record(memory.state)
    for i in range(len(states)):
        memory.state[:] = states[i]
        is_used[i] = game.phase == PLAY and not game.last_turn
        if is_used[i]:
            expect_by_majorities(game, memory)
            for seat in range(game.players):
                features[i, seat, POWER] = memory.shares[seat]
                features[i, seat, MOVE] = seat == game.mover
                for kind in range(NUM_KINDS):
                    features[i, seat, 2 + kind] = game.hands[seat, kind] + game.stocks[seat, kind]


def fit(features: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    """Return the weights of the features (N, players, F) for which the results (N, players) are likeliest."""
    weights = torch.zeros(features.shape[-1])
    weights[POWER] = 1
    weights.requires_grad_()
    optimizer = torch.optim.LBFGS([weights], max_iter=300)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = log_loss(features @ weights, results) + RIDGE * (weights[MOVE:] ** 2).sum()
        value.backward()
        return value

    optimizer.step(loss)  # type: ignore[arg-type]
    return weights.detach()


def log_loss(logits: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    """Return the mean of minus the logarithm of the chance that was given to who won."""
    return -(results * logits.log_softmax(-1)).sum(-1).mean()


def main() -> None:
    """Play, fit, and print the weights and how much they say of games that were left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=4, choices=(2, 3, 4))
    parser.add_argument("--games", type=int, default=6000, help="games to fit to (default: 6000)")
    given = parser.parse_args()
    states, results = positions(given.players, given.games)
    features = np.zeros((len(states), given.players, 2 + NUM_KINDS), np.float32)
    is_used = np.zeros(len(states), np.bool_)
    write_features(states, np.zeros(1, MEMORY), features, is_used)
    features, won = features[is_used], torch.from_numpy(results[is_used])
    features[..., POWER] = np.log(np.maximum(features[..., POWER], LEAST_SHARE))
    by_strength = [features[..., 2 + k : 11 : 3].sum(-1, keepdims=True) for k in range(3)]  # of the three types alike
    table = torch.from_numpy(np.concatenate([features[..., :2], *by_strength, features[..., 11:]], -1))
    learned, left_out = slice(len(table) * 3 // 4), slice(len(table) * 3 // 4, None)
    before, after = table[left_out, :, POWER], table[left_out] @ fit(table[learned], won[learned])
    print(f"{given.players} players, {given.games:,} games, {len(table):,} positions in play")
    losses = [float(log_loss(logits, won[left_out])) for logits in (torch.zeros_like(before), before, after)]
    print("log loss on a quarter left out: even {:.4f}, by majorities {:.4f}, with all {:.4f}".format(*losses))
    weights = fit(table, won).tolist()
    print(f"certainty {weights[POWER]:.2f}, to move {weights[MOVE]:.2f}")
    print("left: " + ", ".join(f"{name} {weight:.2f}" for name, weight in zip(NAMES, weights[2:], strict=True)))


if __name__ == "__main__":
    main()
