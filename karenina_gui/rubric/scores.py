"""What evaluators give back: scores by section of the result, and a sentence for everything that is not as hoped."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Self

from karenina_gui.evidence.excerpts import Excerpts
from karenina_gui.schemas.result import FailureCategory


@dataclass
class DeepRecord:
    """How one trait was judged deeply, as far as it came."""

    stages: list[str] = field(default_factory=list)
    calls: int = 0
    """Replies of the judge, also those that could not be used."""
    excerpts: Excerpts | None = None
    """None: none were asked for, or the judge could not be asked."""
    risk: str | None = None
    """The highest risk of an excerpt; None: no search was made, or nothing came of it."""
    reasoning: str | None = None
    error: str | None = None
    """What broke on the way, as a sentence; None: nothing did."""


@dataclass
class TraitScores:
    """`sections` holds fields of `ResultRubric`: {section: {trait: score}}. `problems` become warnings of the result.

    `deep` is what the scores of some traits rest on; `faults` is {trait: what kind of fault cost it its score}.

    A trait that is in no section has no score, and a problem names it.
    """

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    deep: dict[str, DeepRecord] = field(default_factory=dict)
    faults: dict[str, FailureCategory] = field(default_factory=dict)

    def put(self, section: str, name: str, value: Any) -> None:
        self.sections.setdefault(section, {})[name] = value

    def miss(self, names: Collection[str], why: str, fault: FailureCategory | None = None) -> None:
        """These traits have no score; `why` is a sentence, or the rest of one. `fault` None: nothing broke."""
        listed = [repr(name) for name in names]
        if fault is not None:
            self.faults.update(dict.fromkeys(names, fault))
        if listed:
            who = f"The trait {listed[0]} has" if len(listed) == 1 else f"The traits {', '.join(listed)} have"
            self.problems.append(f"{who} no score: {why}")

    def add(self, others: Self) -> None:
        for section, scores in others.sections.items():
            self.sections.setdefault(section, {}).update(scores)
        self.problems += others.problems
        self.deep.update(others.deep)
        self.faults.update(others.faults)
