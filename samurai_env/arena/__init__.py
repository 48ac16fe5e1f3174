"""Games between players: one game, one player against others, and whole tournaments."""

from samurai_env.arena.games import Outcome, evaluate, play, wilson
from samurai_env.arena.plan import Plan
from samurai_env.arena.round_robin import tournament
from samurai_env.arena.standings import Results, Standing

__all__ = ["Outcome", "Plan", "Results", "Standing", "evaluate", "play", "tournament", "wilson"]
