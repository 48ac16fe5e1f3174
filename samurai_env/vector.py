"""Many games at once: an array of records, stepped and encoded by compiled loops on all cores.

The rules, the mask and the observation are those of the single game; nothing of them stands here.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from samurai_env import observation
from samurai_env.checks import choice, flag, seed_in_range, whole
from samurai_env.compiled import entry_point, inlined
from samurai_env.encoder import encode, encode_state
from samurai_env.generator import draw_legal, next_word, seed_words
from samurai_env.rules import Game, IllegalActionError, entry
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.game import fresh_seed, game_options
from samurai_env.rules.legal import is_legal, write_mask
from samurai_env.rules.scoring import REWARDS, write_places, write_returns
from samurai_env.rules.state import (
    OFFSETS,
    OVER,
    STATE,
    STATE_SIZE,
    new_state,
    record,
)
from samurai_env.rules.tiles import NUM_FIGURES
from samurai_env.rules.turn import apply, start
from samurai_env.threads import in_parallel

ALL_LEGAL = -1
_GAMES_AHEAD, _SAMPLES_AHEAD = 128, 1024  # what one thread does in the 60 microseconds that another takes to wake up
ARRAYS = ("observations", "action_masks", "seats", "rewards", "dones", "final_captured", "final_places")
_HIGH_BITS = 2**21 - 1  # a game's seed has 32 + 21 = 53 bits, small enough for every JSON reader


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
        options = game_options(players, hands, figures, captures)
        self._fresh = new_state(**options)
        self.players = players = options["players"]
        self.num_games = num_games = whole("num_games", num_games, 1, 2**31)
        self.num_actions = int(NUM_ACTIONS[players])
        self._reward = REWARDS.index(choice("reward", reward, REWARDS))
        self._hide_captures = flag("hide_captures", hide_captures)
        self._copy = flag("copy", copy)
        self._observation_size = observation.size(players) if flag("observe", observe) else 0
        self._states = np.empty((num_games, STATE_SIZE), np.int8)
        self._seeds = np.empty((num_games, 2), np.int64)  # of the game in each slot, its two halves
        self._seed_words = np.empty((num_games, 4), np.uint32)  # the generator of a slot's seeds
        self._sample_words = np.empty((num_games, 4), np.uint32)  # and that of its sampled actions
        self._actions = np.empty(num_games, np.int64)
        self._num_legal = np.empty(num_games, np.int64)
        self._make_arrays()
        self.reset(fresh_seed() if seed is None else seed)

    def _records(self) -> NDArray[Any]:
        """Return the states as an array of records, (B,), which compiled loops go through without taking rows."""
        return self._states.view(STATE)[:, 0]

    def _make_arrays(self) -> None:
        games, players = self.num_games, self.players
        self.observations = np.empty((games, self._observation_size), np.int8)
        self.action_masks = np.empty((games, self.num_actions), np.int8)
        self.seats = np.empty(games, np.int64)
        self.rewards = np.zeros((games, players), np.float32)
        self.dones = np.zeros(games, np.bool_)
        self.final_captured = np.zeros((games, players, 3), np.int64)
        self.final_places = np.zeros((games, players), np.int64)

    def _renew_arrays(self) -> None:
        """With `copy`, leave the arrays as they are to the user, and go on with copies."""
        if self._copy:
            for name in ARRAYS:
                setattr(self, name, getattr(self, name).copy())

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; without a seed, with the next of the sequence that the last seed began.

        Raises:
            ValueError: `seed` is out of [0, 2**64).
        """
        if seed is not None:
            sequences = np.random.SeedSequence(seed_in_range("seed", seed)).spawn(2)
            for words, sequence in zip((self._seed_words, self._sample_words), sequences, strict=True):
                halves = sequence.generate_state(2 * self.num_games).astype(np.int64)
                _seed_all(words, halves.reshape(-1, 2))
        self._renew_arrays()
        self.rewards[:] = 0
        self.dones[:] = False
        self.final_captured[:] = 0
        self.final_places[:] = 0
        _draw_seeds(self._seed_words, self._seeds)
        self._states[:] = self._fresh
        for i, (low, high) in enumerate(self._seeds.tolist()):
            entry.start_state(self._states[i], low, high)
            self._look(i)

    def _look(self, i: int) -> None:
        """Update what is seen of game i, by the functions of the single game: seldom, so speed is no matter."""
        state = self._states[i]
        self.seats[i] = state[OFFSETS["mover"]]
        self._num_legal[i] = entry.mask_of_state(state, self.action_masks[i])
        if self._observation_size:
            encode_state(state, self.seats[i], self._hide_captures, self.observations[i])

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
        self._actions[:] = given
        wrong = _first_illegal(self._records(), self._actions)
        if wrong != ALL_LEGAL:
            try:
                self.game(wrong).apply(int(given[wrong]))
            except IllegalActionError as error:
                raise IllegalActionError(f"game {wrong}: {error}") from None
        self._renew_arrays()
        step = partial(
            _step_part,
            self._records(),
            self._states,
            self._actions,
            self._fresh,
            self._seed_words,
            self._seeds,
            self._reward,
            self._hide_captures,
            self.observations,
            self.action_masks,
            self._num_legal,
            self.seats,
            self.rewards,
            self.dones,
            self.final_captured,
            self.final_places,
        )
        in_parallel(step, self.num_games, _GAMES_AHEAD)

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a uniformly drawn action of each game, int64 of shape (B,), from a generator of its own.

        They are drawn from `action_masks`: what you have taken out there is not drawn.
        """
        sampled = np.empty(self.num_games, np.int64)
        sample = partial(_sample_part, self.action_masks, self._num_legal, self._sample_words, sampled)
        in_parallel(sample, self.num_games, _SAMPLES_AHEAD)
        return sampled

    def game_seed(self, i: int) -> int:
        """Return the seed of the game in slot i: unless loaded, it began as `Game(seed=...)` with the same options."""
        low, high = self._seeds[self._slot(i)].tolist()
        return int(low | high << 32)

    def game(self, i: int) -> Game:
        """Return a copy of game i."""
        return Game.from_state(self._states[self._slot(i)].copy(), self.game_seed(i))

    def load(self, i: int, game: Game) -> None:
        """Put a copy of a game into slot i. When it ends, a game with the options of this batch follows.

        Raises:
            ValueError: the game is over or has another number of players.
        """
        i = self._slot(i)
        if not isinstance(game, Game) or game.players != self.players or game.is_over:
            raise ValueError(f"game: {game!r}; expected a running Game of {self.players} players")
        self._renew_arrays()
        self._states[i] = game.state
        self._seeds[i] = game._seed & 0xFFFFFFFF, game._seed >> 32
        self.rewards[i] = 0
        self.dones[i] = False
        self._look(i)

    def _slot(self, i: int) -> int:
        return whole("game", i, 0, self.num_games - 1)

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


@entry_point
def _seed_all(words, halves):
    for i in range(len(words)):
        seed_words(words[i], halves[i, 0], halves[i, 1])


@inlined
def _draw_seed(words, seed):
    """Draw the seed of a slot's next game from the slot's generator."""
    seed[0] = next_word(words)
    seed[1] = next_word(words) & _HIGH_BITS


@entry_point
def _draw_seeds(words, seeds):
    for i in range(len(words)):
        _draw_seed(words[i], seeds[i])


@entry_point
def _first_illegal(records, actions):
    for i in range(len(actions)):
        if not is_legal(records[i], actions[i]):
            return i
    return ALL_LEGAL


@inlined
def _restart(i, states, fresh, words, seeds):
    """Start the next game of a slot."""
    _draw_seed(words[i], seeds[i])
    for byte in range(len(fresh)):
        states[i, byte] = fresh[byte]
    start(record(states[i]), seeds[i, 0], seeds[i, 1])


@inlined
def _write_result(game, i, reward, rewards, captured, places):
    """Write the result of a finished game."""
    for seat in range(game.players):
        for figure in range(NUM_FIGURES):
            captured[i, seat, figure] = game.captured[seat, figure]
    write_places(captured[i], places[i])
    write_returns(places[i], reward, rewards[i])


# A row of an array counts references each time it is taken, so what is done in each step takes as few as it can.


@entry_point
def _step_part(
    records,
    states,
    actions,
    fresh,
    words,
    seeds,
    reward,
    hide_captures,
    observations,
    masks,
    num_legal,
    seats,
    rewards,
    dones,
    captured,
    places,
    first,
    last,
):
    for i in range(first, last):
        game = records[i]
        apply(game, actions[i])
        dones[i] = game.phase == OVER
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = 0
        if dones[i]:
            _write_result(game, i, reward, rewards, captured, places)
            _restart(i, states, fresh, words, seeds)
        seats[i] = game.mover
        num_legal[i] = write_mask(game, masks[i])
        if observations.shape[1]:
            encode(game, game.mover, hide_captures, observations[i])


@entry_point
def _sample_part(masks, num_legal, words, sampled, first, last):
    for i in range(first, last):
        sampled[i] = draw_legal(words[i], masks[i], num_legal[i])
        if sampled[i] < 0:  # somebody has taken actions out of the mask
            sampled[i] = draw_legal(words[i], masks[i], max(1, masks[i].sum()))
