"""Stages 9 and 10: embedding check after a failed field check, and auto-fail without quotes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import InputError, PortError
from karenina_gui.judging.replies import FlatReply
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.prompts import EQUIVALENCE_SCHEMA, equivalence_messages
from karenina_gui.pipeline.stage import Stage


class EmbeddingCheck(Stage):
    """Compare expected and extracted values by embedding after a failed field check, then ask the judge.

    Similarity alone never decides, because embeddings hardly react to negations. This is the only judge request that
    contains the template's ground truth. A failed pattern stays failed, in `verify_regex()` as in a trace field.
    """

    name = "EmbeddingCheck"
    requires = [A.PARSED_ANSWER, A.FIELD_VERIFICATION_RESULT, A.REGEX_VERIFICATION_RESULTS]
    consults = [A.ANSWER]
    produces = [
        A.EMBEDDING_CHECK_PERFORMED,
        A.EMBEDDING_SIMILARITY_SCORE,
        A.EMBEDDING_MODEL_USED,
        A.EMBEDDING_OVERRIDE_APPLIED,
    ]
    overrides = [A.FIELD_VERIFICATION_RESULT, A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        passed = context.get_artifact(A.FIELD_VERIFICATION_RESULT)
        if passed is False:
            return None
        return "no field was compared" if passed is None else "the comparison did not fail"

    def execute(self, context: VerificationContext) -> None:
        embedder = context.world.embedder
        score = None if embedder is None else self._similarity(context, embedder)
        alike = score is not None and score >= context.config.embedding_check_threshold
        same = _is_equivalent(context) if alike else False
        context[A.EMBEDDING_CHECK_PERFORMED] = score is not None and same is not None
        context[A.EMBEDDING_SIMILARITY_SCORE] = score
        context[A.EMBEDDING_MODEL_USED] = embedder.name if embedder and score is not None else None
        context[A.EMBEDDING_OVERRIDE_APPLIED] = bool(same)
        if same:
            self._override(context)

    def _similarity(self, context: VerificationContext, embedder: Embedder) -> float | None:
        """Cosine similarity of expected and extracted values; None: not comparable, or the model is missing."""
        texts = _expected_and_found(context)
        if texts is None:
            return None
        try:
            return round(embedder.similarity(*texts), 4)
        except InputError as error:
            context.warnings.append(f"The embedding check was not performed: {error}")
            return None

    def _override(self, context: VerificationContext) -> None:
        # Also False if a pattern raised an error, or if `verify_regex()` returned no names.
        searched = context.get_result_field("template.regex_overall_success")
        patterns_hold = searched is not False and all(context[A.REGEX_VERIFICATION_RESULTS].values())
        context[A.FIELD_VERIFICATION_RESULT] = True
        context[A.VERIFY_RESULT] = patterns_hold
        context.caveats.append("embedding_override")
        if patterns_hold:
            context.retract_failure("content")


class DeepJudgmentAutoFail(Stage):
    """Fail an answer with fields that have no verbatim quote. A refusal takes precedence."""

    name = "DeepJudgmentAutoFail"
    consults = [A.DEEP_JUDGMENT_PERFORMED, A.ATTRIBUTES_WITHOUT_EXCERPTS, A.ABSTENTION_DETECTED]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        if not context.get_artifact(A.DEEP_JUDGMENT_PERFORMED):
            return "no field uses deep judgment"
        if context.get_artifact(A.ABSTENTION_DETECTED):
            return "the model refused to answer"
        missing = context.get_artifact(A.ATTRIBUTES_WITHOUT_EXCERPTS)
        if missing is None:
            return "no quotes were requested"
        return None if missing else "every field has a quote"

    def execute(self, context: VerificationContext) -> None:
        missing = context[A.ATTRIBUTES_WITHOUT_EXCERPTS]
        fields = ", ".join(missing or [])
        context[A.VERIFY_RESULT] = False
        context.mark_failure("deep_judgment", f"Fields without a quote from the answer: {fields}")


def _expected_and_found(context: VerificationContext) -> tuple[str, str] | None:
    """Values of the judged fields, expected and extracted, each as JSON.

    None if `verify()` failed, a trace field failed, or nothing was extracted.
    """
    fields, of_trace = context.result_fields, _trace_fields(context)
    expected, extracted = fields.get("template.parsed_gt_response"), fields.get("template.parsed_llm_response")
    if _has_failed(fields, of_trace) or not expected or not extracted:
        return None
    # A field that is missing on one side would lower the similarity of all others.
    shared = [name for name in expected if name in extracted and name not in of_trace]
    one, other = (
        json.dumps({name: values[name] for name in shared}, ensure_ascii=False) for values in (expected, extracted)
    )
    return (one, other) if shared else None


def _has_failed(fields: Mapping[str, Any], of_trace: Iterable[str]) -> bool:
    """True if the verdict has a cause that no similarity of values can lift."""
    results = fields.get("template.field_results") or {}
    return bool(fields.get("template.field_verification_error")) or any(results.get(name) is False for name in of_trace)


def _trace_fields(context: VerificationContext) -> set[str]:
    template = context.get_artifact(A.ANSWER)
    return {field.name for field in template.outline.fields if field.is_trace} if template else set()


def _is_equivalent(context: VerificationContext) -> bool | None:
    """The judge's verdict; None, with a warning, if the judge cannot be called."""
    texts, model = _expected_and_found(context), context.parsing_model
    if texts is None or model is None:
        context.warnings.append("The embedding check has no judge to confirm it, so it had no effect.")
        return None
    messages = equivalence_messages(context.question_text, *texts, judge=model.system_prompt)
    try:
        reply = context.judge(model).ask("embedding_check", messages, FlatReply(EQUIVALENCE_SCHEMA))
    except (PortError, InputError) as error:
        context.warnings.append(f"The judge couldn’t confirm the embedding check, so it had no effect: {error}")
        return None
    return bool(reply["equivalent"])
