"""`Game`: one game for Python, with checked actions, positions and records."""

from __future__ import annotations

import operator
import secrets
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from samurai_env.checks import choice, keys, seed_in_range, whole
from samurai_env.generator import split_seed
from samurai_env.rules import actions, entry, position
from samurai_env.rules.board import PLAYER_COUNTS
from samurai_env.rules.scoring import REWARDS, Score, returns_of, score
from samurai_env.rules.state import (
    CAPTURES_OPTIONS,
    FIGURES_OPTIONS,
    HANDS_OPTIONS,
    OFFSETS,
    OVER,
    PHASES,
    PLAY,
    fields,
    new_state,
)

RECORD_VERSION = 1
_RECORD_KEYS = ("version", "players", "seed", "hands", "figures", "captures", "actions", "start")
_SHOWN = 12  # legal actions that an error message lists
_PHASE, _MOVER = OFFSETS["phase"], OFFSETS["mover"]


class IllegalActionError(ValueError):
    """An action that is out of range, or not legal now."""


def fresh_seed() -> int:
    """Return a seed from the operating system, small enough for every JSON reader."""
    return secrets.randbits(53)


def game_options(players: int, hands: str, figures: str, captures: str) -> dict[str, Any]:
    """Return the options of a game by their names, checked.

    Raises:
        ValueError: names the option that is wrong, and what would be right.
    """
    return {
        "players": choice("players", players, PLAYER_COUNTS),
        "hands": choice("hands", hands, HANDS_OPTIONS),
        "figures": choice("figures", figures, FIGURES_OPTIONS),
        "captures": choice("captures", captures, CAPTURES_OPTIONS),
    }


class Game:
    """One game of Samurai.

    Args:
        players: 2, 3 or 4.
        seed: a whole number in [0, 2**64) from which everything follows; None draws a fresh one.
        hands: "choose" (each seat chooses five tiles, in secret) or "random".
        figures: "draft" (placed in turn) or "random" (the draft played at random).
        captures: "immediate" (1998) or "end_of_turn" (2015).

    Raises:
        ValueError: an option is none of these.
    """

    __slots__ = ("_actions", "_mask", "_seed", "_start", "_state", "players")

    players: int
    """The number of players; seats are 0 .. players - 1."""

    def __init__(
        self,
        players: int = 2,
        seed: int | None = None,
        hands: str = "choose",
        figures: str = "draft",
        captures: str = "immediate",
    ) -> None:
        state = new_state(**game_options(players, hands, figures, captures))
        seed = fresh_seed() if seed is None else seed_in_range("seed", seed)
        entry.start_state(state, *split_seed(seed))
        self._set(state, seed, start=None)

    def _set(self, state: np.ndarray, seed: int, start: np.ndarray | None) -> None:
        self.players = state.item(OFFSETS["players"])
        self._state = state
        self._seed = seed
        self._start = start  # the state the game began from, or None where `seed` says it all
        self._actions = array("H")
        self._mask: np.ndarray | None = None

    @classmethod
    def from_state(cls, state: np.ndarray, seed: int = 0) -> Game:
        """Return a game that begins at a state, int8 of shape (STATE_SIZE,), which it keeps."""
        game = cls.__new__(cls)
        game._set(state, seed, start=state.copy())
        return game

    # -------------------------------------------------------------- where the game stands

    @property
    def phase(self) -> str:
        """One of "hands", "figures", "play", "over"."""
        return PHASES[self._state.item(_PHASE)]

    @property
    def current_player(self) -> int:
        """The seat that acts next, or -1 when the game is over."""
        return self._state.item(_MOVER)  # type: ignore[no-any-return]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state.item(_PHASE) == OVER  # type: ignore[no-any-return]

    @property
    def seed(self) -> int:
        """The seed that the game began from."""
        return self._seed

    @property
    def state(self) -> np.ndarray:
        """The bytes of the game's record, read-only int8 of shape (STATE_SIZE,): all of it, hidden parts too."""
        view = self._state.view()
        view.flags.writeable = False
        return view

    @property
    def options(self) -> dict[str, str]:
        """The options `hands`, `figures` and `captures` of this game."""
        game = fields(self._state)
        return {
            "hands": HANDS_OPTIONS[game.random_hands],
            "figures": FIGURES_OPTIONS[game.random_figures],
            "captures": CAPTURES_OPTIONS[game.end_of_turn],
        }

    @property
    def captured(self) -> np.ndarray:
        """The figures each seat has captured, int64 of shape (players, 3)."""
        return fields(self._state).captured[: self.players].astype(np.int64)

    @property
    def set_aside(self) -> np.ndarray:
        """The figures of each type that were set aside, int64 of shape (3,)."""
        return fields(self._state).set_aside.astype(np.int64)

    # -------------------------------------------------------------- actions

    @property
    def num_actions(self) -> int:
        """The number of action ids: 577, 826, 1072 for 2, 3, 4 players."""
        return int(actions.NUM_ACTIONS[self.players])

    def _legal(self) -> np.ndarray:
        """Return the mask of this state, made once and never changed."""
        if self._mask is None:
            self._mask = np.empty(actions.NUM_ACTIONS[self.players], np.int8)
            entry.mask_of_state(self._state, self._mask)
        return self._mask

    def action_mask(self) -> np.ndarray:
        """Return 1 for each legal action of the current player, int8 of shape (num_actions,)."""
        return self._legal().copy()

    def legal_actions(self) -> np.ndarray:
        """Return the legal ids in ascending order, int64; none when the game is over."""
        return self._legal().nonzero()[0]

    def action_to_string(self, action: int) -> str:
        """Return the text of an action id, as it reads in the present phase.

        Raises:
            IllegalActionError: the id is out of range.
        """
        action = self._in_range(action)
        text = actions.texts(self.players)[action]
        is_swap = self._state.item(_PHASE) == PLAY and text.startswith("place ")
        return actions.as_swap(text) if is_swap else text

    def string_to_action(self, text: str) -> int:
        """Return the id of an action text.

        Raises:
            ValueError: no action of this number of players reads so.
        """
        try:
            return actions.ids(self.players)[text]
        except (KeyError, TypeError):
            raise ValueError(
                f"unknown action {text!r}; actions read like 'hold ship-1', 'place helmet@0,-4', "
                f"'helmet-4@0,-5', 'lift@0,-5', 'swap helmet@0,-4' or 'end', with hexes of the "
                f"{self.players}-player board"
            ) from None

    def apply(self, action: int | str) -> None:
        """Play one action of the current player, an id or a text, and all that follows without a decision.

        Raises:
            IllegalActionError: the id is out of range or the action is not legal now.
            ValueError: the text is no action, or it is neither text nor whole number. In any case nothing has
                changed.
        """
        if isinstance(action, str):
            number = self.string_to_action(action)
            # `place` and `swap` share their ids, but each is said in its own phase.
            is_legal = self._legal()[number] and action == self.action_to_string(number)
        else:
            number = self._in_range(action)
            is_legal = self._legal()[number]
        if not is_legal:
            raise IllegalActionError(self._explain(action))
        entry.apply_to_state(self._state, number)
        self._actions.append(number)
        self._mask = None

    def _in_range(self, action: int) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            raise ValueError(f"action: {action!r}; expected an id or a text") from None
        if not 0 <= number < self.num_actions:
            raise IllegalActionError(f"action: {number}; expected an id from 0 to {self.num_actions - 1}")
        return number

    def _explain(self, action: int | str) -> str:
        text = f"illegal action {action!r}"
        if not isinstance(action, str):
            text += f" ({self.action_to_string(action)!r})"
        if self.is_over:
            return f"{text}: the game is over"
        legal = [self.action_to_string(i) for i in self.legal_actions()]
        listed = ", ".join(legal[:_SHOWN]) + (f", ... ({len(legal)} in all)" if len(legal) > _SHOWN else "")
        return f"{text} in phase {self.phase!r}; legal for seat {self.current_player} are: {listed}"

    # -------------------------------------------------------------- the result

    @property
    def result(self) -> Score:
        """The score of the figures captured so far."""
        return score(self.captured)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, () while the game runs."""
        return self.result.winners if self.is_over else ()

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, 1 = first, equal criteria share one; () while the game runs."""
        return self.result.places if self.is_over else ()

    def returns(self, reward: str = "winner") -> np.ndarray:
        """Return the final reward of each seat, float64 of shape (players,); zeros while the game runs.

        Args:
            reward: "winner": with w winners among n players, (n/w - 1)/(n - 1) for a winner and -1/(n - 1)
                for the others. "place": linear in the place from +1 (first) to -1 (last), ties averaged.
                Both sum to zero.
        """
        kind = REWARDS.index(choice("reward", reward, REWARDS))
        if not self.is_over:
            return np.zeros(self.players)
        return returns_of(np.array(self.places, np.int64), kind)

    # -------------------------------------------------------------- copies

    def clone(self) -> Game:
        """Return an independent copy that goes on alike."""
        other = Game.__new__(Game)
        other.players = self.players
        other._state = self._state.copy()
        other._seed = self._seed
        other._start = self._start
        other._actions = self._actions[:]
        other._mask = self._mask
        return other

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Whether two games are in the same state, generator included; how they came there does not count."""
        return isinstance(other, Game) and self._state.tobytes() == other._state.tobytes()

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def determinize(self, seat: int, seed: int) -> Game:
        """Return a copy in which all that `seat` cannot know is drawn anew.

        The other hands are drawn uniformly among those that fit what is public now: the tiles each seat
        has left, how many it holds, and that an opponent in mid-turn still has something to play. What
        could be inferred from earlier turns is not used. The generator is set by `seed`. The copy depends
        on nothing that `seat` cannot see; its record begins where it does.

        Raises:
            ValueError: `seat` is none of this game, or `seed` is out of [0, 2**64).
        """
        seat = whole("seat", seat, 0, self.players - 1)
        seed = seed_in_range("seed", seed)
        state = self._state.copy()
        entry.determinize_state(state, seat, *split_seed(seed))
        return Game.from_state(state, seed)

    # -------------------------------------------------------------- positions and records

    def to_dict(self) -> dict[str, Any]:
        """Return the position as JSON data, complete: `from_dict` of it equals this game."""
        return position.to_dict(self._state, self._seed)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> Game:
        """Return the game of a JSON position; docs/positions.md describes it.

        Raises:
            ValueError: names the entry that is wrong, and what would be right.
        """
        return cls.from_state(*position.from_dict(d))

    def record(self) -> dict[str, Any]:
        """Return the game so far as JSON data: options, seed and the texts of all actions.

        Where the game did not begin from a seed, "start" is the position it began from.
        """
        header = {"version": RECORD_VERSION, "players": self.players, "seed": self._seed, **self.options}
        replay = self._beginning()
        played = []
        for action in self._actions:
            played.append(replay.action_to_string(action))
            entry.apply_to_state(replay._state, action)
        header["actions"] = played
        if self._start is not None:
            header["start"] = position.to_dict(self._start, self._seed)
        return header

    def _beginning(self) -> Game:
        if self._start is not None:
            return Game.from_state(self._start.copy(), self._seed)
        return Game(self.players, self._seed, **self.options)

    @classmethod
    def replay(cls, record: Mapping[str, Any]) -> Game:
        """Return the game of a record, played through to its last action.

        Raises:
            ValueError: names the entry, or the action and its number, that is wrong.
        """
        keys("record", record, _RECORD_KEYS)
        choice("record: version", record.get("version"), (RECORD_VERSION,))
        game = cls._start_of(record)
        texts = record.get("actions")
        if not isinstance(texts, (list, tuple)):
            raise ValueError(f"record: actions: {texts!r}; expected a list of action texts")
        for number, text in enumerate(texts):
            try:
                if not isinstance(text, str):
                    raise ValueError(f"{text!r}; expected an action text")
                game.apply(text)
            except ValueError as error:
                raise ValueError(f"record: action {number}: {error}") from None
        return game

    @classmethod
    def _start_of(cls, record: Mapping[str, Any]) -> Game:
        options = {key: record[key] for key in ("hands", "figures", "captures") if key in record}
        if record.get("seed") is None:
            raise ValueError("record: seed: missing; expected the seed of the game")
        game = cls(record.get("players"), record["seed"], **options)  # type: ignore[arg-type]
        if record.get("start") is None:
            return game
        try:
            start = cls.from_dict(record["start"])
        except ValueError as error:
            raise ValueError(f"record: start: {error}") from None
        if (start.players, start.options) != (game.players, start.options | options):
            raise ValueError("record: start: has other players or options than the record")
        return start

    def __repr__(self) -> str:
        return f"<Game: {self.players} players, phase {self.phase!r}, seat {self.current_player} to act>"

    def __getstate__(self) -> tuple[Any, ...]:
        return self._state, self._seed, self._start, self._actions

    def __setstate__(self, saved: tuple[Any, ...]) -> None:
        state, seed, start, played = saved
        self._set(state, seed, start)
        self._actions = played
