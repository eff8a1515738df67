"""Questions as rows of the list: plain values under fixed names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from karenina_gui.schemas.summaries import QuestionSummary

TEMPLATE_WORDS = {"ok": "Ready", "problem": "Problem", "unchecked": "…", "none": "None"}

UNTITLED = "Untitled question"


@dataclass(frozen=True)
class ListFilter:
    """What the list shows of its rows; the default shows all."""

    text: str = ""
    finished: str = ""
    """yes, no, or empty: both."""
    keyword: str = ""

    @classmethod
    def read(cls, entered: Mapping[str, Any]) -> ListFilter:
        """From what an address or the browser says; what is unknown in it is ignored."""
        finished = str(entered.get("finished") or "")
        return cls(
            text=str(entered.get("text") or ""),
            finished=finished if finished in ("yes", "no") else "",
            keyword=str(entered.get("keyword") or ""),
        )

    def written(self) -> str:
        """As a part of an address, empty where all is shown."""
        return urlencode({name: value for name, value in vars(self).items() if value})


def rows(questions: Iterable[QuestionSummary]) -> list[dict[str, Any]]:
    """All questions of a benchmark, each with its `place` among them, from 1."""
    return [{"place": place, **row(question)} for place, question in enumerate(questions, start=1)]


def row(question: QuestionSummary) -> dict[str, Any]:
    """Keys: number, question, keywords (one text), tags (a list), finished, template (see `TEMPLATE_WORDS`), rubric."""
    return {
        "number": question.number,
        "question": shown_title(question, question.text),
        "keywords": ", ".join(question.keywords),
        "tags": list(question.keywords),
        "finished": question.finished,
        "template": template_state(question),
        "rubric": question.has_rubric,
    }


def shown_title(question: QuestionSummary, text: str) -> str:
    """The text as a title; of a question without an id it says what is missing."""
    if question.id:
        return text
    return f"Unedited copy: {text}" if text.strip() else UNTITLED


def usable(question: QuestionSummary) -> bool:
    """Whether a run can check answers to the question, as far as is known: a template not yet checked counts."""
    return question.has_template and question.template_valid is not False


def template_state(question: QuestionSummary) -> str:
    if not question.has_template:
        return "none"
    return {True: "ok", False: "problem", None: "unchecked"}[question.template_valid]
