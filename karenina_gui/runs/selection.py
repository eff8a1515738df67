"""Which questions enter a run, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric, merge_rubrics

NOT_FINISHED = "not marked as finished"
NO_TEMPLATE = "has no answer template"
TEMPLATE_INVALID = "its answer template has an error"


@dataclass(frozen=True)
class Selection:
    chosen: list[str] = field(default_factory=list)
    """Ids in the benchmark's order."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Id and reason, in the benchmark's order; questions that nobody asked for are not among them."""

    rubric_faults: list[str] = field(default_factory=list)
    """A sentence for every chosen question whose traits cannot be evaluated; a run must not start before they can."""

    def refuse_rubric_faults(self) -> None:
        """Errors: `InputError` that names the questions and the traits."""
        if self.rubric_faults:
            raise InputError("\n".join(self.rubric_faults))

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
            selection.rubric_faults.extend(_rubric_faults(entry.question, document.rubric))
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


def _rubric_faults(question: Question, global_: Rubric | None) -> Iterator[str]:
    if not question.question_rubric:
        return
    try:
        merge_rubrics(global_, Rubric.model_validate(question.question_rubric))
    except ValueError as fault:
        problem = first_problem(fault) if isinstance(fault, ValidationError) else str(fault)
        yield f"The rubric of the question {question.question[:80]!r} cannot be used: {problem}"
