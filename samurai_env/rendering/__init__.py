"""Pictures of a game, as one seat sees it."""

from samurai_env.rendering.ansi import draw

RENDER_MODES = ("ansi",)

__all__ = ["RENDER_MODES", "draw"]
