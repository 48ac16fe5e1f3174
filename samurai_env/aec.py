"""The PettingZoo AEC environment: one step is one atomic decision of one seat."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from samurai_env import observation
from samurai_env.actions import ActionSpace
from samurai_env.checks import choice, flag, seed_in_range
from samurai_env.observation import DTYPES
from samurai_env.registration import register_with_pettingzoo
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.game import fresh_seed, game_options
from samurai_env.rules.scoring import REWARDS
from samurai_env.rules.state import NOBODY

ILLEGAL = ("raise", "lose")
RENDER_MODES = ("human", "ansi")

Observation = dict[str, NDArray[Any]]


class _OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's check of the order of calls, handing on straight what every step of a loop asks for."""

    agents = property(lambda self: self.env.agents)
    agent_selection = property(lambda self: self.env.agent_selection)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the agent to act."""
        if not self._has_reset:
            raise AttributeError("last cannot be called before reset")
        return self.env.last(observe)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return str(self.env)


def env(**options: Any) -> OrderEnforcingWrapper:
    """Return the environment with PettingZoo's check of the order of calls; the options are `raw_env`'s."""
    return _OrderEnforcing(raw_env(**options))


class raw_env(AECEnv[str, Observation, int]):
    """Samurai for 2, 3 or 4 agents "player_0", "player_1", ...

    An observation is a dict of "observation", a flat array (see `samurai_env.observation`), and
    "action_mask", int8 of shape (num_actions,), which also stands in the info; the mask is all zero for an
    agent that is not to move. Rewards are paid at the end of the game only.

    Args:
        players: 2, 3 or 4.
        hands: "choose" (each seat chooses five tiles, in secret) or "random".
        figures: "draft" (placed in turn) or "random".
        captures: "immediate" (1998) or "end_of_turn" (2015).
        reward: "winner" or "place"; see `Game.returns`.
        hide_captures: with 3 or 4 players, do not show the others' captured figures.
        obs_dtype: "int8", or "float32" scaled to [0, 1].
        render_mode: None, "ansi" (`render` returns text) or "human" (each step is written to the terminal).
        illegal: "raise" an IllegalActionError and change nothing, or "lose": the game ends, the offender
            gets -1 and the others share +1.

    Raises:
        ValueError: an option is none of these.
    """

    metadata = {  # noqa: RUF012 - PettingZoo's form
        "render_modes": list(RENDER_MODES),
        "name": "samurai_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        players: int = 2,
        hands: str = "choose",
        figures: str = "draft",
        captures: str = "immediate",
        reward: str = "winner",
        hide_captures: bool = False,
        obs_dtype: str = "int8",
        render_mode: str | None = None,
        illegal: str = "raise",
    ) -> None:
        super().__init__()
        self._options = game_options(players, hands, figures, captures)
        players = self._options["players"]
        self._reward = choice("reward", reward, REWARDS)
        self._hide_captures = flag("hide_captures", hide_captures)
        self._obs_dtype = choice("obs_dtype", obs_dtype, DTYPES)
        self.render_mode = choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._illegal = choice("illegal", illegal, ILLEGAL)
        self._num_actions = int(NUM_ACTIONS[players])
        self._seeds: np.random.Generator | None = None  # of the games after the seeded one
        self._seat = {f"player_{seat}": seat for seat in range(players)}
        self.possible_agents = list(self._seat)
        box = observation.box(players, self._obs_dtype)
        self.observation_spaces = {agent: self._observation_space(box) for agent in self.possible_agents}
        self.action_spaces = {agent: ActionSpace(self._num_actions) for agent in self.possible_agents}

    def _observation_space(self, box: spaces.Box) -> spaces.Dict:
        own = spaces.Box(box.low, box.high, dtype=box.dtype.type)  # a generator of its own for each agent
        return spaces.Dict({"observation": own, "action_mask": spaces.Box(0, 1, (self._num_actions,), np.int8)})

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the same object at each call."""
        return self.action_spaces[agent]

    # -------------------------------------------------------------- the game

    @property
    def game(self) -> Game:
        """The game as it stands; it may be set to another one of as many players, of which a copy is played on."""
        return self._game

    @game.setter
    def game(self, game: Game) -> None:
        if not isinstance(game, Game) or game.players != self._options["players"]:
            raise ValueError(f"game: {game!r}; expected a Game of {self._options['players']} players")
        self._begin(game.clone())

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, `Game(seed=seed)`; without a seed, the next of the sequence that the last seed began.

        Raises:
            ValueError: `seed` is out of [0, 2**64).
        """
        if seed is not None:
            seed = seed_in_range("seed", seed)
            self._seeds = np.random.default_rng(seed)
        else:
            if self._seeds is None:
                self._seeds = np.random.default_rng(fresh_seed())
            seed = int(self._seeds.integers(2**53))
        self._begin(Game(seed=seed, **self._options))

    def _begin(self, game: Game) -> None:
        self._game = game
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self.agent_selection = self.agents[max(game.current_player, 0)]
        if game.is_over:
            self._finish(game.returns(self._reward))
        elif self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move, or take an agent out after the end with None.

        Raises:
            IllegalActionError: the action is not legal, with illegal="raise"; nothing has changed.
            ValueError: an action for an agent whose game has ended, or None for one whose game runs.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"action None for {agent}, whose game runs; expected one from its action_mask")
        try:
            self._game.apply(action)
        except IllegalActionError:
            if self._illegal == "raise":
                raise
            self._lose(agent)
            return
        self._cumulative_rewards[agent] = 0.0
        mover = self._game.current_player
        if mover == NOBODY:
            self.agent_selection = self._next(agent)
            self._finish(self._game.returns(self._reward))
            return
        self.agent_selection = self.possible_agents[mover]
        self.infos[self.agent_selection] = {"action_mask": self._game.action_mask()}
        if self.agent_selection != agent:
            self.infos[agent] = {"action_mask": self._no_action()}
        if self.render_mode == "human":
            self.render()

    def _next(self, agent: str) -> str:
        return self.possible_agents[(self._seat[agent] + 1) % len(self.possible_agents)]

    def _lose(self, offender: str) -> None:
        """End the game for an illegal action; the game itself stays as it was."""
        returns = np.full(len(self.possible_agents), 1 / (len(self.possible_agents) - 1))
        returns[self._seat[offender]] = -1
        self._cumulative_rewards[offender] = 0.0
        self.agent_selection = self._next(offender)
        self._finish(returns)

    def _finish(self, returns: NDArray[np.float64]) -> None:
        """Pay the final rewards and end the game for every agent."""
        self.rewards = dict(zip(self.agents, returns.tolist(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.infos = {agent: self._info(agent) for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    # -------------------------------------------------------------- what the agents see

    def _mask(self, agent: str) -> NDArray[np.int8]:
        is_to_move = self._seat[agent] == self._game.current_player and not self.terminations.get(agent, True)
        return self._game.action_mask() if is_to_move else self._no_action()

    def _no_action(self) -> NDArray[np.int8]:
        return np.zeros(self._num_actions, np.int8)

    def _info(self, agent: str) -> dict[str, Any]:
        return {"action_mask": self._mask(agent)}

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now; the arrays are new and never change."""
        seat = self._seat[agent]
        flat = observation.observe_unchecked(self._game, seat, self._hide_captures, self._obs_dtype)
        return {"observation": flat, "action_mask": self._mask(agent)}

    def render(self) -> str | None:
        """Return the game as the agent to move sees it: its own hand, and what is public.

        With render_mode="human" it is written to the terminal instead, after each reset and step too.
        """
        from samurai_env.rendering import render

        return render(self._game, self._seat[self.agent_selection], self._hide_captures, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""


register_with_pettingzoo()
