"""The board game Samurai as a reinforcement-learning environment.

Importing this package registers `samurai_env/Samurai-v0` with Gymnasium and loads nothing heavy; each part
is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from samurai_env.registration import register

if TYPE_CHECKING:
    from samurai_env import agents, arena, observation, rules, samurai_v0, wrappers
    from samurai_env.aec import env, raw_env
    from samurai_env.vector import make_vec

try:
    __version__ = version("samurai-env")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+unknown"

register()

_FROM = {"env": "aec", "raw_env": "aec", "make_vec": "vector"}
_MODULES = ("agents", "arena", "observation", "rules", "samurai_v0", "wrappers")

__all__ = [
    "__version__",
    "agents",
    "arena",
    "env",
    "make_vec",
    "observation",
    "raw_env",
    "rules",
    "samurai_v0",
    "wrappers",
]


def __getattr__(name: str) -> Any:
    if name in _FROM:
        return getattr(import_module(f"samurai_env.{_FROM[name]}"), name)
    if name in _MODULES:
        return import_module(f"samurai_env.{name}")
    raise AttributeError(f"module 'samurai_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
