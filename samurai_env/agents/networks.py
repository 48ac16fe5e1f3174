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
from numpy.typing import NDArray
from torch import Tensor, nn

from samurai_env.agents.foresight import FORESEEN, foresee
from samurai_env.agents.potential import Potential
from samurai_env.checks import choice
from samurai_env.observation import MAX_LAND_AROUND, MAX_STRENGTH, highs, layout, size, split
from samurai_env.rules.actions import LAY, NUM_ACTIONS
from samurai_env.rules.board import (
    FIGURES_HELD,
    LAND_ENDS,
    MAX_PLAYERS,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    SEA_ENDS,
)
from samurai_env.rules.scoring import REWARDS
from samurai_env.rules.tiles import FIGURES, NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS, SHIP_1, SHIP_2, STRENGTH

MOST_HELD = int(FIGURES_HELD.max())  # figures on one settlement
FIGURE_TILES = int((np.count_nonzero(STRENGTH, axis=1) == 1).sum())  # kinds of one figure type: the first ones
FIGURE_STRENGTHS = STRENGTH[: FIGURE_TILES // NUM_FIGURES, 0].tolist()  # of the figure tiles of a type
OTHER_STRENGTHS = STRENGTH[FIGURE_TILES:NUM_LAND_KINDS, 0].tolist()  # of the other tiles for land, on each type
SHIP_STRENGTHS = STRENGTH[[SHIP_1, SHIP_2], 0].tolist()
# The leads of the own seat that are told apart: behind by so much, or ahead.
MOST_BEHIND, MOST_AHEAD = 6, 5
# Numbers are divided by their largest value, but by no more than this: most of them are far from the largest.
UNIT = 3


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


def incidence(ends: NDArray[Any], settlements: int) -> Tensor:
    """Return which settlements each hex touches, float32 of shape (hexes, settlements)."""
    return torch.from_numpy((ends[:, :, None] == np.arange(settlements)).any(1)).float()


def columns(players: int, segment: str, prefix: str) -> Tensor:
    """Return where the features of a segment stand whose names begin so."""
    features = next(part.features for part in layout(players) if part.name == segment)
    return torch.tensor([i for i, feature in enumerate(features) if feature.name.startswith(prefix)])


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

    def forward(self, x: Tensor, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for observations (B, size), as they are and scaled, `x`."""
        features = self.body(x)
        return self.policy(features), self.value(features).squeeze(-1)


class GraphNetwork(nn.Module):
    """The board as a graph, once for each figure type: its nodes are the types on the settlements.

    The rules treat the three types alike, and so does this network: weights are shared over types, settlements, land
    hexes and sea hexes, and by games of any number of players. In each round a node hears from the other types on its
    settlement and from the settlements with a land hex in common. All nodes of a type make its prospects.

    What a tile does, it does to the settlements beside it: in the light of the prospects of its type, each node says
    what a tile of each strength would do to it, laid on land, at sea, or lifted. The logit of a tile on a hex is the
    sum over the nodes that the hex touches, with the tile's strength on the type of each, and what the tile is worth in
    hand. The logits of a figure come from its node (of two figures that change places each has to hear of the other, by
    the prospects), the rest and the value from the prospects.

    Who has the most influence on a figure may hang on a single point. A node is therefore told the lead of the own seat
    as steps, beside the numbers themselves. And where a tile makes figures fall, its logit is told what the rules say
    of that: see `samurai_env.agents.foresight`.

    States are (settlements, 3, B, width): what a place hears is then one product of matrices for the whole batch.
    """

    land_at: Tensor
    sea_at: Tensor
    around: Tensor
    held: Tensor
    leads: Tensor
    counts: Tensor
    influence: Tensor
    strength: Tensor

    def __init__(self, players: int, width: int, rounds: int) -> None:
        super().__init__()
        self.players = players
        settlements = int(NUM_SETTLEMENTS[players])
        land_at = incidence(LAND_ENDS[: NUM_LAND[players]], settlements)
        held = nn.functional.one_hot(torch.from_numpy(FIGURES_HELD[:settlements]).long() - 1, MOST_HELD).float()
        for name, tensor in {
            "land_at": land_at,
            "sea_at": incidence(SEA_ENDS[players, : NUM_SEA[players]], settlements),
            "around": (land_at.T @ land_at > 0).float().fill_diagonal_(0),
            "held": held[:, None],
            "leads": torch.arange(-MOST_BEHIND, MOST_AHEAD),
            "counts": torch.arange(MAX_LAND_AROUND + 1),
            "influence": columns(players, "settlements", "influence of").view(players, NUM_FIGURES),
            "strength": columns(players, "land", "strength on"),
        }.items():
            self.register_buffer(name, tensor, persistent=False)
        self.empty_land, self.empty_sea = (int(columns(players, places, "empty")) for places in ("land", "sea"))
        self.common = FeatureLinear(players, "rest", width)
        self.common_from_figures = FeatureLinear(players, "rest", width, FIGURES)
        self.figure = FeatureLinear(players, "rest", width, FIGURES)
        self.figure_from_common = nn.Linear(width, width)
        self.node = FeatureLinear(players, "settlements", 2 * width, FIGURES, len(self.leads) + 1)
        self.settlement = FeatureLinear(players, "settlements", 2 * width, more=MOST_HELD + len(self.counts) + 1)
        self.rounds = nn.ModuleList(GraphRound(width) for _ in range(rounds))
        self.prospects = nn.Linear(2 * width, width)
        self.prospects_from_all = nn.Linear(width, width)
        self.tile = nn.Linear(width, width)
        self.tile_from_prospects = nn.Linear(width, 2 * width)
        self.on_land = nn.Linear(width, MAX_STRENGTH + 1, bias=False)  # by the strength on the type of the node
        self.at_sea = nn.Linear(width, len(SHIP_STRENGTHS), bias=False)
        self.lifted = nn.Linear(width, 3, bias=False)  # the terms of a polynomial of the strength of what is lifted
        self.in_hand = nn.Linear(width, len(FIGURE_STRENGTHS))
        self.others_in_hand = nn.Linear(width, len(OTHER_STRENGTHS) + len(SHIP_STRENGTHS) + 1)  # the last is the lift
        self.place = nn.Linear(width, width)
        self.place_from_prospects = nn.Linear(width, width)
        self.policy_place = nn.Linear(width, 1)
        self.policy_hold = nn.Linear(width, len(FIGURE_STRENGTHS))
        self.policy_rest = nn.Linear(width, NUM_KINDS - FIGURE_TILES + 1)  # the first hand, and the end of the turn
        self.foresight = nn.Sequential(*mlp(FORESEEN, width), nn.Linear(width, 1))
        self.value = nn.Sequential(*mlp(width, width), nn.Linear(width, 1))
        self.value_at_once = nn.Linear(1, width, bias=False)
        for layer in (self.on_land, self.at_sea, self.lifted):  # they are summed over the nodes beside a hex
            shrink(layer, 1 / (2 * NUM_FIGURES))

    def forward(self, x: Tensor, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B,) for observations (B, size), as they are and scaled, `x`."""
        parts = split(x, self.players)
        rest = torch.cat([parts["hand"], parts["seats"].flatten(1), parts["turn"]], -1)
        common = (self.common(rest) + self.common_from_figures(rest).sum(0)).relu_()
        figures = (self.figure(rest) + self.figure_from_common(common)).relu_()
        by_type, by_settlement = self._derived(parts)
        settlements = self.settlement(parts["settlements"], by_settlement).unsqueeze(1)
        nodes, directly = (self.node(parts["settlements"], by_type) + settlements).chunk(2, -1)
        nodes = (nodes + figures).relu_()
        for step in self.rounds:
            nodes = step(nodes, self.around)
        prospects = (figures + self.prospects(torch.cat([nodes.mean(0), nodes.amax(0)], -1))).relu_()
        prospects = (prospects + self.prospects_from_all(prospects.sum(0))).relu_()
        summary = prospects.sum(0)
        of_tiles, gates = self.tile_from_prospects(prospects).chunk(2, -1)
        tiles = (self.tile(nodes) + directly + of_tiles).relu_() * (1 + gates)
        places = (self.place(nodes) + self.place_from_prospects(prospects)).relu_()
        holds, end = self.policy_rest(summary).tensor_split([-1], -1)
        logits = [
            self.policy_hold(prospects).transpose(0, 1).flatten(1),
            holds,
            self.policy_place(places).squeeze(-1).permute(2, 1, 0).flatten(1),
            *self._tile_logits(tiles, prospects, summary, parts["land"]),
            end,
        ]
        foreseen = foresee(observations.to("cpu", torch.int8).contiguous().numpy(), self.players)
        games, land, brings = (torch.from_numpy(array).to(x.device) for array in foreseen)
        kinds = int(LAY[self.players]) + int(NUM_LAND[self.players]) * torch.arange(NUM_LAND_KINDS, device=x.device)
        where = games.unsqueeze(1), land.unsqueeze(1) + kinds
        told = torch.cat(logits, -1).index_put(where, self.foresight(brings).squeeze(-1), accumulate=True)
        # The share of the victory that can be had at once.
        at_once = brings[..., 0] * (parts["hand"][games, :NUM_LAND_KINDS] > 0)
        best = x.new_zeros(len(x)).scatter_reduce(0, games, at_once.amax(-1), "amax")
        return told, self.value(summary + self.value_at_once(best.unsqueeze(-1))).squeeze(-1)

    def _derived(self, parts: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return what follows from the numbers of the observation, for the nodes and for the settlements.

        For the nodes, (settlements, 3, B, ...), the lead of the own seat, and whether others are tied before it; for
        the settlements, (settlements, B, ...), how many figures it can hold and how many land hexes beside it are
        empty, with a place for each number, and the empty sea hexes.
        """
        influence = parts["settlements"][..., self.influence].movedim(0, -1) * UNIT  # (settlements, seats, 3, B)
        own, others = influence[:, 0], influence[:, 1:]
        most = others.amax(1)
        is_tied = ((others == most.unsqueeze(1)).sum(1) > 1) & (most > 0)
        leads = ((own - most).unsqueeze(-1) - self.leads).clamp_(0, 1)
        land = (hear(self.land_at.T, parts["land"][..., self.empty_land].T).unsqueeze(-1) == self.counts).float()
        sea = hear(self.sea_at.T, parts["sea"][..., self.empty_sea].T).unsqueeze(-1) / UNIT
        held = self.held.expand(-1, sea.shape[1], -1)
        return torch.cat([leads, is_tied.unsqueeze(-1)], -1), torch.cat([held, land, sea], -1)

    def _tile_logits(self, tiles: Tensor, prospects: Tensor, summary: Tensor, land: Tensor) -> list[Tensor]:
        """Return the logits of figure tiles, of other tiles on land, of ships and of lifts, (B, ...) each."""
        on_land, all_types = self.on_land.weight, tiles.sum(1)
        # A figure tile does what one of strength 0 does to all types, and the difference to its own.
        differences = on_land[FIGURE_STRENGTHS] - on_land[:1]
        by_type = hear(self.land_at, nn.functional.linear(tiles, torch.cat([differences, self.lifted.weight])))
        figure_tiles, lifted = by_type.tensor_split([len(FIGURE_STRENGTHS)], -1)
        on_all_types = hear(self.land_at, nn.functional.linear(all_types, on_land[[0, *OTHER_STRENGTHS]]))
        ships = hear(self.sea_at, self.at_sea(all_types))
        strength = land[..., self.strength].permute(1, 2, 0)
        lifted = lifted[..., 0] + (lifted[..., 1] + lifted[..., 2] * strength) * strength
        in_hand, ships_in_hand, lift = self.others_in_hand(summary).tensor_split([len(OTHER_STRENGTHS), -1], -1)
        figure_tiles = figure_tiles + on_all_types[:, None, :, :1] + self.in_hand(prospects)
        return [
            figure_tiles.permute(2, 1, 3, 0).flatten(1),
            (on_all_types[..., 1:] + in_hand).permute(1, 2, 0).flatten(1),
            (ships + ships_in_hand).permute(1, 2, 0).flatten(1),
            lifted.sum(1).T + lift,
        ]


def shrink(layer: nn.Linear, factor: float) -> None:
    """Make the weights of a new layer smaller, whose inputs, or outputs, are summed."""
    with torch.no_grad():
        layer.weight *= factor


def hear(at: Tensor, states: Tensor) -> Tensor:
    """Return the sums of the states (places, ...) that each row of `at` (others, places) touches."""
    return (at @ states.flatten(1)).view(len(at), *states.shape[1:])


class GraphRound(nn.Module):
    """One exchange of messages between the nodes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.from_types = nn.Linear(width, width)
        self.from_around = nn.Linear(width, width)
        shrink(self.from_types, 1 / NUM_FIGURES)
        shrink(self.from_around, 1 / (MAX_LAND_AROUND * NUM_FIGURES))

    def forward(self, nodes: Tensor, around: Tensor) -> Tensor:
        """Return the new states of the nodes, (settlements, 3, B, width) as before."""
        types = nodes.sum(1)
        heard = self.from_types(types) + self.from_around(hear(around, types))
        return (self.own(nodes) + heard.unsqueeze(1)).relu_()


KINDS = {"flat": FlatNetwork, "graph": GraphNetwork}


class Network(nn.Module):
    """A network of either kind, with the scaling of the observation in front.

    Args:
        players: the number of players it plays with.
        kind: "graph" or "flat".
        width: units of a layer.
        rounds: rounds of messages, or hidden layers.
        reward: the kind of the final reward that its values foresee; see `Game.returns`.
        potential: what its values leave out of that reward; see `samurai_env.agents.potential`.

    Raises:
        ValueError: there is no such kind.
    """

    scale: Tensor

    def __init__(
        self,
        players: int,
        kind: str = "graph",
        width: int = 24,
        rounds: int = 1,
        reward: str = "winner",
        potential: Sequence[float] = Potential(),
    ) -> None:
        super().__init__()
        self.players, self.reward, self.potential = players, choice("reward", reward, REWARDS), Potential(*potential)
        self.settings: dict[str, Any] = {
            "players": players,
            "kind": kind,
            "width": width,
            "rounds": rounds,
            "reward": reward,
            "potential": tuple(self.potential),
        }
        self.register_buffer(
            "scale", 1 / torch.from_numpy(np.minimum(highs(players), UNIT).astype(np.float32)), persistent=False
        )
        self.body = KINDS[choice("kind", kind, tuple(KINDS))](players, width, rounds)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, (B, num_actions), and values, (B,), for observations of any dtype, (B, size)."""
        logits, values = self.body(observations.float() * self.scale, observations)
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
