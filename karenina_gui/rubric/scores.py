"""What evaluators give back: scores by section of the result, and a sentence for everything that is not as hoped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass
class TraitScores:
    """`sections` holds fields of `ResultRubric`: {section: {trait: score}}. `problems` become warnings of the result.

    A trait that is in no section has no score, and a problem names it.
    """

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def put(self, section: str, name: str, value: Any) -> None:
        self.sections.setdefault(section, {})[name] = value

    def miss(self, names: Iterable[str], why: str) -> None:
        """These traits have no score; `why` is a sentence, or the rest of one."""
        listed = [repr(name) for name in names]
        if listed:
            who = f"The trait {listed[0]} has" if len(listed) == 1 else f"The traits {', '.join(listed)} have"
            self.problems.append(f"{who} no score: {why}")

    def add(self, others: Self) -> None:
        for section, scores in others.sections.items():
            self.sections.setdefault(section, {}).update(scores)
        self.problems += others.problems
