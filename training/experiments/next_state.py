"""A control: training in which the opponent's next state counts as the mover's own.

    python training/experiments/next_state.py [--steps 400000] [--seeds 2] [--set KEY=VALUE]

This is the widely copied recipe for PettingZoo and Stable-Baselines3: the games of several players are one environment,
and what follows a move is simply what is seen next, by somebody else. The same configuration is trained with it and
with credit by seat, and both are measured.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from samurai_env.markdown import table
from training.config import Config, load_config
from training.evaluation import HEADER, play_match, row
from training.players import PolicyBatch, batch_player
from training.rollout import SeatRolloutBuffer
from training.run import make_model


class NextStateBuffer(SeatRolloutBuffer):
    """A buffer with the fault: advantages along the decisions of a game, whoever made them.

    Each is rewarded with what its own seat was paid at that very step. Nothing is carried over; the last decision of
    a rollout, whose successor has not come, is left out.
    """

    def compute_advantages(self) -> None:
        """Compute advantages and returns as for one player who makes all decisions."""
        rows, games = self._values.shape
        self._advantages = np.zeros((rows, games), np.float32)
        everyone, advantage = np.arange(games), np.zeros(games, np.float32)
        for row_ in range(rows - 2, self.players - 1, -1):
            goes_on = ~self._dones[row_]
            reward = self._rewards[row_, everyone, self._seats[row_]]
            delta = reward + self.gamma * self._values[row_ + 1] * goes_on - self._values[row_]
            advantage = delta + self.gamma * self.gae_lambda * advantage * goes_on
            self._advantages[row_] = advantage
        self._trainable = np.arange(self.players * games, (rows - 1) * games)
        self.values = self._values.ravel()[self._trainable]
        self.returns = self.values + self._advantages.ravel()[self._trainable]


def train(config: Config, buffer: type[SeatRolloutBuffer]) -> PolicyBatch:
    """Train with one kind of credit and return the policy."""
    model = make_model(config, rollout_buffer_class=buffer)
    model.learn(config.ppo.total_steps)
    return PolicyBatch(model.policy.network.cpu())


def main() -> None:
    """Run the experiment and print the table."""
    parser = argparse.ArgumentParser(description="Compare credit by seat with the opponent's next state.")
    parser.add_argument("--config", default="configs/ppo.yaml")
    parser.add_argument("--steps", type=int, default=400_000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="replace one value")
    given: Any = parser.parse_args()
    rows = []
    for seed in range(given.seeds):
        # Without the potential, which would need a next state of its own, and without a teacher.
        changes = [
            f"ppo.total_steps={given.steps}",
            f"seed={seed}",
            "imitation.steps=0",
            "ppo.capture_potential=0",
            "pool.share=0",
        ]
        config = load_config(given.config, [*changes, *given.set])
        for name, buffer in (("by seat", SeatRolloutBuffer), ("next state", NextStateBuffer)):
            policy = train(config, buffer)
            for code in config.evaluation.opponents:
                outcome = play_match(policy, batch_player(code), config.evaluation.games, config)
                rows.append([seed, *row(name, code, outcome)])
                print(rows[-1], flush=True)
    print(table(("seed", "credit", *HEADER[1:]), rows))


if __name__ == "__main__":
    main()
