"""The same game with its draws made from outside, one at a time: what a game tree with chance nodes is made of."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import compiled, entry_point
from samurai_env.rules.actions import END
from samurai_env.rules.entry import apply_to_state, seed_state
from samurai_env.rules.game import Game, IllegalActionError, game_options
from samurai_env.rules.hands import take
from samurai_env.rules.legal import can_play, can_play_any
from samurai_env.rules.state import OVER, PHASES, PLAY, fields, new_state, record
from samurai_env.rules.tiles import HAND_SIZE, NUM_KINDS
from samurai_env.rules.turn import close_turn, decide, in_exchange, next_turn, settle


class ChanceGame:
    """A game that stops wherever `Game` would draw from its generator, and waits to be told what comes.

    Chance draws the tiles after a turn, and those of random first hands, one at a time; a drawn tile is named by
    its kind, which is also the id of `hold KIND`. It places the figures of a random set-up by the ids of
    `place TYPE@Q,R`. All other actions are those of the seats.

    Args:
        players, hands, figures, captures: as in `Game`.

    Raises:
        ValueError: an option is none of its values.
    """

    __slots__ = ("_chance_phases", "game", "is_drawing")

    game: Game
    """The game as it stands, with every hand; it is never changed, each action makes a new one. Where chance draws
    after a turn, that turn's seat is still the mover."""
    is_drawing: bool
    """Whether tiles are being drawn after a turn."""

    def __init__(
        self, players: int = 2, hands: str = "choose", figures: str = "draft", captures: str = "immediate"
    ) -> None:
        options = game_options(players, hands, figures, captures)
        # To the rules all is chosen and drafted, so that they draw nothing; here chance makes the choices.
        state = new_state(options["players"], "choose", "draft", captures)
        seed_state(state, 0, 0)
        self.game = Game.from_state(state)
        self.is_drawing = False
        random = {"hands": hands == "random", "figures": figures == "random"}
        self._chance_phases = tuple(phase for phase in PHASES if random.get(phase))

    @property
    def is_chance(self) -> bool:
        """Whether chance acts next."""
        return self.is_drawing or self.game.phase in self._chance_phases

    def legal_actions(self) -> np.ndarray:
        """Return the legal ids of the mover or of chance, ascending, int64."""
        return self._stock().nonzero()[0] if self.is_drawing else self.game.legal_actions()

    def outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what chance may do, ids ascending, and how probable each is, float64; all tiles are equally so."""
        actions = self.legal_actions()
        is_tile = self.is_drawing or self.game.phase == "hands"
        weights = self._stock()[actions] if is_tile else np.ones(len(actions))
        return actions, weights / weights.sum()

    def _stock(self) -> np.ndarray:
        game = fields(self.game.state)
        return game.stocks[game.mover].astype(np.int64)

    def apply(self, action: int) -> None:
        """Play one action of the mover or of chance, and all that follows without a decision or a draw.

        Raises:
            IllegalActionError: the action is not legal now; nothing has changed.
        """
        if action not in self.legal_actions():
            whose = "chance" if self.is_chance else f"seat {self.game.current_player}"
            raise IllegalActionError(f"action: {action!r}; not legal now for {whose}")
        state = self.game.state.copy()
        if self.is_drawing:
            self.is_drawing = bool(draw_in_state(state, action))
        elif self.game.phase == "play":
            self.is_drawing = bool(play_up_to_draw(state, action))
        else:
            apply_to_state(state, action)
        self.game = Game.from_state(state)

    def clone(self) -> ChanceGame:
        """Return an independent copy."""
        other = ChanceGame.__new__(ChanceGame)
        other.game, other.is_drawing, other._chance_phases = self.game, self.is_drawing, self._chance_phases
        return other

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, object]) -> ChanceGame:
        return self.clone()


@entry_point
def play_up_to_draw(state, action):
    """Play one legal action of `play`, and stop before the hand is refilled; return whether it has to be."""
    game = record(state)
    if action != END[game.players]:
        decide(game, action)
        if in_exchange(game) or can_play_any(game):
            return False
    close_turn(game)
    return game.phase != OVER and wants_tile(game)


@entry_point
def draw_in_state(state, kind):
    """Draw a tile of a kind after the mover's turn; return whether he draws another."""
    game = record(state)
    take(game, game.mover, kind)
    return wants_tile(game)


@compiled
def wants_tile(game):
    """Whether the mover, whose turn is over, draws a tile. If not, go on to the next decision."""
    if game.hand_sizes[game.mover] < HAND_SIZE and game.stock_sizes[game.mover] > 0:
        return True
    next_turn(game)
    settle(game)
    return False


@entry_point
def playable_kinds(state, seat, playable):
    """Write which kinds `seat` could play now, were it to move and had one of each; bool of shape (17,).

    The state is changed.
    """
    game = record(state)
    game.mover = seat
    for kind in range(NUM_KINDS):
        game.hands[seat, kind] = 1
        playable[kind] = game.phase == PLAY and can_play(game, kind)


@entry_point
def decide_in_state(state, action):
    """Play one legal action and nothing that follows by itself; return whether an exchange is under way."""
    game = record(state)
    if action != END[game.players]:
        decide(game, action)
    return in_exchange(game)
