"""Output of evaluators: scores by section of the result, and messages about problems."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Self

from karenina_gui.evidence.excerpts import Excerpts
from karenina_gui.schemas.result import FailureCategory


@dataclass
class DeepRecord:
    """Steps of the deep judgment of one trait."""

    stages: list[str] = field(default_factory=list)
    calls: int = 0
    """Judge replies, including unusable ones."""
    excerpts: Excerpts | None = None
    """None: none were requested, or the judge could not be called."""
    risk: str | None = None
    """Highest risk of a quote; None: no search, or no result."""
    reasoning: str | None = None
    error: str | None = None
    """Error as a sentence; None: no error."""


@dataclass
class TraitScores:
    """Scores of traits. A trait in no section has no score, and a problem names it.

    `sections`: fields of `ResultRubric`, as {section: {trait: score}}. `problems`: become warnings of the result.
    `deep`: deep judgment by trait. `faults`: failure category by trait without a score.
    """

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    deep: dict[str, DeepRecord] = field(default_factory=dict)
    faults: dict[str, FailureCategory] = field(default_factory=dict)

    def put(self, section: str, name: str, value: Any) -> None:
        self.sections.setdefault(section, {})[name] = value

    def miss(self, names: Collection[str], why: str, fault: FailureCategory | None = None) -> None:
        """Record that these traits have no score. `why`: rest of a sentence. `fault` None: nothing failed."""
        listed = [repr(name) for name in names]
        if fault is not None:
            self.faults.update(dict.fromkeys(names, fault))
        if listed:
            subject = f"The trait {listed[0]} has" if len(listed) == 1 else f"The traits {', '.join(listed)} have"
            self.problems.append(f"{subject} no score: {why}")

    def add(self, others: Self) -> None:
        for section, scores in others.sections.items():
            self.sections.setdefault(section, {}).update(scores)
        self.problems += others.problems
        self.deep.update(others.deep)
        self.faults.update(others.faults)
