"""Positions as JSON: any situation written by hand, or a game in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from samurai_env.checks import choice, keys, seed_in_range, whole
from samurai_env.generator import split_seed
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.board import (
    FIGURES_HELD,
    HEXES,
    LAND,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    PLAYER_COUNTS,
    SEA,
    SETTLEMENTS,
    SUPPLY,
    Hex,
)
from samurai_env.rules.entry import (
    mask_of_state,
    put_figure_in_state,
    put_tile_in_state,
    seed_state,
    settle_state,
)
from samurai_env.rules.state import (
    CAPTURES_OPTIONS,
    FIGURES_OPTIONS,
    HANDS_OPTIONS,
    NOBODY,
    NOTHING,
    OVER,
    PHASES,
    PLAY,
    fields,
    new_state,
)
from samurai_env.rules.tiles import (
    COUNTS,
    FAST,
    FIGURE_EXCHANGE,
    FIGURES,
    KINDS,
    NUM_LIFTABLE,
    SHIP_1,
    SHIP_2,
    TILE_EXCHANGE,
    names,
)

KEYS = (
    "players",
    "captures",
    "setup",
    "phase",
    "to_move",
    "seed",
    "generator",
    "figures",
    "tiles",
    "hands",
    "stocks",
    "captured",
    "set_aside",
    "turn",
    "lifted",
    "swap",
    "last_turn",
)


# ------------------------------------------------------------------ writing


def to_dict(state: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the whole of a game as a JSON position."""
    game = fields(state)
    return {
        "players": int(game.players),
        "captures": CAPTURES_OPTIONS[game.end_of_turn],
        "setup": {
            "hands": HANDS_OPTIONS[game.random_hands],
            "figures": FIGURES_OPTIONS[game.random_figures],
        },
        "phase": PHASES[game.phase],
        "to_move": int(game.mover),
        "seed": seed,
        "generator": game.generator.tolist(),
        "figures": _figures_to_dict(game),
        "tiles": _tiles_to_dict(game),
        "hands": [names(counts) for counts in game.hands[: game.players]],
        "stocks": [names(counts) for counts in game.stocks[: game.players]],
        "captured": game.captured[: game.players].tolist(),
        "set_aside": game.set_aside.tolist(),
        "turn": names(game.played),
        "lifted": None if game.lifted == NOTHING else KINDS[game.lifted],
        "swap": None if game.swap_figure == NOTHING else _swap_text(game),
        "last_turn": bool(game.last_turn),
    }


def _swap_text(game: np.record) -> str:
    return f"{FIGURES[game.swap_figure]}@{SETTLEMENTS[game.swap_settlement].text}"


# Fields of a record are slow to get, so each is read once.


def _figures_to_dict(game: np.record) -> dict[str, list[str]]:
    rows = game.figures.T[: len(SETTLEMENTS)].tolist()
    return {
        place.text: [figure for figure, here in zip(FIGURES, row, strict=True) if here]
        for place, row in zip(SETTLEMENTS, rows, strict=True)
        if any(row)
    }


def _tiles_to_dict(game: np.record) -> dict[str, dict[str, Any]]:
    # Rows of the record are longer than the board.
    land = zip(LAND, game.land_owner.tolist(), game.land_kind.tolist(), strict=False)
    ships = (game.sea_strength + (SHIP_1 - 1)).tolist()
    sea = zip(SEA, game.sea_owner.tolist(), ships, strict=False)
    return {place.text: {"seat": owner, "tile": KINDS[kind]} for place, owner, kind in (*land, *sea) if owner >= 0}


# ------------------------------------------------------------------ reading


def from_dict(position: Mapping[str, Any]) -> tuple[np.ndarray, int]:
    """Return the state of a JSON position and its seed.

    Raises:
        ValueError: names the entry that is wrong, and what would be right.
    """
    keys("position", position, KEYS)
    players = choice("players", position.get("players"), PLAYER_COUNTS)
    captures = choice("captures", position.get("captures", "immediate"), CAPTURES_OPTIONS)
    setup = position.get("setup", {})
    keys("setup", setup, ("hands", "figures"))
    hands = choice("setup: hands", setup.get("hands", "choose"), HANDS_OPTIONS)
    figures = choice("setup: figures", setup.get("figures", "draft"), FIGURES_OPTIONS)
    seed = seed_in_range("seed", position.get("seed", 0))

    state = new_state(players, hands, figures, captures)
    seed_state(state, *split_seed(seed))
    _read_board(state, position)
    game = fields(state)
    _read_counts(game, position)
    _read_tiles_in_hand(game, position)
    _read_turn(game, position)
    if "generator" in position:
        game.generator[:] = _words(position["generator"])
    _check_surrounded(game)
    if game.phase != OVER:
        settle_state(state)
    _check_exchange(state)
    return state, seed


def _read_board(state: np.ndarray, position: Mapping[str, Any]) -> None:
    players = int(fields(state).players)
    for text, types in _mapping("figures", position.get("figures", {})).items():
        entry = f"figures: {text!r}"
        settlement = _index(entry, text, SETTLEMENTS[: NUM_SETTLEMENTS[players]], "a settlement")
        held = int(FIGURES_HELD[settlement])
        if len(_sequence(entry, types)) > held:
            raise ValueError(f"{entry}: {len(types)} figures {list(types)}; it holds {held}")
        for figure in [choice(entry, name, FIGURES) for name in types]:
            if list(types).count(figure) > 1:
                raise ValueError(f"{entry}: two figures of type {figure!r}; a settlement holds one of a type")
            put_figure_in_state(state, FIGURES.index(figure), settlement)
    for text, tile in _mapping("tiles", position.get("tiles", {})).items():
        entry = f"tiles: {text!r}"
        keys(entry, tile, ("seat", "tile"))
        seat = whole(f"{entry}: seat", tile.get("seat"), 0, players - 1)
        kind = KINDS.index(choice(f"{entry}: tile", tile.get("tile"), KINDS))
        put_tile_in_state(state, seat, kind, _tile_index(entry, text, kind, players))


def _tile_index(entry: str, text: str, kind: int, players: int) -> int:
    if kind == FIGURE_EXCHANGE:
        raise ValueError(f"{entry}: a figure exchange is never on the board, it leaves the game")
    if SHIP_1 <= kind <= SHIP_2:
        return _index(entry, text, SEA[: NUM_SEA[players]], "a sea hex, where ships go")
    return _index(entry, text, LAND[: NUM_LAND[players]], "a land hex, where all tiles but ships go")


def _index(entry: str, text: str, places: Sequence[Hex], expected: str) -> int:
    for i, place in enumerate(places):
        if place.text == text:
            return i
    found = [place for place in HEXES if place.text == text]
    if not found:
        raise ValueError(f"{entry}: no such hex; hexes are written 'q,r' as in '0,-4'")
    what = {"~": "a sea hex", ".": "a land hex"}.get(found[0].sign, "a settlement")
    raise ValueError(f"{entry}: {what} of the {found[0].min_players}-player board; expected {expected} of this board")


def _read_counts(game: np.record, position: Mapping[str, Any]) -> None:
    supply = int(SUPPLY[game.players])
    rows = _rows("captured", position.get("captured", [[0] * 3] * game.players), int(game.players))
    for seat, row in enumerate(rows):
        game.captured[seat] = _three(f"captured: seat {seat}", row, supply)
    game.set_aside[:] = _three("set_aside", position.get("set_aside", [0, 0, 0]), supply)


def _three(entry: str, row: Any, supply: int) -> list[int]:
    if len(_sequence(entry, row)) != len(FIGURES):
        raise ValueError(f"{entry}: {row!r}; expected three numbers: helmets, Buddhas, rice fields")
    return [whole(entry, count, 0, supply) for count in row]


def _read_tiles_in_hand(game: np.record, position: Mapping[str, Any]) -> None:
    for name, target in (("hands", game.hands), ("stocks", game.stocks)):
        rows = _rows(name, position.get(name, [[]] * game.players), int(game.players))
        for seat, row in enumerate(rows):
            target[seat] = _counts(f"{name}: seat {seat}", row)
    game.hand_sizes[:] = game.hands.sum(-1)
    game.stock_sizes[:] = game.stocks.sum(-1)
    lifted = position.get("lifted")
    for seat in range(game.players):
        owned = game.hands[seat] + game.stocks[seat]
        owned += _counts_on_board(game, seat)
        if lifted is not None and position.get("to_move", 0) == seat:
            owned += _counts("lifted", [lifted])
        for kind in np.flatnonzero(owned > COUNTS):
            raise ValueError(
                f"seat {seat}: {owned[kind]} tiles {KINDS[kind]!r} in hand, stock and on the board; "
                f"a player owns {COUNTS[kind]}"
            )


def _counts(entry: str, names: Any) -> np.ndarray:
    counter = Counter(choice(entry, name, KINDS) for name in _sequence(entry, names))
    for name, count in counter.items():
        whole(f"{entry}: number of {name!r}", count, 0, int(COUNTS[KINDS.index(name)]))
    return np.array([counter[name] for name in KINDS], np.int8)


def _counts_on_board(game: np.record, seat: int) -> np.ndarray:
    land = game.land_kind[game.land_owner == seat]
    sea = game.sea_strength[game.sea_owner == seat] + SHIP_1 - 1
    return np.bincount(np.concatenate([land, sea]), minlength=len(KINDS)).astype(np.int8)


def _read_turn(game: np.record, position: Mapping[str, Any]) -> None:
    game.phase = PHASES.index(choice("phase", position.get("phase", "play"), PHASES))
    lowest = NOBODY if game.phase == OVER else 0
    mover = whole("to_move", position.get("to_move", lowest), lowest, int(game.players) - 1)
    game.mover = NOBODY if game.phase == OVER else mover
    _read_played(game, position)
    if position.get("lifted") is not None:
        game.lifted = _in_exchange("lifted", game, TILE_EXCHANGE, position["lifted"], KINDS[:NUM_LIFTABLE])
    if position.get("swap") is not None:
        _read_swap(game, position["swap"])
    if position.get("lifted") is not None and position.get("swap") is not None:
        raise ValueError("swap: a tile is lifted too; expected one exchange at a time")
    game.last_turn = whole("last_turn", position.get("last_turn", False), False, True)
    if game.last_turn and not game.tiles_played and game.phase != OVER:
        raise ValueError("last_turn: true before a tile of the turn was played; expected the tile that ended the game")


def _read_played(game: np.record, position: Mapping[str, Any]) -> None:
    """Read what was played in this turn: on land and sea it must lie there still, as the mover's."""
    played = _counts("turn", position.get("turn", []))
    if played.any() and game.phase != PLAY:
        raise ValueError(f"turn: tiles played in phase {PHASES[game.phase]!r}; expected none")
    slow = int(played[~FAST].sum())
    if slow > 1:
        raise ValueError(f"turn: {slow} slow tiles {position['turn']!r}; a turn has at most one")
    if not played.any():
        return
    there = _counts_on_board(game, int(game.mover))
    there[FIGURE_EXCHANGE] = COUNTS[FIGURE_EXCHANGE] - game.hands[game.mover, FIGURE_EXCHANGE]
    there[FIGURE_EXCHANGE] -= game.stocks[game.mover, FIGURE_EXCHANGE]
    for kind in np.flatnonzero(played > there):
        raise ValueError(f"turn: {KINDS[kind]!r} was played by seat {game.mover}, but is not where it would be then")
    game.played[:] = played
    game.tiles_played = played.sum()
    game.slow_played = slow


def _read_swap(game: np.record, text: Any) -> None:
    places = {
        f"{figure}@{place.text}": (i, j) for i, figure in enumerate(FIGURES) for j, place in enumerate(SETTLEMENTS)
    }
    swap = _in_exchange("swap", game, FIGURE_EXCHANGE, text, tuple(places))
    game.swap_figure, game.swap_settlement = list(places.values())[swap]


def _in_exchange(entry: str, game: np.record, exchange: int, text: Any, texts: tuple[str, ...]) -> int:
    index = texts.index(choice(entry, text, texts))
    if not game.played[exchange]:
        raise ValueError(f"{entry}: {text!r}, but 'turn' does not name the {KINDS[exchange]!r} that was played for it")
    return index


def _check_surrounded(game: np.record) -> None:
    if game.end_of_turn:
        return
    for i, place in enumerate(SETTLEMENTS):
        if game.open_land[i] == 0 and game.figures[:, i].any():
            raise ValueError(
                f"figures: {place.text!r} is surrounded, so its figures have gone under captures='immediate'; "
                "expected an empty land hex beside it, or no figures"
            )


def _check_exchange(state: np.ndarray) -> None:
    game = fields(state)
    mask = np.zeros(NUM_ACTIONS[game.players], np.int8)
    mask_of_state(state, mask)
    if game.lifted != NOTHING and not mask.any():
        raise ValueError("lifted: no land hex is empty; the lifted tile must have a place to go")
    if game.swap_figure != NOTHING and not mask.any():
        raise ValueError(f"swap: {_swap_text(game)!r} cannot be exchanged for any figure on this board")


# ------------------------------------------------------------------ shapes of JSON


def _mapping(entry: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{entry}: {value!r}; expected an object from 'q,r' to what is there")
    return value


def _sequence(entry: str, value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{entry}: {value!r}; expected a list")
    return value


def _rows(entry: str, value: Any, players: int) -> Iterable[Any]:
    if len(_sequence(entry, value)) != players:
        raise ValueError(f"{entry}: {len(value)} entries; expected {players}, one a seat")
    return value


def _words(value: Any) -> list[int]:
    if len(_sequence("generator", value)) != 4:
        raise ValueError(f"generator: {value!r}; expected four numbers")
    return [whole("generator", word, 0, 2**32 - 1) for word in value]
