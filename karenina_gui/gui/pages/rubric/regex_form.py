"""Form of a pattern trait, with a trial on a sample answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.gui.kit.elements import field, text_area
from karenina_gui.gui.kit.html import Html, join_html, tag, tick
from karenina_gui.gui.pages.rubric.busy_message import busy_when_slow
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.outcome_form import draw_direction
from karenina_gui.gui.pages.rubric.rules import Problems
from karenina_gui.schemas.calibration import DrawnAnswer
from karenina_gui.text import quantity

MEANINGS = {False: "Pattern found", True: "Pattern not found"}
INVERTED = "Yes means: pattern not found."
LONGEST_SAMPLE = 50_000


def draw_regex(form: TraitForm, playground: TraitPlayground, stored: StoredAnswers) -> None:
    """Draw the form; `stored` reads the answers of the library that the trait is about."""
    hint = "regular expression, matched anywhere in the answer"
    form.text("pattern", "Pattern", hint, placeholder=r"\d+\s*mg\b").classes("mono")
    form.tick("case_sensitive", "Case-sensitive")
    with ui.element("div").classes("field-row"):
        form.choice("invert_result", "Yes means", MEANINGS, False)
        with ui.element("div"):
            draw_direction(form, "")
    PatternTrial(form, playground)
    PatternHits(form, playground, stored)


class PatternTrial:
    """Trial of the current pattern. It reruns when the pattern or the sample changes."""

    def __init__(self, form: TraitForm, playground: TraitPlayground) -> None:
        self.form, self.playground = form, playground
        with ui.element("div").classes("trait-try"), form.section("Try it"):
            self.sample = text_area("Sample answer", placeholder="Paste an answer to test the pattern")
            self.sample.on_value_change(self._try)
            self.outcome = ui.html("").props('role="status"')
        form.on_problems(self._follow)

    def _follow(self, problems: Problems) -> None:
        if "pattern" in problems:
            self.outcome.content = ""
        elif self.sample.value:
            background_tasks.create(self._try(), name="try a pattern", context=self.outcome)

    async def _try(self) -> None:
        values, text = self.form.values, (self.sample.value or "")[:LONGEST_SAMPLE]
        pattern = str(values.get("pattern") or "")
        if not text or not pattern:
            self.outcome.content = ""
            return
        capitals = bool(values.get("case_sensitive", True))
        with busy_when_slow(self.outcome):
            outcome = await run.io_bound(self.playground.try_pattern, pattern, capitals, text)
        if outcome is not None and not self.outcome.is_deleted:
            self.outcome.content = _outcome(outcome, text, inverted=bool(values.get("invert_result")))


def _outcome(outcome: Any, text: str, *, inverted: bool) -> Html:
    """Return the trait's verdict on the sample, and the sample with its matches marked."""
    if outcome.error:
        return tag("div", outcome.error, class_="field-error")
    verdict = tick(bool(outcome.found) != inverted, yes="Yes for this text", no="No for this text")
    sample = tag("div", *mark_matches(text, outcome.spans), class_="trait-sample", tabindex="0")
    return join_html([tag("div", verdict), sample])


StoredAnswers = Callable[[], list[DrawnAnswer]]
PAUSE = 0.3
"""Seconds without a keystroke before the answers are searched."""
MOST_LISTED = 30
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
        self._matches: FoundAnswers | None = None
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
        search = (str(values.get("pattern") or ""), bool(values.get("case_sensitive", True)))
        if "pattern" in problems or not search[0]:
            self._searched, self._matches = (), None
            self._show()
        elif search != self._searched:
            self._searched = search
            if self._task is not None:
                self._task.cancel()
            self._task = background_tasks.create(
                self._search(*search), name="search stored answers", context=self._list
            )
        else:
            self._show()  # Yes may mean something else now

    async def _search(self, pattern: str, case_sensitive: bool) -> None:
        """Search in a thread; the sandbox stops a pattern that takes too long."""
        await asyncio.sleep(PAUSE)
        answers = await run.io_bound(self._find, pattern, case_sensitive)
        # A newer pattern may have been typed while this one was searched.
        if answers is not None and not self._list.is_deleted and self._searched == (pattern, case_sensitive):
            self._matches = answers
            self._show()

    def _find(self, pattern: str, case_sensitive: bool) -> FoundAnswers:
        # Read once: the answers change seldom, and the pattern with every keystroke.
        if self._answers is None:
            self._answers = self._stored()
        answers = self._answers
        outcomes = self._playground.search_all(pattern, case_sensitive, [answer.text for answer in answers])
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
        answers = self._matches
        self._choice.set_visibility(answers is not None and answers.total > 0)
        if answers is None:
            self._count.text, self._list.content = "", ""
            return
        self._count.text = hits_text(answers, inverted=bool(self._form.values.get("invert_result")))
        self._list.content = hits_list(answers) if self._choice.value == HITS else misses_list(answers)


def hits_text(answers: FoundAnswers, *, inverted: bool) -> str:
    """Number of matches in one or two sentences."""
    if not answers.total and not answers.error:
        return "No answers are stored yet. Run the benchmark, or add sample answers."
    sentence = f"Matches {len(answers.hits):,} of {quantity(answers.total, 'stored answer')}."
    if answers.error:
        return f"{sentence} The others were not searched: {answers.error}"
    return f"{sentence} Yes for the other {len(answers.misses):,}." if inverted else sentence


def hits_list(answers: FoundAnswers) -> Html:
    """Answers with matches, each match marked."""
    return _list([(answer, excerpt(answer.text, spans)) for answer, spans in answers.hits])


def misses_list(answers: FoundAnswers) -> Html:
    """Beginnings of the answers without a match."""
    return _list([(answer, excerpt(answer.text, [])) for answer in answers.misses])


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
    items = [
        tag(
            "li",
            tag("span", answer.question, class_="trait-hits-question"),
            tag("span", *parts, class_="trait-hits-text"),
        )
        for answer, parts in rows[:MOST_LISTED]
    ]
    more = len(rows) - len(items)
    rest = tag("p", f"And {quantity(more, 'other answer')}.", class_="hint") if more > 0 else None
    return join_html([tag("ul", *items, class_="trait-hits", tabindex="0"), rest])
