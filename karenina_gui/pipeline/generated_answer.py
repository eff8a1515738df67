"""An answer as it was generated, before anybody judged it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from karenina_gui.adapters.ports import Usage
from karenina_gui.errors import InputError, PortError
from karenina_gui.sandbox.workspace.workspace_changes import WorkLeft
from karenina_gui.schemas.messages import Message, final_answer, final_answer_of_text
from karenina_gui.schemas.stop_reasons import is_cut_off
from karenina_gui.schemas.workspace import ResultWorkspace


@dataclass(frozen=True)
class GeneratedAnswer:
    """One generation; the same object serves every judge that reads it."""

    text: str
    """The raw response: the answer itself, or for a trace of several messages its text form."""
    messages: tuple[Message, ...] = ()
    """The trace; empty where only a text was recorded."""
    sent: tuple[Message, ...] = ()
    """What the answering model was sent; empty for a recorded answer, which nobody was asked for."""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """That it took."""
    dollars: float | None = None
    """What an agent runtime itself says that it has cost (US dollars); None: it says nothing."""
    retries: dict[str, int] = field(default_factory=dict)
    limit_reached: bool = False
    limit: str | None = None
    """The limit that an agent reached, in words ("25 turns"); None: none, or nobody said."""
    timeout_reached: bool = False
    refusal: str | None = None
    """The provider's own refusal; None: it did not refuse."""
    stop_reason: str | None = None
    agent: bool = False
    """Whether it came through `AgentPort`."""
    model: str | None = None
    """The model that the provider says has answered."""
    workspace: ResultWorkspace | None = None
    """What the agent left in its workspace; None: it had none."""
    left: WorkLeft | None = None
    """The same as files, for a further judge."""

    @property
    def cut_off(self) -> bool:
        """Whether the model had to stop at its limit of tokens."""
        return is_cut_off(self.stop_reason)

    def final(self) -> tuple[str | None, str | None]:
        """The final message, or None and why there is none."""
        return final_answer(self.messages) if self.messages else final_answer_of_text(self.text)


@dataclass(frozen=True)
class GenerationFailure:
    """The model could not be asked; every judge of this answer gets the same failure, and nobody asks again."""

    error: PortError | InputError
    sent: tuple[Message, ...] = ()
    """What the model was asked; empty: it was not."""
    workspace: ResultWorkspace | None = None
    """What an agent had left in its workspace by then; None: it had none."""


Generation = GeneratedAnswer | GenerationFailure

OnAnswer = Callable[[GeneratedAnswer], None]
"""Whatever it raises ends the job as a fault of its own, so it had better raise nothing."""
