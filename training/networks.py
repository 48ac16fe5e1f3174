"""The networks of `samurai_env.agents.networks` as a policy of sb3-contrib's MaskablePPO."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical, MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from samurai_env.agents.networks import Network

_ILLEGAL = -1e8  # as a logit: a probability of exactly 0, and finite gradients
_PART = 256  # decisions whose states, forwards and backwards, stay in a core's own cache


def masked_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Return the logarithms of the probabilities, (B, num_actions), of which only legal actions have any."""
    return torch.log_softmax(logits.masked_fill(masks == 0, _ILLEGAL), -1)


def sample(log_probs: Tensor) -> Tensor:
    """Return an action drawn from each row, (B,), from torch's generator.

    One number a row is drawn, below 1 also after rounding: the first action at which the sum of the probabilities
    exceeds it has a probability above 0. `torch.multinomial` takes several times as long.
    """
    sums = torch.softmax(log_probs, -1).cumsum(-1, dtype=torch.float64)
    drawn = torch.rand(len(sums), 1, dtype=torch.float64, device=sums.device) * sums[:, -1:]
    return torch.searchsorted(sums, drawn, right=True).squeeze(-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Return the entropy of each row, (B,)."""
    # The probabilities once more by softmax: `exp` takes ten times as long where they are 0.
    return -(torch.softmax(log_probs, -1) * log_probs).sum(-1)


class NetworkHead(nn.Module):
    """What SB3 calls the extractor: here the whole network, logits and value."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, num_actions) and values (B, 1)."""
        logits, values = self.network(features)
        return logits, values.unsqueeze(-1)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return the logits, (B, num_actions)."""
        return self(features)[0]

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return the values, (B, 1)."""
        return self(features)[1]


class NetworkPolicy(MaskableActorCriticPolicy):
    """A maskable policy whose logits and values are those of a `Network`.

    Args:
        args: the spaces and the schedule, as SB3 gives them.
        network: the arguments of `Network`.
        kwargs: the other arguments of the policy, as SB3 gives them.
    """

    def __init__(self, *args: Any, network: dict[str, Any], **kwargs: Any) -> None:
        self._network_settings = network
        super().__init__(*args, **kwargs)

    @property
    def network(self) -> Network:
        """The network that is trained."""
        return self.mlp_extractor.network  # type: ignore[return-value]

    def _build(self, lr_schedule: Any) -> None:
        self.mlp_extractor = NetworkHead(Network(**self._network_settings))  # type: ignore[assignment]
        self.action_net = nn.Identity()  # type: ignore[assignment]
        self.value_net = nn.Identity()  # type: ignore[assignment]
        arguments: dict[str, Any] = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer = self.optimizer_class(self.parameters(), **arguments)

    def forward(  # type: ignore[override]
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions (B,), values (B, 1) and the logarithms of their probabilities (B,); masks are needed."""
        logits, values = self.network(obs)
        log_probs = masked_log_probs(logits, torch.as_tensor(action_masks, device=logits.device))
        actions = log_probs.argmax(-1) if deterministic else sample(log_probs)
        return actions, values.unsqueeze(-1), log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def evaluate_actions(  # type: ignore[override]
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values (B, 1), logarithms of the actions' probabilities (B,) and entropies (B,); masks are needed."""
        parts = zip(obs.split(_PART), actions.long().split(_PART), action_masks.split(_PART), strict=True)
        values, log_probs, entropies = map(torch.cat, zip(*(self._evaluate(*part) for part in parts), strict=True))
        return values.unsqueeze(-1), log_probs, entropies

    def judge(self, obs: Tensor, action_masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return values (B,) and the logarithms of the probabilities of all actions, (B, num_actions)."""
        parts = zip(obs.split(_PART), action_masks.split(_PART), strict=True)
        values, log_probs = map(torch.cat, zip(*(self._judge(*part) for part in parts), strict=True))
        return values, log_probs

    def _judge(self, obs: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.network(obs)
        return values, masked_log_probs(logits, masks)

    def _evaluate(self, obs: Tensor, actions: Tensor, masks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, log_probs = self._judge(obs, masks)
        return values, log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1), entropy(log_probs)

    def _get_action_dist_from_latent(self, latent_pi: Tensor) -> MaskableDistribution:
        # Without torch's checks of the arguments, which cost as much as the distribution.
        self.action_dist.distribution = MaskableCategorical(logits=latent_pi, validate_args=False)
        return self.action_dist

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "network": self._network_settings}
