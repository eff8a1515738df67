"""The passages on which a judgment rests: marked in the answer, listed with the field that each supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from karenina_gui.evidence.quotes import passage
from karenina_gui.gui.parts.markup import Html, joined, tag
from karenina_gui.schemas.result import VerificationResult

RISKS = {"none": "supported", "low": "mostly supported", "medium": "not confirmed", "high": "probably made up"}
"""What a search makes of a passage, in words."""


@dataclass(frozen=True)
class Quote:
    """One passage that a judge has quoted; `number` ties its mark in the answer to its line in the list."""

    number: int
    subject: str
    """The field, or the trait, that it supports."""
    excerpt: Mapping[str, Any]

    @property
    def text(self) -> str:
        return str(self.excerpt.get("text") or "")


def quotes(result: VerificationResult) -> list[Quote]:
    """All passages of fields and then of traits, numbered from 1."""
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    sections = [deep.extracted_excerpts if deep else None, rubric.extracted_rubric_excerpts if rubric else None]
    found = [
        (str(subject), excerpt)
        for section in sections
        for subject, excerpts in (section or {}).items()
        for excerpt in (excerpts if isinstance(excerpts, list) else [])
        if isinstance(excerpt, dict) and excerpt.get("text")
    ]
    return [Quote(number, subject, excerpt) for number, (subject, excerpt) in enumerate(found, start=1)]


def marked(text: str, found: Sequence[Quote]) -> Html:
    """The text with every passage marked and numbered; passages may overlap."""
    places = [(place, quote) for quote in found if (place := passage(quote.text, text)) is not None]
    cuts = sorted({0, len(text), *(edge for place, _ in places for edge in place)})
    parts: list[Any] = []
    for begin, end in pairwise(cuts):
        over = [quote for (first, last), quote in places if first <= begin and end <= last]
        piece = text[begin:end]
        parts.append(_mark(piece, over) if over else piece)
        parts += [tag("sup", f"[{quote.number}]", class_="ev-number") for (_, last), quote in places if last == end]
    return joined(parts)


def evidence(result: VerificationResult) -> Html | None:
    """Field by field: its passages, what the judge makes of them, and what a search has found."""
    subjects = _reasonings(result)
    by_subject: dict[str, list[Quote]] = {subject: [] for subject in subjects}
    for quote in quotes(result):
        by_subject.setdefault(quote.subject, []).append(quote)
    if not by_subject:
        return None
    quoted = _asked_for_passages(result)
    parts = (_subject(name, found, subjects.get(name, ""), quoted) for name, found in by_subject.items())
    return tag("dl", *parts, class_="ev")


def _subject(name: str, found: Sequence[Quote], reasoning: str, quoted: bool) -> Html:
    lines = [tag("li", _line(quote)) for quote in found]
    none = tag("p", "No passage of the answer supports it.", class_="ev-none") if quoted else None
    return joined(
        [
            tag("dt", tag("code", name, class_="rz-code")),
            tag("dd", tag("ul", *lines) if lines else none, tag("p", reasoning) if reasoning else None),
        ]
    )


def _line(quote: Quote) -> Html:
    excerpt = quote.excerpt
    risk = excerpt.get("hallucination_risk")
    notes = [
        f"confidence {excerpt['confidence']}" if excerpt.get("confidence") else "",
        _alike(excerpt.get("similarity_score")),
        f"search: {RISKS.get(risk, risk)}" if risk else "",
    ]
    return joined(
        [
            tag("q", quote.text),
            tag("span", f" [{quote.number}]", class_="ev-number"),
            tag("span", " · ".join(note for note in notes if note), class_="hint ev-notes"),
            *(tag("span", text, class_="hint ev-notes") for text in _reasons(excerpt)),
        ]
    )


def _reasons(excerpt: Mapping[str, Any]) -> list[str]:
    return [str(excerpt[name]) for name in ("explanation", "hallucination_justification") if excerpt.get(name)]


def _alike(score: Any) -> str:
    if not isinstance(score, int | float):
        return ""
    return "verbatim" if score >= 1 else f"{score:.0%} verbatim"


def _mark(piece: str, over: Sequence[Quote]) -> Html:
    names = ", ".join(dict.fromkeys(quote.subject for quote in over))
    return tag("mark", piece, class_="ev-mark", title=f"Supports {names}")


def _reasonings(result: VerificationResult) -> dict[str, str]:
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    fields, traits = (deep.attribute_reasoning if deep else None), (rubric.rubric_trait_reasoning if rubric else None)
    return {**(fields or {}), **(traits or {})}


def _asked_for_passages(result: VerificationResult) -> bool:
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    return bool((deep and deep.extracted_excerpts is not None) or (rubric and rubric.extracted_rubric_excerpts))
