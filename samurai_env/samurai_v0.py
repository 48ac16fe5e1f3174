"""The environment under PettingZoo's custom of a module a version: `samurai_v0.env(players=4)`."""

from samurai_env.aec import env, raw_env

__all__ = ["env", "raw_env"]
