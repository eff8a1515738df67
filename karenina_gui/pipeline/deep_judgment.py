"""Deep judgment of a template: every field is reasoned about, on quoted passages, before it is filled.

    full            excerpts -> (search -> hallucination_assessment) -> reasoning -> parameters
    reasoning_only                                                      reasoning -> parameters

The template is filled from the reasoning, not from the answer (`karenina.md`, section 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.evidence import excerpts as evidence, risk
from karenina_gui.evidence.excerpts import Demand, Excerpts
from karenina_gui.evidence.prompts import excerpt_messages, risk_messages
from karenina_gui.judging.replies import Checklist
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.prompts import parsing_messages, reasoning_messages
from karenina_gui.pipeline.template_evaluator import ParsedAnswer, TemplateEvaluator

REASONING: Purpose = "deep_judgment_reasoning"


@dataclass
class DeepJudgment:
    """One answer's, step by step; `leave` writes down as far as it came."""

    context: VerificationContext
    evaluator: TemplateEvaluator
    text: str
    """The answer, as the template's judge gets to read it."""
    stages: list[str] = field(default_factory=list)
    excerpts: Excerpts | None = None
    reasoning: dict[str, str] | None = None
    risks: dict[str, str] | None = None

    @property
    def attributes(self) -> dict[str, str]:
        """{field that the judge fills: its description}; trace fields are read from the trace, not judged."""
        schema = self.evaluator.template.outline.judge_schema or {}
        return {name: str(field.get("description", "")) for name, field in schema.get("properties", {}).items()}

    def parse(self) -> ParsedAnswer:
        """The template's fields. Errors: those of the judge, and `SandboxError`."""
        if self.context.config.deep_judgment_mode == "full":
            self._quote()
            self._look_up()
        self._reason()
        messages = parsing_messages(
            self.context.question_text,
            self._reasoned(),
            fields=self.evaluator.template.outline.fields,
            hints=self.context.config.include_extraction_hints,
            **self._told("parsing"),
        )
        reply = self.evaluator.parse(messages)
        self.stages.append("parameters")
        return reply

    def leave(self) -> None:
        """Write what there is into the result's section."""
        context, found = self.context, self.excerpts
        context[A.DEEP_JUDGMENT_PERFORMED] = "parameters" in self.stages
        context[A.DEEP_JUDGMENT_STAGES_COMPLETED] = self.stages
        context[A.DEEP_JUDGMENT_MODEL_CALLS] = self.evaluator.judge.calls
        context[A.DEEP_JUDGMENT_EXCERPT_RETRY_COUNT] = found.retries if found else 0
        context[A.EXTRACTED_EXCERPTS] = found.found if found else None
        context[A.ATTRIBUTES_WITHOUT_EXCERPTS] = found.missing if found else None
        context[A.ATTRIBUTE_REASONING] = self.reasoning
        context[A.HALLUCINATION_RISK_ASSESSMENT] = self.risks
        context.set_result_field("deep_judgment.deep_judgment_search_enabled", "search" in self.stages)

    def _quote(self) -> None:
        config, told = self.context.config, self._told("deep_judgment")
        demand = Demand(
            config.deep_judgment_max_excerpts_per_attribute,
            config.deep_judgment_fuzzy_match_threshold,
            config.deep_judgment_excerpt_retry_attempts,
        )
        self.excerpts = evidence.gather(
            self.evaluator.judge, self.attributes, self.text, demand,
            lambda refused: excerpt_messages(
                self.context.question_text, self.text, self.attributes, most=demand.most, refused=refused, **told
            ),
        )  # fmt: skip
        self.stages.append("excerpts")

    def _look_up(self) -> None:
        """Search results and risks are extras: without them the judgment goes on, and says so."""
        if not self.context.config.deep_judgment_search_enabled or self.excerpts is None:
            return
        problem = risk.look_up(self.excerpts.each, self.context.world.search)
        if problem is not None:
            self.context.warnings.append(problem)
            return
        self.stages.append("search")
        told = self._told("deep_judgment")
        self.risks = risk.assess(
            self.evaluator.judge, self.excerpts.found,
            lambda found: risk_messages(self.context.question_text, found, **told),
        )  # fmt: skip
        self.stages.append("hallucination_assessment")

    def _reason(self) -> None:
        messages = reasoning_messages(
            self.context.question_text, self.text, self.attributes,
            excerpts=self.excerpts.found if self.excerpts else None, **self._told("deep_judgment"),
        )  # fmt: skip
        checklist = Checklist("Reasoning", tuple(self.attributes), {"type": "string"})
        self.reasoning = self.evaluator.judge.ask(REASONING, messages, checklist)
        self.stages.append("reasoning")

    def _reasoned(self) -> str:
        return "\n\n".join(f"{name}: {text}" for name, text in (self.reasoning or {}).items())

    def _told(self, purpose: str) -> dict[str, Any]:
        """The judge's own system prompt, and what the user adds for this purpose."""
        prompts = self.context.config.prompt_config
        added = getattr(prompts, purpose) if prompts else None
        return {"judge": self.evaluator.judge.model.system_prompt, "instructions": added}
