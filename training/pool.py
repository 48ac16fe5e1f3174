"""Frozen opponents: in a share of the games the learner has one seat, and one of them all the others.

They are past policies and scripted players. Against nobody but itself a learner may forget how to meet what it once
could. The decisions of frozen opponents are not trained on. Where the learner sits goes round from game to game of a
slot; who plays against it is drawn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.networks import Network
from samurai_env.vector import VectorGames
from training.players import BatchPlayer, Indices, PolicyBatch, batch_player

_ITSELF = -1  # as an opponent, while there is none: the learner has all seats


class Pool:
    """The opponents, and who plays in which of the first games of a batch.

    Args:
        num_games: in how many games of the batch, its first ones, an opponent sits.
        players: the number of players of a game.
        size: how many past policies are kept; in a full pool a new one takes the place of any, drawn at random, so
            that the older it is, the rarer.
        scripted: the codes of the scripted players.
        scripted_share: in which share of these games a scripted player is the opponent.
        seed: of all that is drawn here.
    """

    def __init__(
        self, num_games: int, players: int, size: int, scripted: Sequence[str], scripted_share: float, seed: int
    ) -> None:
        self.num_games, self.players, self.size = num_games, players, size
        self.scripted: list[BatchPlayer] = [batch_player(code) for code in scripted]
        self.scripted_share = scripted_share
        self.policies: list[PolicyBatch] = []
        self.generator = np.random.default_rng(seed)
        self.learner_seats = np.arange(num_games) % players - 1  # each game begun moves it on by one
        self.opponents = np.full(num_games, _ITSELF)

    def begin(self, games: Indices) -> None:
        """Begin new games in these slots; those without an opponent's seat are passed over."""
        for i in games[games < self.num_games].tolist():
            self.learner_seats[i] = (self.learner_seats[i] + 1) % self.players
            self.opponents[i] = self._draw()

    def _draw(self) -> int:
        """Return an opponent: an index of the scripted players, followed by the past policies."""
        drawn, draw = self.generator.random(), self.generator.integers
        if self.policies and (drawn >= self.scripted_share or not self.scripted):
            return len(self.scripted) + int(draw(len(self.policies)))
        return int(draw(len(self.scripted))) if self.scripted else _ITSELF

    def add(self, network: Network) -> None:
        """Keep a copy of the learner as it is now."""
        copy = Network(**network.settings).to(network.scale.device)
        copy.load_state_dict(network.state_dict())
        policy = PolicyBatch(copy, deterministic=False)
        if len(self.policies) < self.size:
            self.policies.append(policy)
        elif self.size:
            self.policies[int(self.generator.integers(self.size))] = policy

    def is_frozen(self, seats: Indices) -> NDArray[np.bool_]:
        """Return in which games of the batch the seat to move, (B,), is an opponent's, (B,)."""
        frozen = np.zeros(len(seats), np.bool_)
        own = seats[: self.num_games]
        frozen[: self.num_games] = (self.opponents != _ITSELF) & (own != self.learner_seats)
        return frozen

    def act(self, games: VectorGames, waiting: Indices) -> Indices:
        """Return the opponents' actions in the games where one is to move, (W,), ascending."""
        actions = np.empty(len(waiting), np.int64)
        opponents = self.opponents[waiting]
        everyone = [*self.scripted, *self.policies]
        for opponent in np.unique(opponents).tolist():
            own = np.flatnonzero(opponents == opponent)
            actions[own] = everyone[opponent].act(games, waiting[own], self.generator)
        return actions

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on exactly."""
        return {
            "generator": json.dumps(self.generator.bit_generator.state),
            "learner_seats": self.learner_seats.copy(),
            "opponents": self.opponents.copy(),
            "policies": [policy.player.network.state_dict() for policy in self.policies],
        }

    def restore(self, state: Mapping[str, Any], network: Network) -> None:
        """Go on from a saved state; the past policies are networks like this one."""
        self.policies.clear()
        for weights in state["policies"]:
            self.policies.append(PolicyBatch(Network(**network.settings).to(network.scale.device), deterministic=False))
            self.policies[-1].player.network.load_state_dict(weights)
        self.generator.bit_generator.state = json.loads(state["generator"])
        self.learner_seats[:] = np.asarray(state["learner_seats"])
        self.opponents[:] = np.asarray(state["opponents"])
