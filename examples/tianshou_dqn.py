"""Tianshou: DQN at one seat, a random player at the other."""

import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

import samurai_env


def make_env():
    return PettingZooEnv(samurai_env.env(players=2, obs_dtype="float32"))


torch.manual_seed(0)
env = make_env()
network = Net(state_shape=709, action_shape=env.action_space.n, hidden_sizes=[64])
learner = DQN(
    policy=DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.1),
    optim=AdamOptimizerFactory(lr=1e-4),
    target_update_freq=100,
)
random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
agents = MultiAgentOffPolicyAlgorithm(algorithms=[learner, random], env=env)
envs = DummyVectorEnv([make_env] * 4)
buffer = VectorReplayBuffer(8000, 4)
collector = Collector(agents, envs, buffer, exploration_noise=True)
collector.reset()
for epoch in range(3):
    result = collector.collect(n_step=600)
    with policy_within_training_step(agents.policy):
        agents.update(buffer, sample_size=64)
    print("decisions", result.n_collected_steps, "games", result.n_collected_episodes)
