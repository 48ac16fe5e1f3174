"""The course of a game: one action, what follows from it, and the next decision."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.generator import seed_words
from samurai_env.rules.actions import END, LAY, LIFT, PLACE, SHIP
from samurai_env.rules.board import LAND_ENDS, NUM_LAND, NUM_SEA, NUM_SETTLEMENTS
from samurai_env.rules.capture import judge_all_surrounded, judge_if_surrounded
from samurai_env.rules.exchange import lift, swap
from samurai_env.rules.hands import refill, spend
from samurai_env.rules.legal import can_play_any
from samurai_env.rules.placement import put_on_land, put_on_sea
from samurai_env.rules.setup import (
    chooses_hand,
    count_placements,
    draw_hands,
    hold,
    next_hand,
    place,
    place_at_random,
)
from samurai_env.rules.state import FIGURES_DRAFT, HANDS, NOBODY, NOTHING, OVER, PLAY, clear_turn, seat_after
from samurai_env.rules.tiles import SHIP_1


@compiled
def start(game, low, high):
    """Begin a game that is as `new_state` made it, with the seed whose halves are given."""
    seed_words(game.generator, low, high)
    if game.random_hands:
        draw_hands(game)
    settle(game)


@compiled
def apply(game, action):
    """Play one legal action and go on to the next decision."""
    decide(game, action)
    settle(game)


@inlined
def decide(game, action):
    """Play one legal action and nothing that follows from it by itself, but for an end of the turn."""
    if game.phase == HANDS:
        hold(game, action)
    elif game.phase == FIGURES_DRAFT:
        figure, settlement = divmod(action - PLACE, NUM_SETTLEMENTS[game.players])
        place(game, figure, settlement)
    else:
        play(game, action)


@inlined
def play(game, action):
    """One action of the phase `play`."""
    players = game.players
    if action < LAY[players]:
        figure, settlement = divmod(action - PLACE, NUM_SETTLEMENTS[players])
        swap(game, figure, settlement)
    elif action < SHIP[players]:
        kind, land = divmod(action - LAY[players], NUM_LAND[players])
        lay_on_land(game, kind, land)
    elif action < LIFT[players]:
        ship, sea = divmod(action - SHIP[players], NUM_SEA[players])
        lay_ship(game, SHIP_1 + ship, sea)
    elif action < END[players]:
        lift(game, action - LIFT[players])
    else:
        end_turn(game)


@inlined
def lay_ship(game, kind, sea):
    """Lay a ship from the hand. It surrounds nothing: sea hexes need not be filled."""
    spend(game, kind)
    put_on_sea(game, kind, sea)


@inlined
def lay_on_land(game, kind, land):
    """Lay a tile from the hand, or the lifted one, on land; what is surrounded by it is judged at once."""
    if game.lifted == NOTHING:
        spend(game, kind)
    else:
        game.lifted = NOTHING
    put_on_land(game, kind, land)
    if not game.end_of_turn:
        for end in range(2):
            judge_if_surrounded(game, LAND_ENDS[land, end])


@compiled
def settle(game):
    """Do what needs no decision until somebody has one, or the game is over.

    This fills the hands and the board, ends a turn in which nothing more can be played, and skips the
    players who cannot play; if that is everybody, the game is over and scored as it stands.
    """
    skipped = 0
    while True:
        if game.phase == HANDS:
            if chooses_hand(game):
                return
            next_hand(game)
        elif game.phase == FIGURES_DRAFT:
            if count_placements(game) == 0:
                game.phase = PLAY
                game.mover = 0
            elif game.random_figures:
                place_at_random(game)
            else:
                return
        elif game.phase == OVER or in_exchange(game) or can_play_any(game):
            return
        elif game.tiles_played > 0:
            end_turn(game)
        elif skipped == game.players:
            finish(game)
        else:
            skipped += 1
            next_turn(game)


@inlined
def in_exchange(game):
    """Whether an exchange is under way: a tile is lifted, or the first figure of a swap chosen."""
    return game.lifted != NOTHING or game.swap_figure != NOTHING


@compiled
def end_turn(game):
    """End the turn: late captures, the end of the game, or a full hand and the next player."""
    close_turn(game)
    if game.phase != OVER:
        refill(game, game.mover)
        next_turn(game)


@inlined
def close_turn(game):
    """The part of the end of a turn before the draw: late captures, and the end of the game."""
    if game.end_of_turn:
        judge_all_surrounded(game)
    if game.last_turn:
        finish(game)


@inlined
def next_turn(game):
    """The turn passes clockwise."""
    game.mover = seat_after(game, game.mover, 1)
    clear_turn(game)


@inlined
def finish(game):
    """The game is over."""
    game.phase = OVER
    game.mover = NOBODY
    clear_turn(game)
