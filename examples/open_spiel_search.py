"""OpenSpiel: its information-set tree search plays a game of Samurai against a random bot."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import samurai_env.wrappers.open_spiel  # registers python_samurai

game = pyspiel.load_game("python_samurai(players=2,hands=random,figures=random)")
random = np.random.RandomState(0)
rollouts = mcts.RandomRolloutEvaluator(1, random)
search = ismcts.ISMCTSBot(game, rollouts, uct_c=2.0, max_simulations=10, random_state=random)
# By itself the search draws the hands it cannot see from a generator without a seed.
search.set_resampler(lambda state, player: state.resample_from_infostate(player, random.uniform))
bots = [search, pyspiel.make_uniform_random_bot(1, 0)]
state = game.new_initial_state()
while not state.is_terminal():
    if state.is_chance_node():
        outcomes, probabilities = zip(*state.chance_outcomes())
        state.apply_action(random.choice(outcomes, p=probabilities))
    else:
        state.apply_action(bots[state.current_player()].step(state))
print("decisions and draws", len(state.history()), "returns", state.returns())
