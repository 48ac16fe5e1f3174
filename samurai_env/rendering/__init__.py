"""Pictures of a game, as one seat sees it."""

from __future__ import annotations

import sys

from gymnasium import logger

from samurai_env.rendering.ansi import draw
from samurai_env.rules import Game

__all__ = ["draw", "render"]


def render(game: Game, seat: int, hide_captures: bool, mode: str | None) -> str | None:
    """Show a game in one of the environments' render modes.

    Args:
        game: any game.
        seat: the seat that looks on.
        hide_captures: with 3 or 4 players, hide the others' captured figures.
        mode: "ansi" returns the text, "human" writes it to the terminal; None warns and does nothing.
    """
    if mode is None:
        logger.warn("render was called, but the environment was made without a render_mode")
        return None
    text = draw(game, seat, hide_captures)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None
