"""The engine against the reference: random games, compared after every action in all that both know."""

import random
from collections import Counter
from functools import cache
from itertools import count, product
from typing import Any

import pytest
from reference import FAST, TYPES, Reference

from samurai_env.rules import Game

COMBINATIONS = list(product((2, 3, 4), ("choose", "random"), ("draft", "random"), ("immediate", "end_of_turn")))
CHUNKS = 6
GAMES_A_CHUNK = 14 * len(COMBINATIONS)
POSITIONS_A_CHUNK = 4 * len(COMBINATIONS)

# What must have happened in every chunk of games, and in every chunk of thinned positions.
EVENTS = {
    "tile exchange",
    "figure exchange",
    "turn of fast tiles only",
    "turn of several tiles",
    "turn ended for the player",
    "turn went on after the last capture",
    "several figures judged at once",
    "stock out",
    "fourth set aside",
    "type exhausted",
    "shared victory",
    "player skipped",
    "same player again",
}
EVENTS_OF_POSITIONS = {"player skipped", "same player again", "nobody could play", "type exhausted"}


# ---- ways to play ----


def uniform(rng: random.Random, game: Game, texts: list[str]) -> str:
    return rng.choice(texts)


def exchanging(rng: random.Random, game: Game, texts: list[str]) -> str:
    return rng.choice([text for text in texts if text.startswith(("lift", "swap"))] or texts)


def brief(rng: random.Random, game: Game, texts: list[str]) -> str:
    return "end" if "end" in texts else rng.choice(texts)


def long(rng: random.Random, game: Game, texts: list[str]) -> str:
    return rng.choice([text for text in texts if text != "end"] or texts)


def hasty(rng: random.Random, game: Game, texts: list[str]) -> str:
    """Fast tiles first, and a slow one only in a turn that has none."""
    fast = [text for text in texts if text.partition("@")[0] in FAST]
    return rng.choice(fast) if fast else brief(rng, game, texts)


def careful(rng: random.Random, game: Game, texts: list[str]) -> str:
    """Avoid the end of the game, so that the board fills and the tiles run out."""
    text = rng.choice(texts)
    for _ in range(12):
        after = game.clone()
        after.apply(text)
        if not after.is_over and after.set_aside.sum() == game.set_aside.sum():
            break
        text = rng.choice(texts)
    return text


WAYS = (uniform, exchanging, brief, long, hasty, careful)


def ways(rng: random.Random, players: int) -> list[Any]:
    """How each seat plays: half of the games are uniform, the others all one way or each his own."""
    if rng.random() < 0.5:
        return [uniform] * players
    if rng.random() < 0.5:
        return [rng.choice(WAYS)] * players
    return rng.choices(WAYS, k=players)


# ---- comparing ----


@cache
def all_texts(players: int, playing: bool) -> list[str]:
    """The text of every id; the block that `place` and `swap` share reads `swap` in `play` only."""
    option = "random" if playing else "draft"
    game = Game(players=players, seed=0, hands="random", figures=option)
    return [game.action_to_string(action) for action in range(game.num_actions)]


def legal_texts(game: Game) -> list[str]:
    texts = all_texts(game.players, game.phase == "play")
    return [texts[action] for action in game.legal_actions().tolist()]


def compare(game: Game, position: dict[str, Any], texts: list[str], reference: Reference) -> None:
    """All that the engine shows, in properties, position and legal actions, against the reference."""
    r = reference
    captured = [[row[type_] for type_ in TYPES] for row in r.captured]
    set_aside = [r.set_aside[type_] for type_ in TYPES]
    figures = {at: set(types) for at, types in position["figures"].items()}
    tiles = {at: (laid["seat"], laid["tile"]) for at, laid in position["tiles"].items()}
    assert game.phase == position["phase"] == r.phase, game.record()
    assert game.current_player == position["to_move"] == r.mover, game.record()
    assert figures == {at: types for at, types in r.figures.items() if types}, game.record()
    assert tiles == r.tiles, game.record()
    assert [Counter(hand) for hand in position["hands"]] == r.hands, game.record()
    assert [Counter(stock) for stock in position["stocks"]] == r.stocks, game.record()
    assert game.captured.tolist() == position["captured"] == captured, game.record()
    assert game.set_aside.tolist() == position["set_aside"] == set_aside, game.record()
    assert (game.is_over, game.winners, game.places) == (r.is_over, r.winners, r.places), game.record()
    assert len(texts) == len(set(texts)), game.record()
    assert set(texts) == r.legal(), game.record()


def play(game: Game, reference: Reference, rng: random.Random, plies: int | None = None) -> Counter[str]:
    """Play to the end or, after so many plies, to the next start of a turn; say what happened on the way."""
    seats = ways(rng, game.players)
    events: Counter[str] = Counter()
    position = game.to_dict()
    for ply in count():
        texts = legal_texts(game)
        compare(game, position, texts, reference)
        if game.is_over or (plies is not None and ply >= plies and not reference.played):
            break
        before = glance(reference)
        text = seats[game.current_player](rng, game, texts)
        game.apply(text)
        position = game.to_dict()
        reference.apply(text, position)
        events.update(happened(before, reference, text))
    return events


# ---- what happened ----


def on_board(reference: Reference) -> Counter[str]:
    return Counter(type_ for types in reference.figures.values() for type_ in types)


def glance(reference: Reference) -> dict[str, Any]:
    """What `happened` needs to know of the time before an action."""
    return {
        "phase": reference.phase,
        "mover": reference.mover,
        "played": list(reference.played),
        "second half": bool(reference.lifted or reference.swapped),
        "figures": on_board(reference).total(),
        "last": reference.turn_was_last,
    }


def happened(before: dict[str, Any], reference: Reference, text: str) -> set[str]:
    """The events of one action, of those listed in `EVENTS` and `EVENTS_OF_POSITIONS`."""
    if before["phase"] != "play":
        return set()
    tile = "figure-exchange" if text.startswith("swap") else text.partition("@")[0]
    played = before["played"] if text == "end" or before["second half"] else [*before["played"], tile]
    over = reference.is_over
    turn_over = over or not reference.played
    left = on_board(reference)
    steps = (reference.mover - before["mover"]) % reference.players
    events = {
        "tile exchange": tile == "lift",
        "figure exchange": text.startswith("swap") and before["second half"],
        "turn of fast tiles only": turn_over and FAST.issuperset(played),
        "turn of several tiles": turn_over and len(played) > 1,
        "turn ended for the player": turn_over and text != "end",
        "turn went on after the last capture": before["last"] and text != "end",
        "several figures judged at once": before["figures"] - left.total() > 1,
        "stock out": not all(reference.stocks),
        "fourth set aside": over and sum(reference.set_aside.values()) >= 4,
        "type exhausted": over and reference.turn_was_last and len(left) < len(TYPES),
        "shared victory": len(reference.winners) > 1,
        "player skipped": turn_over and not over and steps != 1,
        "same player again": turn_over and not over and steps == 0,
        "nobody could play": over and not reference.turn_was_last,
    }
    return {event for event, occurred in events.items() if occurred}


# ---- the tests ----


def new_game(number: int) -> tuple[Game, Reference]:
    players, hands, figures, captures = COMBINATIONS[number % len(COMBINATIONS)]
    game = Game(players=players, seed=number, hands=hands, figures=figures, captures=captures)
    return game, Reference(players, hands, figures, captures, game.to_dict())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_games_agree_with_the_reference_at_every_ply(chunk: int):
    events: Counter[str] = Counter()
    for number in range(chunk * GAMES_A_CHUNK, (chunk + 1) * GAMES_A_CHUNK):
        events += play(*new_game(number), random.Random(number))
    assert set(events) >= EVENTS, f"did not happen: {EVENTS - set(events)}"


def thinned(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The position with fewer tiles in hands and stocks and fewer figures, so that players get stuck."""
    share = rng.uniform(0.3, 1)

    def some(things: list[str], chance: float = 1) -> list[str]:
        return [thing for thing in things if rng.random() < share * chance]

    keys = ("players", "captures", "phase", "to_move", "seed", "tiles", "captured", "set_aside")
    return {key: position[key] for key in keys} | {
        "figures": {at: some(types) for at, types in position["figures"].items()},
        "hands": [some(hand) for hand in position["hands"]],
        "stocks": [some(stock, rng.choice((0, 1))) for stock in position["stocks"]],
    }


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_games_from_thinned_positions_agree_with_the_reference_at_every_ply(chunk: int):
    events: Counter[str] = Counter()
    for number in range(chunk * POSITIONS_A_CHUNK, (chunk + 1) * POSITIONS_A_CHUNK):
        rng = random.Random(number)
        game, reference = new_game(number)
        play(game, reference, rng, plies=rng.randrange(1, 90))
        if game.phase != "play":
            continue
        position = thinned(game.to_dict(), rng)
        events += play(Game.from_dict(position), Reference.from_position(position), rng)
    assert set(events) >= EVENTS_OF_POSITIONS, f"did not happen: {EVENTS_OF_POSITIONS - set(events)}"
