"""Stages 3 and 4: auto-fail at the turn limit, and for traces without a final answer."""

from __future__ import annotations

from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.stage import Stage
from karenina_gui.schemas.messages import final_answer
from karenina_gui.text import quantity


class RecursionLimitAutoFail(Stage):
    """Fail an agent that reached its turn limit. Its trace is kept."""

    name = "RecursionLimitAutoFail"
    requires = [A.RECURSION_LIMIT_REACHED]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        return None if context[A.RECURSION_LIMIT_REACHED] else "the turn limit was not reached"

    def execute(self, context: VerificationContext) -> None:
        stated = context.generated.limit if context.generated else None
        limit = stated or quantity(context.answering_model.max_turns, "turn")
        context[A.VERIFY_RESULT] = False
        context.mark_failure("recursion_limit", f"The agent reached its limit of {limit} without an answer.")


class TraceValidationAutoFail(Stage):
    """Fail a trace of an agent with MCP servers that does not end with a message of the model."""

    name = "TraceValidationAutoFail"
    requires = [A.RAW_LLM_RESPONSE]
    produces = [A.TRACE_VALIDATION_FAILED, A.TRACE_VALIDATION_ERROR, A.MCP_ENABLED]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        return None if A.RAW_LLM_RESPONSE in context else "there is no response to check"

    def execute(self, context: VerificationContext) -> None:
        mcp = bool(context.answering_model.tool_servers)
        checked = mcp and context.answering_model.interface != "manual"
        problem = final_answer(context.generated.messages)[1] if checked and context.generated else None
        context[A.MCP_ENABLED] = mcp
        context[A.TRACE_VALIDATION_FAILED] = problem is not None
        context[A.TRACE_VALIDATION_ERROR] = problem
        if problem is not None:
            context[A.VERIFY_RESULT] = False
            context.mark_failure("trace_validation", f"The trace has no final answer: {problem}")
