"""Generated answer, before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from karenina_gui.adapters.ports import CallUsage
from karenina_gui.errors import InputError, PortError
from karenina_gui.sandbox.workspace.workspace_changes import WorkLeft
from karenina_gui.schemas.messages import Message, final_answer, final_answer_of_text
from karenina_gui.schemas.stop_reasons import is_cut_off
from karenina_gui.schemas.workspace import ResultWorkspace


@dataclass(frozen=True)
class GeneratedAnswer:
    """One generated answer, shared by all its judges."""

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

    @property
    def cut_off(self) -> bool:
        """True if the answer ended at the token limit."""
        return is_cut_off(self.stop_reason)

    def final(self) -> tuple[str | None, str | None]:
        """The text to judge, usually the final message, or None and the reason why there is none."""
        if self.judged is not None:
            return self.judged, None
        return final_answer(self.messages) if self.messages else final_answer_of_text(self.text)


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
