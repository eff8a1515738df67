"""Kinds of problems of a run, the bases of all cases."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Base of all cases. Two problems are equal if they are the same case with the same facts."""


class Obstacle(Problem):
    """Problem that prevents the start."""


class Doubt(Problem):
    """Problem that the user must accept before the start."""
