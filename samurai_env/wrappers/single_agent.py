"""One seat learns, the others are players: a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from samurai_env.actions import ActionSpace
from samurai_env.aec import ILLEGAL, RENDER_MODES
from samurai_env.agents import View
from samurai_env.checks import choice, flag, seed_in_range
from samurai_env.observation import DTYPES, box, observe_unchecked
from samurai_env.rendering import render
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.board import PLAYER_COUNTS
from samurai_env.rules.scoring import REWARDS
from samurai_env.wrappers.opponents import Opponent, as_player, one_a_seat, player_seeds

ROTATE = "rotate"


class SingleAgentEnv(gymnasium.Env[NDArray[Any], Any]):
    """Samurai as seen from one seat; the other seats act within `reset` and `step`.

    The observation is the flat array of the learner's seat (see `samurai_env.observation`), the reward its
    final reward, paid at the end. `action_masks()` and `info["action_mask"]` hold the legal actions for
    the learner's next decision.

    Args:
        players: 2, 3 or 4.
        opponents: a player code, a `Player` or a function from a `View` to an action, for all other seats,
            or a sequence of one for each, clockwise behind the learner.
        seat: the learner's seat, or "rotate" for the next seat in each new game; a seeded reset begins the
            rotation at seat `seed % players`.
        reward: "winner" or "place"; see `Game.returns`.
        hide_captures: with 3 or 4 players, do not show the others' captured figures.
        obs_dtype: "int8", or "float32" scaled to [0, 1].
        render_mode: None, "ansi" (`render` returns text) or "human" (each step is written to the terminal).
        illegal: "lose": the game ends with -1, so that learners without masks work; or "raise" an
            IllegalActionError and change nothing.
        options: `hands`, `figures` and `captures` of the games, as in `Game`.

    Raises:
        ValueError: an option is none of these.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's form

    def __init__(
        self,
        players: int = 2,
        opponents: Opponent | Sequence[Opponent] = "random",
        seat: int | str = ROTATE,
        reward: str = "winner",
        hide_captures: bool = False,
        obs_dtype: str = "int8",
        render_mode: str | None = None,
        illegal: str = "lose",
        **options: str,
    ) -> None:
        self.players = choice("players", players, PLAYER_COUNTS)
        self._given = one_a_seat(opponents, self.players - 1)
        self._opponents = [as_player(opponent) for opponent in self._given]
        self._rotates = seat == ROTATE
        seats = (ROTATE, *range(self.players))
        self.seat = self.players - 1 if self._rotates else int(choice("seat", seat, seats))
        self._reward = choice("reward", reward, REWARDS)
        self._hide_captures = flag("hide_captures", hide_captures)
        self._obs_dtype = choice("obs_dtype", obs_dtype, DTYPES)
        self.render_mode = choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._illegal = choice("illegal", illegal, ILLEGAL)
        self._options = options
        self.game = Game(self.players, 0, **options)
        self._has_lost = False  # by an illegal action; the game itself stays as it was
        space = box(self.players, self._obs_dtype)
        self.observation_space = spaces.Box(space.low, space.high, dtype=space.dtype.type)
        self.action_space = ActionSpace(int(NUM_ACTIONS[self.players]))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a new game, `Game(seed=seed)`; without a seed, the next of the sequence that the last seed began.

        Returns:
            The learner's observation at its first decision, and its info.

        Raises:
            ValueError: `seed` is out of [0, 2**64).
        """
        if seed is not None:
            seed = seed_in_range("seed", seed)
        super().reset(seed=seed)
        if self._rotates:
            self.seat = (self.seat + 1 if seed is None else seed) % self.players
        deal = int(self.np_random.integers(2**53)) if seed is None else seed
        self.game = Game(self.players, deal, **self._options)
        self._has_lost = False
        for opponent, own in zip(self._opponents, player_seeds(deal, len(self._opponents)), strict=True):
            opponent.reset(own)
        self._let_others_play()
        self._show()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others until its next decision or the end.

        Raises:
            IllegalActionError: the action is not legal, with illegal="raise"; nothing has changed.
            ValueError: the game is over.
        """
        if self._has_lost or self.game.is_over:
            raise ValueError("the game is over; expected a call of reset")
        try:
            self.game.apply(action)
        except IllegalActionError:
            if self._illegal == "raise":
                raise
            self._has_lost = True
            return self._observe(), -1.0, True, False, self._info()
        self._let_others_play()
        self._show()
        reward = float(self.game.returns(self._reward)[self.seat])
        return self._observe(), reward, self.game.is_over, False, self._info()

    def _let_others_play(self) -> None:
        while not self.game.is_over and self.game.current_player != self.seat:
            seat = self.game.current_player
            opponent = self._opponents[(seat - self.seat - 1) % self.players]
            try:
                self.game.apply(opponent.act(View(self.game, seat, self._hide_captures)))
            except IllegalActionError as error:
                raise IllegalActionError(f"the opponent at seat {seat}: {error}") from None

    def _observe(self) -> NDArray[Any]:
        return observe_unchecked(self.game, self.seat, self._hide_captures, self._obs_dtype)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8), "seat": self.seat}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of the learner, bool of shape (num_actions,), as sb3-contrib asks for them."""
        mask = self.game.action_mask().astype(np.bool_)
        return np.zeros_like(mask) if self._has_lost else mask

    def render(self) -> str | None:  # type: ignore[override]
        """Return the game as the learner sees it.

        With render_mode="human" it is written to the terminal instead, after each reset and step too.
        """
        return render(self.game, self.seat, self._hide_captures, self.render_mode)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
