"""Stable-Baselines3: sb3-contrib's MaskablePPO for one learner a game against the greedy player."""

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from samurai_env.wrappers.sb3 import SB3VecEnv

env = VecMonitor(SB3VecEnv(8, players=2, opponents="greedy"))
model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=2, seed=0)
model.learn(1500)
returns = [episode["r"] for episode in model.ep_info_buffer]
print("games", len(returns), "mean return", round(sum(returns) / len(returns), 2))
