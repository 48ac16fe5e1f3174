"""Compile everything that the tests run, once, before their processes start."""

import samurai_env
from samurai_env.agents import make_player
from samurai_env.arena import play
from samurai_env.rules import Game
from samurai_env.wrappers import SingleAgentVectorEnv

vec = samurai_env.make_vec(1, seed=0)
vec.step(vec.sample_actions())
play(Game(2, seed=0), [make_player("greedy"), make_player("random")]).determinize(0, seed=0)
play(Game(2, seed=0), [make_player("search:2"), make_player("random")])
games = SingleAgentVectorEnv(1, players=3, opponents=["greedy", "random"])
games.step(games.reset(seed=0)[1]["action_mask"].argmax(1))
