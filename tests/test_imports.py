"""Importing is light, and the rules run as plain Python too."""

from __future__ import annotations

from test_state import run


def test_importing_loads_neither_torch_nor_a_display():
    program = """
import sys, time
began = time.process_time()
import samurai_env
import samurai_env.rules
samurai_env.env, samurai_env.make_vec, samurai_env.observation, samurai_env.arena.tournament
seconds = time.process_time() - began
loaded = {"torch", "pygame", "matplotlib", "stable_baselines3"} & set(sys.modules)
assert not loaded, loaded
print(seconds)
"""
    # The best of several, in time of the processor: other tests run at the same time.
    assert min(float(run(program, DISPLAY="")) for _ in range(5)) < 1


def test_the_rules_import_numpy_and_numba_only():
    program = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
import types
package = types.ModuleType("samurai_env")
package.__path__ = ["samurai_env"]
sys.modules["samurai_env"] = package
from samurai_env.rules import Game
game = Game(2, seed=0)
print(game.num_actions)
"""
    assert run(program) == "577\n"


PLAIN = """
import warnings
warnings.simplefilter("error")
import numpy as np
from samurai_env import make_vec
from samurai_env.agents import View
from samurai_env.agents.greedy import GreedyPlayer
from samurai_env.agents.search import SearchPlayer
from samurai_env.observation import observe
from samurai_env.rules import Game
texts = []
for options in ({"players": 2, "captures": "end_of_turn"}, {"players": 4, "hands": "random", "figures": "random"}):
    generator = np.random.default_rng(1)
    game = Game(seed=12345678901234567890, **options)
    while not game.is_over:
        game.apply(int(generator.choice(game.legal_actions())))
        texts.append(observe(game, 0).tolist())
    texts += [game.record(), game.places, game.returns("place").tolist(), game.determinize(0, 5).to_dict()]
vec = make_vec(3, players=3, seed=5)
for _ in range(60):
    vec.step(vec.sample_actions())
texts += [vec.observations.tolist(), vec.action_masks.tolist(), vec.game(0).to_dict()]
for game in (Game(2, seed=3, hands="random", figures="random"), Game(3, seed=3, captures="end_of_turn")):
    for player in (GreedyPlayer(), SearchPlayer(iterations=8), SearchPlayer(iterations=8, prior="uniform")):
        for _ in range(3):
            game.apply(player.act(View(game, game.current_player)))
    texts.append(game.record())
print(texts)
"""


def test_without_the_compiler_the_rules_give_the_same():
    plain = run(PLAIN, NUMBA_DISABLE_JIT="1")
    assert len(plain) > 10_000
    assert plain == run(PLAIN)
