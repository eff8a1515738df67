"""Settings for the traits of one question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from karenina_gui.evidence.excerpts import Demand
from karenina_gui.schemas.deep_judgment import TraitDeepJudgment
from karenina_gui.schemas.rubric import LLMRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quote_list

T = TypeVar("T")
PLAINLY = TraitDeepJudgment(enabled=False)


@dataclass(frozen=True)
class DeepJudgmentSettings:
    """Extent of the deep judgment of one trait."""

    demand: Demand | None
    """None: without quotes."""
    search: bool

    @property
    def calls(self) -> int:
        """Judge calls without feedback rounds and retries: quotes, risk, reasoning, score."""
        return 2 + (self.demand is not None) + self.search


@dataclass(frozen=True)
class TraitSettings:
    """Settings of the run, and what they mean for the traits of one question."""

    config: VerificationConfig
    question_id: str | None = None
    """None: any question."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Provenance by trait, global or question_specific; default: global."""

    def depth(self, trait: LLMRubricTrait) -> DeepJudgmentSettings | None:
        """Depth of the trait's judgment; None: no deep judgment, as for all structured scores."""
        chosen = self._settings_of(trait) if isinstance(trait.kind, str) else PLAINLY
        if not chosen.enabled:
            return None
        most = _first_set(
            chosen.max_excerpts,
            trait.deep_judgment_max_excerpts,
            self.config.deep_judgment_rubric_max_excerpts_default,
        )
        wants_quotes = _first_set(chosen.excerpt_enabled, trait.deep_judgment_excerpt_enabled) and most > 0
        search = wants_quotes and _first_set(chosen.search_enabled, trait.deep_judgment_search_enabled)
        return DeepJudgmentSettings(self._demand(trait, chosen, int(most)) if wants_quotes else None, bool(search))

    def problems(self, whole: Rubric, chosen: Rubric) -> list[str]:
        """Messages about settings and chosen traits that have no effect."""
        match self.config.deep_judgment_rubric_mode:
            case "custom":
                return list(self._unknown(whole))
            case "off":
                return list(self._switched_off(chosen))
            case _:
                return []

    def _settings_of(self, trait: LLMRubricTrait) -> TraitDeepJudgment:
        match self.config.deep_judgment_rubric_mode:
            case "enable_all":
                return TraitDeepJudgment(excerpt_enabled=self.config.deep_judgment_rubric_global_excerpts)
            case "disabled" | "use_checkpoint":
                return TraitDeepJudgment(enabled=trait.deep_judgment_enabled)
            case "custom":
                return self._of_question.get(trait.name) or self._of_benchmark(trait.name) or PLAINLY
            case _:
                return PLAINLY

    def _demand(self, trait: LLMRubricTrait, chosen: TraitDeepJudgment, most: int) -> Demand:
        config = self.config
        threshold = _first_set(
            chosen.fuzzy_match_threshold,
            trait.deep_judgment_fuzzy_match_threshold,
            config.deep_judgment_rubric_fuzzy_match_threshold_default,
        )
        retries = _first_set(
            chosen.excerpt_retry_attempts,
            trait.deep_judgment_excerpt_retry_attempts,
            config.deep_judgment_rubric_excerpt_retry_attempts_default,
        )
        # Values out of range can come from a file.
        return Demand(most, min(1.0, max(0.0, threshold)), max(0, int(retries)), every=False)

    @property
    def _of_question(self) -> Mapping[str, TraitDeepJudgment]:
        table = self.config.deep_judgment_rubric_config
        return table.of_questions.get(self.question_id, {}) if table and self.question_id else {}

    def _of_benchmark(self, name: str) -> TraitDeepJudgment | None:
        table = self.config.deep_judgment_rubric_config
        return table.of_benchmark.get(name) if table and self._is_global(name) else None

    def _is_global(self, name: str) -> bool:
        return self.provenance.get(name, "global") == "global"

    def _unknown(self, rubric: Rubric) -> Iterator[str]:
        table = self.config.deep_judgment_rubric_config
        names = [trait.name for trait in rubric.llm_traits if isinstance(trait.kind, str)]
        everywhere = [name for name in names if self._is_global(name)]
        for configured, available, whose in (
            (table.of_benchmark if table else {}, everywhere, "the benchmark"),
            (self._of_question, names, "this question"),
        ):
            if unknown := [name for name in configured if name not in available]:
                yield (
                    "Custom deep judgment (deep_judgment_rubric_config) names traits that no model judges in "
                    f"{whose}: {quote_list(unknown)}."
                )

    def _switched_off(self, rubric: Rubric) -> Iterator[str]:
        if asking := [trait.name for trait in rubric.llm_traits if trait.deep_judgment_enabled]:
            yield f"Deep judgment for traits is off in this run, so these are judged without it: {quote_list(asking)}."


def _first_set(*values: T | None) -> T:
    """First value that is set. The last one always is."""
    return next(value for value in values if value is not None)
