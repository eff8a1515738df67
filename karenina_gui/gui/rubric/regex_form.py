"""Form of a pattern trait, with a trial on a sample answer."""

from __future__ import annotations

from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.gui.components.elements import text_area
from karenina_gui.gui.components.html import Html, join_html, tag, tick
from karenina_gui.gui.rubric.busy_message import busy_when_slow
from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.outcome_form import draw_direction
from karenina_gui.gui.rubric.pattern_hits import PatternHits, StoredAnswers, mark_matches
from karenina_gui.gui.rubric.rules import Problems

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
            self.found = ui.html("").props('role="status"')
        form.on_problems(self._follow)

    def _follow(self, problems: Problems) -> None:
        if "pattern" in problems:
            self.found.content = ""
        elif self.sample.value:
            background_tasks.create(self._try(), name="try a pattern", context=self.found)

    async def _try(self) -> None:
        values, text = self.form.values, (self.sample.value or "")[:LONGEST_SAMPLE]
        pattern = str(values.get("pattern") or "")
        if not text or not pattern:
            self.found.content = ""
            return
        capitals = bool(values.get("case_sensitive", True))
        with busy_when_slow(self.found):
            outcome = await run.io_bound(self.playground.try_pattern, pattern, capitals, text)
        if outcome is not None and not self.found.is_deleted:
            self.found.content = _outcome(outcome, text, inverted=bool(values.get("invert_result")))


def _outcome(outcome: Any, text: str, *, inverted: bool) -> Html:
    """Return the trait's verdict on the sample, and the sample with its matches marked."""
    if outcome.error:
        return tag("div", outcome.error, class_="field-error")
    verdict = tick(bool(outcome.found) != inverted, yes="Yes for this text", no="No for this text")
    sample = tag("div", *mark_matches(text, outcome.spans), class_="trait-sample", tabindex="0")
    return join_html([tag("div", verdict), sample])
