"""Networks that read the flat observation: policy logits and a value.

Importing this needs torch (the extra `train`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
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
from samurai_env.rules.tiles import FIGURES, NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS, STRENGTH

MOST_HELD = int(FIGURES_HELD.max())  # figures on one settlement
FIGURE_TILES = int((np.count_nonzero(STRENGTH, axis=1) == 1).sum())  # kinds of one figure type: the first ones
STRENGTHS = FIGURE_TILES // NUM_FIGURES
# Numbers are divided by their largest value, but by no more than this: most of them are far from the largest.
UNIT = 3


def incidence(ends: np.ndarray, settlements: int) -> Tensor:
    """Return which settlements each hex touches, float32 of shape (hexes, settlements)."""
    return torch.from_numpy((ends[:, :, None] == np.arange(settlements)).any(1)).float()


@cache
def feature_names(players: int, segment: str, figure: str) -> dict[str, int]:
    """Return the features of a segment that are of one figure type ("" for none), and where they stand.

    The names are alike for all types. All that belongs to no place is one segment, `rest`: hand, seats and turn.
    """
    parts = {part.name: part for part in layout(players)}
    names = [
        f"{name} {row} {feature.name}"
        for name in (("hand", "seats", "turn") if segment == "rest" else (segment,))
        for row in range(parts[name].rows if segment == "rest" else 1)
        for feature in parts[name].features
    ]
    pattern = re.compile(rf"\b({'|'.join(FIGURES)})\b")
    owners = [match.group() if (match := pattern.search(name)) else "" for name in names]
    return {
        pattern.sub("any", name): i
        for i, (name, owner) in enumerate(zip(names, owners, strict=True))
        if owner == figure
    }


class FeatureLinear(nn.Linear):
    """A linear layer on the features of a segment that are of no figure type.

    It has weights for all features of a game of most players, so that the same weights serve any number of players:
    who is not there is as one of whom all numbers are 0.

    Args:
        players: the number of players.
        segment: the segment.
        width: the number of outputs.
        figures: the figure types whose features are read, each with the same weights; "" stands for none.
        more: the number of further inputs.
    """

    at: Tensor
    present: Tensor

    def __init__(self, players: int, segment: str, width: int, figures: Sequence[str] = ("",), more: int = 0) -> None:
        most = list(feature_names(MAX_PLAYERS, segment, figures[0]))
        super().__init__(len(most) + more, width)
        own = [feature_names(players, segment, figure) for figure in figures]
        present = [*(most.index(name) for name in own[0]), *range(len(most), len(most) + more)]
        self.register_buffer("at", torch.tensor([list(names.values()) for names in own]).squeeze(0), persistent=False)
        self.register_buffer("present", torch.tensor(present), persistent=False)

    def forward(self, x: Tensor, more: Tensor | None = None) -> Tensor:
        """Return (places, B, width) for a segment (B, places, F), or (B, width) for (B, F).

        Of several figure types it is (places, 3, B, width), or (3, B, width). `more` are the further inputs, of a
        shape that fits to these.
        """
        own = x[..., self.at].movedim(0, -2)
        if more is not None:
            own = torch.cat([own, more.expand(*own.shape[:-1], -1)], -1)
        return nn.functional.linear(own, self.weight[:, self.present], self.bias)


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
    """The board as a graph, once for each figure type: settlements are nodes, the hexes beside them edges.

    The rules treat the three types alike, and so does this network: weights are shared over types, settlements, land
    hexes and sea hexes, and by games of any number of players. A node is a type on a settlement. In each round the
    nodes hear from the other types and from the hexes beside them, then the land hexes from their settlements; sea
    hexes, which are nearly half of all places, hear at the end only. All nodes of a type make its prospects. The
    logits of a figure tile come from its hex as its type sees it, those of other tiles from the hex, those of a figure
    from its node in the light of the prospects (of two figures that change places each has to hear of the other), the
    rest and the value from the prospects.

    States are (places, B, width), with a second axis of the types where each has its own: what a place hears is then
    one product of matrices for the whole batch.
    """

    held: Tensor
    land_at: Tensor
    sea_at: Tensor

    def __init__(self, players: int, width: int, rounds: int) -> None:
        super().__init__()
        self.players = players
        settlements = int(NUM_SETTLEMENTS[players])
        self.register_buffer("land_at", incidence(LAND_ENDS[: NUM_LAND[players]], settlements), persistent=False)
        self.register_buffer("sea_at", incidence(SEA_ENDS[players, : NUM_SEA[players]], settlements), persistent=False)
        held = torch.nn.functional.one_hot(torch.from_numpy(FIGURES_HELD[:settlements]).long() - 1, MOST_HELD).float()
        self.register_buffer("held", held[:, None, None, :], persistent=False)
        self.common = FeatureLinear(players, "rest", width)
        self.common_from_figures = FeatureLinear(players, "rest", width, FIGURES)
        self.figure = FeatureLinear(players, "rest", width, FIGURES)
        self.figure_from_common = nn.Linear(width, width)
        self.node = FeatureLinear(players, "settlements", width, FIGURES, MOST_HELD)
        self.settlement = FeatureLinear(players, "settlements", width)
        self.land = FeatureLinear(players, "land", width)
        self.sea = FeatureLinear(players, "sea", width)
        self.from_common = nn.Linear(width, 2 * width)
        self.rounds = nn.ModuleList(GraphRound(width) for _ in range(rounds))
        self.prospects = nn.Linear(2 * width, width)
        self.prospects_from_all = nn.Linear(width, width)
        self.from_prospects = nn.Linear(width, 2 * width)
        self.to_sea = nn.Linear(width, width)
        self.tile = FeatureLinear(players, "land", width, FIGURES)
        self.tile_from_land = nn.Linear(width, width)
        self.tile_from_prospects = nn.Linear(width, width)
        self.tile_from_nodes = nn.Linear(width, width)
        self.policy_hold = nn.Linear(width, STRENGTHS)
        self.figure_from_prospects = nn.Linear(width, width)
        self.figure_from_nodes = nn.Linear(width, width)
        self.policy_node = nn.Linear(width, 1)
        self.policy_tile = nn.Linear(width, STRENGTHS + 1)  # the last is the lift
        self.policy_land = nn.Linear(width, NUM_LAND_KINDS - FIGURE_TILES)
        self.policy_sea = nn.Linear(width, 2)
        self.policy_rest = nn.Linear(width, NUM_KINDS - FIGURE_TILES + 1)  # the first hand, and the end of the turn
        self.value = nn.Sequential(*mlp(width, width), nn.Linear(width, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for scaled observations (B, size)."""
        parts = split(x, self.players)
        rest = torch.cat([parts["hand"], parts["seats"].flatten(1), parts["turn"]], -1)
        common = (self.common(rest) + self.common_from_figures(rest).sum(0)).relu_()
        figures = (self.figure(rest) + self.figure_from_common(common)).relu_()
        settlements = self.settlement(parts["settlements"]).unsqueeze(1)
        nodes = (self.node(parts["settlements"], self.held) + settlements + figures).relu_()
        to_land, to_sea = self.from_common(common).chunk(2, -1)
        land = (self.land(parts["land"]) + to_land).relu_()
        sea = (self.sea(parts["sea"]) + to_sea).relu_()
        from_sea = hear(self.sea_at.T, sea)
        for step in self.rounds:
            nodes, land = step(nodes, land, from_sea, self.land_at)
        prospects = (figures + self.prospects(torch.cat([nodes.mean(0), nodes.amax(0)], -1))).relu_()
        prospects = (prospects + self.prospects_from_all(prospects.sum(0))).relu_()
        summary = prospects.sum(0)
        to_land, to_sea = self.from_prospects(summary).chunk(2, -1)
        land = (land + to_land).relu_()
        sea = hear_more(sea + to_sea, self.sea_at, self.to_sea(nodes.sum(1)))
        tiles = self.tile(parts["land"]) + self.tile_from_land(land).unsqueeze(1) + self.tile_from_prospects(prospects)
        tiles = hear_more(tiles, self.land_at, self.tile_from_nodes(nodes))
        nodes = (self.figure_from_nodes(nodes) + self.figure_from_prospects(prospects)).relu_()
        return self._logits(prospects, summary, nodes, tiles, land, sea), self.value(summary).squeeze(-1)

    def _logits(
        self, prospects: Tensor, summary: Tensor, nodes: Tensor, tiles: Tensor, land: Tensor, sea: Tensor
    ) -> Tensor:
        """Return all logits in the order of the action ids."""
        rest = self.policy_rest(summary)
        on_tiles = self.policy_tile(tiles)
        return torch.cat(
            [
                self.policy_hold(prospects).transpose(0, 1).flatten(1),
                rest[:, :-1],
                self.policy_node(nodes).squeeze(-1).permute(2, 1, 0).flatten(1),
                on_tiles[..., :STRENGTHS].permute(2, 1, 3, 0).flatten(1),
                self.policy_land(land).permute(1, 2, 0).flatten(1),
                self.policy_sea(sea).permute(1, 2, 0).flatten(1),
                on_tiles[..., STRENGTHS].sum(1).T,
                rest[:, -1:],
            ],
            -1,
        )


def hear(at: Tensor, states: Tensor) -> Tensor:
    """Return the sums of the states (places, ...) that each row of `at` (others, places) touches."""
    return (at @ states.flatten(1)).view(len(at), *states.shape[1:])


def hear_more(own: Tensor, at: Tensor, states: Tensor) -> Tensor:
    """Return `own` (others, ...) with what is heard added, positive parts only."""
    return torch.addmm(own.flatten(1), at, states.flatten(1)).relu_().view_as(own)


class GraphRound(nn.Module):
    """One exchange of messages between the nodes and the hexes beside them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.from_figures = nn.Linear(width, width)
        self.from_land = nn.Linear(width, width)
        self.from_sea = nn.Linear(width, width)
        self.to_land = nn.Linear(width, width)

    def forward(self, nodes: Tensor, land: Tensor, from_sea: Tensor, land_at: Tensor) -> tuple[Tensor, Tensor]:
        """Return the new states of nodes and land, each of its shape as before."""
        from_places = self.from_land(hear(land_at.T, land)) + self.from_sea(from_sea)
        heard = self.from_figures(nodes.sum(1)) + from_places
        nodes = (self.own(nodes) + heard.unsqueeze(1)).relu_()
        return nodes, hear_more(land, land_at, self.to_land(nodes.sum(1)))


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

    def __init__(self, players: int, kind: str = "graph", width: int = 24, rounds: int = 1) -> None:
        super().__init__()
        self.settings: dict[str, Any] = {"players": players, "kind": kind, "width": width, "rounds": rounds}
        self.players = players
        self.register_buffer(
            "scale", 1 / torch.from_numpy(np.minimum(highs(players), UNIT).astype(np.float32)), persistent=False
        )
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
