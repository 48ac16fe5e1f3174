"""Many games at once: an array of records, stepped and encoded by compiled loops on all cores.

The rules, the mask and the observation are those of the single game; nothing of them stands here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from samurai_env import observation
from samurai_env.checks import choice, flag, seed_in_range, whole
from samurai_env.compiled import borrowed, compiled, entry_point, inlined
from samurai_env.encoder import encode
from samurai_env.generator import next_word, seed_words, split_seed
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.bits import has
from samurai_env.rules.game import fresh_seed, game_options
from samurai_env.rules.legal import LEGAL_WORDS, draw_legal, write_legal, write_mask
from samurai_env.rules.scoring import REWARDS, write_places, write_returns
from samurai_env.rules.state import (
    OVER,
    STATE,
    STATE_SIZE,
    new_state,
    record_type,
)
from samurai_env.rules.tiles import NUM_FIGURES
from samurai_env.rules.turn import apply, start
from samurai_env.threads import Team, follow, lead

ALL_LEGAL = -1
_STEP, _SAMPLE = range(2)  # the tasks of the threads
_PIECE = 32  # games that a thread takes at once: some 10 microseconds of work
ARRAYS = ("observations", "action_masks", "seats", "rewards", "dones", "final_captured", "final_places")
_HIGH_BITS = 2**21 - 1  # a game's seed has 32 + 21 = 53 bits, small enough for every JSON reader

_RESULTS = ("rewards", "dones", "final_captured", "final_places")

SLOT = record_type(
    {
        "names": ["game", "legal", "num_legal", "seed", "seed_words", "sample_words"],
        "formats": [
            STATE,
            ("<u8", (LEGAL_WORDS,)),  # the mask as bits, and its sum
            "<i8",
            ("<i8", (2,)),  # the halves of the game's seed
            ("<u4", (4,)),  # the generator of the slot's seeds
            ("<u4", (4,)),  # and that of its sampled actions
        ],
    }
)
"""What the batch keeps of one game, together in memory."""


def _layout() -> NDArray[np.uint8]:
    """Return a digest of what the bytes of a slot mean."""
    return np.frombuffer(hashlib.sha256(repr((SLOT.descr, STATE.descr)).encode()).digest(), np.uint8)


class Batch(NamedTuple):
    """What the compiled loops work on."""

    slots: NDArray[Any]
    """(B,) of SLOT."""
    bytes: NDArray[np.int8]
    """The same, (B, n); the state is at its beginning."""
    fresh: NDArray[np.int8]
    """The state in which a game begins, (STATE_SIZE,)."""
    actions: NDArray[np.int64]
    """The actions of the next step, (B,)."""
    sampled: NDArray[np.int64]
    """The actions sampled last, (B,)."""
    reward: int
    hide_captures: bool
    observations: NDArray[np.int8]
    """All rows of the public array of this name in one, (B * n,); so the masks."""
    observation_size: int
    action_masks: NDArray[np.int8]
    num_actions: int
    seats: NDArray[np.int64]
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    final_captured: NDArray[np.int64]
    final_places: NDArray[np.int64]


class VectorGames:
    """B games, each at its own seat's turn; see `make_vec` for the arguments.

    The arrays are made once and written anew by each step, unless `copy` is set: keep a copy of what is to
    be kept. A game that ends starts anew within the same step: `rewards` and `dones` of that step belong
    to the finished game, everything else to the new one.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - Gymnasium's form

    observations: NDArray[np.int8]
    """What the seat to move sees, (B, n); see `samurai_env.observation`."""
    action_masks: NDArray[np.int8]
    """1 for each legal action of the seat to move, (B, num_actions)."""
    seats: NDArray[np.int64]
    """The seat to move, (B,)."""
    rewards: NDArray[np.float32]
    """The final rewards of the game that ended in this step, else 0, (B, players)."""
    dones: NDArray[np.bool_]
    """Whether a game ended in this step, (B,)."""
    final_captured: NDArray[np.int64]
    """The captured figures of the game that ended last in each slot, (B, players, 3)."""
    final_places: NDArray[np.int64]
    """The places of the game that ended last in each slot, (B, players); 0 before the first end."""

    def __init__(
        self,
        num_games: int,
        players: int = 2,
        seed: int | None = None,
        copy: bool = False,
        observe: bool = True,
        hands: str = "choose",
        figures: str = "draft",
        captures: str = "immediate",
        reward: str = "winner",
        hide_captures: bool = False,
    ) -> None:
        self._options = {
            "num_games": num_games,
            "players": players,
            "copy": copy,
            "observe": observe,
            "hands": hands,
            "figures": figures,
            "captures": captures,
            "reward": reward,
            "hide_captures": hide_captures,
        }
        options = game_options(players, hands, figures, captures)
        self.players = players = options["players"]
        self.num_games = num_games = whole("num_games", num_games, 1, 2**31 - 1)
        self.num_actions = num_actions = int(NUM_ACTIONS[players])
        self._copy = flag("copy", copy)
        size = observation.size(players) if flag("observe", observe) else 0
        slots = np.zeros(num_games, SLOT)
        self._arrays: dict[str, NDArray[Any]] = {
            "observations": np.empty((num_games, size), np.int8),
            "action_masks": np.empty((num_games, num_actions), np.int8),
            "seats": np.empty(num_games, np.int64),
            "rewards": np.zeros((num_games, players), np.float32),
            "dones": np.zeros(num_games, np.bool_),
            "final_captured": np.zeros((num_games, players, 3), np.int64),
            "final_places": np.zeros((num_games, players), np.int64),
        }
        self._batch = Batch(
            slots=slots,
            bytes=slots.view(np.int8).reshape(num_games, SLOT.itemsize),
            fresh=new_state(**options),
            actions=np.empty(num_games, np.int64),
            sampled=np.empty(num_games, np.int64),
            reward=REWARDS.index(choice("reward", reward, REWARDS)),
            hide_captures=flag("hide_captures", hide_captures),
            observation_size=size,
            num_actions=num_actions,
            **self._arrays | {name: self._arrays[name].reshape(-1) for name in ("observations", "action_masks")},
        )
        self._team = Team(_lead, _follow, self._batch, num_games, _PIECE)
        self.reset(fresh_seed() if seed is None else seed)

    def _show(self) -> None:
        """Let the user see the arrays, or copies of them."""
        for name, array in self._arrays.items():
            setattr(self, name, array.copy() if self._copy else array)

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; without a seed, with the next of the sequence that the last seed began.

        Raises:
            ValueError: `seed` is out of [0, 2**64).
        """
        if seed is not None:
            sequences = np.random.SeedSequence(seed_in_range("seed", seed)).spawn(2)
            halves = [sequence.generate_state(2 * self.num_games).astype(np.int64) for sequence in sequences]
            _seed_all(self._batch.slots, *(half.reshape(-1, 2) for half in halves))
        for name in _RESULTS:
            self._arrays[name][:] = 0
        _restart_all(self._batch)
        self._show()

    def step(self, actions: ArrayLike) -> None:
        """Play one action in each game and update all arrays.

        Args:
            actions: the ids, whole numbers of shape (B,).

        Raises:
            IllegalActionError: names the first game whose action is not legal; no game has moved.
            ValueError: `actions` has another shape or type.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_games,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: {given.dtype} of shape {given.shape}; expected whole numbers of shape ({self.num_games},)"
            )
        self._batch.actions[:] = given
        wrong = _first_illegal(self._batch.slots, self._batch.actions, self.num_actions)
        if wrong != ALL_LEGAL:
            try:
                self.game(wrong).apply(int(given[wrong]))
            except IllegalActionError as error:
                raise IllegalActionError(f"game {wrong}: {error}") from None
        self._team.do(_STEP)
        if self._copy:
            self._show()

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a uniformly drawn legal action of each game, int64 of shape (B,), from a generator of its own."""
        self._team.do(_SAMPLE)
        return self._batch.sampled.copy()

    def game_seed(self, i: int) -> int:
        """Return the seed of the game in slot i: unless loaded, it began as `Game(seed=...)` with the same options."""
        low, high = self._batch.slots["seed"][self._slot(i)].tolist()
        return int(low | high << 32)

    def game(self, i: int) -> Game:
        """Return a copy of game i."""
        return Game.from_state(self._batch.bytes[self._slot(i), :STATE_SIZE].copy(), self.game_seed(i))

    def load(self, i: int, game: Game) -> None:
        """Put a copy of a game into slot i. When it ends, a game with the options of this batch follows.

        Raises:
            ValueError: the game is over or has another number of players.
        """
        i = self._slot(i)
        if not isinstance(game, Game) or game.players != self.players or game.is_over:
            raise ValueError(f"game: {game!r}; expected a running Game of {self.players} players")
        self._batch.bytes[i, :STATE_SIZE] = game.state
        self._batch.slots["seed"][i] = split_seed(game.seed)
        for name in ("rewards", "dones"):
            self._arrays[name][i] = 0
        _look_at(self._batch, i)
        self._show()

    @property
    def states(self) -> NDArray[np.int8]:
        """The records of the games, (B, STATE_SIZE), for compiled functions to read; see `rules.state`. Read-only."""
        view = self._batch.bytes[:, :STATE_SIZE]
        view.flags.writeable = False
        return view

    def save(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on exactly, generators included, as arrays; see `restore`."""
        kept = {name: self._arrays[name].copy() for name in _RESULTS}
        return {"slots": self._batch.bytes.copy(), "fresh": self._batch.fresh.copy(), "layout": _layout(), **kept}

    def restore(self, saved: Mapping[str, ArrayLike]) -> None:
        """Go on from where another batch of as many games with the same options was when it was saved.

        Args:
            saved: what `save` returned, of this version of the package.

        Raises:
            ValueError: it is of another batch or version; nothing has changed.
        """
        arrays = {name: np.asarray(array) for name, array in saved.items()}
        own = self.save()
        for name in own:
            if name not in arrays or (arrays[name].shape, arrays[name].dtype) != (own[name].shape, own[name].dtype):
                raise ValueError(f"saved: {name!r} is missing or of another shape; expected what save() returns here")
        for name in ("layout", "fresh"):
            if not np.array_equal(arrays[name], own[name]):
                raise ValueError("saved: of another version or other options; expected what save() returns here")
        self._batch.bytes[:] = arrays["slots"]
        for name in _RESULTS:
            self._arrays[name][:] = arrays[name]
        for i in range(self.num_games):
            _look_at(self._batch, i)
        self._show()

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self._options, self.save()

    def __setstate__(self, saved: tuple[dict[str, Any], dict[str, NDArray[Any]]]) -> None:
        self.__init__(**saved[0], seed=0)  # type: ignore[misc]  # its arrays share memory, which copies would not
        self.restore(saved[1])

    def _slot(self, i: int) -> int:
        return whole("game", i, 0, self.num_games - 1)

    @property
    def nbytes(self) -> int:
        """The memory of all arrays, in bytes; with `copy`, the copies come on top."""
        return sum(array.nbytes for array in (self._batch.slots, self._batch.actions, self._batch.sampled)) + sum(
            array.nbytes for array in self._arrays.values()
        )

    def __repr__(self) -> str:
        return f"<VectorGames: {self.num_games} games of {self.players} players>"


def make_vec(num_games: int, players: int = 2, seed: int | None = 0, **options: Any) -> VectorGames:
    """Return B games that are stepped at once by compiled code on several threads.

    Args:
        num_games: B, the number of games.
        players: 2, 3 or 4.
        seed: from which all games and sampled actions follow, whatever the number of threads; None draws
            a fresh one.
        options: `copy=True` gives new arrays at each step; `observe=False` leaves the observations out;
            `hands`, `figures`, `captures`, `reward` and `hide_captures` are those of `samurai_env.env`.

    Raises:
        ValueError: an option is not one of its values.
    """
    return VectorGames(num_games, players, seed, **options)


# ------------------------------------------------------------------ compiled loops
# A row of an array counts references each time it is taken, by atomic operations at which threads wait for each
# other: what is done in each step takes none, but goes by places in arrays of one dimension, and by records.


@entry_point
def _seed_all(slots, seed_halves, sample_halves):
    for i in range(len(slots)):
        seed_words(slots[i].seed_words, seed_halves[i, 0], seed_halves[i, 1])
        seed_words(slots[i].sample_words, sample_halves[i, 0], sample_halves[i, 1])


@compiled
def _restart(slot, bytes_, fresh):
    """Start the next game of a slot, with the next of its seeds; `bytes_` are those of the slot."""
    slot.seed[0] = next_word(slot.seed_words)
    slot.seed[1] = next_word(slot.seed_words) & _HIGH_BITS
    for i in range(len(fresh)):
        bytes_[i] = fresh[i]
    start(slot.game, slot.seed[0], slot.seed[1])


@compiled
def _write_result(game, reward, captured, places, rewards):
    """Write the result of a finished game."""
    for seat in range(game.players):
        for figure in range(NUM_FIGURES):
            captured[seat, figure] = game.captured[seat, figure]
    write_places(captured, places)
    write_returns(places, reward, rewards)


@inlined
def _see(i, slot, hide_captures, seats, masks, num_actions, observations, size):
    """Write what is seen of a game now."""
    seats[i] = slot.game.mover
    slot.num_legal = write_legal(slot.game, slot.legal)
    write_mask(slot.legal, masks, i * num_actions, num_actions)
    if size:
        encode(slot.game, slot.game.mover, hide_captures, observations, i * size, size)


@inlined
def _step(batch, first, last, actions):
    """Play the action of each game, begin a new one where it was the last, and write what is seen then."""
    slots, rewards, dones = borrowed(batch.slots), borrowed(batch.rewards), borrowed(batch.dones)
    seats, observations, masks = borrowed(batch.seats), borrowed(batch.observations), borrowed(batch.action_masks)
    size, num_actions, hide_captures = batch.observation_size, batch.num_actions, batch.hide_captures
    for i in range(first, last):
        slot = slots[i]
        game = slot.game
        apply(game, actions[i])
        dones[i] = game.phase == OVER
        for seat in range(game.players):
            rewards[i, seat] = 0
        if game.phase == OVER:
            _write_result(game, batch.reward, batch.final_captured[i], batch.final_places[i], rewards[i])
            _restart(slot, batch.bytes[i], batch.fresh)
        _see(i, slot, hide_captures, seats, masks, num_actions, observations, size)


@inlined
def _sample(batch, first, last):
    """Draw a legal action of each game."""
    slots, sampled = borrowed(batch.slots), borrowed(batch.sampled)
    for i in range(first, last):
        sampled[i] = draw_legal(slots[i].sample_words, slots[i].legal, slots[i].num_legal)


@entry_point
def _look_at(batch, i):
    slot = batch.slots[i]
    size, num_actions = batch.observation_size, batch.num_actions
    _see(i, slot, batch.hide_captures, batch.seats, batch.action_masks, num_actions, batch.observations, size)


@entry_point
def _restart_all(batch):
    for i in range(len(batch.slots)):
        _restart(batch.slots[i], batch.bytes[i], batch.fresh)
        _look_at(batch, i)


@entry_point
def _first_illegal(slots, actions, num_actions):
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= num_actions or not has(slots[i].legal, action):
            return i
    return ALL_LEGAL


@inlined
def _work(batch, task, first, last):
    if task == _STEP:
        _step(batch, first, last, borrowed(batch.actions))
    else:
        _sample(batch, first, last)


@entry_point
def _lead(board, task, total, piece, batch):
    return lead(board, task, total, piece, _work, batch)


@entry_point
def _follow(board, own, total, piece, batch):
    follow(board, own, total, piece, _work, batch)
