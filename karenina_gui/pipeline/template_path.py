"""Stages 7 and 8: the judge fills the template, the template computes the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from karenina_gui.errors import InputError, PortError, SandboxError
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.deep_judgment import DeepJudgment
from karenina_gui.pipeline.evaluation_input import ONLY_THOUGHT, keep_input, template_input
from karenina_gui.pipeline.prompts import parsing_messages
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_evaluator import ParsedAnswer, TemplateEvaluator
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.template import TemplateVerdict

WITHOUT_JUDGE = "This template needs a judge, but the run has none. Choose one and run again."


class SkipsUnreadable(Stage):
    """Conditions under which a template is not parsed, common to stages 7a and 7b."""

    consults = [
        A.RECURSION_LIMIT_REACHED,
        A.TRACE_VALIDATION_FAILED,
        A.ABSTENTION_DETECTED,
        A.SUFFICIENCY_DETECTED,
    ]

    def rule(self, context: VerificationContext) -> str | None:
        if A.RAW_LLM_RESPONSE not in context:
            return "there is no answer to read"
        if A.ANSWER not in context:
            return "there is no usable template"
        if context.get_artifact(A.RECURSION_LIMIT_REACHED):
            return "the turn limit was reached"
        if context.get_artifact(A.TRACE_VALIDATION_FAILED):
            return "the trace has no final answer"
        if context.generated is not None and context.generated.refusal is not None:
            return "the provider blocked the request"
        if context.get_artifact(A.ABSTENTION_DETECTED):
            return "the model refused to answer"
        if context.get_artifact(A.SUFFICIENCY_DETECTED) is False:
            return "the answer does not contain what the template asks for"
        return None


class ParseTemplate(SkipsUnreadable):
    """Send the answer and the template's schema to the judge. Templates without judged fields need no call."""

    name = "ParseTemplate"
    requires = [A.RAW_ANSWER, A.ANSWER, A.RAW_LLM_RESPONSE]
    produces = [
        A.PARSED_ANSWER,
        A.PARSING_MODEL_STR,
        A.TEMPLATE_EVALUATOR,
        A.DEEP_JUDGMENT_PERFORMED,
        A.EXTRACTED_EXCERPTS,
        A.ATTRIBUTE_REASONING,
        A.DEEP_JUDGMENT_STAGES_COMPLETED,
        A.DEEP_JUDGMENT_MODEL_CALLS,
        A.DEEP_JUDGMENT_EXCERPT_RETRY_COUNT,
        A.ATTRIBUTES_WITHOUT_EXCERPTS,
        A.HALLUCINATION_RISK_ASSESSMENT,
    ]
    overrides = [A.VERIFY_RESULT]

    def execute(self, context: VerificationContext) -> None:
        _record_no_deep_judgment(context)
        context[A.PARSING_MODEL_STR] = None
        context[A.TEMPLATE_EVALUATOR] = None
        if context.only_thought:
            keep_input(context, template_input(context))
            fail_without_answer(context, ONLY_THOUGHT)
            return
        if not context[A.ANSWER].outline.needs_judge:
            context[A.PARSED_ANSWER] = ParsedAnswer()
            return
        evaluation_input = template_input(context)
        keep_input(context, evaluation_input)
        if not (evaluation_input.text or "").strip():
            fail_without_answer(context, evaluation_input.problem)
        elif context.parsing_model is None:
            context.mark_error(WITHOUT_JUDGE, "parsing")
        else:
            self._ask_judge(context, evaluation_input.text or "", context.parsing_model)

    def _ask_judge(self, context: VerificationContext, text: str, model: ModelConfig) -> None:
        context[A.PARSING_MODEL_STR] = f"{model.interface}:{model.model_name}"
        evaluator = TemplateEvaluator(context[A.ANSWER], context.judge(model), context[A.RAW_LLM_RESPONSE])
        context[A.TEMPLATE_EVALUATOR] = evaluator
        ask = self._ask_deeply if context.config.deep_judgment_enabled else self._ask_at_once
        read_reply(context, model, lambda: ask(context, text, evaluator))

    def _ask_at_once(self, context: VerificationContext, text: str, evaluator: TemplateEvaluator) -> ParsedAnswer:
        prompts = context.config.prompt_config
        messages = parsing_messages(
            context.question_text,
            text,
            fields=evaluator.template.outline.fields,
            hints=context.config.include_extraction_hints,
            judge=evaluator.judge.model.system_prompt,
            instructions=prompts.parsing if prompts else None,
        )
        return evaluator.parse(messages)

    def _ask_deeply(self, context: VerificationContext, text: str, evaluator: TemplateEvaluator) -> ParsedAnswer:
        judgment = DeepJudgment(context, evaluator, text)
        try:
            return judgment.parse()
        finally:
            judgment.leave()


def fail_without_answer(context: VerificationContext, problem: str | None = None) -> None:
    """Fail an empty answer. `problem`: further details."""
    stop = context.generated.stop_reason if context.generated else None
    because = f" (stop reason: {stop})" if stop else ""
    context[A.VERIFY_RESULT] = False
    context.mark_failure("content", f"The model gave no answer to read{because}.", problem)


def read_reply(context: VerificationContext, model: ModelConfig, ask: Callable[[], ParsedAnswer]) -> bool:
    """Save the judge's extraction; True if it succeeded. Otherwise the job ends with an error."""
    try:
        context[A.PARSED_ANSWER] = ask()
    except (PortError, InputError) as error:
        context.mark_port_error(error, model)
    except SandboxError as error:
        context.mark_error(f"The template couldn’t read the judge’s reply. {error}", "template_validation")
    else:
        return True
    return False


class VerifyTemplate(Stage):
    """Run `verify()`, `verify_granular()` and `verify_regex()` in the template's cell."""

    name = "VerifyTemplate"
    requires = [A.PARSED_ANSWER, A.RAW_LLM_RESPONSE]
    consults = [A.ANSWER]
    produces = [
        A.FIELD_VERIFICATION_RESULT,
        A.REGEX_VERIFICATION_RESULTS,
        A.REGEX_EXTRACTION_RESULTS,
        A.VERIFY_RESULT,
        A.VERIFY_GRANULAR_RESULT,
    ]

    def rule(self, context: VerificationContext) -> str | None:
        return None if A.PARSED_ANSWER in context else "no field was extracted"

    def execute(self, context: VerificationContext) -> None:
        verdict = context[A.ANSWER].verify(context[A.PARSED_ANSWER], context[A.RAW_LLM_RESPONSE])
        if verdict.fallback is not None:
            context.set_result_field("template.template_execution", verdict.fallback)
        # An exception in the template is a verdict; a stopped cell, as at the time limit, says nothing about the
        # answer.
        if verdict.fault is not None and verdict.fault != "error":
            context.mark_error(f"The template was stopped. {verdict.error or ''}".strip(), "template_validation")
            return
        fields = verdict.field_verification_result
        if fields is None and verdict.error is not None:
            context.mark_error(f"The template couldn’t use the extracted fields. {verdict.error}", "parsing")
            return
        context[A.FIELD_VERIFICATION_RESULT] = fields
        context[A.REGEX_VERIFICATION_RESULTS] = verdict.regex.results
        context[A.REGEX_EXTRACTION_RESULTS] = verdict.regex.extraction_results
        context[A.VERIFY_RESULT] = fields is not False and verdict.regex.success and verdict.error is None
        context[A.VERIFY_GRANULAR_RESULT] = verdict.granular
        _record(context, verdict)
        if not context[A.VERIFY_RESULT]:
            context.mark_failure("content", _failure_reason(verdict), verdict.error)


def _record(context: VerificationContext, verdict: TemplateVerdict) -> None:
    error = verdict.error and (f"Line {verdict.error_line}: {verdict.error}" if verdict.error_line else verdict.error)
    for name, value in {
        "template_verification_performed": True,
        "parsed_llm_response": verdict.parsed,
        "parsed_gt_response": verdict.ground_truth,
        "field_verification_error": error,
        "field_results": verdict.field_results,
        "field_scores": verdict.field_scores,
        "field_acceptance": verdict.acceptance,
        "composition_strategy": verdict.composition_strategy,
        "regex_validations_performed": verdict.regex.performed,
        "regex_validation_details": verdict.regex.details,
        "regex_overall_success": verdict.regex.success,
    }.items():
        context.set_result_field(f"template.{name}", value)
    if verdict.regex.error:
        context.warnings.append(f"Pattern check: {verdict.regex.error}")


def _failure_reason(verdict: TemplateVerdict) -> str:
    if verdict.error:
        return f"verify() stopped with an error: {verdict.error}"
    wrong, failed = _failing(verdict.field_results or {}), _failing(verdict.regex.results)
    parts = []
    if verdict.field_verification_result is False:
        parts.append(f"fields that do not match: {', '.join(wrong)}" if wrong else "verify() returned False")
    if not verdict.regex.success:
        parts.append(f"patterns that do not match: {', '.join(failed)}" if failed else "verify_regex() failed")
    return "; ".join(parts).capitalize() or "verify() returned False"


def _failing(results: Mapping[str, bool | None]) -> list[str]:
    return [name for name, passed in results.items() if not passed]


def _record_no_deep_judgment(context: VerificationContext) -> None:
    context[A.DEEP_JUDGMENT_PERFORMED] = False
    context[A.DEEP_JUDGMENT_MODEL_CALLS] = 0
    context[A.DEEP_JUDGMENT_EXCERPT_RETRY_COUNT] = 0
    context[A.EXTRACTED_EXCERPTS] = None
    context[A.ATTRIBUTE_REASONING] = None
    context[A.HALLUCINATION_RISK_ASSESSMENT] = None
    context[A.DEEP_JUDGMENT_STAGES_COMPLETED] = None
    context[A.ATTRIBUTES_WITHOUT_EXCERPTS] = None
