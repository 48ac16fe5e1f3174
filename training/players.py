"""Players that act in many games of a batch at once, each as suits it best.

None keeps anything from one decision to the next: all that is random comes from the generator that is handed in, so
that its state is all that has to be saved.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents import Player, View, make_player
from samurai_env.agents.greedy import choose_in_all, weigh_in_all
from samurai_env.agents.networks import Network
from samurai_env.agents.policy import PolicyPlayer, PretrainedPlayer
from samurai_env.agents.search import SearchPlayer
from samurai_env.vector import VectorGames

Indices = NDArray[np.int64]


class BatchPlayer(Protocol):
    """A player of any number of games at once."""

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """Return an action for the seat to move in each of the games `chosen`, (G,), ascending."""


@runtime_checkable
class AdvisingPlayer(BatchPlayer, Protocol):
    """A player that says more of a decision than one action."""

    def advise(
        self, games: VectorGames, chosen: Indices, temperature: float, generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """Return with which probability it would play each action in each of the games `chosen`, (G, num_actions).

        Where it knows what each is worth, one is e times less probable for being worse by `temperature`.
        """


class RandomBatch:
    """Uniform over the legal actions."""

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """See `BatchPlayer`."""
        masks = games.action_masks[chosen]
        sums = masks.cumsum(-1)
        drawn = generator.integers(sums[:, -1])
        return (sums > drawn[:, None]).argmax(-1)


class GreedyBatch:
    """The greedy player, compiled."""

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """See `BatchPlayer`."""
        words = generator.integers(2**32, size=(len(chosen), 4), dtype=np.uint32)
        return choose_in_all(games.states[chosen], words)

    def advise(
        self, games: VectorGames, chosen: Indices, temperature: float, generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """See `AdvisingPlayer`."""
        worths = weigh_in_all(games.states[chosen], games.players)
        powers = np.exp((worths - worths.max(-1, keepdims=True)) / temperature)
        return powers / powers.sum(-1, keepdims=True)


class PolicyBatch:
    """A network, on all games that wait for it at once.

    Args:
        network: the network.
        deterministic: play the most probable action instead of sampling.
    """

    def __init__(self, network: Network, deterministic: bool = True) -> None:
        self.player = PolicyPlayer(network, deterministic)

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """See `BatchPlayer`."""
        self.player.generator = generator
        return self.player.act_batch(games.observations[chosen], games.action_masks[chosen])


class ActsAtOnce:
    """A policy that decides many games at once by itself, and draws nothing."""

    def __init__(self, policy: PolicyPlayer | PretrainedPlayer) -> None:
        self.policy = policy

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """See `BatchPlayer`."""
        return self.policy.act_batch(games.observations[chosen], games.action_masks[chosen])


class AnyBatch:
    """Any player, game by game; what it draws, and what it has in mind, begins anew with each decision."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def act(self, games: VectorGames, chosen: Indices, generator: np.random.Generator) -> Indices:
        """See `BatchPlayer`."""
        seeds = generator.integers(2**64, size=len(chosen), dtype=np.uint64).tolist()
        return np.array([self._act(games, i, seed) for i, seed in zip(chosen.tolist(), seeds, strict=True)], np.int64)

    def _act(self, games: VectorGames, i: int, seed: int) -> int:
        self.player.reset(seed)
        return self.player.act(View(games.game(i), int(games.seats[i])))


class SearchBatch(AnyBatch):
    """The search player. As a teacher it plays an action as often as its search went there.

    Args:
        player: a search of a number of iterations.
    """

    player: SearchPlayer

    def advise(
        self, games: VectorGames, chosen: Indices, temperature: float, generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """See `AdvisingPlayer`. Before the first turn, where a search takes long, it is the greedy player's advice."""
        probabilities = np.zeros((len(chosen), games.num_actions), np.float32)
        positions = [games.game(i) for i in chosen.tolist()]
        is_play = np.array([game.phase == "play" for game in positions], np.bool_)
        greedy = np.flatnonzero(~is_play)
        probabilities[greedy] = GreedyBatch().advise(games, chosen[greedy], temperature, generator)
        seeds = generator.integers(2**64, size=len(chosen), dtype=np.uint64).tolist()
        for row in np.flatnonzero(is_play).tolist():
            self.player.reset(seeds[row])
            for found in self.player.analyse(View(positions[row], positions[row].current_player)):
                probabilities[row, found.action] = found.visits
        return probabilities / probabilities.sum(-1, keepdims=True)


def batch_player(code: str) -> BatchPlayer:
    """Return the player of a code; see `samurai_env.agents`.

    Raises:
        ValueError: there is no such player.
    """
    if code == "random":
        return RandomBatch()
    if code == "greedy":
        return GreedyBatch()
    player = make_player(code)
    if isinstance(player, PolicyPlayer | PretrainedPlayer):
        return ActsAtOnce(player)
    return SearchBatch(player) if isinstance(player, SearchPlayer) else AnyBatch(player)
