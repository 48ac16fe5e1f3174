"""Train a policy by self-play: python training/selfplay.py --config configs/ppo.yaml"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any, cast

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule, get_device

from samurai_env.agents.networks import Network
from samurai_env.agents.policy import save_network
from samurai_env.vector import make_vec
from training.config import Config, load_config
from training.evaluation import evaluation_table
from training.networks import NetworkPolicy
from training.ppo import SelfPlayPPO, SelfPlayVecEnv


class Checkpoints(BaseCallback):
    """Save the model and the policy after every so many updates, and at the end."""

    def __init__(self, folder: Path, every: int) -> None:
        super().__init__()
        self.folder = folder
        self.every = every
        self.updates = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.updates and self.updates % self.every == 0:  # the update before this rollout is done
            self.save()
        self.updates += 1

    def _on_training_end(self) -> None:
        self.save()

    def save(self) -> None:
        """Write model.zip, for SB3, and policy.pt, for the players."""
        unfinished = self.folder / "unfinished.zip"
        self.model.save(unfinished)
        unfinished.replace(self.folder / "model.zip")
        save_network(cast(SelfPlayPPO, self.model).policy.network, self.folder / "policy.pt")


def make_model(config: Config, folder: Path | None = None) -> SelfPlayPPO:
    """Return the untrained model of a configuration, with its games."""
    ppo, game = config.ppo, config.game
    games = make_vec(ppo.num_games, seed=config.seed, **game.model_dump())
    return SelfPlayPPO(
        NetworkPolicy,
        SelfPlayVecEnv(games),
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1.0),
        n_steps=ppo.rollout_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.entropy_coef,
        vf_coef=ppo.value_coef,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        capture_potential=ppo.capture_potential,
        rollout_buffer_kwargs={"players": game.players, "seed": config.seed},
        policy_kwargs={"network": {"players": game.players, **config.network.model_dump()}},
        tensorboard_log=None if folder is None else str(folder),
        seed=config.seed,
        device=get_device(config.device),
    )


def train(config: Config, folder: Path, progress_bar: bool = True) -> Network:
    """Train by a configuration, write everything into `folder`, and return the network."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(config.model_dump_json(indent=2), encoding="utf-8")
    model = make_model(config, folder)
    model.learn(
        config.ppo.total_steps,
        callback=Checkpoints(folder, config.checkpoint_every),
        progress_bar=progress_bar,
        tb_log_name="tensorboard",
    )
    return model.policy.network


def run(config: Config, runs: Path, progress_bar: bool) -> None:
    """Train, evaluate and say where everything is."""
    folder = runs / config.name
    began = time.monotonic()
    network = train(config, folder, progress_bar)
    seconds = time.monotonic() - began
    print(f"\nTrained {config.ppo.total_steps:,} decisions in {seconds:.0f} s; policy: {folder / 'policy.pt'}\n")
    torch.manual_seed(config.seed)
    untrained = Network(**network.settings)
    table = evaluation_table(network.cpu(), untrained, config, progress_bar)
    (folder / "evaluation.md").write_text(table, encoding="utf-8")
    print(table)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description="Train a policy by self-play.")
    parser.add_argument("--config", required=True, metavar="FILE", help="a YAML file, as configs/ppo.yaml")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="replace one value")
    parser.add_argument("--runs", type=Path, default=Path("runs"), metavar="FOLDER", help="where runs are kept")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    given: Any = parser.parse_args(arguments)
    try:
        config = load_config(given.config, given.set)
    except ValueError as error:
        print(f"selfplay.py: {error}", file=sys.stderr)
        return 2
    run(config, given.runs, not given.quiet)
    return 0


if __name__ == "__main__":
    sys.exit(main())
