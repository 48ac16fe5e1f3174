"""The networks of `samurai_env.agents.networks` as a policy of sb3-contrib's MaskablePPO."""

from __future__ import annotations

from typing import Any

from sb3_contrib.common.maskable.distributions import MaskableCategorical, MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from samurai_env.agents.networks import Network


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

    def _get_action_dist_from_latent(self, latent_pi: Tensor) -> MaskableDistribution:
        # Without torch's checks of the arguments, which cost as much as the distribution.
        self.action_dist.distribution = MaskableCategorical(logits=latent_pi, validate_args=False)
        return self.action_dist

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "network": self._network_settings}
