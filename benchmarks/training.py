"""Measure training steps a second, everything included, beside sb3-contrib on PettingZoo's connect_four.

    python benchmarks/training.py [--seconds 20] [--repetitions 3] [--config configs/ppo.yaml] [--set KEY=VALUE]

Each takes its turn, several times, and the median counts. A step is a decision that is trained on; the training of
this package counts with its short evaluations. connect_four is trained as the widely copied recipe has it: 16
environments through DummyVecEnv, minibatches of 512, layers of 64 and 64, all else as in sb3-contrib.

Where a run begins by imitation, that and PPO are measured one after the other, and the whole run comes of both.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from samurai_env.commands.machine import machine, versions
from samurai_env.markdown import table
from training.config import load_config
from training.run import Run


class ConnectFour(gymnasium.Env):
    """PettingZoo's connect_four as one environment in which both sides act, one after the other."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.game = importlib.import_module("pettingzoo.classic.connect_four_v3").env()
        self.observation_space = spaces.Box(0, 1, (6, 7, 2), np.int8)
        self.action_space = spaces.Discrete(7)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        self.game.reset(seed=seed)
        return self.game.last()[0]["observation"], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a move; the reward is that of who made it."""
        mover = self.game.agent_selection
        self.game.step(int(action))
        observation, _, terminated, truncated, _ = self.game.last()
        return observation["observation"], self.game.rewards[mover], terminated, truncated, {}

    def action_masks(self) -> Any:
        """Return the legal columns."""
        return self.game.last()[0]["action_mask"]


class Clock(BaseCallback):
    """Ends the training at the first rollout that begins after some seconds, and keeps the steps a second."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.rate = 0.0

    def _on_training_start(self) -> None:
        self.began, self.start, self.is_over = 0.0, 0, False

    def _on_rollout_start(self) -> None:
        now = time.perf_counter()
        if not self.began and self.model.num_timesteps:  # the first update only warms up
            self.began, self.start = now, self.model.num_timesteps
        elif self.began and now - self.began > self.seconds:
            self.rate = (self.model.num_timesteps - self.start) / (now - self.began)
            self.is_over = True

    def _on_step(self) -> bool:
        return not self.is_over


def connect_four(seconds: float) -> float:
    """Return the steps a second of sb3-contrib."""
    layers = {"net_arch": [64, 64]}
    games = DummyVecEnv([ConnectFour] * 16)
    model = MaskablePPO("MlpPolicy", games, n_steps=256, batch_size=512, policy_kwargs=layers, device="cpu")
    clock = Clock(seconds)
    model.learn(10**9, callback=clock)
    return clock.rate


def samurai(seconds: float, config: str, overrides: list[str]) -> dict[str, float]:
    """Return the decisions a second of a configuration, in each of its phases and over the whole run."""
    ppo, imitation = load_config(config, overrides).ppo, load_config(config, overrides).imitation
    without_end = "ppo.total_steps=1_000_000_000"
    phases = {
        "imitation": (imitation.steps, ["imitation.steps=1_000_000_000", without_end]),
        "PPO": (ppo.total_steps - imitation.steps, ["imitation.steps=0", without_end]),
    }
    rates = {name: phase(seconds, config, [*overrides, *more]) for name, (steps, more) in phases.items() if steps}
    whole = sum(steps / rates[name] for name, (steps, _) in phases.items() if steps)
    return {**rates, "the whole run": ppo.total_steps / whole}


def phase(seconds: float, config: str, overrides: list[str]) -> float:
    """Return the decisions a second at the beginning of a run."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run.begin(load_config(config, overrides), Path(folder))
        clock = Clock(seconds)
        learn = run.model.learn
        run.model.learn = lambda *given, callback, **named: learn(*given, callback=[*callback, clock], **named)  # type: ignore
        run.train()
        return clock.rate


def measure(given: argparse.Namespace) -> str:
    """Return the table."""
    yardstick = "sb3-contrib, PettingZoo connect_four"
    found: dict[str, list[float]] = {}
    for _ in range(given.repetitions):
        rates = {yardstick: connect_four(given.seconds)}
        for name, rate in samurai(given.seconds, given.config, given.set).items():
            rates[f"samurai_env, {given.config}: {name}"] = rate
        for name, rate in rates.items():
            found.setdefault(name, []).append(rate)
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    rows = [[name, f"{rate:,.0f}", f"{rate / medians[yardstick]:.2f}"] for name, rate in medians.items()]
    where = f"{machine()}; {torch.get_num_threads()} threads; {versions(('torch', 'sb3_contrib', 'pettingzoo'))}."
    return f"{where}\n\n{table(('training', 'steps/s', 'x connect_four'), rows)}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Measure training steps a second.")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each is measured in each repetition")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--config", default="configs/ppo.yaml")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="replace one value")
    print(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
