"""Quotes that support a judgment: highlighted in the answer, and listed by field or trait."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from karenina_gui.evidence.quotes import passage
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.pages.results.rendered_text import render_text
from karenina_gui.gui.pages.results.terminal import Style
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.text import percent

RISKS = {"none": "supported", "low": "mostly supported", "medium": "not confirmed", "high": "likely hallucinated"}
"""Result of the hallucination check of a quote, in words."""


Kind = Literal["field", "trait"]


@dataclass(frozen=True)
class EvidenceSubject:
    """Judged field or trait. A field and a trait can have the same name."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}"


@dataclass(frozen=True)
class Quote:
    """Quote by a judge. `number` connects its highlight in the answer with its entry in the list."""

    number: int
    subject: EvidenceSubject
    excerpt: Mapping[str, Any]

    @property
    def text(self) -> str:
        return str(self.excerpt.get("text") or "")


def quotes(result: VerificationResult) -> list[Quote]:
    """Return all quotes, those of fields first, numbered from 1."""
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    sections: list[tuple[Kind, Mapping[str, Any] | None]] = [
        ("field", deep.extracted_excerpts if deep else None),
        ("trait", rubric.extracted_rubric_excerpts if rubric else None),
    ]
    pairs = [
        (EvidenceSubject(kind, str(name)), excerpt)
        for kind, section in sections
        for name, excerpts in (section or {}).items()
        for excerpt in _usable_excerpts(excerpts)
    ]
    return [Quote(number, subject, excerpt) for number, (subject, excerpt) in enumerate(pairs, start=1)]


def _usable_excerpts(excerpts: Any) -> list[dict[str, Any]]:
    """Return the excerpts with a text. Results of other programs can have other shapes here."""
    if not isinstance(excerpts, list):
        return []
    return [excerpt for excerpt in excerpts if isinstance(excerpt, dict) and excerpt.get("text")]


def highlight_quotes(whole: str, all_quotes: Sequence[Quote]) -> Html:
    """Return the text with every quote highlighted and numbered; quotes may overlap."""
    rendered = render_text(whole)
    text, styles = rendered.text, deque(rendered.styles)
    places = [(quote_span, quote) for quote in all_quotes if (quote_span := passage(quote.text, text)) is not None]
    parts: list[Any] = []
    for begin, end in pairwise(_cuts(text, [span for span, _ in places], rendered.styles)):
        covering = [quote for (first, last), quote in places if first <= begin and end <= last]
        piece = _apply_styles(text[begin:end], begin, styles)
        parts.append(_mark(piece, covering) if covering else piece)
        parts += [
            tag("sup", f"[{quote.number}]", class_="passage-number") for (_, last), quote in places if last == end
        ]
    return join_html(parts)


def _apply_styles(piece: str, begin: int, styles: deque[Style]) -> Html | str:
    """Return the piece in its style; drops the styles that end before it."""
    while styles and styles[0][1] <= begin:
        styles.popleft()
    return tag("span", piece, class_=styles[0][2]) if styles and styles[0][0] <= begin else piece


def _cuts(text: str, places: Sequence[tuple[int, int]], styles: Sequence[Style]) -> list[int]:
    """Return the offsets at which a quote or a style begins or ends."""
    # Overlapping quotes cannot be nested elements: each piece between two edges is marked by all quotes over it.
    edges = {edge for span in places for edge in span} | {edge for begin, end, _ in styles for edge in (begin, end)}
    return sorted({0, len(text), *edges})


def evidence(result: VerificationResult) -> Html | None:
    """Return fields, then traits, each with its quotes, assessments and errors."""
    by_subject: dict[EvidenceSubject, list[Quote]] = {
        subject: [] for subject in (*_field_reasoning(result), *_trait_reasoning(result))
    }
    for quote in quotes(result):
        by_subject.setdefault(quote.subject, []).append(quote)
    if not by_subject:
        return None
    states_kind = any(subject.kind == "trait" for subject in by_subject)
    parts = (_subject_entry(result, subject, passages, states_kind) for subject, passages in _fields_first(by_subject))
    return tag("dl", *parts, class_="passage")


def _subject_entry(
    result: VerificationResult, subject: EvidenceSubject, subject_quotes: Sequence[Quote], states_kind: bool
) -> Html:
    """Return the entry of a subject; `states_kind`: True if its kind (field or trait) is stated."""
    reasoning = (_field_reasoning(result) if subject.kind == "field" else _trait_reasoning(result)).get(subject)
    error = _error(result, subject)
    lines = [tag("li", _quote_entry(quote)) for quote in subject_quotes]
    none = "No quote from the answer supports it." if _has_quotes(result, subject) else None
    return join_html(
        [
            tag(
                "dt",
                tag("code", subject.name, class_="result-code"),
                tag("span", subject.kind, class_="hint passage-notes") if states_kind else None,
            ),
            tag(
                "dd",
                tag("ul", *lines, class_="bare-list")
                if lines
                else tag("p", none, class_="text-warn")
                if none
                else None,
                tag("p", tag("span", "Judge’s reasoning: ", class_="hint"), reasoning) if reasoning else None,
                tag("p", f"Judging failed: {error}", class_="text-warn") if error else None,
            ),
        ]
    )


def _quote_entry(quote: Quote) -> Html:
    excerpt = quote.excerpt
    risk = excerpt.get("hallucination_risk")
    notes = [
        f"judge’s confidence: {excerpt['confidence']}" if excerpt.get("confidence") else "",
        _similarity(excerpt.get("similarity_score")),
        f"web search: {RISKS.get(risk, risk)}" if risk else "",
    ]
    return join_html(
        [
            tag("q", quote.text),
            tag("span", f" [{quote.number}]", class_="passage-number"),
            tag("span", " · ".join(note for note in notes if note), class_="hint passage-notes"),
            *(tag("span", text, class_="hint passage-notes") for text in _reasons(excerpt)),
        ]
    )


def _reasons(excerpt: Mapping[str, Any]) -> list[str]:
    return [str(excerpt[name]) for name in ("explanation", "hallucination_justification") if excerpt.get(name)]


def _similarity(score: Any) -> str:
    if not isinstance(score, int | float):
        return ""
    return "verbatim" if score >= 1 else f"{percent(score)} match"


def _mark(piece: Any, covering: Sequence[Quote]) -> Html:
    names = ", ".join(dict.fromkeys(str(quote.subject) for quote in covering))
    return tag("mark", piece, class_="passage-mark", title=f"Supports {names}")


def _fields_first(by_subject: Mapping[EvidenceSubject, list[Quote]]) -> list[tuple[EvidenceSubject, list[Quote]]]:
    return sorted(by_subject.items(), key=lambda item: item[0].kind == "trait")


def _field_reasoning(result: VerificationResult) -> dict[EvidenceSubject, str]:
    """Return the judge's reasoning for each field."""
    deep = result.deep_judgment
    return {EvidenceSubject("field", name): text for name, text in ((deep and deep.attribute_reasoning) or {}).items()}


def _trait_reasoning(result: VerificationResult) -> dict[EvidenceSubject, str]:
    """Return the judge's reasoning for each trait; empty: judging did not get that far."""
    rubric = result.deep_judgment_rubric
    if rubric is None:
        return {}
    written = {**dict.fromkeys(rubric.trait_metadata or {}, ""), **(rubric.rubric_trait_reasoning or {})}
    return {EvidenceSubject("trait", name): text for name, text in written.items()}


def _has_quotes(result: VerificationResult, subject: EvidenceSubject) -> bool:
    deep, rubric = result.deep_judgment, result.deep_judgment_rubric
    if subject.kind == "field":
        return bool(deep and deep.extracted_excerpts is not None)
    return bool(rubric and subject.name in (rubric.extracted_rubric_excerpts or {}))


def _error(result: VerificationResult, subject: EvidenceSubject) -> str | None:
    rubric = result.deep_judgment_rubric
    if subject.kind == "field" or rubric is None:
        return None
    metadata = (rubric.trait_metadata or {}).get(subject.name)
    error = metadata.get("error") if isinstance(metadata, dict) else None
    return str(error) if error else None
