"""One pattern trait: its fields, saved as they are made, and a text to try it on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui.gui.parts.bound_field import FieldError
from karenina_gui.gui.parts.elements import field, icon_button, text_area, text_input
from karenina_gui.gui.parts.markup import Html, joined, tag, tick

if TYPE_CHECKING:
    from karenina_gui.gui.rubric.tab import TraitList

MEANINGS = {False: "Yes means: the pattern is found", True: "Yes means: the pattern is not found"}
DIRECTIONS = {True: "Yes is good", False: "Yes is bad", None: "Yes is neither good nor bad"}
LONGEST_SAMPLE = 50_000


class RegexTraitForm:
    def __init__(self, traits: TraitList, index: int) -> None:
        self.traits, self.index = traits, index
        trait = traits.trait(index)
        name = str(trait.get("name") or "")
        with ui.element("section").classes("trait").props(f'aria-label="Pattern trait {index + 1}"'):
            with ui.element("div").classes("trait-head"):
                with ui.element("div").classes("trait-grow"), field("Name"):
                    self._text("name", "Name of the trait", name, "states the unit")
                icon_button("delete", f"Delete trait {name}", lambda: traits.remove(index))
            with field("What it means", "for readers of the results"):
                self._text("description", "Meaning of the trait", str(trait.get("description") or ""))
            with field("Pattern", "a regular expression, looked for anywhere in the answer"):
                self._text("pattern", "Pattern", str(trait.get("pattern") or ""), r"\d+\s*mg\b").classes("mono")
            self.error = FieldError()
            with ui.element("div").classes("trait-options"):
                self._choice("case_sensitive", "Capitals matter", bool(trait.get("case_sensitive", True)))
                inverted = bool(trait.get("invert_result", False))
                self._select("invert_result", "What yes means", MEANINGS, inverted)
                self._select("higher_is_better", "Whether yes is good", DIRECTIONS, trait.get("higher_is_better", True))
            with ui.element("div").classes("trait-try"):
                self.sample = text_area("Text to try the pattern on", placeholder="Paste an answer to try the pattern")
                self.sample.on_value_change(self._try)
                self.found = ui.html("").props('role="status"')

    def _text(self, key: str, label: str, value: str, placeholder: str = "") -> ui.input:
        made = text_input(label, value, placeholder=placeholder)
        made.on_value_change(lambda event: self._set(key, event.value or ""))
        return made

    def _choice(self, key: str, label: str, value: bool) -> None:
        box = ui.checkbox(label, value=value).props("dense")
        box.on_value_change(lambda event: self._set(key, bool(event.value)))

    def _select(self, key: str, label: str, options: dict[Any, str], value: Any) -> None:
        made = ui.select(options, value=value if value in options else None)
        made.props(f'outlined dense options-dense aria-label="{label}"').classes("inp sel-good")
        made.on_value_change(lambda event: self._set(key, event.value))

    async def _set(self, key: str, value: Any) -> None:
        trait = self.traits.trait(self.index)
        if key == "description" and not value:
            trait.pop(key, None)
        else:
            trait[key] = value
        complete = bool(trait.get("name")) and bool(trait.get("pattern"))
        self.error.say(self.traits.keep() if complete else "It is kept once it has a name and a pattern.")
        await self._try()

    async def _try(self) -> None:
        trait, text = self.traits.trait(self.index), (self.sample.value or "")[:LONGEST_SAMPLE]
        if not text or not trait.get("pattern"):
            self.found.content = ""
            return
        search = (str(trait["pattern"]), bool(trait.get("case_sensitive", True)))
        templates = self.traits.window.studio.desk.templates
        outcomes = await run.io_bound(templates.try_patterns, [search], text)
        if outcomes:
            self.found.content = _outcome(outcomes[0], text, inverted=bool(trait.get("invert_result")))


def _outcome(outcome: Any, text: str, *, inverted: bool) -> Html:
    """What the trait says of the text, and the text with every match marked."""
    if outcome.error:
        return tag("div", outcome.error, class_="field-error")
    verdict = tick(bool(outcome.found) != inverted, yes="Yes for this text", no="No for this text")
    return joined([tag("div", verdict), tag("div", *_marked(text, outcome.spans), class_="trait-sample")])


def _marked(text: str, spans: list[tuple[int, int]]) -> list[Any]:
    parts: list[Any] = []
    at = 0
    for start, end in spans:
        if end > start >= at:
            parts += [text[at:start], tag("mark", text[start:end])]
            at = end
    return [*parts, text[at:]]
