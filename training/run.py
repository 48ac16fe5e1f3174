"""A training run and its folder: everything that is needed to go on exactly where it stopped."""

from __future__ import annotations

import csv
import io
import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import get_device
from tqdm import tqdm

from samurai_env.agents.networks import Network
from samurai_env.agents.policy import load_network, save_network
from samurai_env.agents.potential import Potential
from samurai_env.files import write_text
from samurai_env.vector import make_vec
from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import FREE, Config, changed, difference
from training.evaluation import shares
from training.imitation import Teacher
from training.networks import NetworkPolicy
from training.pool import Pool
from training.ppo import Linear, SelfPlayPPO, SelfPlayVecEnv

CHECKPOINT, CONFIG, LOG, POLICY, POLICIES = "checkpoint.pt", "config.json", "log.csv", "policy.pt", "policies"
LOGGED = {
    "learning_rate": "train/learning_rate",
    "entropy_coef": "train/entropy_coef",
    "imitation_loss": "train/imitation_loss",
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy_loss": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "explained_variance": "train/explained_variance",
}
"""The columns of the log, and SB3's names of them."""


def make_model(config: Config, folder: Path | None = None, **more: Any) -> SelfPlayPPO:
    """Return the untrained model of a configuration, with its games; `more` are arguments of `SelfPlayPPO`."""
    ppo, game = config.ppo, config.game
    games = make_vec(ppo.num_games, game.players, config.seed, **game.options, reward=game.reward)
    imitation = config.imitation
    teacher = None
    if imitation.steps:
        lesson = imitation.teacher, imitation.steps, imitation.temperature
        teacher = Teacher(*lesson, config.seed, imitation.epochs)
    share = imitation.steps / ppo.total_steps
    model = SelfPlayPPO(
        NetworkPolicy,
        SelfPlayVecEnv(games),
        learning_rate=Linear(ppo.learning_rate, ppo.final_learning_rate, imitation.learning_rate, share),
        entropy=Linear(ppo.entropy_coef, ppo.final_entropy_coef, share=share),
        n_steps=ppo.rollout_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        vf_coef=ppo.value_coef,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        potential=Potential(ppo.capture_potential, ppo.judged_potential),
        pool=make_pool(config),
        teacher=teacher,
        rollout_buffer_kwargs={"players": game.players, "seed": config.seed},
        policy_kwargs={"network": network_settings(config)},
        tensorboard_log=None if folder is None else str(folder),
        seed=config.seed,
        device=get_device(config.device),
        **more,
    )
    if config.network.start is not None:
        _start_from(model.policy.network, config.network.start)
    return model


def network_settings(config: Config) -> dict[str, Any]:
    """Return the arguments of `Network` for a configuration."""
    ppo, shape = config.ppo, config.network.model_dump(exclude={"start"})
    values = {"reward": config.game.reward, "potential": (ppo.capture_potential, ppo.judged_potential)}
    return {"players": config.game.players, **shape, **values}


def make_pool(config: Config) -> Pool | None:
    """Return the opponents of a configuration, if any play."""
    pool = config.pool
    games = round(pool.share * config.ppo.num_games)
    if games == 0:
        return None
    return Pool(games, config.game.players, pool.size, pool.scripted, pool.scripted_share, config.seed)


def _start_from(network: Network, path: str) -> None:
    """Give a network the weights of a policy file."""
    start = load_network(path)
    try:
        if start.players != network.players:
            start = start.for_players(network.players)
        network.load_state_dict(start.state_dict())
    except (ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"network.start: {path!r} does not fit this network: {reason}") from None


class Run:
    """A run in its folder.

    Args:
        config: its configuration.
        folder: where everything is written.

    Attributes:
        rows: the log, a row an update.
        seconds: how long it has trained, in all its parts.
    """

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.model = make_model(config, folder)
        self.rows: list[dict[str, Any]] = []
        self.seconds = 0.0
        self._began = time.monotonic()
        self._is_new = True

    @classmethod
    def begin(cls, config: Config, runs: Path) -> Run:
        """Begin a run in the first folder of its name that is not in use: NAME, NAME-2, ..."""
        run = cls(config, free_folder(runs, config.name))
        run.folder.mkdir(parents=True)
        write_text(run.folder / CONFIG, config.model_dump_json(indent=2))
        return run

    @classmethod
    def resume(cls, folder: Path, overrides: list[str]) -> Run:
        """Go on with a run from its last checkpoint.

        Raises:
            ValueError: there is none, it is damaged, or of another run.
        """
        file = f"checkpoint {str(folder / CHECKPOINT)!r}"
        content = load_checkpoint(folder / CHECKPOINT)
        saved = _saved_config(content, file)
        if wrong := difference(own_config(folder), saved):
            raise ValueError(f"{file} is of another run: {wrong}")
        config = changed(saved, overrides)
        if wrong := difference(saved, config):
            raise ValueError(f"--set {wrong}; a run that goes on may change {', '.join(FREE)} only")
        run = cls(config, folder)
        try:
            run.model.restore(content["model"])
            run.rows, run.seconds = json.loads(content["log"]), content["seconds"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file}: {error}") from None
        run._is_new = False
        return run

    def train(self, progress_bar: bool = False) -> bool:
        """Train to the end; return False if it was interrupted before. Either way all is saved.

        Raises:
            OSError: something cannot be written, as on a full disk; the last checkpoint is unharmed.
        """
        total = self.config.ppo.total_steps
        self._began = time.monotonic() - self.seconds
        with _stopped_by_interrupts(self.model):
            self.model.learn(
                total - (0 if self._is_new else self.model.num_timesteps),
                callback=[Keeper(self), Progress(total, progress_bar)],
                reset_num_timesteps=self._is_new,
                tb_log_name="tensorboard",
            )
        self._is_new = False
        return self.model.num_timesteps >= total

    def after_update(self) -> None:
        """Log, evaluate, keep a policy in the pool and save, each where it is due."""
        updates, evaluation = self.model.updates, self.config.evaluation
        self.rows.append(self._row())
        if evaluation.every and updates % evaluation.every == 0:
            for code, share in shares(self.model.policy.network, self.config).items():
                self.rows[-1][f"against {code}"] = share
                self.model.logger.record(f"evaluation/{code}", share)
        if self.model.pool and updates % self.config.pool.every == 0:
            self.model.pool.add(self.model.policy.network)
        if updates % self.config.checkpoint_every == 0:
            self.save()
            self._keep_policy()

    def _row(self) -> dict[str, Any]:
        self.seconds = time.monotonic() - self._began
        values = self.model.logger.name_to_value
        row = {"update": self.model.updates, "steps": self.model.num_timesteps, "seconds": round(self.seconds, 1)}
        return row | {name: float(values[key]) for name, key in LOGGED.items() if key in values}

    def save(self) -> None:
        """Write the checkpoint, the log and the policy."""
        self.seconds = time.monotonic() - self._began
        content = {
            "config": self.config.model_dump_json(),
            "model": self.model.state(),
            "log": json.dumps(self.rows),
            "seconds": self.seconds,
        }
        save_checkpoint(self.folder / CHECKPOINT, content)
        write_text(self.folder / LOG, self._log())
        save_network(self.model.policy.network, self.folder / POLICY)

    def _keep_policy(self) -> None:
        """Keep the policy as it is now under a name of its own."""
        (self.folder / POLICIES).mkdir(exist_ok=True)
        save_network(self.model.policy.network, policy_file(self.folder, self.model.num_timesteps))

    def _log(self) -> str:
        text = io.StringIO()
        evaluated = [f"against {code}" for code in self.config.evaluation.opponents]
        fields = dict.fromkeys(("update", "steps", "seconds", *LOGGED, *evaluated))
        fields |= dict.fromkeys(key for row in self.rows for key in row)
        writer = csv.DictWriter(text, list(fields), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()


def policy_file(folder: Path, steps: int) -> Path:
    """Return where the policy after so many steps is kept."""
    return folder / POLICIES / f"{steps:012d}.pt"


def free_folder(runs: Path, name: str) -> Path:
    """Return the first folder of NAME, NAME-2, ... in which there is nothing."""
    folder, number = runs / name, 1
    while folder.exists():
        number += 1
        folder = runs / f"{name}-{number}"
    return folder


def _saved_config(content: dict[str, Any], file: str) -> Config:
    try:
        return Config.model_validate_json(content["config"])
    except (KeyError, ValueError):
        raise ValueError(f"{file}: its configuration is of another version") from None


def own_config(folder: Path) -> Config:
    """Return the configuration that lies in a run's folder.

    Raises:
        ValueError: there is none.
    """
    try:
        return Config.model_validate_json((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(f"{str(folder / CONFIG)!r} is missing or damaged; expected the run's configuration") from None


@contextmanager
def _stopped_by_interrupts(model: SelfPlayPPO) -> Iterator[None]:
    """Let the first Ctrl-C end the training after the update under way; a second one interrupts at once."""

    def stop(number: int, frame: Any) -> None:
        model.is_stopping = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    model.is_stopping = False
    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # not in the main thread, which alone hears of signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Keeper(BaseCallback):
    """Lets the run do what is due after each update, and save at the end."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self.seen = run.model.updates

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.run.model.updates > self.seen:  # the update before this rollout is done
            self.seen = self.run.model.updates
            self.run.after_update()

    def _on_training_end(self) -> None:
        self._on_rollout_start()
        self.run.save()
        self.run.model.logger.dump(self.run.model.num_timesteps)


class Progress(BaseCallback):
    """A bar over the decisions of the learner."""

    def __init__(self, total: int, is_shown: bool) -> None:
        super().__init__()
        self.total, self.is_shown = total, is_shown

    def _on_training_start(self) -> None:
        start = self.model.num_timesteps
        self.bar = tqdm(total=self.total, initial=start, unit=" decisions", disable=not self.is_shown)

    def _on_step(self) -> bool:
        self.bar.update(self.model.num_timesteps - self.bar.n)
        return True

    def _on_training_end(self) -> None:
        self.bar.close()


def untrained(config: Config) -> Network:
    """Return the network with which a run of this configuration would begin, on the CPU."""
    torch.manual_seed(config.seed)
    return Network(**network_settings(config))
