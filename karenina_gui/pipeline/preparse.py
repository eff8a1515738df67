"""Stages 5 and 6: pre-checks for a refusal and for sufficient content."""

from __future__ import annotations

from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.errors import InputError, PortError
from karenina_gui.judging.replies import FlatReply
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.evaluation_input import EvaluationInput, keep_input, template_input
from karenina_gui.pipeline.prompts import (
    ABSTENTION_SCHEMA,
    SUFFICIENCY_SCHEMA,
    abstention_messages,
    sufficiency_messages,
)
from karenina_gui.pipeline.stage import Stage
from karenina_gui.schemas.messages import Message


class AbstentionCheck(Stage):
    """Ask the judge if the answer refuses. A refusal fails and is not parsed."""

    name = "AbstentionCheck"
    requires = [A.RAW_LLM_RESPONSE, A.RECURSION_LIMIT_REACHED]
    produces = [
        A.ABSTENTION_CHECK_PERFORMED,
        A.ABSTENTION_DETECTED,
        A.ABSTENTION_OVERRIDE_APPLIED,
        A.ABSTENTION_REASONING,
    ]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        if not context.config.abstention_enabled:
            return "the refusal check is turned off"
        if context.only_thought:
            return _THOUGHT_ALONE
        return "the turn limit was reached" if context[A.RECURSION_LIMIT_REACHED] else None

    def execute(self, context: VerificationContext) -> None:
        prompts, judged = context.config.prompt_config, _input(context)
        messages = abstention_messages(
            context.question_text,
            judged.text or "",
            judge=context.parsing_model.system_prompt if context.parsing_model else None,
            instructions=prompts.abstention_detection if prompts else None,
        )
        answer = _ask_judge(context, "abstention_check", "refusal check", judged, messages, ABSTENTION_SCHEMA)
        detected = None if answer is None else bool(answer["abstention_detected"])
        context[A.ABSTENTION_CHECK_PERFORMED] = answer is not None
        context[A.ABSTENTION_DETECTED] = detected
        context[A.ABSTENTION_OVERRIDE_APPLIED] = bool(detected)
        context[A.ABSTENTION_REASONING] = None if answer is None else str(answer["reasoning"])
        if detected:
            context[A.VERIFY_RESULT] = False
            context.mark_failure("abstention", "The model refused to answer.", context[A.ABSTENTION_REASONING])


class SufficiencyCheck(Stage):
    """Ask the judge if the answer can fill the template. An insufficient answer fails and is not parsed."""

    name = "SufficiencyCheck"
    requires = [A.RAW_LLM_RESPONSE, A.ANSWER, A.RECURSION_LIMIT_REACHED, A.TRACE_VALIDATION_FAILED]
    consults = [A.ABSTENTION_DETECTED]
    produces = [
        A.SUFFICIENCY_CHECK_PERFORMED,
        A.SUFFICIENCY_DETECTED,
        A.SUFFICIENCY_OVERRIDE_APPLIED,
        A.SUFFICIENCY_REASONING,
    ]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        if not context.config.sufficiency_enabled:
            return "the sufficiency check is turned off"
        if context.only_thought:
            return _THOUGHT_ALONE
        if context[A.RECURSION_LIMIT_REACHED]:
            return "the turn limit was reached"
        if context[A.TRACE_VALIDATION_FAILED]:
            return "the trace has no final answer"
        if context.get_artifact(A.ABSTENTION_DETECTED):
            return "the model refused to answer"
        return None if context[A.ANSWER].outline.needs_judge else "the template asks nothing of a judge"

    def execute(self, context: VerificationContext) -> None:
        prompts, judged = context.config.prompt_config, _input(context)
        messages = sufficiency_messages(
            context.question_text,
            judged.text or "",
            schema=context[A.ANSWER].json_schema,
            judge=context.parsing_model.system_prompt if context.parsing_model else None,
            instructions=prompts.sufficiency_detection if prompts else None,
        )
        answer = _ask_judge(context, "sufficiency_check", "sufficiency check", judged, messages, SUFFICIENCY_SCHEMA)
        sufficient = None if answer is None else bool(answer["sufficient"])
        context[A.SUFFICIENCY_CHECK_PERFORMED] = answer is not None
        context[A.SUFFICIENCY_DETECTED] = sufficient
        context[A.SUFFICIENCY_OVERRIDE_APPLIED] = sufficient is False
        context[A.SUFFICIENCY_REASONING] = None if answer is None else str(answer["reasoning"])
        if sufficient is False:
            context[A.VERIFY_RESULT] = False
            context.mark_failure(
                "sufficiency",
                "The answer does not contain what the template asks for.",
                context[A.SUFFICIENCY_REASONING],
            )


_THOUGHT_ALONE = "the model wrote only its thoughts"


def _input(context: VerificationContext) -> EvaluationInput:
    """Text for the template's judge, or the full response if the trace has no final message."""
    judged, answer = template_input(context), context.generated
    if judged.text is None and answer is not None:
        return EvaluationInput(answer.text, True, judged.problem)
    return judged


def _ask_judge(
    context: VerificationContext,
    purpose: Purpose,
    name: str,
    judged: EvaluationInput,
    messages: tuple[Message, ...],
    schema: dict[str, Any],
) -> dict[str, Any] | None:
    """The judge's fields; None: it could not be called. The check then counts as not performed, with a warning.

    `name`: the check as warnings name it.
    """
    model = context.parsing_model
    if model is None:
        context.warnings.append(f"No judge is configured, so the {name} was not performed.")
        return None
    try:
        answer = context.judge(model).ask(purpose, messages, FlatReply(schema))
    except (PortError, InputError) as error:
        # A check that could not be made must not fail the answer.
        context.warnings.append(f"The {name} was not performed: {error}")
        return None
    keep_input(context, judged)
    return answer
