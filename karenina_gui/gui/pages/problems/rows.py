"""Rows of the Problems panel, its filter, and the sentences about problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.authoring.problem_index import BenchmarkProblem, Part, ProblemReport, Severity
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.gui.session.preferences import Preferences
from karenina_gui.text import join_list, quantity

Level = Literal["all", "warnings", "errors"]

PART_TITLES: dict[Part, str] = {
    "question": "Question",
    "template": "Template",
    "samples": "Sample answers",
    "rubric": "Rubric",
    "workspace": "Workspace",
    "review": "Review",
}
LEVEL_TITLES: dict[Level, str] = {
    "warnings": "Errors and warnings",
    "errors": "Errors only",
    "all": "All, with notes",
}
_SEVERITIES: dict[Level, tuple[Severity, ...]] = {
    "all": ("error", "warning", "note"),
    "warnings": ("error", "warning"),
    "errors": ("error",),
}


@dataclass(frozen=True)
class ProblemFilter:
    """Choice of problems in the panel; F8 keeps to it, too."""

    level: Level = "warnings"
    part: Part | Literal[""] = ""
    """Empty: all parts."""

    @classmethod
    def of(cls, preferences: Preferences) -> ProblemFilter:
        level, part = preferences.problem_filter
        known_level = level if level in LEVEL_TITLES else "warnings"
        return cls(known_level, part if part in PART_TITLES else "")

    def choose(self, problems: Iterable[BenchmarkProblem]) -> list[BenchmarkProblem]:
        severities = _SEVERITIES[self.level]
        return [problem for problem in problems if problem.severity in severities and self.part in ("", problem.part)]


def problem_text(problem: BenchmarkProblem) -> str:
    """Sentences about a problem, without technical prefixes."""
    item = problem.item
    return " ".join(plain_message(text, in_form=True) for text in (item.text, item.detail) if text)


def owner_text(problem: BenchmarkProblem) -> str:
    """Name of what has the problem."""
    if problem.number is None:
        return "Benchmark"
    return " ".join(problem.title.split()) or "Untitled question"


def problem_rows(problems: Sequence[BenchmarkProblem]) -> list[dict[str, Any]]:
    """Rows of the grid.

    Keys: id, severity, place (of the question, from 1), number, owner, part (title), text, tab, at.
    """
    # Numbered within each question, so that rows of others keep their focus when one is edited.
    seen: Counter[int | None] = Counter()
    rows = []
    for problem in problems:
        seen[problem.number] += 1
        rows.append(
            {
                "id": f"{problem.number}:{seen[problem.number]}",
                "severity": problem.severity,
                "place": problem.position or "",
                "number": problem.number,
                "owner": owner_text(problem),
                "part": PART_TITLES[problem.part],
                "text": problem_text(problem),
                "tab": problem.item.tab,
                "at": problem.item.anchor,
            }
        )
    return rows


def counts_text(report: ProblemReport) -> str:
    """Sentence with the number of problems by severity, and how far the check is."""
    counts = Counter(problem.severity for problem in report.problems)
    counted = [quantity(counts[severity], severity) for severity in ("error", "warning", "note") if counts[severity]]
    text = f"{join_list(counted)}." if counted else "No problems." if report.complete else ""
    if report.complete:
        return text
    progress = f"Checking {report.checked:,} of {report.total:,}…" if report.total else "Checking…"
    # While one edited question is checked again, progress would only flicker.
    return text if report.total and report.checked == report.total else f"{text} {progress}".strip()
