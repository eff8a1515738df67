"""Templates and traits that a model drafted: proposals, which change nothing until an author accepts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

DraftKind = Literal["template", "traits"]
DraftFaultKind = Literal[
    "call",
    "refusal",
    "cut_off",
    "no_code",
    "invalid",
    "refuses_expected",
    "accepts_everything",
    "accepts_wrong",
    "leak",
]
"""Fault of a draft.

call: the model could not be called; no_code: the reply has no draft; invalid: it does not compile, or has errors;
refuses_expected: it fails on its own expected values; accepts_everything, accepts_wrong: wrong values pass; leak: the
judge can read the expected value.
"""
ProposalState = Literal["open", "accepted", "refused"]


INCOMPLETE_FIELDS = "The description of the fields is incomplete."
INCOMPLETE_TRAITS = "A suggested trait is incomplete."


class DraftFault(BaseModel):
    """Reason why a draft is not offered as it is."""

    kind: DraftFaultKind
    message: str
    """Sentences for the model that drafts again."""

    @property
    def sentence(self) -> str:
        """`message` for the author, who cannot change what is missing in a reply."""
        is_incomplete = self.message.startswith((INCOMPLETE_FIELDS, INCOMPLETE_TRAITS))
        return (
            "The model’s reply was incomplete. Draft again, or choose another model." if is_incomplete else self.message
        )


class SuggestedTrait(BaseModel):
    """A rubric trait that a model suggests."""

    name: str
    description: str
    kind: Literal["boolean", "score"] = "boolean"
    min_score: int = 1
    max_score: int = 5
    higher_is_better: bool = True


class DraftAttempt(BaseModel):
    """One reply, and what was found in it."""

    reply: str = ""
    """Text of the reply; empty: there was none."""
    source: str = ""
    """Source of the template; empty: none was found."""
    traits: list[SuggestedTrait] = Field(default_factory=list)
    fault: DraftFault | None = None
    input_tokens: int | None = None
    """None: the provider gave no count."""
    output_tokens: int | None = None


class ModelDraft(BaseModel):
    """A draft with the replies that led to it. The last attempt counts."""

    attempts: list[DraftAttempt] = Field(min_length=1)
    remarks: list[str] = Field(default_factory=list)
    """Sentences about what may be intended, but deserves a look."""

    @property
    def last(self) -> DraftAttempt:
        return self.attempts[-1]

    @property
    def fault(self) -> DraftFault | None:
        """Fault of the last attempt; None: the draft passed all checks."""
        return self.last.fault


@dataclass(frozen=True)
class Proposal:
    """A draft that waits for the author, or was accepted or refused."""

    id: int
    benchmark_id: int
    number: int | None
    """Number of the question; None: it is about the benchmark."""
    kind: DraftKind
    state: ProposalState
    model: str
    """`interface:model_name`."""
    draft: ModelDraft
    instructions: str
    """System prompt that the model was given."""
    subject: str
    """User message that it was given: the question with its reference answer and notes, or the benchmark."""
    recording: str | None
    """Label of the recording that was replayed; None: the model was called."""
    at: str

    @property
    def has_recorded_reply(self) -> bool:
        """True if the reply came from a recording, which may also have had none."""
        return bool(self.recording) and (self.draft.fault is None or self.draft.fault.kind != "call")
