"""A trained policy as a player. Importing this needs torch (the extra `train`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from samurai_env.agents.base import View
from samurai_env.agents.networks import Network
from samurai_env.agents.potential import share_of
from samurai_env.agents.search import Positions
from samurai_env.checks import choice, number
from samurai_env.files import write_whole
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.board import PLAYER_COUNTS

PRETRAINED = Path(__file__).parent / "policies"  # N_players.pt for each number of players
FORMAT = "samurai_env policy"
VERSION = 6
# Logits that differ by less are equal: those of figure types that are alike in a position differ by rounding, in a
# large batch otherwise than in a small one.
EQUAL = 1e-4
ALMOST_NOTHING = 1e-6


class PolicyPlayer:
    """Plays what a network thinks best, or samples from its policy; it sees the observation and the mask only.

    Args:
        network: the network, for as many players as the games have.
        deterministic: play the most probable action instead of sampling.
    """

    def __init__(self, network: Network, deterministic: bool = True) -> None:
        self.network = network.eval()
        self.deterministic = deterministic
        self.reset(0)

    @property
    def players(self) -> int:
        """The number of players it plays with."""
        return self.network.players

    def network_for(self, players: int) -> Network:
        """Return its network, for games of as many players as it was trained for.

        Raises:
            ValueError: that is another number.
        """
        if players != self.players:
            raise ValueError(f"policy for {self.players} players in a game of {players}")
        return self.network

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        self.generator = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return an action for the seat of `view`.

        Raises:
            ValueError: the game has another number of players than the policy.
        """
        self.network_for(view.players)
        return int(self.act_batch(view.observation[None], view.action_mask[None])[0])

    @torch.no_grad()
    def act_batch(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return an action for each of B seats to move, int64 of shape (B,).

        Args:
            observations: int8, (B, n), as `make_vec(...).observations`.
            masks: int8, (B, num_actions), as `make_vec(...).action_masks`.
        """
        device = self.network.scale.device
        logits, _ = self.network(torch.as_tensor(observations, device=device))
        scores = logits.double().cpu().numpy()
        if not self.deterministic:
            # The largest of logits with Gumbel noise is a sample of their softmax.
            scores = scores + self.generator.gumbel(size=scores.shape)
        scores = np.where(masks != 0, scores, -np.inf)
        if self.deterministic:
            scores = scores >= scores.max(-1, keepdims=True) - EQUAL
        return scores.argmax(-1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a file that `load` reads."""
        save_network(self.network, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], deterministic: bool = True, device: str = "cpu") -> PolicyPlayer:
        """Return the policy of a file.

        Raises:
            ValueError: the file is missing, damaged or no policy of this package.
        """
        return cls(load_network(path).to(device), deterministic)


class PolicyJudge:
    """Judges the leaves of a search by a trained policy.

    How likely it plays each action is the prior. Its value is the share of the victory of the seat to move, the only
    seat that values are learned for; the others share the rest as in the eyes of the search player.

    Args:
        policy: the policy. Its values must be of the reward "winner", which is the share of the victory.
        temperature: the policy's logits are divided by it.
    """

    def __init__(self, policy: PolicyPlayer | PretrainedPlayer, temperature: float = 1.0) -> None:
        self.policy = policy
        self.temperature = number("temperature", temperature, 1e-3, 1e3)

    @torch.no_grad()
    def judge(self, positions: Positions) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Judge L positions; see `samurai_env.agents.search.Judge`.

        Raises:
            ValueError: the policy is for another number of players, or its values of another reward.
        """
        players = positions.shares.shape[-1]
        network = self.policy.network_for(players)
        if network.reward != "winner":
            raise ValueError(f"policy with values of the reward {network.reward!r}; expected 'winner' to judge by")
        logits, values = network(torch.as_tensor(positions.observations, device=network.scale.device))
        legal = torch.from_numpy(positions.action_masks) != 0
        prior = (logits.cpu() / self.temperature).masked_fill(~legal, -torch.inf).softmax(-1)
        at = np.arange(len(values)), positions.seats
        shares = positions.shares.copy()
        potential = network.potential.of(positions.observations, shares[at], players)
        own = share_of(values.cpu().numpy() + potential, players).clip(0, 1)
        shares += ALMOST_NOTHING  # the rest is somebody's also where nobody else expects anything
        shares[at] = 0
        shares *= ((1 - own) / shares.sum(-1))[:, None]
        shares[at] = own
        return prior.numpy(), shares


class PretrainedPlayer:
    """The trained policies that come with the package: in each game that for its number of players."""

    def __init__(self) -> None:
        self._policies: dict[int, PolicyPlayer] = {}

    def reset(self, seed: int) -> None:
        """Begin a game; nothing is drawn."""

    def act(self, view: View) -> int:
        """Return an action for the seat of `view`."""
        return self._policy(view.players).act(view)

    def act_batch(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return an action for each of B seats to move; see `PolicyPlayer.act_batch`."""
        return self._policy(NUM_ACTIONS.tolist().index(masks.shape[-1])).act_batch(observations, masks)

    def network_for(self, players: int) -> Network:
        """Return the network for games of so many players."""
        return self._policy(players).network

    def _policy(self, players: int) -> PolicyPlayer:
        if players not in self._policies:
            self._policies[players] = load_pretrained(players)
        return self._policies[players]


def load_pretrained(players: int) -> PolicyPlayer:
    """Return the trained policy that comes with the package; see `samurai_env.agents.pretrained`."""
    players = choice("players", players, PLAYER_COUNTS)
    return PolicyPlayer.load(PRETRAINED / f"{players}_players.pt")


def save_network(network: Network, path: str | os.PathLike[str]) -> None:
    """Write a network to a file, whole or not at all."""
    weights = {name: tensor.cpu() for name, tensor in network.state_dict().items()}
    content = {"format": FORMAT, "version": VERSION, "network": network.settings, "weights": weights}
    write_whole(path, lambda file: torch.save(content, file))


def load_network(path: str | os.PathLike[str]) -> Network:
    """Return the network of a file.

    Raises:
        ValueError: the file is missing, damaged or no policy of this package.
    """
    expected = "expected a policy file that training/selfplay.py wrote"
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise ValueError(f"policy {str(path)!r}: {error.strerror or error}; {expected}") from None
    except Exception:  # torch raises many kinds for a file that is not its own
        raise ValueError(f"policy {str(path)!r}: not readable by torch; {expected}") from None
    if not isinstance(content, dict) or (content.get("format"), content.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"policy {str(path)!r}: not of this format or version; {expected}")
    try:
        network = Network(**content["network"])
        network.load_state_dict(content["weights"])
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise ValueError(f"policy {str(path)!r}: {str(error).partition(chr(10))[0]}; {expected}") from None
    return network
