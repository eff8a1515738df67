"""Which questions enter a run, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass, field

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.default_template import is_default_template

NOT_FINISHED = "not marked as finished"
NO_TEMPLATE = "has no answer template"
TEMPLATE_INVALID = "its answer template has an error"


@dataclass(frozen=True)
class Selection:
    chosen: list[str] = field(default_factory=list)
    """Ids in the benchmark's order."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Id and reason, in the benchmark's order; questions that nobody asked for are not among them."""

    @property
    def reasons(self) -> dict[str, int]:
        """How many were left out for each reason."""
        counts: dict[str, int] = {}
        for _, reason in self.left_out:
            counts[reason] = counts.get(reason, 0) + 1
        return counts


@dataclass(frozen=True)
class Wanted:
    """What was asked for."""

    question_ids: Collection[str] | None = None
    """None: all questions."""
    only_finished: bool = True
    invalid_templates: Container[str] = ()
    """Ids of questions whose template is known to be broken."""


def select(document: BenchmarkDocument, config: VerificationConfig, wanted: Wanted | None = None) -> Selection:
    """Chooses among the questions that were asked for (None: all that are finished)."""
    wanted = wanted or Wanted()
    selection = Selection()
    for entry in document.entries:
        if wanted.question_ids is not None and entry.id not in wanted.question_ids:
            continue
        reason = _obstacle(entry, config, wanted)
        if reason is None:
            selection.chosen.append(entry.id)
        else:
            selection.left_out.append((entry.id, reason))
    return selection


def _obstacle(entry: BenchmarkEntry, config: VerificationConfig, wanted: Wanted) -> str | None:
    if wanted.only_finished and not entry.finished:
        return NOT_FINISHED
    if config.evaluation_mode == "rubric_only":
        return None
    if is_default_template(entry.question.answer_template):
        return NO_TEMPLATE
    return TEMPLATE_INVALID if entry.id in wanted.invalid_templates else None
