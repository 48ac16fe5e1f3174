"""The configuration of a training run: a YAML file checked against typed fields."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from samurai_env.agents import make_player


class ConfigLoader(yaml.SafeLoader):
    """YAML with numbers like 1e-3, which version 1.1 takes for text."""


ConfigLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Common to all sections: unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GameConfig(Section):
    """The games that are played."""

    players: Literal[2, 3, 4] = Field(2, description="Number of players.")
    hands: Literal["choose", "random"] = Field("choose", description="How the first hands are made.")
    figures: Literal["draft", "random"] = Field("draft", description="How the figures are placed.")
    captures: Literal["immediate", "end_of_turn"] = Field("immediate", description="When captures are judged.")
    reward: Literal["winner", "place"] = Field("winner", description="The final reward.")

    @property
    def options(self) -> dict[str, str]:
        """How the games are set up and captures judged."""
        return {"hands": self.hands, "figures": self.figures, "captures": self.captures}


class NetworkConfig(Section):
    """The network."""

    kind: Literal["graph", "flat"] = Field("graph", description="Messages on the board's graph, or a plain MLP.")
    width: Positive = Field(24, description="Units of a layer.")
    rounds: Positive = Field(1, description="Rounds of messages, or hidden layers.")
    start: str | None = Field(
        None, description="A policy file whose weights are those at the start; of a graph, for any number of players."
    )


class PPOConfig(Section):
    """Proximal policy optimisation (Schulman et al. 2017) over all seats' decisions."""

    total_steps: Positive = Field(description="Decisions to train on, of all seats together.")
    num_games: Positive = Field(256, description="Games played side by side.")
    rollout_steps: int = Field(64, ge=8, description="Decisions a game between two updates.")
    batch_size: int = Field(1024, ge=2, description="Decisions a minibatch.")
    epochs: Positive = Field(1, description="Passes over the decisions of a rollout.")
    learning_rate: float = Field(2e-3, gt=0, description="Adam's learning rate at the start.")
    final_learning_rate: float | None = Field(
        1e-4, ge=0, description="Adam's learning rate at the end, linear between; null for a constant one."
    )
    gamma: Share = Field(1.0, description="Discount from one decision of a seat to its next.")
    gae_lambda: Share = Field(0.9, description="Lambda of the generalised advantage estimate.")
    clip_range: float = Field(0.2, gt=0, description="Clipping of the probability ratio.")
    entropy_coef: float = Field(0.001, ge=0, description="Weight of the entropy bonus at the start.")
    final_entropy_coef: float | None = Field(
        0.0, ge=0, description="Weight of the entropy bonus at the end, linear between; null for a constant one."
    )
    value_coef: float = Field(0.5, ge=0, description="Weight of the value loss.")
    max_grad_norm: float = Field(0.5, gt=0, description="Largest norm of the gradient.")
    target_kl: float | None = Field(None, gt=0, description="Stop an update early above 1.5 times this divergence.")
    capture_potential: float = Field(
        0.1,
        ge=0,
        description="Potential of a figure's lead in captures, which shapes the reward; 0 for none.",
    )
    judged_potential: float = Field(
        0.0,
        ge=0,
        description="Potential of the reward that the search player's judgement of the position expects; 0 for none.",
    )


class ImitationConfig(Section):
    """Learning from a player before PPO begins."""

    steps: int = Field(0, ge=0, description="Decisions to imitate, of those of ppo.total_steps; 0 for none.")
    epochs: Positive = Field(1, description="Passes over the decisions of a rollout.")
    teacher: str = Field("greedy", description="Player code of who is imitated.")
    temperature: float = Field(
        0.015,
        gt=0,
        description="By how much worse an action has to be, to a teacher that weighs all, to be e times less probable.",
    )
    learning_rate: float = Field(
        5e-3, gt=0, description="Adam's learning rate at the start, linear to that with which PPO begins."
    )


class PoolConfig(Section):
    """The frozen opponents that play in a part of the games; their decisions are not trained on."""

    share: Share = Field(0.0, description="Share of the games in which an opponent has all seats but one.")
    size: int = Field(8, ge=0, description="Past policies that are kept; a new one takes the place of any.")
    every: Positive = Field(10, description="Updates from one past policy to the next.")
    scripted: list[str] = Field(["greedy"], description="Player codes of the scripted opponents.")
    scripted_share: Share = Field(0.5, description="Share of these games against a scripted player.")


class EvaluationConfig(Section):
    """The table at the end, and the short form of it during training."""

    games: Positive = Field(200, description="Games against each opponent in the table, seats rotated.")
    opponents: list[str] = Field(["random", "greedy"], description="Player codes, beside the untrained network.")
    seed: int = Field(12345, ge=0, description="Seed of all games that are played to evaluate.")
    every: int = Field(20, ge=0, description="Updates from one short evaluation to the next; 0 for none.")
    short_games: Positive = Field(60, description="Games against each opponent in a short evaluation.")


class Config(Section):
    """A training run."""

    name: str = Field("run", min_length=1, description="Name of the run's folder below `runs`.")
    seed: int = Field(0, ge=0, lt=2**32, description="Seed of the games, the network and the minibatches.")
    device: str = Field("auto", description="cpu, cuda, or auto for a GPU where there is one.")
    checkpoint_every: Positive = Field(20, description="Updates from one checkpoint to the next.")
    game: GameConfig = GameConfig()
    network: NetworkConfig = NetworkConfig()
    ppo: PPOConfig
    imitation: ImitationConfig = ImitationConfig()
    pool: PoolConfig = PoolConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _players_can_play(self) -> Config:
        named = {
            "evaluation.opponents": self.evaluation.opponents,
            "pool.scripted": self.pool.scripted,
            "imitation.teacher": [self.imitation.teacher],
        }
        for key, codes in named.items():
            for code in codes:
                _check_player(key, code, self.game.players)
        return self

    @model_validator(mode="after")
    def _imitation_ends(self) -> Config:
        if self.imitation.steps > self.ppo.total_steps:
            raise ValueError(f"imitation.steps: {self.imitation.steps}; expected at most ppo.total_steps")
        return self

    @field_validator("device")
    @classmethod
    def _is_device(cls, device: str) -> str:
        has_gpu = torch.cuda.is_available()
        if device not in ("auto", "cpu") and not (has_gpu and device.startswith("cuda")):
            raise ValueError(f"{device!r} is not here; expected auto, cpu or, with a GPU, cuda")
        return device


def _check_player(key: str, code: str, seats: int) -> None:
    try:
        players = getattr(make_player(code), "players", seats)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    if players != seats:
        raise ValueError(f"{key}: {code!r} is for {players} players; expected {seats}")


def load_config(path: str | Path, overrides: list[str] | None = None) -> Config:
    """Return the configuration of a YAML file.

    Args:
        path: the file.
        overrides: texts like "ppo.epochs=4" that replace single values.

    Raises:
        ValueError: one line that names the file or key that is wrong, and what would be right.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), ConfigLoader)
    except OSError as error:
        raise ValueError(f"config {path}: {error.strerror or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"config {path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ValueError(f"config {path}: {type(content).__name__}; expected keys and values")
    return _checked(content, overrides or [], f"config {path}")


def changed(config: Config, overrides: list[str]) -> Config:
    """Return a configuration with single values replaced; see `load_config`."""
    return _checked(config.model_dump(), overrides, "config")


def _checked(content: dict[Any, Any], overrides: list[str], what: str) -> Config:
    for override in overrides:
        _override(content, override)
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{what}: {_explain(error)}") from None


FREE = ("name", "device", "checkpoint_every", "evaluation", "ppo.total_steps")
"""What may change when a run is resumed; all else would make it another run."""


def difference(one: Config, other: Config) -> str | None:
    """Return the first key, with both values, in which two configurations are not of the same run."""
    for key, value in _flat(one.model_dump()).items():
        theirs = _flat(other.model_dump())[key]
        if value != theirs and not any(key == free or key.startswith(f"{free}.") for free in FREE):
            return f"{key}: {theirs!r}; expected {value!r}"
    return None


def _flat(content: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in content.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _override(content: dict[Any, Any], override: str) -> None:
    key, separator, value = override.partition("=")
    if not separator or not key:
        raise ValueError(f"--set {override}: expected KEY=VALUE, as in ppo.epochs=4")
    section = content
    *sections, last = key.split(".")
    for name in sections:
        section = section.setdefault(name, {})
        if not isinstance(section, dict):
            raise ValueError(f"--set {override}: {name!r} is no section")
    try:
        section[last] = yaml.load(value, ConfigLoader)
    except yaml.YAMLError:
        raise ValueError(f"--set {override}: the value is not YAML") from None


def _explain(error: ValidationError) -> str:
    """Return the first fault in one line."""
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"unknown key {key!r}; known are {', '.join(_fields_beside(fault['loc']))}"
    if fault["type"] == "missing":
        return f"{key}: missing"
    if fault["type"] == "value_error":
        return f"{key}: {fault['ctx']['error']}" if key else str(fault["ctx"]["error"])
    return f"{key}: {fault['input']!r}; {fault['msg'].lower()}"


def _fields_beside(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = Config
    for part in location[:-1]:
        inner = model.model_fields[str(part)].annotation
        assert isinstance(inner, type)
        assert issubclass(inner, BaseModel)
        model = inner
    return list(model.model_fields)
