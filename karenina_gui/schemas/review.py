"""Review of questions: the checklist before a question is finished, and comments about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from karenina_gui.schemas.benchmark_summaries import QuestionSummary

CheckState = Literal["done", "missing", "advice"]
"""`missing`: the question should not be finished; `advice`: it can be, but somebody should look at this."""


@dataclass(frozen=True)
class CheckItem:
    """One line of the checklist."""

    state: CheckState
    text: str
    tab: str
    """Tab of the question editor on which it is settled."""
    anchor: str = ""
    """Its place on that tab: a field of the question, `line:3`, `field:dose`, `trait:depth`, or `samples`; empty: the
    whole tab."""
    detail: str = ""
    """The message behind the text, such as that of a syntax error."""
    minor: bool = False
    """True for advice that many good questions do not follow."""


CommentKind = Literal["comment", "returned"]


@dataclass(frozen=True)
class Comment:
    """A comment about a question, or the note with which it was returned. Kept on this computer only."""

    id: int
    number: int
    """Number of the question."""
    author: str
    """Name of the person; empty: not given."""
    text: str
    part: str | None
    """Part of the question that it is about, such as `answer_template` or `field:dose`; None: the whole."""
    kind: CommentKind
    created_at: str
    """ISO 8601 in UTC."""
    done: bool = False


def waits_for(person: str, question: QuestionSummary) -> bool:
    """True if the question waits for this person: as its author if it was returned, else as a reviewer.

    Without a name, each question that waits for anybody's review counts.
    """
    own = bool(person) and same_person(person, question.author)
    if question.returned_at:
        return own
    return not own and bool(question.id) and (not question.finished or question.changed_since_review)


def same_person(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()
