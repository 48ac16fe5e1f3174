"""AgileRL: PPO for one learner a game against random players; AgileRL takes the masks from the info."""

import gymnasium
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts

import samurai_env

torch.manual_seed(0)
env = gymnasium.make_vec(
    "samurai_env/Samurai-v0", num_envs=8, players=2, opponents="random", obs_dtype="float32", illegal="raise"
)
agent = PPO(env.single_observation_space, env.single_action_space, num_envs=8, learn_step=512, update_epochs=1)
last = {}
for iteration in range(3):
    returns, *state = collect_rollouts(agent, env, 64, **last)
    last = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), state))
    agent.learn()
    print("games", len(returns), "mean return", round(sum(returns) / len(returns), 2))
