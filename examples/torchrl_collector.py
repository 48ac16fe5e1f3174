"""TorchRL: a masked policy for all seats, and a collector of self-play."""

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor

import samurai_env

torch.manual_seed(0)
aec = samurai_env.env(players=2, obs_dtype="float32")
# One group: the seats share a network. use_mask=True says which of them acts.
env = PettingZooWrapper(aec, use_mask=True, group_map={"seats": aec.possible_agents}, seed=0)
actions = aec.action_space("player_0").n
network = TensorDictModule(
    MLP(in_features=709, out_features=int(actions), num_cells=[64]),
    in_keys=[("seats", "observation", "observation")],
    out_keys=[("seats", "logits")],
)
policy = ProbabilisticActor(
    network,
    in_keys={"logits": ("seats", "logits"), "mask": ("seats", "action_mask")},
    out_keys=[("seats", "action")],
    distribution_class=MaskedCategorical,
)
games = 0
for batch in Collector(env, policy, frames_per_batch=200, total_frames=600):
    acting = batch["seats", "mask"]
    legal = batch["seats", "action_mask"].gather(-1, batch["seats", "action"][..., None])[..., 0]
    assert (acting.sum(-1) == 1).all()
    assert legal[acting].all()
    ends = batch["next", "done"][:, 0]
    games += int(ends.sum())
    rewards = batch["next", "seats", "reward"][ends][..., 0]
    print("decisions", len(batch), "games", games, "final rewards", rewards.tolist())
