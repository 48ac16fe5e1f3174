"""Whether a network can see what looking ahead sees.

    python training/experiments/lookahead.py [--players 4] [--positions 60000] [--network 24 1] [--network 64 3]

In positions of games of the greedy player, the rollout player looks how much better each of the greedy player's best
actions is than the others. Networks are trained to tell it from the observation, and asked in positions left out. A
gain is the share of the victory, as the rollout player judges, that a choice among these actions brings beyond the
greedy one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from samurai_env import make_vec
from samurai_env.agents.networks import Network
from samurai_env.agents.rollout import NONE, best_actions, look_ahead
from samurai_env.markdown import table
from samurai_env.rules.state import OFFSETS, PLAY
from training.players import GreedyBatch, RandomBatch
from training.ppo import spread

CANDIDATES, DEPTH = 8, 8  # as the rollout player has them
GAMES = 512
AT_RANDOM = 0.05  # of the decisions, so that positions differ more than in greedy play
UNIT = 0.03  # the share of the victory that a logit stands for
LEFT_OUT = 0.1


class Examples(NamedTuple):
    """Positions, and what their actions bring in two deals of what is hidden."""

    observations: NDArray[np.int8]
    """(N, n)."""
    actions: NDArray[np.int64]
    """(N, CANDIDATES), the greedy one first; NONE where there are no more."""
    shares: NDArray[np.float32]
    """(N, CANDIDATES, 2)."""

    def part(self, which: Any) -> Examples:
        """Return some of them, by a slice or by indices."""
        return Examples(self.observations[which], self.actions[which], self.shares[which])


def find(number: int, players: int, seed: int) -> Examples:
    """Play until there are so many positions."""
    games, generator, found = make_vec(GAMES, players, seed), np.random.default_rng(seed), []
    spread(games, seed)
    greedy, random, everyone = GreedyBatch(), RandomBatch(), np.arange(GAMES)
    bar = tqdm(total=number, unit=" positions")
    while bar.n < number:
        is_choice = (games.states[:, OFFSETS["phase"]] == PLAY) & (games.action_masks.sum(-1) > 1)
        states, observations = games.states[is_choice].copy(), games.observations[is_choice].copy()
        actions = best_actions(states, CANDIDATES)
        seeds = generator.integers(2**32, size=(len(states), 2, 2), dtype=np.uint32)
        found.append(Examples(observations, actions, look_ahead(states, actions, seeds, DEPTH)))
        bar.update(len(states))
        is_random = generator.random(GAMES) < AT_RANDOM
        others = random.act(games, everyone, generator)
        games.step(np.where(is_random, others, greedy.act(games, everyone, generator)))
    bar.close()
    observations, actions, shares = (np.concatenate(parts)[:number] for parts in zip(*found, strict=True))
    return Examples(observations, actions, shares)


def centred(values: Tensor, is_there: Tensor) -> Tensor:
    """Return by how much the values of a position differ from their mean; 0 where there is none."""
    mean = (values * is_there).sum(-1, keepdim=True) / is_there.sum(-1, keepdim=True)
    return (values - mean) * is_there


def told(network: Network, examples: Examples) -> tuple[Tensor, Tensor]:
    """Return the logits of the actions, (N, CANDIDATES), and where there are actions."""
    actions = torch.from_numpy(examples.actions)
    logits, _ = network(torch.from_numpy(examples.observations))
    return logits.gather(1, actions.clamp(min=0)), actions != NONE


def train(network: Network, examples: Examples, passes: int, batch_size: int, learning_rate: float) -> None:
    """Train a network to tell by how much actions differ in the first deal."""
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    batches = passes * (len(examples.actions) // batch_size)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, batches)
    generator = np.random.default_rng(0)
    for _ in range(passes):
        order = generator.permutation(len(examples.actions))
        for chosen in np.array_split(order, len(order) // batch_size):
            batch = examples.part(chosen)
            logits, is_there = told(network, batch)
            wanted = centred(torch.from_numpy(batch.shares[..., 0]), is_there)
            loss = (UNIT * centred(logits, is_there) - wanted).square().sum(-1).mean() / UNIT
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()


@torch.no_grad()
def asked(network: Network, examples: Examples) -> tuple[float, float]:
    """Return how the logits correlate with what actions bring, and the gain of the best logits."""
    parts = range(0, len(examples.actions), 4096)
    logits = torch.cat([told(network, examples.part(slice(i, i + 4096)))[0] for i in parts])
    return measured(logits, examples, slice(None))


def measured(values: Tensor, examples: Examples, deals: slice) -> tuple[float, float]:
    """Return how values of actions correlate, within positions, with what they bring in `deals`, and the gain."""
    is_there = torch.from_numpy(examples.actions != NONE)
    brings = torch.from_numpy(examples.shares[..., deals]).mean(-1)
    one, other = centred(values, is_there), centred(brings, is_there)
    correlation = (one * other).sum() / (one.square().sum() * other.square().sum()).sqrt()
    chosen = values.masked_fill(~is_there, -torch.inf).argmax(-1, keepdim=True)
    return correlation.item(), (brings.gather(1, chosen)[:, 0] - brings[:, 0]).mean().item()


def main() -> None:
    """Find positions, train, ask and print the table."""
    parser = argparse.ArgumentParser(description="Whether a network can see what looking ahead sees.")
    parser.add_argument("--players", type=int, default=4, choices=(2, 3, 4))
    parser.add_argument("--positions", type=int, default=60_000)
    parser.add_argument("--network", type=int, nargs=2, action="append", metavar=("WIDTH", "ROUNDS"))
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    given: Any = parser.parse_args()
    networks = given.network or [(24, 1), (64, 3)]
    aside = int(given.positions * LEFT_OUT)
    if min(given.batch, given.passes, *(number for network in networks for number in network)) < 1:
        parser.error("expected --batch, --passes, and WIDTH and ROUNDS of a --network from 1")
    if not given.learning_rate > 0 or not 0 <= given.seed < 2**32:
        parser.error("expected a --learning-rate above 0 and a --seed in [0, 2**32)")
    if aside < 2 or given.positions - aside < given.batch:
        parser.error(f"--positions {given.positions}: expected 20 or more, and without a tenth no fewer than --batch")
    examples = find(given.positions, given.players, given.seed)
    learned, left_out = examples.part(slice(aside, None)), examples.part(slice(aside))
    in_another_deal = measured(torch.from_numpy(left_out.shares[..., 0]), left_out, slice(1, 2))
    rows = [["looking ahead, in another deal", "", *_numbers(in_another_deal)]]
    for width, rounds in networks:
        torch.manual_seed(given.seed)
        network = Network(given.players, "graph", width, rounds)
        train(network, learned, given.passes, given.batch, given.learning_rate)
        one, other = asked(network, learned), asked(network, left_out)
        rows.append([f"network, width {width}, {rounds} rounds", *_numbers(one[:1]), *_numbers(other)])
        print(rows[-1], file=sys.stderr, flush=True)
    print(table(("choice by", "correlation, learned", "correlation, left out", "gain, left out"), rows))


def _numbers(values: tuple[float, ...]) -> list[str]:
    return [f"{value:.4f}" for value in values]


if __name__ == "__main__":
    main()
