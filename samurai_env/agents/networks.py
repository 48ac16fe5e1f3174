"""Networks that read the flat observation: policy logits and a value.

Importing this needs torch (the extra `train`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from samurai_env.checks import choice
from samurai_env.observation import highs, layout, size, split
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.board import FIGURES_HELD, LAND_ENDS, NUM_LAND, NUM_SEA, NUM_SETTLEMENTS, SEA_ENDS
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS


def incidence(ends: np.ndarray, settlements: int) -> Tensor:
    """Return which settlements each hex touches, float32 of shape (settlements, hexes)."""
    return torch.from_numpy((ends[None, :, :] == np.arange(settlements)[:, None, None]).any(-1)).float()


def mlp(*widths: int) -> nn.Sequential:
    """Return linear layers with ReLU after each."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers)


class FlatNetwork(nn.Module):
    """A plain multi-layer perceptron on the flat observation."""

    def __init__(self, players: int, width: int, rounds: int) -> None:
        super().__init__()
        self.body = mlp(size(players), *[width] * rounds)
        self.policy = nn.Linear(width, int(NUM_ACTIONS[players]))
        self.value = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for scaled observations (B, size)."""
        features = self.body(x)
        return self.policy(features), self.value(features).squeeze(-1)


class GraphNetwork(nn.Module):
    """The board as a graph: settlements are nodes, land and sea hexes the edges beside them.

    Weights are shared over all settlements, all land hexes and all sea hexes. In each round the hexes hear
    from their settlements, and the settlements from their hexes. A tile's logits come from its hex, a
    figure's from its settlement, the rest from a summary.
    """

    held: Tensor
    land_at: Tensor
    sea_at: Tensor

    def __init__(self, players: int, width: int, rounds: int) -> None:
        super().__init__()
        self.players = players
        settlements = int(NUM_SETTLEMENTS[players])
        land_ends = LAND_ENDS[: NUM_LAND[players]]
        sea_ends = SEA_ENDS[players, : NUM_SEA[players]]
        self.register_buffer("land_at", incidence(land_ends, settlements), persistent=False)
        self.register_buffer("sea_at", incidence(sea_ends, settlements), persistent=False)
        held = torch.nn.functional.one_hot(torch.from_numpy(FIGURES_HELD[:settlements]).long() - 1).float()
        self.register_buffer("held", held, persistent=False)
        features = {segment.name: len(segment.features) for segment in layout(players)}
        summary = features["hand"] + players * features["seats"] + features["turn"]
        self.summary = mlp(summary, width, width)
        self.settlement = nn.Linear(features["settlements"] + held.shape[1], width)
        self.land = nn.Linear(features["land"], width)
        self.sea = nn.Linear(features["sea"], width)
        self.rounds = nn.ModuleList(GraphRound(width) for _ in range(rounds))
        self.policy_land = nn.Linear(width, NUM_LAND_KINDS + 1)  # the last is the lift
        self.policy_sea = nn.Linear(width, 2)
        self.policy_settlement = nn.Linear(width, NUM_FIGURES)
        self.policy_rest = nn.Linear(3 * width, NUM_KINDS + 1)  # the first hand, and the end of the turn
        self.value = nn.Sequential(*mlp(3 * width, width), nn.Linear(width, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for scaled observations (B, size)."""
        parts = split(x, self.players)
        batch = len(x)
        summary = self.summary(torch.cat([parts["hand"], parts["seats"].flatten(1), parts["turn"]], -1))
        held = self.held.expand(batch, -1, -1)
        shared = summary.unsqueeze(1)
        settlements = torch.relu(self.settlement(torch.cat([parts["settlements"], held], -1)) + shared)
        land = torch.relu(self.land(parts["land"]) + shared)
        sea = torch.relu(self.sea(parts["sea"]) + shared)
        for step in self.rounds:
            settlements, land, sea = step(settlements, land, sea, self.land_at, self.sea_at)
        pooled = torch.cat([summary, settlements.mean(1), settlements.amax(1)], -1)
        return self._logits(pooled, settlements, land, sea), self.value(pooled).squeeze(-1)

    def _logits(self, pooled: Tensor, settlements: Tensor, land: Tensor, sea: Tensor) -> Tensor:
        """Return all logits in the order of the action ids."""
        rest = self.policy_rest(pooled)
        on_land = self.policy_land(land).transpose(1, 2)
        return torch.cat(
            [
                rest[:, :NUM_KINDS],
                self.policy_settlement(settlements).transpose(1, 2).flatten(1),
                on_land[:, :NUM_LAND_KINDS].flatten(1),
                self.policy_sea(sea).transpose(1, 2).flatten(1),
                on_land[:, NUM_LAND_KINDS],
                rest[:, NUM_KINDS:],
            ],
            -1,
        )


class GraphRound(nn.Module):
    """One exchange of messages between the settlements and the hexes beside them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.from_land = nn.Linear(width, width)
        self.from_sea = nn.Linear(width, width)
        self.to_land = nn.Linear(width, width)
        self.to_sea = nn.Linear(width, width)

    def forward(
        self, settlements: Tensor, land: Tensor, sea: Tensor, land_at: Tensor, sea_at: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the new states of settlements, land and sea, each (B, places, width) as before."""
        heard = self.from_land(land_at @ land) + self.from_sea(sea_at @ sea)
        settlements = torch.relu(settlements + heard)
        land = torch.relu(land + land_at.T @ self.to_land(settlements))
        sea = torch.relu(sea + sea_at.T @ self.to_sea(settlements))
        return settlements, land, sea


KINDS = {"flat": FlatNetwork, "graph": GraphNetwork}


class Network(nn.Module):
    """A network of either kind, with the scaling of the observation in front.

    Args:
        players: the number of players it plays with.
        kind: "graph" or "flat".
        width: units of a layer.
        rounds: rounds of messages, or hidden layers.

    Raises:
        ValueError: there is no such kind.
    """

    scale: Tensor

    def __init__(self, players: int, kind: str = "graph", width: int = 64, rounds: int = 2) -> None:
        super().__init__()
        self.settings: dict[str, Any] = {"players": players, "kind": kind, "width": width, "rounds": rounds}
        self.players = players
        self.register_buffer("scale", 1 / torch.from_numpy(highs(players).astype(np.float32)), persistent=False)
        self.body = KINDS[choice("kind", kind, tuple(KINDS))](players, width, rounds)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, (B, num_actions), and values, (B,), for observations of any dtype, (B, size)."""
        logits, values = self.body(observations.float() * self.scale)
        return logits, values
