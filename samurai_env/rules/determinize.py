"""What a seat cannot know, drawn anew."""

from __future__ import annotations

from samurai_env.compiled import compiled
from samurai_env.generator import seed_words
from samurai_env.rules.hands import draw_anew
from samurai_env.rules.legal import can_play_any
from samurai_env.rules.state import PLAY
from samurai_env.rules.turn import in_exchange


@compiled
def determinize(game, seat, low, high):
    """Draw the other seats' hands anew from their unseen tiles, and set the generator by a new seed.

    Uniform among the hands that fit what is public now: the tiles each has left, the number he holds,
    and that the mover, unless an exchange of his is under way, has something to play (else his turn would
    have ended or been skipped). Depends on nothing that `seat` cannot see.
    """
    seed_words(game.generator, low, high)
    for other in range(game.players):
        if other != seat:
            draw_anew(game, other)
            while other == game.mover and lacks_decision(game):
                draw_anew(game, other)


@compiled
def lacks_decision(game):
    """Whether the mover could not be at a decision of the phase `play` with the hand he has."""
    return game.phase == PLAY and not in_exchange(game) and not can_play_any(game)
