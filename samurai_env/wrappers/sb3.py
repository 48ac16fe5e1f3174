"""Many games with one learner in each, as Stable-Baselines3 sees environments. Needs stable-baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from samurai_env.wrappers.vector_env import SingleAgentVectorEnv


class SB3VecEnv(VecEnv):
    """`SingleAgentVectorEnv` for Stable-Baselines3 and sb3-contrib, MaskablePPO above all.

    It takes the place of a DummyVecEnv or SubprocVecEnv of `SingleAgentEnv`s and plays the same games, faster.

    Args:
        num_envs: the number of games.
        options: those of `SingleAgentVectorEnv`.
    """

    def __init__(self, num_envs: int, **options: Any) -> None:
        self.games = SingleAgentVectorEnv(num_envs, **options)
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)

    def reset(self) -> NDArray[Any]:
        """Start all games anew, with the seeds that `seed` gave, and return the observations, (B, n)."""
        observations, info = self.games.reset(seed=self._seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._each(info)
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; finished games have started anew, their last observation is "terminal_observation"."""
        observations, rewards, dones, _, info = self.games.step(self._actions)
        infos = self._each(info)
        for i in np.flatnonzero(dones):
            infos[i]["terminal_observation"] = info["final_obs"][i]
        return observations, rewards.astype(np.float32), dones, infos

    def _each(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        """Return an info for each game."""
        masks, seats = info["action_mask"], info["seat"].tolist()
        return [
            {"action_mask": mask, "seat": seat, "TimeLimit.truncated": False}
            for mask, seat in zip(masks, seats, strict=True)
        ]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of the learners, bool of shape (B, num_actions)."""
        return self.games.action_masks()

    def render(self, mode: str | None = None) -> Any:
        """Return a text for each game with render_mode="ansi"; see `SingleAgentVectorEnv.render`."""
        return list(self.games.render())

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the games, the same for each."""
        return [getattr(self.games, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have no attributes of their own to set."""
        raise AttributeError(f"attribute {attr_name!r} cannot be set: the games share one batch")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return the masks or the pictures of the games, which is what is asked for; there are no other methods."""
        if method_name not in ("action_masks", "render"):
            raise AttributeError(f"method {method_name!r} cannot be called: the games share one batch")
        results = getattr(self.games, method_name)()
        return [results[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game."""
        return [False for _ in self._get_indices(indices)]
