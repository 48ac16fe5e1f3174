"""RLlib: PPO with masked actions for all seats, through RLlib's own PettingZoo adapter."""

import ray
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import samurai_env


class RLlibNames(BaseWrapper):
    """RLlib's masking module looks for "observations", and takes the logarithm of a float mask."""

    def observation_space(self, agent):
        own = self.env.observation_space(agent)
        mask = spaces.Box(0.0, 1.0, own["action_mask"].shape)
        return spaces.Dict({"action_mask": mask, "observations": own["observation"]})

    def observe(self, agent):
        own = self.env.observe(agent)
        return {"action_mask": own["action_mask"].astype("float32"), "observations": own["observation"]}


register_env("samurai", lambda _: PettingZooEnv(RLlibNames(samurai_env.env(players=2, obs_dtype="float32"))))
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
config = (
    PPOConfig()
    .environment("samurai", disable_env_checking=True)  # the check plays actions that are not legal
    .env_runners(num_env_runners=0)
    .multi_agent(policies={"all_seats"}, policy_mapping_fn=lambda agent, episode: "all_seats")
    .training(train_batch_size_per_learner=500, minibatch_size=128, num_epochs=1)
    .rl_module(
        rl_module_spec=MultiRLModuleSpec(
            rl_module_specs={
                "all_seats": RLModuleSpec(
                    module_class=ActionMaskingTorchRLModule,
                    model_config=DefaultModelConfig(fcnet_hiddens=[64, 64]),
                )
            }
        )
    )
    .debugging(seed=0)
)
algorithm = config.build_algo()
for iteration in range(2):
    result = algorithm.train()
    runners = result["env_runners"]
    print("iteration", iteration, "decisions", runners["num_env_steps_sampled"], "games", runners["num_episodes"])
algorithm.stop()
ray.shutdown()
