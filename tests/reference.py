"""The rules of Samurai once more: slow, plain and independent of the package, to compare the engine with.

Hexes are texts `q,r`, tiles and figures are their names, hands and stocks are counters of tiles. What chance
decides (the tiles drawn, the figures of a random set-up) is told to the reference as `seen`, a mapping with
the keys `hands` and `figures` of a position. It is not taken on trust: see `_draw` and `_random_figures`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Seen = Mapping[str, Any]

BOARD = json.loads((Path(__file__).parent / "data" / "board.json").read_text())
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))

TYPES = ("helmet", "buddha", "rice")
SUPPLY = {2: 7, 3: 10, 4: 13}
CAPACITY = BOARD["figures_per_settlement"]

# "Tiles: 20 for each player"
TILES = Counter(
    {f"{figure}-{value}": 1 for figure in TYPES for value in (2, 3, 4)}
    | {"samurai-1": 2, "samurai-2": 2, "samurai-3": 1, "ship-1": 2, "ship-2": 1}
    | {"ronin-1": 1, "figure-exchange": 1, "tile-exchange": 1}
)
FAST = {"ship-1", "ship-2", "ronin-1", "figure-exchange"}
SHIPS = {"ship-1", "ship-2"}
EXCHANGES = {"figure-exchange", "tile-exchange"}
LIFTABLE = set(TILES) - FAST - EXCHANGES  # "without a Japanese character (figure tile or samurai)"
HAND = 5


class Board:
    """What the hexes of an n-player board are and which of them touch."""

    def __init__(self, players: int) -> None:
        kinds = {(h["q"], h["r"]): h["kind"] for h in BOARD["hexes"] if h["min_players"] <= players}
        self.kinds = {f"{q},{r}": kind for (q, r), kind in kinds.items()}
        self.land = {at for at, kind in self.kinds.items() if kind == "land"}
        self.sea = {at for at, kind in self.kinds.items() if kind == "sea"}
        self.capacity = {at: CAPACITY[kind] for at, kind in self.kinds.items() if kind in CAPACITY}
        self.cities = {at for at, kind in self.kinds.items() if kind == "city"}
        self.villages = {at for at, kind in self.kinds.items() if kind == "village"}
        (self.edo,) = (at for at, kind in self.kinds.items() if kind == "edo")
        self.around = {
            f"{q},{r}": {f"{q + dq},{r + dr}" for dq, dr in DIRECTIONS if (q + dq, r + dr) in kinds} for q, r in kinds
        }
        self.land_around = {at: self.around[at] & self.land for at in self.capacity}


board_for = cache(Board)


def influence(tile: str, figure: str) -> int:
    """A figure tile acts on its own type; samurai, ship and ronin on all; an exchange tile on none."""
    kind, value = tile.rsplit("-", 1)
    if tile in EXCHANGES or (kind in TYPES and kind != figure):
        return 0
    return int(value)


INFLUENCE = {(tile, figure): influence(tile, figure) for tile in TILES for figure in TYPES}


class Reference:
    """One game; `apply` plays an action given as text, `legal` says which there are."""

    def __init__(self, players: int, hands: str, figures: str, captures: str, seen: Seen) -> None:
        self.players, self.figures_option, self.captures = players, figures, captures
        self.board = board_for(players)
        self.figures: dict[str, set[str]] = {at: set() for at in self.board.capacity}
        self.tiles: dict[str, tuple[int, str]] = {}
        self.hands: list[Counter[str]] = [Counter() for _ in range(players)]
        self.stocks = [TILES.copy() for _ in range(players)]
        self.captured = [dict.fromkeys(TYPES, 0) for _ in range(players)]
        self.set_aside = dict.fromkeys(TYPES, 0)
        self.phase, self.mover = "hands", 0
        self.empty_land, self.empty_sea = set(self.board.land), set(self.board.sea)
        self.turn_was_last = False
        self._begin_turn(0)
        if hands == "random":
            for seat in range(players):
                self._draw(seat, seen)
            self._begin_figures(seen)

    @classmethod
    def from_position(cls, position: Mapping[str, Any]) -> "Reference":
        """The reference at the start of a turn in phase `play` (a player without a move is skipped)."""
        new = cls(position["players"], "choose", "draft", position["captures"], position)
        new.figures.update({at: set(types) for at, types in position["figures"].items()})
        for at, laid in position["tiles"].items():
            new._put(laid["seat"], laid["tile"], at)
        new.hands = [Counter(hand) for hand in position["hands"]]
        new.stocks = [Counter(stock) for stock in position["stocks"]]
        new.captured = [dict(zip(TYPES, row, strict=True)) for row in position["captured"]]
        new.set_aside = dict(zip(TYPES, position["set_aside"], strict=True))
        new.phase = "play"
        new._next_who_can_play(position["to_move"])
        return new

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    @property
    def places(self) -> tuple[int, ...]:
        return places(self.captured) if self.is_over else ()

    @property
    def winners(self) -> tuple[int, ...]:
        return tuple(seat for seat, place in enumerate(self.places) if place == 1)

    # ---- actions ----

    def legal(self) -> set[str]:
        if self.phase == "hands":
            return {f"hold {tile}" for tile in self.stocks[self.mover]}
        if self.phase == "figures":
            return self._drafts()
        return self._plays() if self.phase == "play" else set()

    def apply(self, text: str, seen: Seen) -> None:
        """Play `text`; `seen` holds the hands and figures after it, for what chance has decided."""
        if text not in self.legal():
            raise ValueError(f"not legal: {text}")
        verb, _, rest = text.partition(" ")
        if verb == "hold":
            self._hold(rest, seen)
        elif verb == "place":
            self._draft(*rest.split("@"))
        elif verb == "swap":
            self._swap(*rest.split("@"), seen)
        elif verb == "end":
            self._end_turn(seen)
        else:
            self._lay(*text.split("@"), seen)

    # ---- hands ----

    def _hold(self, tile: str, seen: Seen) -> None:
        """Each player chooses "5 of the 20 tiles as the first hand"; seat 0 his five, then seat 1, ..."""
        move(tile, self.stocks[self.mover], self.hands[self.mover])
        if self.hands[self.mover].total() == HAND:
            self.mover += 1
        if self.mover == self.players:
            self._begin_figures(seen)

    def _draw(self, seat: int, seen: Seen) -> None:
        """Refill the hand "to 5 at random from the stock; when the stock is out, play goes on with fewer".

        That the drawn tiles number what they should, and come from the seat's own stock, is checked.
        """
        drawn = Counter(seen["hands"][seat])
        drawn.subtract(self.hands[seat])
        number = min(max(HAND - self.hands[seat].total(), 0), self.stocks[seat].total())
        assert all(count >= 0 for count in drawn.values()), f"seat {seat} lost tiles in drawing: {drawn}"
        assert drawn.total() == number, f"seat {seat} draws {drawn} instead of {number} tiles"
        for tile in drawn.elements():
            assert self.stocks[seat][tile], f"seat {seat} has no {tile} to draw"
            move(tile, self.stocks[seat], self.hands[seat])

    # ---- figures ----

    def _begin_figures(self, seen: Seen) -> None:
        """First "Edo gets one figure of each type", then "start player first and clockwise"."""
        self.phase, self.mover = "figures", 0
        self.figures[self.board.edo] = set(TYPES)
        if self.figures_option == "random":
            self._random_figures(seen["figures"])
            self._begin_play()

    def _random_figures(self, figures: Mapping[str, Sequence[str]]) -> None:
        """Check "random placement under the same restrictions": no type twice, the supply, all full."""
        for at, capacity in self.board.capacity.items():
            assert len(set(figures[at])) == len(figures[at]) == capacity, f"{figures[at]} at {at}"
        supplied = Counter(type_ for types in figures.values() for type_ in types)
        assert supplied == dict.fromkeys(TYPES, SUPPLY[self.players]), f"{supplied}"
        self.figures = {at: set(figures[at]) for at in self.board.capacity}

    def _drafts(self) -> set[str]:
        """Place "first every city until it holds two different types, then every village"."""
        placed = Counter(type_ for types in self.figures.values() for type_ in types)
        left = [type_ for type_ in TYPES if placed[type_] < SUPPLY[self.players]]
        open_ = self._not_full(self.board.cities) or self._not_full(self.board.villages)
        return {f"place {type_}@{at}" for at in open_ for type_ in left if type_ not in self.figures[at]}

    def _not_full(self, settlements: set[str]) -> set[str]:
        return {at for at in settlements if len(self.figures[at]) < self.board.capacity[at]}

    def _draft(self, type_: str, at: str) -> None:
        """Place one: "the order runs on from cities to villages without restarting"."""
        self.figures[at].add(type_)
        self.mover = (self.mover + 1) % self.players
        if not self._not_full(self.board.villages):
            self._begin_play()

    def _begin_play(self) -> None:
        """Then "the start player (seat 0) takes the first turn"."""
        self.phase = "play"
        self._begin_turn(0)

    # ---- play ----

    def _begin_turn(self, seat: int) -> None:
        self.mover = seat
        self.played: list[str] = []  # in this turn
        self.lifted: str | None = None  # the tile that a tile exchange lifted, to be laid next
        self.swapped: tuple[str, str] | None = None  # the first figure of a figure exchange, and where it is

    def _plays(self) -> set[str]:
        if self.lifted:
            return {f"{self.lifted}@{at}" for at in self.empty_land}
        if self.swapped:
            return {f"swap {type_}@{at}" for type_, at in self._partners(*self.swapped)}
        plays = self._tile_plays()
        return plays | {"end"} if self.played else plays  # "at least one"

    def _tile_plays(self) -> set[str]:
        """Lay "at most one slow tile, any number of fast tiles, in any order"."""
        slow_left = FAST.issuperset(self.played)
        plays: set[str] = set()
        for tile in self.hands[self.mover]:
            if tile in FAST or slow_left:
                plays |= self._plays_of(tile)
        return plays

    def _plays_of(self, tile: str) -> set[str]:
        """Lay "ships on an empty sea hex, other tiles on an empty land hex"; the exchange tiles apart."""
        if tile == "figure-exchange":
            return {f"swap {type_}@{at}" for type_, at in self._figures() if any(self._partners(type_, at))}
        if tile == "tile-exchange":
            return {f"lift@{at}" for at, laid in self.tiles.items() if self._may_lift(*laid)}
        return {f"{tile}@{at}" for at in (self.empty_sea if tile in SHIPS else self.empty_land)}

    def _may_lift(self, seat: int, tile: str) -> bool:
        """Lift "one's own tiles without a Japanese character"; not "while no land hex is empty"."""
        return seat == self.mover and tile in LIFTABLE and bool(self.empty_land)

    def _figures(self) -> Iterable[tuple[str, str]]:
        return ((type_, at) for at, types in self.figures.items() for type_ in types)

    def _partners(self, first: str, here: str) -> Iterable[tuple[str, str]]:
        """Swap "any two figures still on the board", but "no settlement may hold two figures of one type
        afterwards" and they "must be of different types and from different settlements".
        """
        return (
            (second, there)
            for second, there in self._figures()
            if second != first
            and there != here
            and first not in self.figures[there]
            and second not in self.figures[here]
        )

    def _swap(self, type_: str, at: str, seen: Seen) -> None:
        """The tile leaves the hand, and the game, when the first of the two figures is named."""
        if self.swapped is None:
            self._take_from_hand("figure-exchange")
            self.swapped = type_, at
            return
        first, here = self.swapped
        self.swapped = None
        self.figures[here] ^= {first, type_}
        self.figures[at] ^= {first, type_}
        self._end_turn_if_nothing_is_left(seen)

    def _lay(self, tile: str, at: str, seen: Seen) -> None:
        """Lay a tile of the hand or the lifted one; or lift one, the exchange tile taking its place."""
        if tile == "lift":
            self._take_from_hand("tile-exchange")
            self.lifted = self.tiles[at][1]
            self._put(self.mover, "tile-exchange", at)
            return
        if self.lifted is None:
            self._take_from_hand(tile)
        self.lifted = None
        self._put(self.mover, tile, at)
        if self.captures == "immediate":  # "as soon as the last land hex is filled, before the next tile"
            self._judge_surrounded()
        self._end_turn_if_nothing_is_left(seen)

    def _take_from_hand(self, tile: str) -> None:
        remove(tile, self.hands[self.mover])
        self.played.append(tile)

    def _put(self, seat: int, tile: str, at: str) -> None:
        self.tiles[at] = seat, tile
        self.empty_land.discard(at)
        self.empty_sea.discard(at)

    # ---- capturing ----

    def _judge_surrounded(self) -> None:
        """Capture where "all its adjacent land hexes hold tiles"; "all are judged", then comes the end."""
        gone: set[str] = set()
        tied = False
        for at, types in self.figures.items():
            if types and self.empty_land.isdisjoint(self.board.land_around[at]):
                for type_ in types:
                    tied |= self._judge(type_, at)
                gone |= types
                self.figures[at] = set()
        self.turn_was_last |= self._ends(gone, tied)

    def _judge(self, type_: str, at: str) -> bool:
        """Say if tied: "strictly the most takes the figure", "a tie for the most sets the figure aside"."""
        sums = [0] * self.players
        for hex_ in self.board.around[at] & self.tiles.keys():
            seat, tile = self.tiles[hex_]
            sums[seat] += INFLUENCE[tile, type_]
        tied = sums.count(max(sums)) > 1
        taker = self.set_aside if tied else self.captured[sums.index(max(sums))]
        taker[type_] += 1
        return tied

    def _ends(self, gone: set[str], tied: bool) -> bool:
        """The end: "the last figure of one type leaves the board" or "the fourth figure is set aside"."""
        still_there = set().union(*self.figures.values())
        return bool(gone - still_there) or (tied and sum(self.set_aside.values()) >= 4)

    # ---- the end of a turn ----

    def _end_turn_if_nothing_is_left(self, seen: Seen) -> None:
        """An `end` that is the only legal action is done for the player."""
        if not self._tile_plays():
            self._end_turn(seen)

    def _end_turn(self, seen: Seen) -> None:
        """The game "ends with the turn", or "the hand is refilled to 5" and the next player is to move."""
        if self.captures == "end_of_turn":
            self._judge_surrounded()
        if self.turn_was_last:
            self._end_game()
            return
        self._draw(self.mover, seen)
        self._next_who_can_play(self.mover + 1)

    def _next_who_can_play(self, first: int) -> None:
        """One "who cannot play anything is skipped"; if nobody can, the game is over."""
        for seat in range(first, first + self.players):
            self._begin_turn(seat % self.players)
            if self._tile_plays():
                return
        self._end_game()

    def _end_game(self) -> None:
        self.phase, self.mover = "over", -1


def move(tile: str, source: Counter[str], target: Counter[str]) -> None:
    remove(tile, source)
    target[tile] += 1


def remove(tile: str, tiles: Counter[str]) -> None:
    tiles[tile] -= 1
    if not tiles[tile]:
        del tiles[tile]


def places(captured: Sequence[Mapping[str, int]]) -> tuple[int, ...]:
    """Places from 1; "equal criteria share a place"."""
    criteria = [_criteria(captured, seat) for seat in range(len(captured))]
    return tuple(1 + sum(other > own for other in criteria) for own in criteria)


def _criteria(captured: Sequence[Mapping[str, int]], seat: int) -> tuple[int, ...]:
    """What places are compared by: "majorities in two or three types win at once"; candidates with one
    compare "the other two types", then "all their figures"; then come the others "by total".
    """
    own, total = captured[seat], sum(captured[seat].values())
    others = [row for other, row in enumerate(captured) if other != seat]
    majorities = [type_ for type_ in TYPES if all(own[type_] > row[type_] for row in others)]
    if len(majorities) > 1:
        return (2,)
    if majorities:
        return (1, total - own[majorities[0]], total)
    return (0, total)
