"""The seats beside the learner: who may play them, and how they are played in many games at once.

In a batch each kind of player acts as suits it best: `random` and `greedy` in compiled loops, a policy on
all games that wait for it at once, any other player game by game.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents import Player, View, make_player
from samurai_env.agents.greedy import choose, new_scratch
from samurai_env.agents.random import choose_any, seed_player
from samurai_env.compiled import compiled, entry_point
from samurai_env.encoder import encode_state
from samurai_env.generator import split_seed
from samurai_env.observation import size
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.entry import apply_to_state, mask_of_state
from samurai_env.rules.state import NOBODY, OFFSETS, record
from samurai_env.threads import in_parallel

Opponent = str | Player | Callable[[View], int]
_MOVER = OFFSETS["mover"]
_GAMES_AHEAD, _GREEDY_AHEAD = 64, 2  # what one thread does in the time that another takes to wake up


class FunctionPlayer:
    """A player made of a function from a `View` to an action."""

    def __init__(self, function: Callable[[View], int]) -> None:
        self.function = function

    def reset(self, seed: int) -> None:
        """A function keeps nothing from game to game."""

    def act(self, view: View) -> int:
        """Return the function's action."""
        return self.function(view)


def one_a_seat(opponents: Opponent | Sequence[Opponent], count: int) -> list[Opponent]:
    """Return one opponent for each of `count` other seats.

    Raises:
        ValueError: there are more or fewer.
    """
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * count
    if len(opponents) != count:
        raise ValueError(f"opponents: {len(opponents)}; expected {count}, one for each other seat")
    return list(opponents)


def as_player(opponent: Opponent) -> Player:
    """Return a player for what was given as one.

    Raises:
        ValueError: it is none.
    """
    if isinstance(opponent, str):
        return make_player(opponent)
    if callable(getattr(opponent, "act", None)):
        return cast(Player, opponent)
    if callable(opponent):
        return FunctionPlayer(opponent)
    raise ValueError(f"opponent {opponent!r}; expected a player code, a Player or a function of a View")


def player_seeds(deal: int, count: int) -> list[int]:
    """Return the seeds of the players of a game, from the seed of the game."""
    return [int(seed) for seed in np.random.SeedSequence(deal).generate_state(count, np.uint64)]


# ------------------------------------------------------------------ many games at once
# `behind` is how many places clockwise behind its learner a seat sits, 0 for the learner itself.


class Group(Protocol):
    """The seats of one kind of player, in all games."""

    own: NDArray[np.bool_]
    """Whether a seat is of this group, at the index of its place behind the learner, (players,)."""

    def reset(self, game: int, behind: int, seed: int) -> None:
        """Begin a game at one of the group's seats."""

    def act(self, states: NDArray[np.int8], learners: NDArray[np.int64], waiting: NDArray[np.int64]) -> None:
        """Act at least once in each of the games `waiting`, in which a seat of the group is to move."""


class CompiledGroup:
    """Seats played by a compiled loop, until nobody of the group is to move in any game."""

    def __init__(self, loop: Callable[..., None], ahead: int, own: NDArray[np.bool_], num_games: int) -> None:
        self.own = own
        self._loop = loop
        self._ahead = ahead
        self._words = np.zeros((num_games, len(own), 4), np.uint32)

    def reset(self, game: int, behind: int, seed: int) -> None:
        """See `Group`."""
        seed_player(self._words[game, behind], *split_seed(seed))

    def act(self, states: NDArray[np.int8], learners: NDArray[np.int64], waiting: NDArray[np.int64]) -> None:
        """See `Group`."""
        in_parallel(partial(self._loop, states, learners, self.own, self._words, waiting), len(waiting), self._ahead)


class PolicyGroup:
    """Seats played by one policy, which acts on all games that wait for it at once."""

    def __init__(self, policy: Any, hide_captures: bool, own: NDArray[np.bool_]) -> None:
        self.own = own
        self._policy = policy
        self._hide_captures = hide_captures

    def reset(self, game: int, behind: int, seed: int) -> None:
        """A policy that plays what it thinks best draws nothing."""

    def act(self, states: NDArray[np.int8], learners: NDArray[np.int64], waiting: NDArray[np.int64]) -> None:
        """See `Group`."""
        movers = states[:, _MOVER].astype(np.int64)
        observations, masks = look(states, movers, waiting, len(self.own), self._hide_captures)
        actions = np.asarray(self._policy.act_batch(observations, masks))
        known = actions.clip(0, masks.shape[1] - 1)
        wrong = (known != actions) | (masks[np.arange(len(waiting)), known] == 0)
        if wrong.any():
            at = int(wrong.argmax())
            raise IllegalActionError(f"game {waiting[at]}: the opponent at seat {movers[waiting[at]]}: {actions[at]}")
        apply_all(states, waiting, actions)


class PlayerGroup:
    """Seats played by any players, game by game; each game has copies of its own."""

    def __init__(self, players: Sequence[Player], hide_captures: bool, own: NDArray[np.bool_], num_games: int) -> None:
        self.own = own
        self._hide_captures = hide_captures
        seated = [player if own[behind] else None for behind, player in enumerate(players, 1)]
        # A player who sits at several seats of one game is one in its copies too.
        self._players: list[list[Any]] = [copy.deepcopy(seated) for _ in range(num_games)]

    def reset(self, game: int, behind: int, seed: int) -> None:
        """See `Group`."""
        self._players[game][behind - 1].reset(seed)

    def act(self, states: NDArray[np.int8], learners: NDArray[np.int64], waiting: NDArray[np.int64]) -> None:
        """See `Group`."""
        for i in waiting.tolist():
            game = Game.from_state(states[i].copy())
            seat = game.current_player
            player = self._players[i][(seat - learners[i]) % len(self.own) - 1]
            try:
                game.apply(player.act(View(game, seat, self._hide_captures)))
            except IllegalActionError as error:
                raise IllegalActionError(f"game {i}: the opponent at seat {seat}: {error}") from None
            states[i] = game.state


class Opponents:
    """The players of all seats but the learner's, in a number of games.

    Args:
        given: what was given as players, one for each other seat, clockwise behind the learner.
        players: the same as players.
        hide_captures: whether the players' observations hide the others' captures.
        num_games: the number of games.
    """

    def __init__(
        self, given: Sequence[Opponent], players: Sequence[Player], hide_captures: bool, num_games: int
    ) -> None:
        self._players = len(given) + 1
        kinds = [_kind(opponent, player) for opponent, player in zip(given, players, strict=True)]
        self._groups: list[Group] = []
        for kind in dict.fromkeys(kinds):
            own = np.array([False, *(other == kind for other in kinds)])
            if kind == "random":
                self._groups.append(CompiledGroup(_play_random, _GAMES_AHEAD, own, num_games))
            elif kind == "greedy":
                self._groups.append(CompiledGroup(_play_greedily, _GREEDY_AHEAD, own, num_games))
            elif kind == "any":
                self._groups.append(PlayerGroup(players, hide_captures, own, num_games))
            else:
                self._groups.append(PolicyGroup(players[kinds.index(kind)], hide_captures, own))

    def reset(self, game: int, deal: int) -> None:
        """Begin a game that was dealt from a seed."""
        for behind, seed in enumerate(player_seeds(deal, self._players - 1), 1):
            for group in self._groups:
                if group.own[behind]:
                    group.reset(game, behind, seed)

    def play_on(self, states: NDArray[np.int8], learners: NDArray[np.int64]) -> None:
        """Play in each game until its learner is to move or it is over."""
        while True:
            movers = states[:, _MOVER]
            behind = np.where(movers == NOBODY, 0, (movers - learners) % self._players)
            if not behind.any():
                return
            for group in self._groups:
                waiting = np.flatnonzero(group.own[behind])
                if len(waiting):
                    group.act(states, learners, waiting)


def _kind(given: Opponent, player: Player) -> str:
    """Return the kind of a player; those of one kind make one group."""
    if isinstance(given, str) and given in ("random", "greedy"):
        return given
    if hasattr(player, "act_batch") and getattr(player, "deterministic", False):
        return str(given) if isinstance(given, str) else f"policy {id(given)}"
    return "any"


def look(
    states: NDArray[np.int8],
    seats: NDArray[np.int64],
    games: NDArray[np.int64],
    players: int,
    hide_captures: bool,
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return new arrays of what a seat sees in each of some games, (G, n), and of the legal actions, (G, num_actions).

    Args:
        states: all games, (B, STATE_SIZE).
        seats: the seat that looks in each of them, (B,).
        games: which games, (G,).
        players: the number of players.
        hide_captures: hide the others' captures.
    """
    observations = np.empty((len(games), size(players)), np.int8)
    masks = np.empty((len(games), int(NUM_ACTIONS[players])), np.int8)
    in_parallel(partial(_look_part, states, seats, games, hide_captures, observations, masks), len(games), _GAMES_AHEAD)
    return observations, masks


# ------------------------------------------------------------------ compiled loops


@compiled
def _seat_behind(game, learner):
    """Return how many places behind the learner the mover sits, 0 for the learner and when the game is over."""
    return 0 if game.mover == NOBODY else (game.mover - learner) % game.players


@entry_point
def _play_random(states, learners, own, words, waiting, first, last):
    for i in waiting[first:last]:
        game = record(states[i])
        mask = np.empty(NUM_ACTIONS[game.players], np.int8)
        behind = _seat_behind(game, learners[i])
        while own[behind]:
            legal = mask_of_state(states[i], mask)
            apply_to_state(states[i], choose_any(mask, legal, words[i, behind]))
            behind = _seat_behind(game, learners[i])


def _play_greedily(
    states: NDArray[np.int8],
    learners: NDArray[np.int64],
    own: NDArray[np.bool_],
    words: NDArray[np.uint32],
    waiting: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    _play_greedy_part(states, learners, own, words, waiting, new_scratch(), first, last)


@entry_point
def _play_greedy_part(states, learners, own, words, waiting, scratch, first, last):
    for i in waiting[first:last]:
        game = record(states[i])
        behind = _seat_behind(game, learners[i])
        while own[behind]:
            apply_to_state(states[i], choose(states[i], scratch, words[i, behind]))
            behind = _seat_behind(game, learners[i])


@entry_point
def _look_part(states, seats, games, hide_captures, observations, masks, first, last):
    for row in range(first, last):
        state = states[games[row]]
        encode_state(state, seats[games[row]], hide_captures, observations[row])
        mask_of_state(state, masks[row])


@entry_point
def apply_all(states, games, actions):
    """Play one legal action in each of some games."""
    for row in range(len(games)):
        apply_to_state(states[games[row]], actions[row])
