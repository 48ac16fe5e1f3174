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
from samurai_env.rules.board import (
    FIGURES_HELD,
    LAND_ENDS,
    MAX_PLAYERS,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    SEA_ENDS,
)
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS

MOST_HELD = int(FIGURES_HELD.max())  # figures on one settlement


def incidence(ends: np.ndarray, settlements: int) -> Tensor:
    """Return which settlements each hex touches, float32 of shape (settlements, hexes)."""
    return torch.from_numpy((ends[None, :, :] == np.arange(settlements)[:, None, None]).any(-1)).float()


def columns(players: int, segment: str) -> list[int]:
    """Return where the features of a segment stand among those that it has with most players."""
    most, own = ({part.name: part.features for part in layout(n)}[segment] for n in (MAX_PLAYERS, players))
    names = [feature.name for feature in most]
    return [names.index(feature.name) for feature in own]


def num_features(segment: str) -> int:
    """Return how many features a segment has with most players."""
    return len(columns(MAX_PLAYERS, segment))


class SharedLinear(nn.Linear):
    """A linear layer with weights for all features of a game of most players, of which one of fewer has some.

    So the same weights serve any number of players: who is not there is as one of whom all numbers are 0.

    Args:
        inputs: the number of features with most players.
        width: the number of outputs.
        present: which of the features are given, in their order.
    """

    present: Tensor

    def __init__(self, inputs: int, width: int, present: list[int]) -> None:
        super().__init__(inputs, width)
        self.register_buffer("present", torch.tensor(present), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return (..., width) for the given features, (..., len(present))."""
        return nn.functional.linear(x, self.weight[:, self.present], self.bias)


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

    Weights are shared over all settlements, all land hexes and all sea hexes, and by games of any number of
    players. In each round the settlements hear from their hexes, and the land hexes from their settlements; the
    sea hexes, which are nearly half of all places and each beside two settlements at most, hear at the end only. A
    tile's logits come from its hex, a figure's from its settlement, the rest from a summary.

    States are (places, B, width): what a place hears is then one product of matrices for the whole batch.
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
        held = torch.nn.functional.one_hot(torch.from_numpy(FIGURES_HELD[:settlements]).long() - 1, MOST_HELD).float()
        self.register_buffer("held", held.unsqueeze(1), persistent=False)
        self.summary = _summary(players, width)
        on_settlement = num_features("settlements")
        present = [*columns(players, "settlements"), *range(on_settlement, on_settlement + MOST_HELD)]
        self.settlement = SharedLinear(on_settlement + MOST_HELD, width, present)
        self.land = SharedLinear(num_features("land"), width, columns(players, "land"))
        self.sea = SharedLinear(num_features("sea"), width, columns(players, "sea"))
        self.rounds = nn.ModuleList(GraphRound(width) for _ in range(rounds))
        self.to_sea = nn.Linear(width, width)
        self.policy_land = nn.Linear(width, NUM_LAND_KINDS + 1)  # the last is the lift
        self.policy_sea = nn.Linear(width, 2)
        self.policy_settlement = nn.Linear(width, NUM_FIGURES)
        self.policy_rest = nn.Linear(3 * width, NUM_KINDS + 1)  # the first hand, and the end of the turn
        self.value = nn.Sequential(*mlp(3 * width, width), nn.Linear(width, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for scaled observations (B, size)."""
        parts = split(x, self.players)
        places = [parts[name].transpose(0, 1) for name in ("settlements", "land", "sea")]
        summary = self.summary(torch.cat([parts["hand"], parts["seats"].flatten(1), parts["turn"]], -1))
        with_held = torch.cat([places[0], self.held.expand(-1, len(x), -1)], -1)
        settlements = (self.settlement(with_held) + summary).relu_()
        land = (self.land(places[1]) + summary).relu_()
        sea = (self.sea(places[2]) + summary).relu_()
        from_sea = hear(self.sea_at, sea)
        for step in self.rounds:
            settlements, land = step(settlements, land, from_sea, self.land_at)
        sea = hear_more(sea, self.sea_at.T, self.to_sea(settlements))
        pooled = torch.cat([summary, settlements.mean(0), settlements.amax(0)], -1)
        return self._logits(pooled, settlements, land, sea), self.value(pooled).squeeze(-1)

    def _logits(self, pooled: Tensor, settlements: Tensor, land: Tensor, sea: Tensor) -> Tensor:
        """Return all logits in the order of the action ids."""
        rest = self.policy_rest(pooled)
        on_land = self.policy_land(land).permute(1, 2, 0)
        return torch.cat(
            [
                rest[:, :NUM_KINDS],
                self.policy_settlement(settlements).permute(1, 2, 0).flatten(1),
                on_land[:, :NUM_LAND_KINDS].flatten(1),
                self.policy_sea(sea).permute(1, 2, 0).flatten(1),
                on_land[:, NUM_LAND_KINDS],
                rest[:, NUM_KINDS:],
            ],
            -1,
        )


def _summary(players: int, width: int) -> nn.Sequential:
    """Return the layers over what belongs to no place: the hand, the seats and the turn."""
    hand, seat = num_features("hand"), num_features("seats")
    turn = hand + MAX_PLAYERS * seat
    present = [*range(hand + players * seat), *(turn + column for column in columns(players, "turn"))]
    first = SharedLinear(turn + num_features("turn"), width, present)
    return nn.Sequential(first, nn.ReLU(), *mlp(width, width))


def hear(at: Tensor, states: Tensor) -> Tensor:
    """Return the sums of the states (places, B, width) that each row of `at` (others, places) touches."""
    return (at @ states.flatten(1)).view(len(at), *states.shape[1:])


def hear_more(own: Tensor, at: Tensor, states: Tensor) -> Tensor:
    """Return `own` (others, B, width) with what is heard added, positive parts only."""
    return torch.addmm(own.flatten(1), at, states.flatten(1)).relu_().view_as(own)


class GraphRound(nn.Module):
    """One exchange of messages between the settlements and the hexes beside them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.from_land = nn.Linear(width, width)
        self.from_sea = nn.Linear(width, width)
        self.to_land = nn.Linear(width, width)

    def forward(self, settlements: Tensor, land: Tensor, from_sea: Tensor, land_at: Tensor) -> tuple[Tensor, Tensor]:
        """Return the new states of settlements and land, each (places, B, width) as before."""
        heard = self.from_land(hear(land_at, land)) + self.from_sea(from_sea)
        settlements = (settlements + heard).relu_()
        return settlements, hear_more(land, land_at.T, self.to_land(settlements))


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

    def for_players(self, players: int) -> Network:
        """Return a network with these weights for games of another number of players.

        Raises:
            ValueError: the network is flat: its weights are of one number of players.
        """
        if self.settings["kind"] != "graph":
            raise ValueError(f"players: {players}; expected {self.players}: only a graph network serves any number")
        other = Network(**{**self.settings, "players": players}).to(self.scale.device)
        other.load_state_dict(self.state_dict())
        return other
