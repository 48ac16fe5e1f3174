"""One seat learns in each of many games, the others are players: a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from samurai_env.checks import seed_in_range, whole
from samurai_env.generator import split_seed
from samurai_env.observation import scale
from samurai_env.rendering import render
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.entry import start_state
from samurai_env.rules.state import OFFSETS, OVER, new_state
from samurai_env.wrappers.opponents import Opponents, apply_all, look
from samurai_env.wrappers.single_agent import SingleAgentEnv

_PHASE = OFFSETS["phase"]


class SingleAgentVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """Many games of Samurai at once, one learner in each; the other seats act within `reset` and `step`.

    Game for game it is what as many `SingleAgentEnv`s are. A game that ends starts anew within the same step:
    reward and termination of that step belong to the finished game, observation and info to the new one, and
    `final_obs` and `final_info` in the info hold the last ones of the finished game. All arrays are new at each
    step. The info holds "action_mask", int8 of shape (B, num_actions), and the learner's "seat", (B,).

    `random`, `greedy` and policies are the fastest opponents: the first two are compiled, a policy acts on all
    games that wait for it at once. Players that are objects are copied, for each game its own.

    Args:
        num_envs: B, the number of games.
        render_mode: None or "ansi" (`render` returns a text for each game).
        options: those of `SingleAgentEnv`.

    Raises:
        ValueError: an option is none of these.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, render_mode: str | None = None, **options: Any) -> None:
        self.num_envs = whole("num_envs", num_envs, 1, 2**31)
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: {render_mode!r}; expected one of None, 'ansi'")
        self.render_mode = render_mode
        self._single = single = SingleAgentEnv(**options)
        self.players = single.players
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(single.observation_space, num_envs)
        self.action_space = batch_space(single.action_space, num_envs)
        self._opponents = Opponents(single._given, single._opponents, single._hide_captures, num_envs)
        self._fresh = new_state(self.players, **single.game.options)
        self._states = np.tile(self._fresh, (num_envs, 1))
        self._deals = [0] * num_envs
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self.seats = np.full(num_envs, single.seat, np.int64)
        """The learner's seat in each game, (B,)."""
        self._all = np.arange(num_envs)
        self._masks = np.zeros((num_envs, single.game.num_actions), np.int8)

    # -------------------------------------------------------------- the games

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start all games anew.

        Args:
            seed: one seed for each game, or one number: game i is then seeded by `seed + i`. None goes on with
                the sequences that the last seeds began.
            options: none are known.

        Raises:
            ValueError: there are more or fewer seeds than games, one is out of [0, 2**64), or there are options.
        """
        if options:
            raise ValueError(f"options: {options}; expected none: a reset starts all games")
        for i, one in enumerate(self._one_a_game(seed)):
            self._deal(i, one)
        return self._go_on(), self._info()

    def _one_a_game(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, Sequence):
            first = seed_in_range("seed", seed)
            seed = range(first, first + self.num_envs)
        if len(seed) != self.num_envs:
            raise ValueError(f"seed: {len(seed)} seeds; expected {self.num_envs}, one for each game")
        return [None if one is None else seed_in_range("seed", one) for one in seed]

    def _deal(self, i: int, seed: int | None) -> None:
        """Start the next game of a slot, as `SingleAgentEnv.reset` does."""
        generator = self._generators[i]
        if generator is None or seed is not None:
            generator = self._generators[i] = seeding.np_random(seed)[0]
        if self._single._rotates:
            self.seats[i] = (self.seats[i] + 1 if seed is None else seed) % self.players
        self._deals[i] = deal = int(generator.integers(2**53)) if seed is None else seed
        self._states[i] = self._fresh
        start_state(self._states[i], *split_seed(deal))
        self._opponents.reset(i, deal)

    def _go_on(self) -> NDArray[Any]:
        """Let the others play where it is their turn, and return the observations of the learners."""
        self._opponents.play_on(self._states, self.seats)
        observations, self._masks = self._look(self._all)
        return observations

    def _look(self, games: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int8]]:
        flat, masks = look(self._states, self.seats, games, self.players, self._single._hide_captures)
        return flat if self._single._obs_dtype == "int8" else scale(flat, self.players), masks

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learner's action in each game, then the others until its next decision.

        Args:
            actions: the ids, whole numbers of shape (B,).

        Raises:
            IllegalActionError: names the first game whose action is not legal, with illegal="raise"; no game
                has moved.
            ValueError: `actions` has another shape or type.
        """
        given = self._checked(actions)
        lost = ~self._are_legal(given)
        if lost.any() and self._single._illegal == "raise":
            self._refuse(int(lost.argmax()), given)
        played = np.flatnonzero(~lost)
        apply_all(self._states, played, given[played])
        self._opponents.play_on(self._states, self.seats)
        dones = lost | (self._states[:, _PHASE] == OVER)
        rewards = np.zeros(self.num_envs)
        infos: dict[str, Any] = {}
        if dones.any():
            ended = np.flatnonzero(dones)
            for i in ended.tolist():
                rewards[i] = -1.0 if lost[i] else self.game(i).returns(self._single._reward)[self.seats[i]]
            infos = self._final_info(ended)
            for i in ended.tolist():
                self._deal(i, None)
        observations = self._go_on()
        return observations, rewards, dones, np.zeros(self.num_envs, np.bool_), infos | self._info()

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        if self._generators[0] is None:
            raise ValueError("no game has begun; expected a call of reset")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            expected = f"whole numbers of shape ({self.num_envs},)"
            raise ValueError(f"actions: {given.dtype} of shape {given.shape}; expected {expected}")
        return given.astype(np.int64)

    def _are_legal(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        in_range = (actions >= 0) & (actions < self._masks.shape[1])
        return in_range & (self._masks[self._all, np.where(in_range, actions, 0)] != 0)

    def _refuse(self, i: int, actions: NDArray[np.int64]) -> None:
        try:
            self.game(i).apply(int(actions[i]))
        except IllegalActionError as error:
            raise IllegalActionError(f"game {i}: {error}") from None

    # -------------------------------------------------------------- what is seen

    def _info(self) -> dict[str, Any]:
        """Return the info in Gymnasium's form: with each array a second one that says which games it speaks of."""
        everywhere = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self._masks.copy(),
            "_action_mask": everywhere,
            "seat": self.seats.copy(),
            "_seat": everywhere.copy(),
        }

    def _final_info(self, ended: NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observation and info of the games that have just ended."""
        last, _ = self._look(ended)
        observations = np.full(self.num_envs, None, object)
        for row, i in enumerate(ended.tolist()):
            observations[i] = last[row]
        is_final = np.isin(self._all, ended)
        info = {
            "action_mask": np.zeros_like(self._masks),
            "_action_mask": is_final.copy(),
            "seat": np.where(is_final, self.seats, 0),
            "_seat": is_final.copy(),
        }
        return {"final_obs": observations, "_final_obs": is_final, "final_info": info, "_final_info": is_final.copy()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of the learners, bool of shape (B, num_actions)."""
        return self._masks.astype(np.bool_)

    def game(self, i: int) -> Game:
        """Return a copy of game i."""
        i = whole("game", i, 0, self.num_envs - 1)
        return Game.from_state(self._states[i].copy(), self._deals[i])

    def render(self) -> tuple[str | None, ...]:  # type: ignore[override]
        """Return each game as its learner sees it."""
        hide = self._single._hide_captures
        return tuple(render(self.game(i), int(self.seats[i]), hide, self.render_mode) for i in range(self.num_envs))
