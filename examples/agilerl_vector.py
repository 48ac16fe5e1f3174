"""AgileRL: its vector of PettingZoo environments, which are parallel ones, by PettingZoo's conversion of turns."""

import numpy as np
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import samurai_env


def make_env():
    return turn_based_aec_to_parallel(samurai_env.env(players=2))


if __name__ == "__main__":
    envs = AsyncPettingZooVecEnv([make_env] * 2)
    random = np.random.default_rng(0)
    observations, infos = envs.reset(seed=0)
    games = 0
    for step in range(200):
        # The seat to move is the one whose mask is not empty; what the others say is not read.
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        actions = {
            agent: np.array([random.choice(np.flatnonzero(m)) if m.any() else 0 for m in mask])
            for agent, mask in masks.items()
        }
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        games += int(sum(terminations["player_0"]))
    envs.close()
    print("decisions", 200 * 2, "games", games)
