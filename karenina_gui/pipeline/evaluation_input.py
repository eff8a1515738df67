"""Text for a judge or trait: the final message, or the full trace."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.pipeline.context import VerificationContext

ONLY_THOUGHT = "The model wrote down its thoughts, but no answer"
"""Reason without an answer; `schemas.outcome.NO_FINAL_MESSAGE` has a sentence for it."""


@dataclass(frozen=True)
class EvaluationInput:
    """Text to evaluate. `text` is None if the trace has no final message; `problem` is the reason."""

    text: str | None
    full_trace: bool
    problem: str | None = None


def template_input(context: VerificationContext) -> EvaluationInput:
    return _input(context, context.config.use_full_trace_for_template)


def rubric_input(context: VerificationContext) -> EvaluationInput:
    return _input(context, context.config.use_full_trace_for_rubric)


def keep_input(context: VerificationContext, evaluation_input: EvaluationInput) -> None:
    """Record in the result the text that the judge was given for the template."""
    context.set_result_field("used_full_trace", evaluation_input.full_trace)
    context.set_result_field("evaluation_input", evaluation_input.text)
    context.set_result_field("trace_extraction_error", evaluation_input.problem)


def _input(context: VerificationContext, full_trace: bool) -> EvaluationInput:
    answer = context.generated
    if answer is None:
        return EvaluationInput(None, full_trace, "There is no answer.")
    if answer.only_thought:
        return EvaluationInput(None, full_trace, ONLY_THOUGHT)
    if full_trace:
        return EvaluationInput(answer.text, True)
    text, problem = answer.final()
    return EvaluationInput(text, False, problem)
