"""Panes of the investigations of a result: subject, conversation with the judge, and ending."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.html import with_named_characters
from karenina_gui.gui.pages.results.conversation import number_messages
from karenina_gui.schemas.messages import Message, final_answer, from_stored
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.text import duration, plural, quantity
from karenina_gui.traces.metrics import trace_metrics
from karenina_gui.traces.text_parser import messages_of_text

LONGEST_NAME = 40
"""Maximum characters of a tool's name above a trace."""
MOST_TOOLS = 8
"""Maximum number of tools named above a trace."""


@dataclass(frozen=True)
class InvestigationPane:
    """Investigation of a result. `number` is 1-based; its name in URLs is `investigation-1`."""

    number: int
    traits: tuple[str, ...]
    """Traits that it judges; empty: the template's fields."""
    messages: tuple[Message, ...]
    facts: str
    """Turns, calls and time in words; empty: unknown."""
    ended: str | None = None
    """Reason why it ended early, as a sentence; None: it did not."""

    @property
    def name(self) -> str:
        return f"investigation-{self.number}"

    @property
    def title(self) -> str:
        if not self.traits:
            return "Fields"
        return f"{plural(len(self.traits), 'Trait')} {', '.join(self.traits)}"

    @property
    def items(self) -> list[dict[str, Any]]:
        """Return the messages for the trace view."""
        sent = tuple(takewhile(lambda message: message.role in ("system", "user"), self.messages))
        final = final_answer(self.messages)[0] or "" if self.ended is None else ""
        return number_messages(sent, self.messages[len(sent) :], user_title="Task", final=final, end=self.ended)


def investigations(result: VerificationResult) -> list[InvestigationPane]:
    """Return all investigations of a result. Those of other programs are read from their texts."""
    return [_pane(number, investigation) for number, investigation in enumerate(_all_of(result), start=1)]


def metrics_in_words(metrics: Mapping[str, Any]) -> str:
    """Format `5 turns · 6 tool calls (read_file 4, run_command 2) · 1 failed`."""
    turns, calls, failed = (metrics.get(name) for name in ("iterations", "tool_calls", "suspect_failed_tool_calls"))
    parts = [
        _quantity(turns, "turn") if turns else "",
        _quantity(calls, "tool call") + _tools(metrics) if calls else "no tool calls" if turns else "",
        f"{failed:,} failed" if isinstance(failed, int) and failed else "",
    ]
    return " · ".join(filter(None, parts))


def agent_facts(result: VerificationResult) -> str:
    """Describe the work of the answering agent and the limit that ended it; empty: no agent answered."""
    template = result.template
    metrics = (template.agent_metrics if template else None) or {}
    if template is None or not metrics:
        return ""
    limit = f"stopped at its limit of {metrics['limit']}" if metrics.get("limit") else "stopped at its limit"
    stopped = "stopped at its time limit" if template.response_timeout_partial else limit
    limited = template.recursion_limit_reached or template.response_timeout_partial or metrics.get("limit_reached")
    return " · ".join(filter(None, [metrics_in_words(metrics), stopped if limited else ""]))


def _all_of(result: VerificationResult) -> Iterator[Investigation | tuple[tuple[str, ...], str]]:
    """Yield the recorded investigations, then those that exist only as text: traits and text."""
    stored = result.investigations or []
    yield from stored
    template = result.template
    if (
        template
        and template.investigation_trace
        and not any(investigation.subject == "template" for investigation in stored)
    ):
        yield (), template.investigation_trace
    recorded = {trait for investigation in stored for trait in investigation.traits}
    yield from ((tuple(traits), text) for text, traits in _trait_texts(result, recorded).items())


def _trait_texts(result: VerificationResult, recorded: Collection[str]) -> dict[str, list[str]]:
    """Return the traits of each text, without those whose investigation is recorded."""
    traces = (result.rubric.agentic_trait_investigation_traces if result.rubric else None) or {}
    texts: dict[str, list[str]] = {}
    for trait, text in traces.items():
        if text and trait not in recorded:
            texts.setdefault(text, []).append(trait)
    return texts


def _pane(number: int, stored: Investigation | tuple[tuple[str, ...], str]) -> InvestigationPane:
    if isinstance(stored, tuple):
        messages = messages_of_text(stored[1])
        return InvestigationPane(number, stored[0], tuple(messages), metrics_in_words(trace_metrics(messages)))
    messages = from_stored(stored.messages)
    facts = [
        metrics_in_words(trace_metrics(messages) | ({"iterations": stored.turns} if stored.turns else {})),
        duration(stored.seconds) if stored.seconds else "",
        f"by {stored.model}" if stored.model else "",
    ]
    return InvestigationPane(
        number, tuple(stored.traits), tuple(messages), " · ".join(filter(None, facts)), _ending(stored)
    )


def _ending(investigation: Investigation) -> str | None:
    if investigation.error:
        return f"Failed: {with_named_characters(investigation.error)}"
    return f"It reached its limit of {investigation.limit} before it reported." if investigation.limit else None


def _tools(metrics: Mapping[str, Any]) -> str:
    """List the tools."""
    counts, used = metrics.get("tool_call_counts"), metrics.get("tools_used")
    if isinstance(counts, dict) and counts:
        tools = [f"{_tool_name(name)} {format_value(count)}" for name, count in counts.items()]
    else:
        tools = [_tool_name(name) for name in used] if isinstance(used, list) else []
    # `1 more` would take as much room as the name itself.
    more = [f"{len(tools) - MOST_TOOLS:,} more"] if len(tools) > MOST_TOOLS + 1 else []
    return f" ({', '.join([*tools[:MOST_TOOLS], *more] if more else tools)})" if tools else ""


def _tool_name(tool: Any) -> str:
    # Models invent tool names: long ones, and some with invisible characters.
    name = with_named_characters(str(tool))
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _quantity(number: Any, noun: str) -> str:
    return quantity(number, noun) if isinstance(number, int) else ""
