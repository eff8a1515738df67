"""Investigation by a judging agent: its task, its limits and its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from karenina_gui.adapters.ports import AgentConfig, AgentResult, Purpose
from karenina_gui.errors import AgentTimeoutError, InputError, ParseError, PortError, RefusalError
from karenina_gui.judging.judge import Judge, category_of, model_error_text
from karenina_gui.judging.prompt_sections import section
from karenina_gui.schemas.messages import Message, render_trace, to_stored
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.schemas.stop_reasons import early_end, has_no_tokens_left
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool
from karenina_gui.work_clock import seconds_worked

WORKSPACE = "/workspace"
"""Path of its folder as every agent sees it, independent of the path on this computer."""

_REPORT_NOW = Message.of("user", "You stopped without a report. Write it now.")
TRACE_FILE = "The full agent trace is saved to: {}\nUse file tools (grep, search, read) to examine it."


@dataclass(frozen=True)
class JudgingView:
    """What a judging agent sees of a folder."""

    folder: Path
    """Folder of its tools."""
    tools: Sequence[Tool] = ()
    problem: str | None = None
    """Reason for missing tools, as a sentence; None: none is missing."""


@dataclass(frozen=True)
class InvestigationSpec:
    """Task of one investigation, with its tools and limits."""

    purpose: Purpose
    messages: tuple[Message, ...]
    max_turns: int
    seconds: float
    """Time limit of the whole investigation."""
    folder: Path | None = None
    """Folder of its tools; None: the agent has only its prompt and no tools."""
    tools: Sequence[Tool] = ()


@dataclass(frozen=True)
class Findings:
    """Result of an investigation. After a complete one, `problem` is None and `trace` contains the report."""

    messages: tuple[Message, ...] = ()
    """Prompt and all following messages."""
    trace: str | None = None
    """The agent's messages and tool calls as text; None: it failed before the first message."""
    turns: int = 0
    seconds: float = 0.0
    limit: str | None = None
    """Limit that ended it before its report, as text; None: no limit."""
    problem: str | None = None
    """Reason for the missing report, as a sentence; None: there is a report."""
    category: FailureCategory = "unexpected_error"
    """Category of the failure; undefined without `problem`."""
    error: PortError | InputError | None = None
    """Raised error; None: it ended normally or at a limit."""

    def record(self, model: str | None, subject: Literal["template", "traits"], traits: Sequence[str]) -> Investigation:
        """Record of the investigation for the result."""
        return Investigation(
            subject=subject,
            traits=list(traits),
            model=model,
            messages=to_stored(self.messages),
            turns=self.turns,
            seconds=round(self.seconds, 3),
            limit=self.limit,
            error=None if self.limit is not None else self.problem,
        )


def answer_sections(trace: str | None, trace_file: str | None, workspace: bool) -> list[str]:
    """Prompt sections on an answer: its trace, or the path of the trace file, and the workspace."""
    sections = [section("trace", trace)] if trace else []
    if trace_file is not None:
        sections.append(TRACE_FILE.format(trace_file))
    return [*sections, f"Workspace directory: {WORKSPACE}"] if workspace else sections


def investigate(judge: Judge, assignment: InvestigationSpec) -> Findings:
    """Run the investigation. Raises `RunCancelled`, and errors that are not a port's."""
    started = seconds_worked()
    config = AgentConfig(
        max_turns=assignment.max_turns,
        timeout=assignment.seconds,
        workspace_path=assignment.folder,
        max_tokens=judge.model.max_agent_tokens,
        max_tool_calls=judge.model.max_tool_calls,
        purpose=assignment.purpose,
    )
    # Without a folder the agent has no tools at all, so that it judges by its prompt alone.
    servers = judge.model.tool_servers if assignment.folder is not None else {}
    try:
        result = _run(judge, assignment, servers, config)
    except (PortError, InputError) as error:
        return _findings_of_error(judge, assignment, error, seconds_worked() - started)
    return _findings_of_result(judge, assignment, result, seconds_worked() - started)


def _run(
    judge: Judge, assignment: InvestigationSpec, servers: Mapping[str, ToolServer], config: AgentConfig
) -> AgentResult:
    """Run the agent, which goes on once if it stops with a thought instead of its report."""
    first = judge.run(assignment.messages, assignment.tools, servers, config)
    messages = _without_prompt(assignment, first.messages)
    ended = first.limit_reached or first.timeout_reached or first.refusal or early_end(first.stop_reason)
    if ended or first.final_response.strip() or not messages or not messages[-1].thinking:
        return first
    prompt = (*assignment.messages, *messages[:-1], _REPORT_NOW)
    again = judge.run(prompt, assignment.tools, servers, config)
    more = again.messages[len(prompt) :] if again.messages[: len(prompt)] == prompt else again.messages
    return replace(again, messages=(*messages, _REPORT_NOW, *more), turns=first.turns + again.turns)


def _findings_of_error(
    judge: Judge, assignment: InvestigationSpec, error: PortError | InputError, seconds: float
) -> Findings:
    messages: tuple[Message, ...] = error.messages if isinstance(error, PortError) else ()
    late = isinstance(error, AgentTimeoutError)
    return Findings(
        messages=_with_prompt(assignment, messages),
        trace=render_trace(messages) or None,
        turns=_turns(messages),
        seconds=seconds,
        limit=f"{assignment.seconds:g} seconds" if late else None,
        problem=model_error_text(judge.model, error),
        category=category_of(error),
        error=error,
    )


def _findings_of_result(judge: Judge, assignment: InvestigationSpec, result: AgentResult, seconds: float) -> Findings:
    limit = _limit(judge, assignment, result)
    problem, category = _report_problem(judge, result, limit)
    return Findings(
        messages=_with_prompt(assignment, result.messages),
        trace=result.raw_trace or render_trace(result.messages) or result.final_response.strip() or None,
        turns=result.turns or _turns(result.messages),
        seconds=seconds,
        limit=limit,
        problem=problem,
        category=category,
    )


def _limit(judge: Judge, assignment: InvestigationSpec, result: AgentResult) -> str | None:
    if result.timeout_reached:
        return result.limit or f"{assignment.seconds:g} seconds"
    if result.limit_reached:
        return result.limit or f"{assignment.max_turns} turns"
    if has_no_tokens_left(result.stop_reason):
        return f"{judge.model.max_tokens} tokens in one reply"
    return None


def _report_problem(judge: Judge, result: AgentResult, limit: str | None) -> tuple[str | None, FailureCategory]:
    # A partial report counts as none, because what it has not reached yet would be taken for missing.
    name = judge.model.id
    if result.timeout_reached:
        return f"{name}: the investigation ran out of time ({limit}) before it had reported.", "timeout"
    if limit is not None:
        return f"{name}: the investigation reached its limit of {limit} before it had reported.", "parsing"
    if result.refusal is not None:
        declined = RefusalError(f"The judge declined to investigate: {result.refusal}", explanation=result.refusal)
        return model_error_text(judge.model, declined), category_of(declined)
    if (cause := early_end(result.stop_reason)) is not None:
        return f"{name}: the investigation ended before it had reported: {cause}.", "parsing"
    if not result.final_response.strip():
        return model_error_text(judge.model, ParseError("The investigation ended without a report.")), "parsing"
    return None, "unexpected_error"


def _with_prompt(assignment: InvestigationSpec, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return (*assignment.messages, *_without_prompt(assignment, messages))


def _without_prompt(assignment: InvestigationSpec, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages after the prompt, which some agents return as part of their messages."""
    prompt = assignment.messages
    return messages[len(prompt) :] if messages[: len(prompt)] == prompt else messages


def _turns(messages: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in messages)
