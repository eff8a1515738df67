"""Questions as rows of the list: plain values under fixed names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from karenina_gui.schemas.summaries import QuestionFilter, QuestionSummary

TEMPLATE_WORDS = {"ok": "Ready", "problem": "Problem", "unchecked": "…", "none": "None"}


def rows(questions: Iterable[QuestionSummary]) -> list[dict[str, Any]]:
    return [row(question) for question in questions]


def row(question: QuestionSummary) -> dict[str, Any]:
    """Keys: number, place (1-based), question, keywords, finished, template (see `TEMPLATE_WORDS`), rubric."""
    return {
        "number": question.number,
        "place": question.position + 1,
        "question": question.text,
        "keywords": ", ".join(question.keywords),
        "finished": question.finished,
        "template": template_state(question),
        "rubric": question.has_rubric,
    }


def template_state(question: QuestionSummary) -> str:
    if not question.has_template:
        return "none"
    return {True: "ok", False: "problem", None: "unchecked"}[question.template_valid]


def filter_from(query: Mapping[str, str]) -> QuestionFilter:
    """The filter that an address asks for; unknown parts of it are ignored."""
    finished = {"yes": True, "no": False}.get(query.get("finished", ""))
    return QuestionFilter(text=query.get("text", ""), finished=finished, keyword=query.get("keyword") or None)


def address(benchmark_id: int, wanted: QuestionFilter) -> str:
    """Where the browser fetches the rows that pass this filter."""
    parts = {
        "text": wanted.text,
        "finished": {True: "yes", False: "no", None: ""}[wanted.finished],
        "keyword": wanted.keyword or "",
    }
    return f"/api/benchmarks/{benchmark_id}/questions?{urlencode({k: v for k, v in parts.items() if v})}"
