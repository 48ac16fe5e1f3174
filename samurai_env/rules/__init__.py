"""The rules of Samurai, exact and compiled.

Where what stands: `board` (the drawn map), `tiles`, `actions` (ids and texts), `state` (the record that is
one game), `setup` (first hands, draft), `turn` (the course of a game), `placement`, `exchange` (the two
exchange tiles), `capture`, `hands` (drawing tiles), `legal` (what can be played, the mask), `scoring`,
`determinize`, `position` (JSON), `game` (the class `Game`), `chance` (the same with its draws made from outside).
"""

from samurai_env.rules.game import Game, IllegalActionError
from samurai_env.rules.scoring import Score, score

__all__ = ["Game", "IllegalActionError", "Score", "score"]
