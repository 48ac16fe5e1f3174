"""What a tile on the last empty land hex beside a settlement brings, worked out by the rules, for many games at once.

Who takes the figures there, and who has won if the game ends with them, hangs on sums and comparisons of all seats'
numbers, which a small network can only guess. Where others' captured figures are hidden, they count as none. Importing
this needs torch (the extra `train`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from samurai_env.observation import layout
from samurai_env.rules.board import LAND_ENDS, NO_SETTLEMENT, NUM_LAND, NUM_SETTLEMENTS
from samurai_env.rules.capture import SET_ASIDE_LIMIT
from samurai_env.rules.tiles import FIGURES, NUM_FIGURES, NUM_LAND_KINDS, STRENGTH

FORESEEN = 8
"""How many numbers say what a tile brings."""
_MORE = 64  # more figures than there are


class Foresight(NamedTuple):
    """What each tile would bring on the hexes where one makes figures fall."""

    games: Tensor
    """The game of each of these hexes, int64 (N,)."""
    land: Tensor
    """The land hex, int64 (N,)."""
    brings: Tensor
    """What each kind of tile for land brings there, float32 (N, 13, FORESEEN): the share of the victory if it ends the
    game, what is lacking to the whole of it then, and the share as figures stand if it does not end it; the own
    figures that it takes, those of others, and those set aside; the own majorities after it, and the most of another
    seat."""


def incidence(ends: NDArray[Any], settlements: int) -> Tensor:
    """Return which settlements each hex touches, float32 of shape (hexes, settlements)."""
    return torch.from_numpy((ends[:, :, None] == np.arange(settlements)).any(1)).float()


def columns(players: int, segment: str, prefix: str) -> Tensor:
    """Return where the features of a segment stand whose names begin so."""
    features = next(part.features for part in layout(players) if part.name == segment)
    return torch.tensor([i for i, feature in enumerate(features) if feature.name.startswith(prefix)])


class Oracle(nn.Module):
    """Foresees what the rules say of tiles on last hexes; it has no weights.

    Args:
        players: the number of players.
        unit: what the numbers of the observation that can be larger were divided by.
    """

    ends: Tensor
    touches: Tensor
    strength: Tensor
    captured: Tensor
    set_aside: Tensor

    def __init__(self, players: int, unit: float) -> None:
        super().__init__()
        self.players, self.unit = players, unit
        settlements, land = int(NUM_SETTLEMENTS[players]), int(NUM_LAND[players])
        ends = LAND_ENDS[:land].astype(np.int64)
        ends = np.where(ends == NO_SETTLEMENT, settlements, ends)  # one more settlement, where nothing stands
        turn = next(part.features for part in layout(players) if part.name == "turn")
        for name, tensor in {
            "ends": torch.from_numpy(ends),
            "touches": incidence(LAND_ENDS[:land], settlements),
            "strength": torch.from_numpy(STRENGTH[:NUM_LAND_KINDS]).float(),
            "captured": torch.cat([columns(players, "seats", f"{figure} captured") for figure in FIGURES]),
            "set_aside": torch.tensor([i for i, feature in enumerate(turn) if feature.name.endswith("set aside")]),
        }.items():
            self.register_buffer(name, tensor, persistent=False)
        self.stands = columns(players, "settlements", FIGURES[0]).tolist()[0]
        self.influence = columns(players, "settlements", "influence of").tolist()[0]
        (self.open,) = columns(players, "settlements", "empty land hexes").tolist()
        (self.empty,) = columns(players, "land", "empty").tolist()
        (self.last_turn,) = columns(players, "turn", "the game ends").tolist()

    @torch.no_grad()
    def forward(self, parts: dict[str, Tensor]) -> Foresight:
        """Return what is foreseen for the parts of scaled observations, of B games."""
        players, unit = self.players, self.unit
        settlements = parts["settlements"]
        stands = settlements[..., self.stands : self.stands + NUM_FIGURES] > 0  # (B, settlements, 3)
        falls = stands & ((settlements[..., self.open] * unit).round() == 1).unsqueeze(-1)
        beside = (falls.any(-1).float() @ self.touches.T > 0) & (parts["land"][..., self.empty] > 0)
        games, land = beside.nonzero(as_tuple=True)
        ends = self.ends[land].T  # (2, N)
        falls = nn.functional.pad(falls, (0, 0, 0, 1))[games, ends].unsqueeze(2)  # (2, N, 1, 3)
        influence = settlements[..., self.influence : self.influence + players * NUM_FIGURES]
        influence = nn.functional.pad(influence, (0, 0, 0, 1))[games, ends].mul_(unit).round_()
        influence = influence.view(2, -1, players, NUM_FIGURES)
        own, others = influence[:, :, :1] + self.strength, influence[:, :, 1:]  # (2, N, 13, 3), (2, N, players - 1, 3)
        most = others.amax(2, keepdim=True)
        strongest = others == most
        is_tied = strongest.sum(2, keepdim=True) > 1
        to_own = falls & (own > most)
        to_others = falls & (own < most) & ~is_tied
        aside = (falls & ~to_own & ~to_others).sum(0)  # (N, 13, 3)
        taken = torch.cat([to_own.unsqueeze(3), to_others.unsqueeze(3) & strongest.unsqueeze(2)], 3).sum(0)
        before = (parts["seats"][..., self.captured] * unit).round()[games]  # (N, players, 3)
        captured = before.unsqueeze(1) + taken  # (N, 13, players, 3)
        left = stands.sum(1)[games] - falls.sum((0, 2))  # (N, 3)
        set_aside = (parts["turn"][..., self.set_aside].sum(-1) * unit).round()[games]
        is_end = (left == 0).any(-1, keepdim=True) | (set_aside.unsqueeze(-1) + aside.sum(-1) >= SET_ASIDE_LIMIT)
        is_end |= (parts["turn"][..., self.last_turn] > 0)[games].unsqueeze(-1)  # (N, 13)
        majorities, share = results(captured)
        brings = (
            share * is_end,
            (1 - share) * is_end,
            share * ~is_end,
            taken[:, :, 0].sum(-1),
            taken[:, :, 1:].sum((-1, -2)),
            aside.sum(-1),
            majorities[..., 0],
            majorities[..., 1:].amax(-1),
        )
        return Foresight(games, land, torch.stack([number.float() for number in brings], -1))


def results(captured: Tensor) -> tuple[Tensor, Tensor]:
    """Return each seat's majorities, (..., players), and seat 0's share of the victory, (...), as figures stand.

    Args:
        captured: the figures of the seats, (..., players, 3); see `samurai_env.rules.scoring`.
    """
    leads = captured == captured.amax(-2, keepdim=True)
    leads &= leads.sum(-2, keepdim=True) == 1
    majorities, total = leads.sum(-1), captured.sum(-1)
    of_others = total - (leads * captured).sum(-1)
    standing = torch.where(majorities == 1, (_MORE + of_others) * _MORE + total, total)
    standing = torch.where(majorities > 1, 2 * _MORE * _MORE, standing)
    is_first = standing == standing.amax(-1, keepdim=True)
    return majorities, is_first[..., 0] / is_first.sum(-1)
