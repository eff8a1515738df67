"""Deep judgment of a template: each field is quoted and reasoned about before it is filled.

    full            excerpts -> (search -> hallucination_assessment) -> reasoning -> parameters
    reasoning_only                                                      reasoning -> parameters

The template is filled from the reasoning, not from the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.evidence import excerpts as evidence, risk
from karenina_gui.evidence.excerpts import Demand, Excerpts
from karenina_gui.evidence.prompts import PromptContext, excerpt_messages, risk_messages
from karenina_gui.judging.replies import Checklist
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.prompts import parsing_messages, reasoning_messages
from karenina_gui.pipeline.template_evaluator import ParsedAnswer, TemplateEvaluator

REASONING: Purpose = "deep_judgment_reasoning"


@dataclass
class DeepJudgment:
    """Deep judgment of one answer. `leave` records the steps that were completed."""

    context: VerificationContext
    evaluator: TemplateEvaluator
    text: str
    """Answer text for the template's judge."""
    stages: list[str] = field(default_factory=list)
    excerpts: Excerpts | None = None
    reasoning: dict[str, str] | None = None
    risks: dict[str, str] | None = None

    @property
    def attributes(self) -> dict[str, str]:
        """Descriptions of the judged fields by name. Trace fields are computed, not judged."""
        schema = self.evaluator.template.outline.judge_schema or {}
        return {name: str(field.get("description", "")) for name, field in schema.get("properties", {}).items()}

    def parse(self) -> ParsedAnswer:
        """The template's fields. Raises the errors of the judge, and `SandboxError`."""
        if self.context.config.deep_judgment_mode == "full":
            self._quote()
            self._look_up()
        self._reason()
        messages = parsing_messages(
            self.context.question_text,
            self._reasoning_text(),
            fields=self.evaluator.template.outline.fields,
            hints=self.context.config.include_extraction_hints,
            **self._prompt_options("parsing"),
        )
        reply = self.evaluator.parse(messages)
        self.stages.append("parameters")
        return reply

    def leave(self) -> None:
        """Save the completed steps in the result."""
        context, excerpts = self.context, self.excerpts
        context[A.DEEP_JUDGMENT_PERFORMED] = "parameters" in self.stages
        context[A.DEEP_JUDGMENT_STAGES_COMPLETED] = self.stages
        context[A.DEEP_JUDGMENT_MODEL_CALLS] = self.evaluator.judge.calls
        context[A.DEEP_JUDGMENT_EXCERPT_RETRY_COUNT] = excerpts.retries if excerpts else 0
        context[A.EXTRACTED_EXCERPTS] = excerpts.by_subject if excerpts else None
        context[A.ATTRIBUTES_WITHOUT_EXCERPTS] = excerpts.missing if excerpts else None
        context[A.ATTRIBUTE_REASONING] = self.reasoning
        context[A.HALLUCINATION_RISK_ASSESSMENT] = self.risks
        context.set_result_field("deep_judgment.deep_judgment_search_enabled", "search" in self.stages)

    def _quote(self) -> None:
        config, context = self.context.config, self._prompt_context()
        demand = Demand(
            config.deep_judgment_max_excerpts_per_attribute,
            config.deep_judgment_fuzzy_match_threshold,
            config.deep_judgment_excerpt_retry_attempts,
        )
        self.excerpts = evidence.gather(
            self.evaluator.judge,
            self.attributes,
            self.text,
            demand,
            lambda refused: excerpt_messages(context, self.text, self.attributes, most=demand.most, refused=refused),
        )
        self.stages.append("excerpts")

    def _look_up(self) -> None:
        """Search the web for the quotes. A failed search adds a warning and does not stop the judgment."""
        if not self.context.config.deep_judgment_search_enabled or self.excerpts is None:
            return
        problem = risk.look_up(self.excerpts.quotes, self.context.world.search)
        if problem is not None:
            self.context.warnings.append(problem)
            return
        # The result reports this stage as `deep_judgment_search_enabled`.
        self.stages.append("search")
        context = self._prompt_context()
        self.risks = risk.assess(
            self.evaluator.judge,
            self.excerpts.by_subject,
            lambda excerpts: risk_messages(context, excerpts),
        )
        self.stages.append("hallucination_assessment")

    def _reason(self) -> None:
        messages = reasoning_messages(
            self.context.question_text,
            self.text,
            self.attributes,
            excerpts=self.excerpts.by_subject if self.excerpts else None,
            **self._prompt_options("deep_judgment"),
        )
        checklist = Checklist("Reasoning", tuple(self.attributes), {"type": "string"})
        self.reasoning = self.evaluator.judge.ask(REASONING, messages, checklist)
        self.stages.append("reasoning")

    def _reasoning_text(self) -> str:
        return "\n\n".join(f"{name}: {text}" for name, text in (self.reasoning or {}).items())

    def _prompt_context(self) -> PromptContext:
        options = self._prompt_options("deep_judgment")
        return PromptContext(self.context.question_text, options["judge"], options["instructions"])

    def _prompt_options(self, purpose: str) -> dict[str, Any]:
        """The judge's own system prompt, and the user's additional instructions for this purpose."""
        prompts = self.context.config.prompt_config
        added = getattr(prompts, purpose) if prompts else None
        return {"judge": self.evaluator.judge.model.system_prompt, "instructions": added}
