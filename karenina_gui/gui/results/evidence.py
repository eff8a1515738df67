"""The passages on which a judgment rests: marked in the answer, listed with the field or trait that each supports."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from karenina_gui.evidence.quotes import passage
from karenina_gui.gui.parts.markup import Html, joined, tag
from karenina_gui.gui.results.shown_text import shown
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.text import percent

RISKS = {"none": "supported", "low": "mostly supported", "medium": "not confirmed", "high": "likely hallucinated"}
"""What a search makes of a passage, in words."""


Kind = Literal["field", "trait"]


@dataclass(frozen=True)
class Subject:
    """What is judged: a field of the template, or a trait; they may have the same name."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}"


@dataclass(frozen=True)
class Quote:
    """One passage that a judge has quoted; `number` ties its mark in the answer to its line in the list."""

    number: int
    subject: Subject
    excerpt: Mapping[str, Any]

    @property
    def text(self) -> str:
        return str(self.excerpt.get("text") or "")


def quotes(result: VerificationResult) -> list[Quote]:
    """All passages of fields and then of traits, numbered from 1."""
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    sections: list[tuple[Kind, Mapping[str, Any] | None]] = [
        ("field", deep.extracted_excerpts if deep else None),
        ("trait", rubric.extracted_rubric_excerpts if rubric else None),
    ]
    found = [
        (Subject(kind, str(name)), excerpt)
        for kind, section in sections
        for name, excerpts in (section or {}).items()
        for excerpt in (excerpts if isinstance(excerpts, list) else [])
        if isinstance(excerpt, dict) and excerpt.get("text")
    ]
    return [Quote(number, subject, excerpt) for number, (subject, excerpt) in enumerate(found, start=1)]


def marked(whole: str, found: Sequence[Quote]) -> Html:
    """The text as a reader sees it, with every passage marked and numbered; passages may overlap."""
    seen = shown(whole)
    text, looks = seen.text, deque(seen.styles)
    places = [(place, quote) for quote in found if (place := passage(quote.text, text)) is not None]
    edges = {edge for place, _ in places for edge in place} | {edge for begin, end, _ in looks for edge in (begin, end)}
    cuts = sorted({0, len(text), *edges})
    parts: list[Any] = []
    for begin, end in pairwise(cuts):
        over = [quote for (first, last), quote in places if first <= begin and end <= last]
        while looks and looks[0][1] <= begin:
            looks.popleft()
        look = looks[0][2] if looks and looks[0][0] <= begin else None
        piece = tag("span", text[begin:end], class_=look) if look else text[begin:end]
        parts.append(_mark(piece, over) if over else piece)
        parts += [tag("sup", f"[{quote.number}]", class_="ev-number") for (_, last), quote in places if last == end]
    return joined(parts)


def evidence(result: VerificationResult) -> Html | None:
    """Field by field, then trait by trait: its passages, what the judge and a search make of them, what went wrong."""
    found: dict[Subject, list[Quote]] = {subject: [] for subject in (*_of_fields(result), *_of_traits(result))}
    for quote in quotes(result):
        found.setdefault(quote.subject, []).append(quote)
    if not found:
        return None
    told = any(subject.kind == "trait" for subject in found)
    parts = (_lines(result, subject, passages, told) for subject, passages in _fields_first(found))
    return tag("dl", *parts, class_="ev")


def _lines(result: VerificationResult, subject: Subject, found: Sequence[Quote], told: bool) -> Html:
    """`told`: whether it is said in words which are fields and which are traits."""
    reasoning = (_of_fields(result) if subject.kind == "field" else _of_traits(result)).get(subject)
    error = _error(result, subject)
    lines = [tag("li", _line(quote)) for quote in found]
    none = "No quote from the answer supports it." if _asked_for_passages(result, subject) else None
    return joined(
        [
            tag(
                "dt",
                tag("code", subject.name, class_="rz-code"),
                tag("span", subject.kind, class_="hint ev-notes") if told else None,
            ),
            tag(
                "dd",
                tag("ul", *lines) if lines else tag("p", none, class_="ev-none") if none else None,
                tag("p", reasoning) if reasoning else None,
                tag("p", f"Judging failed: {error}", class_="ev-none") if error else None,
            ),
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
    return "verbatim" if score >= 1 else f"{percent(score)} match"


def _mark(piece: Any, over: Sequence[Quote]) -> Html:
    names = ", ".join(dict.fromkeys(str(quote.subject) for quote in over))
    return tag("mark", piece, class_="ev-mark", title=f"Supports {names}")


def _fields_first(found: Mapping[Subject, list[Quote]]) -> list[tuple[Subject, list[Quote]]]:
    return sorted(found.items(), key=lambda item: item[0].kind == "trait")


def _of_fields(result: VerificationResult) -> dict[Subject, str]:
    """What the judge has written of each field."""
    deep = result.deep_judgment
    return {Subject("field", name): text for name, text in ((deep and deep.attribute_reasoning) or {}).items()}


def _of_traits(result: VerificationResult) -> dict[Subject, str]:
    """What the judge has written of each trait; empty where it did not come so far."""
    rubric = result.deep_judgment_rubric
    if rubric is None:
        return {}
    written = {**dict.fromkeys(rubric.trait_metadata or {}, ""), **(rubric.rubric_trait_reasoning or {})}
    return {Subject("trait", name): text for name, text in written.items()}


def _asked_for_passages(result: VerificationResult, subject: Subject) -> bool:
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    if subject.kind == "field":
        return bool(deep and deep.extracted_excerpts is not None)
    return bool(rubric and subject.name in (rubric.extracted_rubric_excerpts or {}))


def _error(result: VerificationResult, subject: Subject) -> str | None:
    rubric = result.deep_judgment_rubric
    if subject.kind == "field" or rubric is None:
        return None
    metadata = (rubric.trait_metadata or {}).get(subject.name)
    error = metadata.get("error") if isinstance(metadata, dict) else None
    return str(error) if error else None
