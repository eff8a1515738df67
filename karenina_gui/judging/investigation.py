"""An investigation by a judging agent: what it is told, how far it may go, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from karenina_gui.adapters.ports import AgentConfig, AgentResult, Purpose
from karenina_gui.errors import AgentTimeoutError, InputError, ParseError, PortError, RefusalError
from karenina_gui.judging.judge import Judge, category_of, told_of
from karenina_gui.schemas.messages import Message, render_trace, stored
from karenina_gui.schemas.prompt_sections import section
from karenina_gui.schemas.result import FailureCategory, Investigation
from karenina_gui.schemas.stop_reasons import is_cut_off
from karenina_gui.schemas.tools import Tool
from karenina_gui.work_clock import worked

WORKSPACE = "/workspace"
"""Where every agent finds the folder that it works in, whatever its place on this computer."""

TRACE_FILE = "The full agent trace is saved to: {}\nUse file tools (grep, search, read) to examine it."


@dataclass(frozen=True)
class Assignment:
    """What one investigation is to find out, with what, and how long it may take."""

    purpose: Purpose
    messages: tuple[Message, ...]
    max_turns: int
    seconds: float
    """For all of it."""
    folder: Path | None = None
    """That its tools work in; None: it looks at nothing but its prompt, and has no tools at all."""
    tools: Sequence[Tool] = ()


@dataclass(frozen=True)
class Findings:
    """What came of an investigation. Where it came to its end, `problem` is None and `trace` holds the report."""

    messages: tuple[Message, ...] = ()
    """What it was told, and all that followed."""
    trace: str | None = None
    """What it said and did, as text; None: it broke before anything was said."""
    turns: int = 0
    seconds: float = 0.0
    limit: str | None = None
    """The limit that ended it before it had reported, in words; None: none did."""
    problem: str | None = None
    """Why there is no report, as a sentence; None: there is one."""
    category: FailureCategory = "unexpected_error"
    """What kind of failure that is. Means nothing without a `problem`."""
    error: PortError | InputError | None = None
    """What was raised; None: it ended by itself, or at a limit."""

    def record(self, model: str | None, subject: Literal["template", "traits"], traits: Sequence[str]) -> Investigation:
        """The investigation as a result keeps it."""
        return Investigation(
            subject=subject,
            traits=list(traits),
            model=model,
            messages=stored(self.messages),
            turns=self.turns,
            seconds=round(self.seconds, 3),
            limit=self.limit,
            error=None if self.limit is not None else self.problem,
        )


def seen(trace: str | None, trace_file: str | None, workspace: bool) -> list[str]:
    """What a prompt shows of an answer: the trace of the agent that gave it, or where that is, and the workspace."""
    shown = [section("trace", trace)] if trace else []
    if trace_file is not None:
        shown.append(TRACE_FILE.format(trace_file))
    return [*shown, f"Workspace directory: {WORKSPACE}"] if workspace else shown


def investigate(judge: Judge, assignment: Assignment) -> Findings:
    """Let the judge look for itself. Errors: `RunCancelled`, and whatever is no fault of a port."""
    started = worked()
    config = AgentConfig(
        max_turns=assignment.max_turns,
        timeout=assignment.seconds,
        workspace_path=assignment.folder,
        max_tokens=judge.model.max_agent_tokens,
        max_tool_calls=judge.model.max_tool_calls,
        purpose=assignment.purpose,
    )
    servers = judge.model.tool_servers if assignment.folder is not None else {}
    try:
        result = judge.run(assignment.messages, assignment.tools, servers, config)
    except (PortError, InputError) as error:
        return _broken(judge, assignment, error, worked() - started)
    return _ended(judge, assignment, result, worked() - started)


def _broken(judge: Judge, assignment: Assignment, error: PortError | InputError, seconds: float) -> Findings:
    said: tuple[Message, ...] = error.messages if isinstance(error, PortError) else ()
    late = isinstance(error, AgentTimeoutError)
    return Findings(
        messages=_whole(assignment, said),
        trace=render_trace(said) or None,
        turns=_turns(said),
        seconds=seconds,
        limit=f"{assignment.seconds:g} seconds" if late else None,
        problem=told_of(judge.model, error),
        category=category_of(error),
        error=error,
    )


def _ended(judge: Judge, assignment: Assignment, result: AgentResult, seconds: float) -> Findings:
    limit = _limit(judge, assignment, result)
    problem, category = _without_report(judge, result, limit)
    return Findings(
        messages=_whole(assignment, result.messages),
        trace=result.raw_trace or render_trace(result.messages) or result.final_response.strip() or None,
        turns=result.turns or _turns(result.messages),
        seconds=seconds,
        limit=limit,
        problem=problem,
        category=category,
    )


def _limit(judge: Judge, assignment: Assignment, result: AgentResult) -> str | None:
    if result.timeout_reached:
        return result.limit or f"{assignment.seconds:g} seconds"
    if result.limit_reached:
        return result.limit or f"{assignment.max_turns} turns"
    if is_cut_off(result.stop_reason):
        return f"{judge.model.max_tokens} tokens in one reply"
    return None


def _without_report(judge: Judge, result: AgentResult, limit: str | None) -> tuple[str | None, FailureCategory]:
    """Half a report is none: what it has not come to yet would be taken for missing."""
    name = judge.model.id
    if result.timeout_reached:
        return f"{name}: the investigation ran out of time ({limit}) before it had reported.", "timeout"
    if limit is not None:
        return f"{name}: the investigation reached its limit of {limit} before it had reported.", "parsing"
    if result.refusal is not None:
        declined = RefusalError(f"The judge declined to investigate: {result.refusal}", explanation=result.refusal)
        return told_of(judge.model, declined), category_of(declined)
    if not result.final_response.strip():
        return told_of(judge.model, ParseError("The investigation ended without a report.")), "parsing"
    return None, "unexpected_error"


def _whole(assignment: Assignment, said: tuple[Message, ...]) -> tuple[Message, ...]:
    told = assignment.messages
    return (*told, *(said[len(told) :] if said[: len(told)] == told else said))


def _turns(messages: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in messages)
