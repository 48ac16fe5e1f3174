"""sb3-contrib's MaskablePPO, collecting self-play in which every seat learns."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from samurai_env.observation import Segment, box, layout
from samurai_env.rules.tiles import FIGURES
from samurai_env.vector import VectorGames
from training.networks import NetworkPolicy
from training.rollout import SeatRolloutBuffer


class SelfPlayVecEnv(VecEnv):
    """A batch of games as SB3 sees environments: at each step the seat to move acts in each game.

    The reward of a step is that of the seat that acted; `games.rewards` holds those of all seats.
    """

    def __init__(self, games: VectorGames) -> None:
        self.games = games
        self.render_mode = None
        super().__init__(games.num_games, box(games.players, "int8"), spaces.Discrete(games.num_actions))

    def reset(self) -> NDArray[np.int8]:
        """Start all games anew and return the observations, (B, n)."""
        self.games.reset()
        return self.games.observations.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; finished games have started anew."""
        acted = self.games.seats.copy()
        self.games.step(self._actions)
        rewards = self.games.rewards[np.arange(self.num_envs), acted]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.games.observations.copy(), rewards, self.games.dones.copy(), infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the seats to move, (B, num_actions)."""
        return self.games.action_masks.copy()

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of this object once for each game."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have no attributes of their own to set."""
        raise AttributeError(f"attribute {attr_name!r} cannot be set: the games share one batch")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return the masks of the games, which is what sb3-contrib asks for; games have no other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"method {method_name!r} cannot be called: the games share one batch")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game."""
        return [False for _ in self._get_indices(indices)]


@cache
def _captured(players: int) -> tuple[Segment, list[int]]:
    """Return the seats' part of the observation and its columns of captured figures."""
    seats = next(segment for segment in layout(players) if segment.name == "seats")
    names = [feature.name for feature in seats.features]
    return seats, [names.index(f"{figure} captured") for figure in FIGURES]


def capture_lead(observations: NDArray[np.int8], players: int) -> NDArray[np.float32]:
    """Return by how many figures the observer leads the best other seat, (B,), negative when behind."""
    seats, columns = _captured(players)
    totals = seats.view(observations)[..., columns].sum(-1, dtype=np.float32)
    return totals[:, 0] - totals[:, 1:].max(-1)


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over the decisions of all seats of a batch of games.

    Collection, credit and minibatches are those of `SeatRolloutBuffer`; the loss and the update are
    sb3-contrib's. The other arguments are MaskablePPO's.

    Args:
        policy: `NetworkPolicy`.
        env: a `SelfPlayVecEnv`, or None where a saved model is loaded.
        capture_potential: the potential of each figure of a lead in captures (Ng et al. 1999), which
            shapes the rewards without changing which play is best.
    """

    rollout_buffer: SeatRolloutBuffer
    policy: NetworkPolicy

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        capture_potential: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.capture_potential = capture_potential
        super().__init__(policy, env, rollout_buffer_class=SeatRolloutBuffer, **kwargs)

    def _setup_learn(self, *args: Any, **kwargs: Any) -> Any:
        had_games = self._last_obs
        result = super()._setup_learn(*args, **kwargs)
        if self._last_obs is not had_games:  # SB3 has started all games anew
            self.rollout_buffer.forget()
        return result

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions in each game and fill the buffer; False if a callback stops."""
        assert isinstance(env, SelfPlayVecEnv)
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        for _ in range(n_rollout_steps):
            self._decide(env.games, rollout_buffer)
            observations, rewards, dones, infos = env.step(self._chosen)
            rollout_buffer.outcome(env.games.rewards, dones)
            self._last_obs = observations  # type: ignore[assignment]
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute_advantages()
        callback.on_rollout_end()
        return True

    def _decide(self, games: VectorGames, buffer: SeatRolloutBuffer) -> None:
        """Choose an action in each game and store the decision."""
        with torch.no_grad():
            observations = torch.as_tensor(games.observations, device=self.device)
            actions, values, log_probs = self.policy(observations, action_masks=games.action_masks)
        self._chosen = actions.cpu().numpy()
        potentials = self.capture_potential * capture_lead(games.observations, games.players)
        buffer.add(
            games.observations,
            games.action_masks,
            games.seats,
            self._chosen,
            values.flatten().cpu().numpy(),
            log_probs.cpu().numpy(),
            potentials,
        )
