"""Stages 9 and 10: a second look at a failed field check, and answers without evidence."""

from __future__ import annotations

from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.stage import Stage


class EmbeddingCheck(Stage):
    """Runs after a failed field check. No embedding model is part of this version: it records that none was asked."""

    name = "EmbeddingCheck"
    requires = [A.PARSED_ANSWER, A.FIELD_VERIFICATION_RESULT, A.REGEX_VERIFICATION_RESULTS]
    produces = [
        A.EMBEDDING_CHECK_PERFORMED,
        A.EMBEDDING_SIMILARITY_SCORE,
        A.EMBEDDING_MODEL_USED,
        A.EMBEDDING_OVERRIDE_APPLIED,
    ]

    def rule(self, context: VerificationContext) -> str | None:
        if context.get_artifact(A.FIELD_VERIFICATION_RESULT) is False:
            return None
        return "the field check did not fail"

    def execute(self, context: VerificationContext) -> None:
        context[A.EMBEDDING_CHECK_PERFORMED] = False
        context[A.EMBEDDING_SIMILARITY_SCORE] = None
        context[A.EMBEDDING_MODEL_USED] = None
        context[A.EMBEDDING_OVERRIDE_APPLIED] = False


class DeepJudgmentAutoFail(Stage):
    """Fields without a verbatim excerpt in the answer fail it; a refusal goes first."""

    name = "DeepJudgmentAutoFail"
    requires = [A.DEEP_JUDGMENT_PERFORMED, A.ATTRIBUTES_WITHOUT_EXCERPTS]
    consults = [A.ABSTENTION_DETECTED]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        if not context.get_artifact(A.DEEP_JUDGMENT_PERFORMED):
            return "deep judgment was not performed"
        if context.get_artifact(A.ABSTENTION_DETECTED):
            return "the model refused to answer"
        missing = context.get_artifact(A.ATTRIBUTES_WITHOUT_EXCERPTS)
        if missing is None:
            return "no excerpts were asked for"
        return None if missing else "every field has an excerpt"

    def execute(self, context: VerificationContext) -> None:
        missing = context[A.ATTRIBUTES_WITHOUT_EXCERPTS]
        fields = ", ".join(missing or [])
        context[A.VERIFY_RESULT] = False
        context.mark_failure("deep_judgment", f"Fields without a verbatim excerpt in the answer: {fields}")
