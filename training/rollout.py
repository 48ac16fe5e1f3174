"""The rollout buffer of self-play, where every seat's decisions are a sequence of their own.

In a batch of games the seats take turns, and one seat may act several times running. What follows a
decision is the same seat's next decision in the same game, whenever that comes; and the final reward of a
seat belongs to its last decision, whoever ended the game. A decision whose successor has not come when the
rollout ends is not trained on yet, nor forgotten: it is carried over to the next rollout. The decisions of frozen
opponents are in the rows, but of no sequence.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

Floats = NDArray[np.float32]

_CARRIED = ("_observations", "_masks", "_actions", "_values", "_log_probs", "_potentials")


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """Decisions of B games over T steps, with advantages along each seat's own sequence.

    The rows of the time axis are: `players` rows of carried decisions, row k holding that of seat k (where
    `present`), then T rows of new ones. The first arguments are SB3's.

    Args:
        players: the number of seats.
        seed: seed of the order of the minibatches.
    """

    def __init__(self, *args: Any, players: int, seed: int = 0, **kwargs: Any) -> None:
        self.players = players
        self.generator = np.random.default_rng(seed)
        super().__init__(*args, **kwargs)
        rows = (players + self.buffer_size, self.n_envs)
        self._observations = np.zeros((*rows, *self.obs_shape), self.observation_space.dtype)
        self._masks = np.zeros((*rows, self.mask_dims), np.int8)
        self._actions = np.zeros(rows, np.int64)
        self._seats = np.zeros(rows, np.int64)
        self._values = np.zeros(rows, np.float32)
        self._log_probs = np.zeros(rows, np.float32)
        self._potentials = np.zeros(rows, np.float32)
        self._present = np.zeros(rows, np.bool_)
        self._is_open = np.zeros(rows, np.bool_)
        self._rewards = np.zeros((*rows, players), np.float32)
        self._dones = np.zeros(rows, np.bool_)
        self._seats[:players] = np.arange(players)[:, None]
        self._taught: NDArray[np.float16] | None = None

    def be_taught(self, is_taught: bool) -> None:
        """Hold what a teacher would play, or no longer; it takes a number for each action."""
        if not is_taught:
            self._taught = None
        elif self._taught is None:
            self._taught = np.zeros(self._masks.shape, np.float16)

    @property
    def _carried(self) -> tuple[str, ...]:
        return _CARRIED if self._taught is None else (*_CARRIED, "_taught")

    def reset(self) -> None:
        """Begin a rollout; the decisions left open by the last one are its first rows."""
        self.pos = 0
        self.full = False
        self.mask_dims = int(self.action_space.n)  # type: ignore[attr-defined]
        if hasattr(self, "_is_open"):
            self._carry_over()

    def _carry_over(self) -> None:
        rows, games = np.nonzero(self._is_open)
        seats = self._seats[rows, games]
        for name in self._carried:
            array = getattr(self, name)
            array[seats, games] = array[rows, games]
        self._present[: self.players] = False
        self._present[seats, games] = True
        self._is_open[:] = False
        self._is_open[seats, games] = True  # until the advantages say otherwise: to begin twice changes nothing

    def forget(self) -> None:
        """Carry nothing over: the games were abandoned."""
        self._is_open[:] = False

    def add(  # type: ignore[override]
        self,
        observations: NDArray[Any],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        actions: NDArray[np.int64],
        values: Floats,
        log_probs: Floats,
        potentials: Floats,
        is_frozen: NDArray[np.bool_] | bool = False,
        taught: NDArray[np.float16] | None = None,
    ) -> None:
        """Add the decision of each game, arrays (B, ...); `outcome` says what came of it.

        Where `is_frozen`, it was not the learner's: it is neither trained on nor anybody's successor. `taught` are
        the probabilities of a teacher's actions, (B, num_actions), after `be_taught`.
        """
        row = self.players + self.pos
        self._observations[row] = observations
        self._masks[row] = masks
        self._seats[row] = seats
        self._actions[row] = actions
        self._values[row] = values
        self._log_probs[row] = log_probs
        self._potentials[row] = potentials
        self._present[row] = ~np.asarray(is_frozen)
        if self._taught is not None:
            assert taught is not None
            self._taught[row] = taught

    def outcome(self, rewards: Floats, dones: NDArray[np.bool_]) -> None:
        """Add the rewards of all seats, (B, players), and the ends, (B,), that followed the last decisions."""
        row = self.players + self.pos
        self._rewards[row] = rewards
        self._dones[row] = dones
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_advantages(self) -> None:
        """Compute advantages and returns along each seat's sequence (Schulman et al. 2016), backwards.

        For each seat of each game we keep what comes next: its next decision's value, potential and
        advantage, or, where the game ended, nothing but the final reward. A decision with no next is open.
        """
        rows, games = self._values.shape
        self._advantages = np.zeros((rows, games), np.float32)
        everyone = np.arange(games)
        known = np.zeros((games, self.players), np.bool_)
        reward, value, potential, advantage = np.zeros((4, games, self.players), np.float32)
        for row in range(rows - 1, -1, -1):
            ended = self._dones[row]
            known[ended] = True
            reward[ended] = self._rewards[row, ended]
            value[ended] = potential[ended] = advantage[ended] = 0
            present = self._present[row]
            at = everyone[present], self._seats[row, present]
            own_value, own_potential = self._values[row, present], self._potentials[row, present]
            shaping = self.gamma * potential[at] - own_potential
            delta = reward[at] + shaping + self.gamma * value[at] - own_value
            closed = known[at]
            own_advantage = np.where(closed, delta + self.gamma * self.gae_lambda * advantage[at], 0)
            self._advantages[row, present] = own_advantage
            self._is_open[row, present] = ~closed
            known[at], reward[at] = True, 0
            value[at], potential[at], advantage[at] = own_value, own_potential, own_advantage
        self._trainable = np.nonzero((self._present & ~self._is_open).ravel())[0]
        self.values = self._values.ravel()[self._trainable]
        self.returns = self.values + self._advantages.ravel()[self._trainable]

    def state(self) -> dict[str, Any]:
        """Return what a rollout that has just begun goes on from: the carried decisions and the generator."""
        self.reset()
        carried = {name: getattr(self, name)[: self.players].copy() for name in (*self._carried, "_present")}
        return {"generator": json.dumps(self.generator.bit_generator.state), **carried}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        self.generator.bit_generator.state = json.loads(state["generator"])
        self.be_taught("_taught" in state)
        for name in (*self._carried, "_present"):
            getattr(self, name)[: self.players] = np.asarray(state[name])
        self._is_open[:] = False
        self._is_open[: self.players] = self._present[: self.players]

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all decisions whose successor is known once, in random minibatches of nearly equal size.

        A small rest would be normalised by itself, and one of a single decision has no deviation at all.
        """
        for chosen in self._minibatches(batch_size):
            yield self._samples(chosen)

    def get_taught(
        self, batch_size: int | None = None
    ) -> Generator[tuple[MaskableRolloutBufferSamples, torch.Tensor], None, None]:
        """Yield what `get` does, each with the probabilities that were taught, (minibatch, num_actions)."""
        assert self._taught is not None
        taught = self._taught.reshape(-1, self.mask_dims)
        for chosen in self._minibatches(batch_size):
            yield self._samples(chosen), self.to_torch(taught[self._trainable[chosen]]).float()

    def _minibatches(self, batch_size: int | None) -> list[NDArray[np.int64]]:
        assert self.full, "the rollout is not complete"
        order = self.generator.permutation(len(self._trainable))
        parts = max(1, len(order) // (batch_size or len(order)))
        return np.array_split(order, parts)

    def _samples(self, chosen: NDArray[np.int64]) -> MaskableRolloutBufferSamples:
        rows = self._trainable[chosen]

        def of(array: NDArray[Any]) -> NDArray[Any]:
            return array.reshape(-1, *array.shape[2:])[rows]

        data = (
            of(self._observations),
            of(self._actions),
            self.values[chosen],
            of(self._log_probs),
            of(self._advantages),
            self.returns[chosen],
            of(self._masks),
        )
        return MaskableRolloutBufferSamples(*map(self.to_torch, data))
