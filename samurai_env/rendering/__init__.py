"""Pictures of a game, as one seat sees it."""

from samurai_env.rendering.ansi import draw

__all__ = ["draw"]
