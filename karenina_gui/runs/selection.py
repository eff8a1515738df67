"""Selection of the questions of a run, with the reasons for those left out."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from karenina_gui.errors import RubricError
from karenina_gui.rubric import TraitSettings
from karenina_gui.runs.agent_safety import investigations
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.problems import as_sentence, problem_of
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric, merge_rubrics
from karenina_gui.schemas.verification_config import VerificationConfig

NOT_FINISHED = "not_finished"
NO_TEMPLATE = "no_template"
TEMPLATE_INVALID = "template_invalid"
REASON_TEXTS = {
    NOT_FINISHED: "not marked as finished",
    NO_TEMPLATE: "no answer template",
    TEMPLATE_INVALID: "error in the answer template",
}
"""Reasons why a question is left out of a run, as they follow a number."""


@dataclass(frozen=True)
class TraitDemands:
    """Calls and options of the traits of one answer."""

    calls: int = 0
    """Judge calls; 0: none."""
    searches: bool = False
    """True if quotes of any of them are checked by web search."""
    agentic: tuple[AgenticRubricTrait, ...] = ()
    """Agent traits."""
    investigations: int = 0
    """Agent investigations."""
    deep: tuple[str, ...] = ()
    """Names of traits with deep judgment."""
    only_plainly: tuple[str, ...] = ()
    """Names of traits that request deep judgment but do not get it because of the run's settings."""


def trait_demands(rubric: Rubric | None, terms: TraitSettings) -> TraitDemands:
    if rubric is None:
        return TraitDemands()
    from karenina_gui.rubric import judge_calls

    names = terms.config.rubric_trait_names
    rated = rubric if names is None else rubric.only(names)
    depths = {trait.name: depth for trait in rated.llm_traits if (depth := terms.depth(trait))}
    asking = [trait.name for trait in rated.llm_traits if trait.deep_judgment_enabled]
    return TraitDemands(
        judge_calls(rated, terms),
        any(depth.search for depth in depths.values()),
        tuple(rated.agentic_traits),
        investigations(rated.agentic_traits, terms.config),
        deep=tuple(depths),
        only_plainly=tuple(name for name in asking if name not in depths),
    )


@dataclass(frozen=True)
class Selection:
    chosen: list[str] = field(default_factory=list)
    """Ids in the benchmark's order."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """(id, reason) in the benchmark's order. Questions outside the requested set are not listed."""

    rubric_faults: list[str] = field(default_factory=list)
    """Chosen questions with invalid traits. A run must not start before they are fixed."""
    trait_calls: int = 0
    """Judge calls for the traits of the chosen questions, for one answer each."""
    trait_searches: bool = False
    """True if quotes of any of these traits are checked by web search."""
    agentic_traits: Mapping[str, AgenticRubricTrait] = field(default_factory=dict)
    """Agent traits of the chosen questions by name; the first of each name."""
    investigations: int = 0
    """Agent investigations for these traits, for one answer to each question."""
    deep_traits: tuple[str, ...] = ()
    """Traits with deep judgment for at least one question."""
    plain_traits: tuple[str, ...] = ()
    """Traits that request deep judgment but do not get it for some question because of the run's settings."""

    def refuse_rubric_faults(self) -> None:
        """Raise `RubricError` that names the questions and traits."""
        if self.rubric_faults:
            raise RubricError("\n".join(self.rubric_faults))

    def reasons_text(self) -> str:
        """Numbers of questions left out with their reasons: `2 no answer template; 1 …`; empty if there are none."""
        return "; ".join(f"{count} {REASON_TEXTS[reason]}" for reason, count in self.reasons.items())

    @property
    def reasons(self) -> dict[str, int]:
        """Number of questions left out by reason."""
        counts: dict[str, int] = {}
        for _, reason in self.left_out:
            counts[reason] = counts.get(reason, 0) + 1
        return counts


@dataclass(frozen=True, slots=True)
class Candidate:
    """The properties of a question that decide whether it can run."""

    id: str
    text: str
    finished: bool
    has_template: bool
    template_broken: bool
    """True if a check found an error; False: valid or not checked."""
    rubric: Mapping[str, Any] | None


def candidates_of(document: BenchmarkDocument, broken: Container[str] = ()) -> Iterator[Candidate]:
    """All questions of a benchmark. `broken`: ids of questions whose template is known to have an error."""
    for entry in document.entries:
        question = entry.question
        written = not is_default_template(question.answer_template)
        rubric = question.question_rubric
        yield Candidate(entry.id, question.question, entry.finished, written, entry.id in broken, rubric)


def light_candidates(rows: Iterable[QuestionSummary], rubrics: Mapping[str, Mapping[str, Any]]) -> Iterator[Candidate]:
    """Candidates from question summaries, without loading the benchmark. `rubrics`: by question id."""
    for row in rows:
        broken = row.template_valid is False
        yield Candidate(row.id, row.text, row.finished, row.has_template, broken, rubrics.get(row.id))


def select(
    candidates: Iterable[Candidate],
    global_: Rubric | None,
    config: VerificationConfig,
    question_ids: Collection[str] | None = None,
) -> Selection:
    """Choose those of these questions (None: all) that are finished and can run. `global_`: traits of all questions."""
    ids = None if question_ids is None else set(question_ids)
    selection, demands = Selection(), _Demands(global_, config)
    for candidate in candidates:
        if ids is not None and candidate.id not in ids:
            continue
        reason = _obstacle(candidate, config)
        if reason is None:
            selection.chosen.append(candidate.id)
            fault = demands.add(candidate)
            selection.rubric_faults.extend([fault] if fault else [])
        else:
            selection.left_out.append((candidate.id, reason))
    return demands.write_to(selection)


class _Demands:
    """Sums over the traits of the chosen questions."""

    def __init__(self, global_: Rubric | None, config: VerificationConfig) -> None:
        self._global = global_
        self._config = config
        # Most questions have no traits of their own, so the demands of the global rubric are computed once.
        self._of_global = trait_demands(global_, TraitSettings(config))
        self._calls = 0
        self._searches = False
        self._investigations = 0
        self._agentic: dict[str, AgenticRubricTrait] = {}
        self._deep = dict[str, None]()
        self._plain = dict[str, None]()

    def add(self, candidate: Candidate) -> str | None:
        """Add the traits of a question; returns the problem if its rubric is invalid."""
        rubric, provenance, fault = _merge(candidate, self._global)
        alike = rubric is self._global and self._config.deep_judgment_rubric_mode != "custom"
        demands = (
            self._of_global if alike else trait_demands(rubric, TraitSettings(self._config, candidate.id, provenance))
        )
        self._calls += demands.calls
        self._searches = self._searches or demands.searches
        self._investigations += demands.investigations
        self._agentic = {trait.name: trait for trait in demands.agentic} | self._agentic
        self._deep.update(dict.fromkeys(demands.deep))
        self._plain.update(dict.fromkeys(demands.only_plainly))
        return fault

    def write_to(self, selection: Selection) -> Selection:
        return replace(
            selection,
            trait_calls=self._calls,
            trait_searches=self._searches,
            agentic_traits=self._agentic,
            investigations=self._investigations,
            deep_traits=tuple(self._deep),
            plain_traits=tuple(self._plain),
        )


def _obstacle(candidate: Candidate, config: VerificationConfig) -> str | None:
    if not candidate.finished:
        return NOT_FINISHED
    if config.evaluation_mode == "rubric_only":
        return None
    if not candidate.has_template:
        return NO_TEMPLATE
    return TEMPLATE_INVALID if candidate.template_broken else None


def _merge(candidate: Candidate, global_: Rubric | None) -> tuple[Rubric | None, Mapping[str, str], str | None]:
    """Merged rubric of a question, provenance of its traits, and the problem if they cannot be merged."""
    if not candidate.rubric:
        return global_, {}, None
    try:
        rubric, provenance = merge_rubrics(global_, Rubric.model_validate(candidate.rubric))
        return rubric, provenance or {}, None
    except ValueError as fault:
        problem = as_sentence(problem_of(fault))
        return None, {}, f"The rubric of the question “{candidate.text[:80]}” is invalid: {problem}"
