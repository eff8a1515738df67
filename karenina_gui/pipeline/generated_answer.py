"""Generated answer, before it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from karenina_gui.adapters.ports import CallUsage
from karenina_gui.errors import InputError, PortError
from karenina_gui.sandbox.workspace.workspace_changes import WorkLeft
from karenina_gui.schemas.messages import Message, final_answer, final_answer_of_text, render_trace, with_thoughts
from karenina_gui.schemas.stop_reasons import is_cut_off
from karenina_gui.schemas.workspace import ResultWorkspace
from karenina_gui.traces.text_parser import messages_of_text


@dataclass(frozen=True)
class GeneratedAnswer:
    """One generated answer, shared by all its judges. A text with thoughts (`<think>`) becomes messages."""

    text: str
    """Raw response: the answer, or the text form of a trace with several messages."""
    messages: tuple[Message, ...] = ()
    """Trace; empty: only a text was recorded."""
    sent: tuple[Message, ...] = ()
    """Messages sent to the model; empty for recorded answers."""
    usage: CallUsage = field(default_factory=CallUsage)
    seconds: float = 0.0
    """Generation time."""
    dollars: float | None = None
    """Cost in US dollars as reported by an agent runtime; None: not reported."""
    retries: dict[str, int] = field(default_factory=dict)
    limit_reached: bool = False
    limit: str | None = None
    """Limit that the agent reached, such as "25 turns"; None: no limit, or unknown."""
    timeout_reached: bool = False
    refusal: str | None = None
    """Refusal by the provider; None: not refused."""
    stop_reason: str | None = None
    agent: bool = False
    """True if generated through `AgentPort`."""
    model: str | None = None
    """Model name as reported by the provider."""
    workspace: ResultWorkspace | None = None
    """Files that the agent changed in its workspace; None: it had no workspace."""
    judged: str | None = None
    """Text to judge of a recorded conversation if it is not the last message; None: the last message."""
    left: WorkLeft | None = None
    """The changed files themselves, for the workspaces of other judges."""

    def __post_init__(self) -> None:
        if not self.messages:
            plain = messages_of_text(self.text)
            apart = with_thoughts(plain)
            if apart != plain:
                object.__setattr__(self, "messages", tuple(apart))
                object.__setattr__(self, "text", trace_text(apart))

    @property
    def only_thought(self) -> bool:
        """True if the model stopped while it was thinking, or wrote nothing after it."""
        last = self.messages[-1] if self.messages else None
        return last is not None and bool(last.thinking) and not last.tool_uses and not last.text.strip()

    @property
    def cut_off(self) -> bool:
        """True if the answer ends before the model had finished, other than by a refusal."""
        return self.refusal is None and is_cut_off(self.stop_reason)

    def final(self) -> tuple[str | None, str | None]:
        """The text to judge, usually the final message, or None and the reason why there is none."""
        if self.judged is not None:
            return self.judged, None
        return final_answer(self.messages) if self.messages else final_answer_of_text(self.text)


def trace_text(messages: Sequence[Message]) -> str:
    """The answer if the model sent one message without tool calls; else the text form of the whole trace."""
    spoken = [message for message in messages if message.role in ("assistant", "tool")]
    plain = len(spoken) == 1 and not spoken[0].tool_uses
    return spoken[0].text if plain else render_trace(messages)


@dataclass(frozen=True)
class GenerationFailure:
    """Failed generation. All judges of the answer get the same failure, without another call."""

    error: PortError | InputError
    sent: tuple[Message, ...] = ()
    """Messages sent to the model; empty: none were sent."""
    workspace: ResultWorkspace | None = None
    """Files that the agent had changed by then; None: it had no workspace."""


Generation = GeneratedAnswer | GenerationFailure

OnAnswer = Callable[[GeneratedAnswer], None]
"""Callback for a generated answer. An exception in it ends the job with an internal error."""
