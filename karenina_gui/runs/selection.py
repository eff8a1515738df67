"""Which questions enter a run, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import RubricError
from karenina_gui.rubric import Terms
from karenina_gui.runs.traits import trait_demands
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric, merge_rubrics
from karenina_gui.schemas.summaries import QuestionSummary

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
    trait_calls: int = 0
    """Replies that the traits of the chosen questions ask of a judge, for one answer to each question."""
    trait_searches: bool = False
    """Whether passages of any of these traits are looked up on the web."""
    agentic_traits: Mapping[str, AgenticRubricTrait] = field(default_factory=dict)
    """Traits of the chosen questions that an agent investigates, by name; of several of one name, the first."""
    investigations: int = 0
    """How often agents look into answers for these traits, for one answer to each question."""
    deep_traits: tuple[str, ...] = ()
    """Names of traits that are judged deeply for some question."""
    plain_traits: tuple[str, ...] = ()
    """Names of traits that ask to be judged deeply and are not for some question, because the run has it otherwise."""

    def refuse_rubric_faults(self) -> None:
        """Errors: `RubricError` that names the questions and the traits."""
        if self.rubric_faults:
            raise RubricError("\n".join(self.rubric_faults))

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


@dataclass(frozen=True, slots=True)
class Candidate:
    """What has to be known of a question."""

    id: str
    text: str
    finished: bool
    has_template: bool
    template_broken: bool
    """As far as it was looked at."""
    rubric: Mapping[str, Any] | None


def candidates_of(document: BenchmarkDocument, broken: Container[str] = ()) -> Iterator[Candidate]:
    """All questions of a benchmark; `broken`: ids of those whose template is known to have an error."""
    for entry in document.entries:
        question = entry.question
        written = not is_default_template(question.answer_template)
        rubric = question.question_rubric
        yield Candidate(entry.id, question.question, entry.finished, written, entry.id in broken, rubric)


def light_candidates(rows: Iterable[QuestionSummary], rubrics: Mapping[str, Mapping[str, Any]]) -> Iterator[Candidate]:
    """Out of the light rows of a list, so that a benchmark need not be read whole; `rubrics` by question."""
    for row in rows:
        broken = row.template_valid is False
        yield Candidate(row.id, row.text, row.finished, row.has_template, broken, rubrics.get(row.id))


def select(
    candidates: Iterable[Candidate], global_: Rubric | None, config: VerificationConfig, wanted: Wanted | None = None
) -> Selection:
    """Chooses among the questions that were asked for (None: all that are finished); `global_`: traits for all."""
    wanted = wanted or Wanted()
    ids = None if wanted.question_ids is None else set(wanted.question_ids)
    selection = Selection()
    calls, searches, looks, everywhere = 0, False, 0, trait_demands(global_, Terms(config))
    agentic: dict[str, AgenticRubricTrait] = {}
    deep, plain = dict[str, None](), dict[str, None]()
    for candidate in candidates:
        if ids is not None and candidate.id not in ids:
            continue
        reason = _obstacle(candidate, config, wanted)
        if reason is None:
            selection.chosen.append(candidate.id)
            rubric, provenance, fault = _merged(candidate, global_)
            alike = rubric is global_ and config.deep_judgment_rubric_mode != "custom"
            demands = everywhere if alike else trait_demands(rubric, Terms(config, candidate.id, provenance))
            calls, searches = calls + demands.calls, searches or demands.searches
            looks += demands.investigations
            agentic = {trait.name: trait for trait in demands.agentic} | agentic
            deep.update(dict.fromkeys(demands.deep))
            plain.update(dict.fromkeys(demands.only_plainly))
            selection.rubric_faults.extend([fault] if fault else [])
        else:
            selection.left_out.append((candidate.id, reason))
    found = replace(selection, trait_calls=calls, trait_searches=searches)
    return replace(
        found, agentic_traits=agentic, investigations=looks, deep_traits=tuple(deep), plain_traits=tuple(plain)
    )


def _obstacle(candidate: Candidate, config: VerificationConfig, wanted: Wanted) -> str | None:
    if wanted.only_finished and not candidate.finished:
        return NOT_FINISHED
    if config.evaluation_mode == "rubric_only":
        return None
    if not candidate.has_template:
        return NO_TEMPLATE
    return TEMPLATE_INVALID if candidate.template_broken else None


def _merged(candidate: Candidate, global_: Rubric | None) -> tuple[Rubric | None, Mapping[str, str], str | None]:
    """The rubric of a question with that of all and where its traits come from, or why they do not go together."""
    if not candidate.rubric:
        return global_, {}, None
    try:
        rubric, provenance = merge_rubrics(global_, Rubric.model_validate(candidate.rubric))
        return rubric, provenance or {}, None
    except ValueError as fault:
        problem = first_problem(fault) if isinstance(fault, ValidationError) else str(fault)
        return None, {}, f"The rubric of the question {candidate.text[:80]!r} cannot be used: {problem}"
