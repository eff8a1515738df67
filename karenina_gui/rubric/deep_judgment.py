"""Deep judgment of scalar LLM traits: quote, reason, then decide, one trait after the other.

    excerpts -> (search -> hallucination_assessment) -> reasoning -> score

The score follows from the reasoning, not from the answer. `TraitSettings` decide on quotes and search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.errors import InputError, PortError
from karenina_gui.evidence import excerpts as evidence, risk
from karenina_gui.judging.judge import Judge, category_of, model_error_text
from karenina_gui.rubric.llm import rating_form, read, reference_for
from karenina_gui.rubric.prompts import comparing_messages, deciding_messages, quoting_messages, reasoning_messages
from karenina_gui.rubric.reply_form import in_own_words, property_names
from karenina_gui.rubric.scores import DeepRecord, TraitScores
from karenina_gui.rubric.task import NO_JUDGE, RubricTask
from karenina_gui.rubric.trait_settings import DeepJudgmentSettings, TraitSettings
from karenina_gui.schemas.rubric import LLMRubricTrait

REASONING: Purpose = "deep_judgment_reasoning"


def evaluate_deeply(traits: Sequence[LLMRubricTrait], task: RubricTask) -> TraitScores:
    """Scores and labels as in `evaluate_llm`, with a record for each trait.

    A trait whose judge fails has no score, and its record contains the reason. The other traits continue.
    """
    scores = TraitScores()
    if task.judge is None:
        scores.miss([trait.name for trait in traits], NO_JUDGE.why)
        return scores
    for trait in traits:
        depth = task.terms.depth(trait)
        assert depth is not None, "taken by `is_deep`"
        scores.add(_Judgment(trait, depth, task, task.judge).scores())
    return scores


def is_deep(trait: LLMRubricTrait, terms: TraitSettings) -> bool:
    return terms.depth(trait) is not None


def calls(traits: Sequence[LLMRubricTrait], terms: TraitSettings) -> int:
    return sum(depth.calls for trait in traits if (depth := terms.depth(trait)) is not None)


def section_of(scores: TraitScores) -> dict[str, Any]:
    """Fields of `ResultDeepJudgmentRubric` from the records, without `deep_judgment_rubric_performed`."""
    deep, rated = scores.deep, scores.sections.get("llm_trait_scores", {})
    return {
        "extracted_rubric_excerpts": {name: _quotes(r) for name, r in deep.items() if r.excerpts is not None},
        "rubric_trait_reasoning": {name: r.reasoning for name, r in deep.items() if r.reasoning is not None},
        "deep_judgment_rubric_scores": {name: score for name, score in rated.items() if name in deep},
        "standard_rubric_scores": {name: score for name, score in rated.items() if name not in deep},
        "trait_metadata": {name: _metadata(record) for name, record in deep.items()},
        "traits_without_valid_excerpts": [name for name, record in deep.items() if _lacks_quotes(record)],
        "rubric_hallucination_risk_assessment": _risks(deep),
        "total_deep_judgment_model_calls": sum(record.calls for record in deep.values()),
        "total_traits_evaluated": sum(record.error is None for record in deep.values()),
        "total_excerpt_retries": sum(_retries(record) for record in deep.values()),
    }


def _risks(deep: Mapping[str, DeepRecord]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "overall_risk": record.risk,
            "per_excerpt_risks": [excerpt.get("hallucination_risk") for excerpt in _quotes(record)],
        }
        for name, record in deep.items()
        if record.risk is not None
    }


@dataclass
class _Judgment:
    """Deep judgment of one trait."""

    trait: LLMRubricTrait
    depth: DeepJudgmentSettings
    task: RubricTask
    judge: Judge
    record: DeepRecord = field(default_factory=DeepRecord)
    problems: list[str] = field(default_factory=list)

    def scores(self) -> TraitScores:
        scores, before = TraitScores(deep={self.trait.name: self.record}), self.judge.calls
        try:
            self._quote()
            self._look_up()
            self._reason(scores)
            self._decide(scores)
        except (PortError, InputError) as error:
            self.record.error = in_own_words(model_error_text(self.judge.model, error), {self.name: self.trait.name})
            scores.miss([self.trait.name], self.record.error, category_of(error))
        self.record.calls = self.judge.calls - before
        scores.problems += self.problems
        return scores

    @property
    def name(self) -> str:
        """Property name of the trait in replies."""
        return property_names([self.trait.name])[0]

    def _quote(self) -> None:
        demand, traits = self.depth.demand, {self.name: self.trait}
        if demand is None:
            return
        self.record.excerpts = evidence.gather(
            self.judge,
            traits,
            self.task.text,
            demand,
            lambda refused: quoting_messages(self.task, traits, demand.most, refused),
        )
        self.record.stages.append("excerpts")

    def _look_up(self) -> None:
        excerpts = self.record.excerpts
        # A trait without quotes has nothing to search for.
        if not self.depth.search or excerpts is None or excerpts.missing:
            return
        problem = risk.look_up(excerpts.quotes, self.task.search)
        if problem is not None:
            self.problems.append(f"{problem} (trait {self.trait.name!r})")
            return
        self.record.stages.append("search")
        risks = risk.assess(self.judge, excerpts.by_subject, lambda quotes: comparing_messages(self.task, quotes))
        self.record.risk = risks.get(self.name)
        self.record.stages.append("hallucination_assessment")

    def _reason(self, scores: TraitScores) -> None:
        reference = reference_for(self.trait, self.task, scores)
        quoted = None if self.record.excerpts is None else [excerpt["text"] for excerpt in self.record.excerpts.quotes]
        messages = reasoning_messages(self.task, self.trait, quoted, reference)
        self.record.reasoning = self.judge.write(REASONING, messages)
        self.record.stages.append("reasoning")

    def _decide(self, scores: TraitScores) -> None:
        traits = {self.name: self.trait}
        messages = deciding_messages(self.task, traits, self.record.reasoning or "")
        read(traits, self.judge.ask("rubric_evaluation", messages, rating_form(traits)), scores)
        self.record.stages.append("score")


def _metadata(record: DeepRecord) -> dict[str, Any]:
    error = {"error": record.error} if record.error is not None else {}
    return {
        "stages_completed": record.stages,
        "model_calls": record.calls,
        "had_excerpts": bool(_quotes(record)),
        "excerpt_retry_count": _retries(record),
        "excerpt_validation_failed": _lacks_quotes(record),
        **error,
    }


def _quotes(record: DeepRecord) -> list[dict[str, Any]]:
    return list(record.excerpts.quotes) if record.excerpts else []


def _retries(record: DeepRecord) -> int:
    return record.excerpts.retries if record.excerpts else 0


def _lacks_quotes(record: DeepRecord) -> bool:
    """True if quotes were requested and none was found in the answer."""
    return record.excerpts is not None and not _quotes(record)
