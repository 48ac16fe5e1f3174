"""sb3-contrib's MaskablePPO, collecting self-play in which every seat learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from samurai_env.agents.potential import Potential
from samurai_env.agents.tree import judge_all
from samurai_env.observation import box
from samurai_env.vector import VectorGames
from training.checkpoint import generators, restore_generators
from training.imitation import Teacher
from training.networks import NetworkPolicy
from training.pool import Pool
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


def spread(games: VectorGames, seed: int | None) -> None:
    """Play on in each game at random, each to another point: games in step fill a rollout with one phase."""
    generator = np.random.default_rng(seed)
    for i in range(games.num_games):
        ahead, played = games.game(i), []
        while not ahead.is_over:
            played.append(generator.choice(ahead.legal_actions()))
            ahead.apply(played[-1])
        game = games.game(i)
        for action in played[: generator.integers(len(played))]:
            game.apply(action)
        games.load(i, game)


class Linear:
    """A value that goes from `first` to `last` over PPO, or stays where `last` is None; as SB3 wants schedules.

    Args:
        first: where PPO begins.
        last: at the end.
        start: where the run begins, if somebody is imitated before PPO.
        share: which part of the run that takes.
    """

    def __init__(self, first: float, last: float | None, start: float | None = None, share: float = 0.0) -> None:
        self.first = first
        self.last = first if last is None else last
        self.start = first if start is None else start
        self.share = share

    def __call__(self, remaining: float) -> float:
        """Return the value with this share of the run remaining, 1 to 0."""
        done = 1 - max(remaining, 0.0)
        if done < self.share:
            return self.start + (self.first - self.start) * done / self.share
        return self.first + (self.last - self.first) * (done - self.share) / max(1 - self.share, 1e-9)


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO over the decisions of all seats of a batch of games.

    Collection, credit and minibatches are those of `SeatRolloutBuffer`; the loss and the update are
    sb3-contrib's. The other arguments are MaskablePPO's. Steps are decisions of the learner.

    Args:
        policy: `NetworkPolicy`.
        env: a `SelfPlayVecEnv`.
        entropy: the weight of the entropy bonus, a function of the share of the run that remains.
        potential: what shapes the rewards.
        pool: the opponents that play in a part of the games, if any do.
        teacher: who is imitated before PPO begins, if anybody is.
    """

    rollout_buffer: SeatRolloutBuffer
    policy: NetworkPolicy

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        entropy: Callable[[float], float],
        potential: Potential = Potential(),  # noqa: B008 - it cannot be changed
        pool: Pool | None = None,
        teacher: Teacher | None = None,
        **kwargs: Any,
    ) -> None:
        self.entropy = entropy
        self.potential = potential
        self.pool = pool
        self.teacher = teacher
        self.updates = 0
        """How many updates are done."""
        self.is_stopping = False
        """Set it, and `learn` ends before the next rollout."""
        super().__init__(policy, env, **{"rollout_buffer_class": SeatRolloutBuffer, **kwargs})

    @property
    def games(self) -> VectorGames:
        """The games that are played."""
        assert isinstance(self.env, SelfPlayVecEnv)
        return self.env.games

    def _setup_learn(self, *args: Any, **kwargs: Any) -> Any:
        had_games = self._last_obs
        result = super()._setup_learn(*args, **kwargs)
        if self._last_obs is not had_games:  # SB3 has started all games anew
            self.rollout_buffer.forget()
            spread(self.games, self.seed)
            self._last_obs = self.games.observations.copy()  # type: ignore[assignment]
            if self.pool:
                self.pool.begin(np.arange(self.games.num_games))
        return result

    def train(self) -> None:
        """Update the policy by the decisions of the rollout."""
        if self._is_imitating:
            self._imitate()
        else:
            self.ent_coef = self.entropy(self._current_progress_remaining)
            super().train()
            self.logger.record("train/entropy_coef", self.ent_coef)
        self.updates += 1

    def _imitate(self) -> None:
        """Update the policy by what the teacher thought in the rollout, and the values by what came of them."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses, value_losses = [], []
        assert self.teacher is not None
        for _ in range(self.teacher.epochs):
            for batch, taught in self.rollout_buffer.get_taught(self.batch_size):
                values, log_probs = self.policy.judge(batch.observations, batch.action_masks)
                losses.append(-(taught * log_probs).sum(-1).mean())
                value_losses.append(torch.nn.functional.mse_loss(values, batch.returns))
                self.policy.optimizer.zero_grad()
                (losses[-1] + self.vf_coef * value_losses[-1]).backward()
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
        self._n_updates += self.teacher.epochs
        self.logger.record("train/imitation_loss", torch.stack(losses).mean().item())
        self.logger.record("train/value_loss", torch.stack(value_losses).mean().item())

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
        if self.is_stopping:
            return False
        self._is_imitating = self.teacher is not None and self.num_timesteps < self.teacher.steps
        rollout_buffer.be_taught(self._is_imitating)
        for _ in range(n_rollout_steps):
            self.num_timesteps += self._decide(env.games, rollout_buffer)
            observations, rewards, dones, infos = env.step(self._chosen)
            rollout_buffer.outcome(env.games.rewards, dones)
            if self.pool:
                self.pool.begin(np.flatnonzero(dones))
            self._last_obs = observations  # type: ignore[assignment]
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute_advantages()
        callback.on_rollout_end()
        return True

    def _decide(self, games: VectorGames, buffer: SeatRolloutBuffer) -> int:
        """Choose an action in each game and store the decision; return how many were the learner's."""
        pool = None if self._is_imitating else self.pool  # who is imitated plays all seats
        is_frozen = pool.is_frozen(games.seats) if pool else np.zeros(games.num_games, np.bool_)
        own, others = np.flatnonzero(~is_frozen), np.flatnonzero(is_frozen)
        self._chosen = np.empty(games.num_games, np.int64)
        values, log_probs = np.zeros((2, games.num_games), np.float32)
        taught, probabilities = self.teacher.teach(games, own) if self.teacher and self._is_imitating else (None, None)
        seen = games.observations[own], games.action_masks[own]
        self._chosen[own], values[own], log_probs[own] = self._act(*seen, taught)
        if pool and len(others):
            self._chosen[others] = pool.act(games, others)
        potentials = self._potentials(games)
        position = games.observations, games.action_masks, games.seats
        buffer.add(*position, self._chosen, values, log_probs, potentials, is_frozen, probabilities)
        return len(own)

    def _potentials(self, games: VectorGames) -> NDArray[np.float32]:
        """Return the potential of each position to the seat to move, (B,)."""
        shares = np.zeros(games.num_games, np.float32)
        if self.potential.judged:
            shares = judge_all(games.states, games.players)[np.arange(games.num_games), games.seats]
        return self.potential.of(games.observations, shares, games.players)

    @torch.no_grad()
    def _act(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8], taught: NDArray[np.int64] | None
    ) -> tuple[NDArray[Any], ...]:
        """Return actions, those `taught` if any, with their values and logarithms of probabilities, (G,) each."""
        seen = torch.as_tensor(observations, device=self.device)
        if taught is None:
            actions, values, log_probs = self.policy(seen, action_masks=masks)
            return actions.cpu().numpy(), values.flatten().cpu().numpy(), log_probs.cpu().numpy()
        chosen, legal = (torch.as_tensor(array, device=self.device) for array in (taught, masks))
        values, log_probs, _ = self.policy.evaluate_actions(seen, chosen, legal)
        return taught, values.flatten().cpu().numpy(), log_probs.cpu().numpy()

    # -------------------------------------------------------------- what a checkpoint holds

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on exactly, between two updates."""
        return {
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "steps": self.num_timesteps,
            "updates": self.updates,
            "passes": self._n_updates,
            "remaining": self._current_progress_remaining,
            "games": self.games.save(),
            "rollout": self.rollout_buffer.state(),
            "pool": self.pool.state() if self.pool else {},
            "teacher": self.teacher.state() if self.teacher else "",
            "generators": generators(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state with `learn(..., reset_num_timesteps=False)`.

        Raises:
            ValueError: it is of another model.
        """
        try:
            self._restore(state)
        except (KeyError, TypeError, RuntimeError, AttributeError) as error:
            raise ValueError(f"the state is of another model: {str(error).partition(chr(10))[0]}") from None

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.policy.load_state_dict(state["policy"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.num_timesteps, self.updates = state["steps"], state["updates"]
        self._n_updates, self._current_progress_remaining = state["passes"], state["remaining"]
        self.games.restore(state["games"])
        self.rollout_buffer.restore(state["rollout"])
        if self.pool:
            self.pool.restore(state["pool"], self.policy.network)
        if self.teacher:
            self.teacher.restore(state["teacher"])
        self._last_obs = self.games.observations.copy()  # type: ignore[assignment]
        restore_generators(state["generators"])
