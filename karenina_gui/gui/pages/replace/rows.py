"""Rows of the preview: each match in context, before and after, and the sentences about the chosen ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from karenina_gui.authoring.find_replace import ReplaceOutcome
from karenina_gui.authoring.found_texts import FoundMatch, FoundText, FoundTexts, ReplacePart
from karenina_gui.text import join_list, quantity, verb

PART_TITLES: dict[ReplacePart, str] = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "answer_notes": "Notes",
    "keywords": "Keywords",
    "answer_template": "Template",
    "question_rubric": "Trait descriptions",
}
CONTEXT = 40
"""Characters on each side of a match."""
NAMED = 3
"""Questions that a sentence names."""
TITLE = 50
"""Characters of a question in a sentence."""


def preview_rows(matches: FoundTexts, reasons: Mapping[int, str]) -> list[dict[str, Any]]:
    """Rows of the grid; `reasons`: {id of a match: reason against it}.

    Keys: id, place (of the question, from 1), number, title, part (title), start and end (the context), match,
    replaced, reason.
    """
    return [_row(text, match, reasons.get(match.id, "")) for text in matches.texts for match in text.matches]


def _row(text: FoundText, match: FoundMatch, reason: str) -> dict[str, Any]:
    first, last = max(match.start - CONTEXT, 0), match.end + CONTEXT
    return {
        "id": match.id,
        "place": text.position or "",
        "number": text.number,
        "title": " ".join(text.title.split()) or "Benchmark",
        "part": PART_TITLES[text.part],
        "start": ("…" if first else "") + text.text[first : match.start],
        "end": text.text[match.end : last] + ("…" if last < len(text.text) else ""),
        "match": text.text[match.start : match.end],
        "replaced": match.replaced,
        "reason": reason,
    }


def counts_text(matches: FoundTexts, ids: Collection[int]) -> str:
    """Sentence with the number of matches and of the chosen ones, and where they are."""
    if not matches.count:
        return "No matches."
    numbers = {text.number for text in matches.texts}
    owners = _owners(len(numbers - {None}), None in numbers)
    more = "" if matches.complete else " There are more: replace these first, then search again."
    return f"{quantity(matches.count, 'match')} in {owners}, {len(ids):,} chosen.{more}"


def consequences(matches: FoundTexts, ids: Collection[int]) -> list[str]:
    """Sentences about what the replacement of the chosen matches entails."""
    chosen = matches.choose(ids)
    sentences = []
    if again := matches.reviewed_again(ids):
        named = [f"“{_short(text.title)}”" for text in again[:NAMED]]
        rest = [f"{len(again) - NAMED:,} more"] if len(again) > NAMED else []
        needs = verb(len(again), "needs", "need")
        questions = quantity(len(again), "finished question")
        sentences.append(f"{questions} {needs} another review afterwards: {join_list([*named, *rest])}.")
    if any(text.part == "question" for text in chosen):
        sentences.append("Questions with results keep their IDs, because a replacement counts as a correction.")
    return sentences


def outcome_text(outcome: ReplaceOutcome) -> str:
    """Sentence about a finished replacement."""
    owners = _owners(len(outcome.questions), outcome.benchmark)
    return f"Replaced {quantity(outcome.matches, 'match')} in {owners}." if owners else "Nothing was replaced."


def _owners(questions: int, benchmark: bool) -> str:
    owners = [quantity(questions, "question")] if questions else []
    return join_list([*owners, "the benchmark’s traits"] if benchmark else owners)


def _short(title: str) -> str:
    text = " ".join(title.split())
    return text if len(text) <= TITLE else f"{text[: TITLE - 1]}…"
