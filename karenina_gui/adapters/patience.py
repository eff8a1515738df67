"""Waiting for unavailable models: how long a run may do so, and how long it has."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Waiting times of a run for its models, in seconds."""

    max_outage: float = math.inf
    """Longest outage; afterwards calls fail. 0: no waiting."""
    first_pause: float = 2.0
    """Pause before the first probe."""
    pause_factor: float = 2.0
    max_pause: float = 120.0
    """Longest pause between two probes."""
    account_pause: float = 300.0
    """Pause between two probes if the user has to act first."""
    min_failures: int = 3
    """Number of consecutive failures that make an outage."""
    max_lone_probes: int = 8
    """Number of probes after which a doubtful call fails if no other call waits for the model."""
    waits_for_untested_keys: bool = True
    """True: also wait for a model whose key is rejected before its first answer."""
    waits_here: bool = True
    """False: calls raise `ModelUnavailable` in place of waiting, for another process that waits."""


@dataclass
class WaitTotal:
    """Total time spent on waiting for unavailable models."""

    seconds: float = 0.0
