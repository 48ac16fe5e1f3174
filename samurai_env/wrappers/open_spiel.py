"""Samurai as a game of OpenSpiel: importing this registers `python_samurai`. Needs open_spiel.

    import pyspiel
    import samurai_env.wrappers.open_spiel

    game = pyspiel.load_game("python_samurai(players=3,figures=random)")

Chance draws the tiles after a turn, one at a time; with hands=random those of the first hands too, and with
figures=random it sets the figures up. All rules are those of `samurai_env.rules`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from samurai_env.checks import choice
from samurai_env.observation import Segment, layout, observe_unchecked
from samurai_env.rules import Game, actions
from samurai_env.rules.board import SUPPLY
from samurai_env.rules.chance import ChanceGame
from samurai_env.rules.scoring import REWARDS
from samurai_env.rules.tiles import HAND_SIZE, KINDS, NUM_FIGURES, NUM_KINDS, TILES_A_SEAT
from samurai_env.wrappers.histories import draw_past

DEFAULTS: dict[str, Any] = {
    "players": 2,
    "hands": "choose",
    "figures": "draft",
    "captures": "immediate",
    "reward": "winner",
}

GAME_TYPE = pyspiel.GameType(
    short_name="python_samurai",
    long_name="Samurai",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=DEFAULTS,
)


def longest_game(players: int, hands: str, figures: str) -> tuple[int, int]:
    """Return bounds on the number of decisions and on that of chance's actions in a game."""
    choices = HAND_SIZE * players
    placements = NUM_FIGURES * int(SUPPLY[players]) - NUM_FIGURES  # Edo has its figures
    # Each tile may be a turn of its own that is ended; either exchange takes one action more.
    decisions = (2 * TILES_A_SEAT + 2) * players
    draws = (TILES_A_SEAT - HAND_SIZE) * players
    for is_random, number in ((hands == "random", choices), (figures == "random", placements)):
        decisions += 0 if is_random else number
        draws += number if is_random else 0
    return decisions, draws


def game_info(players: int, hands: str, figures: str, reward: str) -> pyspiel.GameInfo:
    """Return OpenSpiel's numbers of a game."""
    return pyspiel.GameInfo(
        num_distinct_actions=int(actions.NUM_ACTIONS[players]),
        max_chance_outcomes=int(actions.LAY[players]) if figures == "random" else NUM_KINDS,
        num_players=players,
        min_utility=-1.0 if reward == "place" else -1.0 / (players - 1),
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=longest_game(players, hands, figures)[0],
    )


class SamuraiGame(pyspiel.Game):
    """The game of OpenSpiel; its parameters are `players`, `hands`, `figures`, `captures` and `reward`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        options = DEFAULTS | (params or {})
        self.reward = choice("reward", options.pop("reward"), REWARDS)
        self.beginning = ChanceGame(**options)
        players, hands, figures = options["players"], options["hands"], options["figures"]
        self.players = players
        self.most_events = sum(longest_game(players, hands, figures))
        super().__init__(GAME_TYPE, game_info(players, hands, figures, self.reward), params or {})

    def new_initial_state(self) -> SamuraiState:
        """Return the state in which a game begins."""
        return SamuraiState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SamuraiObserver:
        """Return what writes the observations, or the information states where `iig_obs_type` asks for them."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return SamuraiObserver(self.players, self.most_events, kind, params)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the number of chance's actions in a game."""
        return self.most_events - self.max_game_length()


class SamuraiState(pyspiel.State):
    """A state of OpenSpiel: the game, and what each player has seen of it."""

    def __init__(self, game: SamuraiGame) -> None:
        super().__init__(game)
        self._reward = game.reward
        self.rules = game.beginning.clone()
        # Texts and bytes, since OpenSpiel copies what a state holds again and again.
        self.seen = [""] * game.players
        self.events = b""

    # -------------------------------------------------------------- the game

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number of chance or of the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.rules.is_chance else self.rules.game.current_player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.rules.game.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return self.rules.legal_actions().tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do, with the probabilities."""
        outcomes, probabilities = self.rules.outcomes()
        return list(zip(outcomes.tolist(), probabilities.tolist(), strict=True))

    def _apply_action(self, action: int) -> None:
        seat = self.rules.game.current_player
        text = self._action_to_string(self.current_player(), action)
        # Who places figures at random makes no difference.
        actor = -1 if self.rules.is_chance and not actions.is_secret(action) else seat
        for player in range(len(self.seen)):
            is_seen = player == seat or not actions.is_secret(action)
            self.seen[player] += f"{actor}: {text if is_seen else text.split()[0]}\n"
        self.events += np.array([actor + 1, action + 1], "<i2").tobytes()
        self.rules.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if actions.is_secret(action) and player == pyspiel.PlayerId.CHANCE:
            return f"draw {KINDS[action]}"
        return self.rules.game.action_to_string(action)

    def returns(self) -> list[float]:
        """Return the reward of each player, zeros while the game runs."""
        return self.rules.game.returns(self._reward).tolist()

    def __str__(self) -> str:
        return json.dumps(_shown_position(self.rules.game))

    # -------------------------------------------------------------- what is not known

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SamuraiState:
        """Return a state that `player` cannot tell from this one, what it has not seen drawn anew.

        Args:
            player: the player.
            sampler: returns random numbers in [0, 1).
        """
        generator = np.random.default_rng(int(sampler() * 2**53))
        game = self.get_game()
        state = game.new_initial_state()
        for action in draw_past(state.rules, self.history(), player, generator):
            state.apply_action(action)
        return state


class SamuraiObserver:
    """What a player sees, as OpenSpiel's tensors and texts.

    The observation is `samurai_env.observation` by its segments, with the observer's seat before it. The
    information state has the history too, two rows: for each action the seat + 1 (0 for figures that chance
    places), and the id + 1 (0 where the player could not see which tile was taken).

    Args:
        players: the number of players.
        most_events: the most actions in a game, those of chance included.
        kind: OpenSpiel's description of what is to be observed.
        params: none are known.

    Raises:
        ValueError: there are parameters, or the private information of all players is asked for.
    """

    def __init__(self, players: int, most_events: int, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters: {params}; expected none")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observation: the private information of all players; expected that of one, or none")
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._is_public = kind.public_info
        self._recalls = kind.perfect_recall
        self._segments = [part for part in layout(players) if self._shows(part)]
        sizes = {"observer": (players,), **{part.name: _shape(part) for part in self._segments}}
        if self._recalls:
            sizes["history"] = (2, most_events)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in sizes.values()), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        at = 0
        for name, shape in sizes.items():
            self.dict[name] = self.tensor[at : at + int(np.prod(shape))].reshape(shape)
            at += self.dict[name].size

    def _shows(self, part: Segment) -> bool:
        return self._is_private if part.name == "hand" else self._is_public

    def set_from(self, state: SamuraiState, player: int) -> None:
        """Write what `player` sees of a state into `tensor`, of which `dict` holds the parts."""
        flat = observe_unchecked(state.rules.game, player, False, "int8")
        self.dict["observer"][:] = np.arange(len(self.dict["observer"])) == player
        for part in self._segments:
            self.dict[part.name].reshape(-1)[:] = flat[part.start : part.start + part.size]
        if self._recalls:
            self._set_history(np.frombuffer(state.events, "<i2").reshape(-1, 2).T, player)

    def _set_history(self, events: NDArray[np.int16], player: int) -> None:
        is_seen = ~actions.is_secret(events[1] - 1) | ((events[0] - 1 == player) & self._is_private)
        history = self.dict["history"]
        history[:] = 0
        history[:, : events.shape[1]] = events
        history[1, : events.shape[1]] *= is_seen

    def string_from(self, state: SamuraiState, player: int) -> str:
        """Return what `player` sees of a state as text."""
        if self._recalls and self._is_private and self._is_public:
            return f"seat {player}\n{state.seen[player]}to move: {state.current_player()}"
        return json.dumps(self._position(state, player))

    def _position(self, state: SamuraiState, player: int) -> dict[str, Any]:
        """Return what is to be shown of the position, in the form of `Game.to_dict`."""
        position = _shown_position(state.rules.game)
        hands = position.pop("hands")
        private = {"seat": player, "hand": hands[player]} if self._is_private else {}
        return private | (position if self._is_public else {})


def _shown_position(game: Game) -> dict[str, Any]:
    """Return a position without the options and the generator; of the stocks only what is public."""
    position = game.to_dict()
    for name in ("players", "captures", "setup", "seed", "generator"):
        del position[name]
    stocks = position.pop("stocks")
    both = zip(position["hands"], stocks, strict=True)
    position["left"] = [sorted(hand + stock, key=KINDS.index) for hand, stock in both]
    position["hand_sizes"] = [len(hand) for hand in position["hands"]]
    return position


def _shape(part: Segment) -> tuple[int, ...]:
    """Return the shape in which a segment of the flat observation is stored."""
    features = len(part.features)
    if part.rows == 1:
        return (features,)
    return (features, part.rows) if part.by_feature else (part.rows, features)


pyspiel.register_game(GAME_TYPE, SamuraiGame)
