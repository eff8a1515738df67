"""Rows of the question list: plain values under fixed keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any
from urllib.parse import urlencode

from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.text import join_list, quantity

TEMPLATE_WORDS = {
    "ok": "Works",
    "problem": "Problem",
    "begun": "Begun",
    "failing": "Failing",
    "lenient": "Lenient",
    "unchecked": "…",
    "none": "None",
}

UNTITLED = "Untitled question"
STATES = {
    "": "All",
    "yes": "Finished",
    "no": "Unfinished",
    "changed": "Changed since review",
    "waiting": "Waiting for me",
    "duplicates": "Duplicates",
}
"""Choices of the first filter."""
TEMPLATES = {"": "Any template", "none": "Without template", "problems": "With problems"}
"""Choices of the last filter."""


@dataclass(frozen=True)
class ListFilter:
    """Filter of the list. The default shows all rows."""

    text: str = ""
    finished: str = ""
    """`yes`, `no`, `changed` (finished, and edited since), `waiting` (for the user), `duplicates`, or empty for all."""
    keyword: str = ""
    template: str = ""
    """`none` (no template), `problems` (one that a run cannot rely on), or empty for all."""
    me: str = ""
    """Name of the user, for `waiting`; never part of an address."""
    only: tuple[int, ...] = ()
    """Numbers of the questions that `duplicates` shows; never part of an address."""

    @classmethod
    def from_query(cls, entered: Mapping[str, Any]) -> ListFilter:
        """Parse a filter from a URL or the browser. Unknown values are ignored."""
        finished, template = str(entered.get("finished") or ""), str(entered.get("template") or "")
        return cls(
            text=str(entered.get("text") or ""),
            finished=finished if finished in STATES else "",
            keyword=str(entered.get("keyword") or ""),
            template=template if template in TEMPLATES else "",
        )

    def to_query(self) -> str:
        """Return the filter as a URL part; empty if all rows are shown."""
        return urlencode({name: value for name, value in vars(self).items() if value and name not in ("me", "only")})


def rows(questions: Iterable[QuestionSummary]) -> list[dict[str, Any]]:
    """Return all questions as rows, each with its `place`, from 1."""
    return [{"place": position, **row(question)} for position, question in enumerate(questions, start=1)]


def row(question: QuestionSummary) -> dict[str, Any]:
    """Return a row.

    Keys: number, question, keywords (text), tags (list), finished, changed (since its review), returned (to its
    author), author, nameless (without an id), template (see `TEMPLATE_WORDS`), tested (text about its tests), rubric.
    """
    return {
        "number": question.number,
        "question": shown_title(question, question.text),
        "keywords": ", ".join(question.keywords),
        "tags": list(question.keywords),
        "finished": question.finished,
        "changed": question.changed_since_review,
        "returned": question.returned_at is not None,
        "author": question.author,
        "nameless": not question.id,
        "template": template_state(question),
        "tested": tested_text(question),
        "rubric": question.has_rubric,
    }


def shown_title(question: QuestionSummary, text: str) -> str:
    """Return the title of a question; without an id, it states what is missing."""
    if question.id:
        return text
    return f"Unedited copy: {text}" if text.strip() else UNTITLED


def is_usable(question: QuestionSummary) -> bool:
    """Return True if a run can check answers to the question. A template not yet checked counts as valid."""
    return question.has_template and question.template_valid is not False


def template_state(question: QuestionSummary) -> str:
    if not question.has_template:
        return "none"
    if not question.template_valid:
        if question.mutation == "unfinished":
            return "begun"
        # None: the template was not checked yet.
        return "unchecked" if question.template_valid is None else "problem"
    if question.samples_wrong or question.mutation == "refuses_expected":
        return "failing"
    return "lenient" if question.mutation == "accepts_wrong" else "ok"


def tested_text(question: QuestionSummary) -> str:
    """Return a sentence about the tests of a template; empty: there are none, or they are outdated."""
    if not question.template_valid or question.samples_wrong is None:
        return ""
    parts = []
    if question.samples:
        right = question.samples - question.samples_wrong - (question.samples_unread or 0)
        parts.append(f"{right} of {quantity(question.samples, 'sample answer')} as expected.")
    if question.samples_unread:
        parts.append(f"{question.samples_unread} not read yet.")
    if question.mutation in _MUTATIONS:
        parts.append(_MUTATIONS[question.mutation])
    return " ".join(parts)


def quoted_title(question: QuestionSummary) -> str:
    text = shorten(question.text, 60, placeholder="…")
    return f"“{text}”" if text else "an untitled question"


def tests_text(questions: Iterable[QuestionSummary]) -> str:
    """Return a sentence about the tests of all templates."""
    states = Counter(template_state(question) for question in questions)
    tested = sum(states[name] for name in ("ok", "problem", "begun", "failing", "lenient"))
    if not tested:
        return "No question has a template yet."
    faults = {"begun": "begun", "problem": "with errors", "failing": "failing", "lenient": "too lenient"}
    parts = [f"{states['ok']} ready", *(f"{states[name]} {text}" for name, text in faults.items() if states[name])]
    return f"{quantity(tested, 'template')} tested: {join_list(parts)}."


_MUTATIONS = {
    "accepts_wrong": "Wrong values pass.",
    "refuses_expected": "The expected values themselves fail.",
}
