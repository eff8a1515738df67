"""Matches of a pattern in the stored answers of the benchmark, while the pattern is being typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.gui.components.elements import field
from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.rules import Problems
from karenina_gui.schemas.calibration import DrawnAnswer
from karenina_gui.text import quantity

StoredAnswers = Callable[[], list[DrawnAnswer]]
PAUSE = 0.3
"""Seconds without a keystroke before the answers are searched."""
SHOWN = 30
"""Answers in each list."""
AROUND = 120
"""Characters that are shown before and after the first match."""
HITS, MISSES = "Matches", "Others"


@dataclass(frozen=True)
class FoundAnswers:
    """Answers in which a pattern is found, with the places, and the others."""

    hits: list[tuple[DrawnAnswer, list[tuple[int, int]]]]
    misses: list[DrawnAnswer]
    error: str | None = None
    """Reason why not all answers were searched; None: they were."""

    @property
    def total(self) -> int:
        return len(self.hits) + len(self.misses)


class PatternHits:
    """Number of stored answers that match, and both lists with the matches marked."""

    def __init__(self, form: TraitForm, playground: TraitPlayground, stored: StoredAnswers) -> None:
        self._form, self._playground, self._stored = form, playground, stored
        self._answers: list[DrawnAnswer] | None = None
        self._searched: tuple[object, ...] = ()
        self._found: FoundAnswers | None = None
        self._task: asyncio.Task[None] | None = None
        with ui.element("div").classes("trait-try"), field("Stored answers", "from results and sample answers"):
            self._count = ui.label().classes("trait-hits-count").props('role="status"')
            self._choice = ui.toggle([HITS, MISSES], value=HITS, on_change=self._show)
            self._choice.props('dense no-caps unelevated aria-label="Answers to show"').classes(
                "view-switch trait-hits-choice"
            )
            self._list = ui.html("")
        form.on_problems(self._follow)
        self._follow({})

    def _follow(self, problems: Problems) -> None:
        """Search again after an edit of the pattern."""
        values = self._form.values
        wanted = (str(values.get("pattern") or ""), bool(values.get("case_sensitive", True)))
        if "pattern" in problems or not wanted[0]:
            self._searched, self._found = (), None
            self._show()
        elif wanted != self._searched:
            self._searched = wanted
            if self._task is not None:
                self._task.cancel()
            self._task = background_tasks.create(
                self._search(*wanted), name="search stored answers", context=self._list
            )
        else:
            self._show()  # Yes may mean something else now

    async def _search(self, pattern: str, case_sensitive: bool) -> None:
        """Search in a thread; the sandbox stops a pattern that takes too long."""
        await asyncio.sleep(PAUSE)
        found = await run.io_bound(self._find, pattern, case_sensitive)
        # A newer pattern may have been typed while this one was searched.
        if found is not None and not self._list.is_deleted and self._searched == (pattern, case_sensitive):
            self._found = found
            self._show()

    def _find(self, pattern: str, case_sensitive: bool) -> FoundAnswers:
        # Read once: the answers change seldom, and the pattern with every keystroke.
        if self._answers is None:
            self._answers = self._stored()
        answers = self._answers
        outcomes = self._playground.search_all(pattern, case_sensitive, [each.text for each in answers])
        hits: list[tuple[DrawnAnswer, list[tuple[int, int]]]] = []
        misses: list[DrawnAnswer] = []
        for answer, outcome in zip(answers, outcomes, strict=False):
            if outcome.error is not None:
                return FoundAnswers(hits, misses, outcome.error)
            if outcome.found:
                hits.append((answer, outcome.spans))
            else:
                misses.append(answer)
        return FoundAnswers(hits, misses)

    def _show(self) -> None:
        found = self._found
        self._choice.set_visibility(found is not None and found.total > 0)
        if found is None:
            self._count.text, self._list.content = "", ""
            return
        self._count.text = hits_text(found, inverted=bool(self._form.values.get("invert_result")))
        self._list.content = hits_list(found) if self._choice.value == HITS else misses_list(found)


def hits_text(found: FoundAnswers, *, inverted: bool) -> str:
    """Number of matches in one or two sentences."""
    if not found.total and not found.error:
        return "No answers are stored yet. Run the benchmark, or add sample answers."
    said = f"Matches {len(found.hits):,} of {quantity(found.total, 'stored answer')}."
    if found.error:
        return f"{said} The others were not searched: {found.error}"
    return f"{said} Yes for the other {len(found.misses):,}." if inverted else said


def hits_list(found: FoundAnswers) -> Html:
    """Answers with matches, each match marked."""
    return _list([(answer, excerpt(answer.text, spans)) for answer, spans in found.hits])


def misses_list(found: FoundAnswers) -> Html:
    """Beginnings of the answers without a match."""
    return _list([(answer, excerpt(answer.text, [])) for answer in found.misses])


def excerpt(text: str, spans: Sequence[tuple[int, int]]) -> list[Any]:
    """Text around the first match, with all matches in it marked; without a match, its beginning."""
    start = max(0, spans[0][0] - AROUND) if spans else 0
    end = min(len(text), (spans[0][1] if spans else 0) + AROUND)
    inside = [(max(one, start) - start, min(other, end) - start) for one, other in spans if one < end]
    return ["…" if start else "", *mark_matches(text[start:end], inside), "…" if end < len(text) else ""]


def mark_matches(text: str, spans: Sequence[tuple[int, int]]) -> list[Any]:
    """Return the text with its matches marked."""
    parts: list[Any] = []
    at = 0
    for start, end in spans:
        # Empty matches have nothing to highlight.
        if end > start >= at:
            parts += [text[at:start], tag("mark", text[start:end])]
            at = end
    return [*parts, text[at:]]


def _list(rows: Sequence[tuple[DrawnAnswer, list[Any]]]) -> Html:
    shown = [
        tag(
            "li",
            tag("span", answer.question, class_="trait-hits-question"),
            tag("span", *parts, class_="trait-hits-text"),
        )
        for answer, parts in rows[:SHOWN]
    ]
    more = len(rows) - len(shown)
    rest = tag("p", f"And {quantity(more, 'other answer')}.", class_="hint") if more > 0 else None
    return join_html([tag("ul", *shown, class_="trait-hits", tabindex="0"), rest])
