"""Controls of options by type of setting; valid input is saved, invalid input shows an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.choice_element import ChoiceElement

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.binding.form_field import Column
from karenina_gui.gui.binding.form_rows import FormRows, Record
from karenina_gui.gui.components.elements import sent_while_typing, text_area
from karenina_gui.gui.run_setup.option import Kind, Option
from karenina_gui.gui.run_setup.option_context import OptionContext
from karenina_gui.gui.run_setup.option_tables import ModelLimits, QuestionExamples, TraitTable, retries

RADIOS = 4
"""Number of choices that are shown as radio buttons; more become a select."""


class OptionControl:
    """Control of an option; `refresh` shows if it applies, and its choices."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self.option, self.choosing = option, choosing
        self.place = ui.element("div").classes(f"option option-{option.kind}")
        self._list: ChoiceElement | None = None
        self._sentence: ui.label | None = None
        self._limits: ModelLimits | None = None
        self._later: Callable[[Option, OptionContext], Any] | None = None
        """Draws a table that needs the whole benchmark, once the option applies."""
        self._describing: list[str] = []
        with self.place:
            _DRAWN[option.kind](self)
            self.below = ui.element("div").classes("option-below")

    def refresh(self) -> None:
        if self._list is not None and self._list.options != self._labels():
            self._list.set_options(self._labels(), value=self._now)
        if self._sentence is not None:
            self._sentence.text = self.option.available_choices(self.choosing.choice)[self._now][1]
        if self._limits is not None:
            self._limits.refresh()
        # Such a table reads the whole benchmark, which would delay the page for a hidden option.
        if self._later is not None and self.place.visible:
            draw, self._later = self._later, None
            with self._room:
                draw(self.option, self.choosing)

    @property
    def _now(self) -> Any:
        return self.choosing.choice.value(self.option.name)

    def _head(self, hint: str | None = None) -> None:
        """Draw title and explanation, to the left of a small control or above a wide one."""
        with ui.element("div").classes("option-words"):
            ui.label(self.option.title).classes("field-label")
            if words := self.option.help if hint is None else hint:
                self._describing.append(ui.label(words).classes("hint").html_id)

    def _describe(self, control: Any) -> Any:
        control.props["aria-label"] = self.option.title
        if self._describing:
            control.props["aria-describedby"] = " ".join(self._describing)
        return control

    def _error(self) -> FieldError:
        error = FieldError()
        self._describing.append(error.html_id)
        return error

    def switch(self) -> None:
        box = ui.checkbox(self.option.title, value=bool(self.choosing.control_value(self.option))).props("dense")
        self._describing.append(ui.label(self.option.help).classes("hint").html_id)
        self._describe(box).on_value_change(lambda e: self.choosing.set_option(self.option, bool(e.value)))

    def number(self) -> None:
        limits = self.option.limits
        assert limits is not None  # by the definition of this kind
        self._head(f"{self.option.help} Empty: {self.option.empty}." if self.option.empty else None)
        shown = self.choosing.control_value(self.option)
        usual = "" if self.option.empty else self.option.when_empty
        box = ui.number(value=shown, placeholder=usual, step=1 if limits.whole or limits.most != 1 else 0.05)
        box.props(f'outlined dense suffix="{self.option.unit}"').classes("input run-form-number")
        error = self._error()

        def say(wrong: str | None) -> None:
            error.show_at(box, wrong)
            box.props["aria-invalid"] = "true" if wrong else "false"

        def enter(number: float | None) -> None:
            say(self.choosing.set_option(self.option, self.option.coerce_number(number)))

        self._describe(box).on_value_change(lambda e: enter(e.value))
        say(self.option.problem(shown))

    def choose(self) -> None:
        """Radio buttons with explanations for few choices, a select with the current explanation for many."""
        offered = self.option.available_choices(self.choosing.choice)
        folded = len(offered) > RADIOS or not any(sentence for _, sentence in offered.values())
        self._head("" if folded and not self.option.help else None)
        if folded:
            self._list = ui.select(self._labels(), value=self._now).classes("input run-form-list")
            self._list.props("outlined dense options-dense")
            if any(sentence for _, sentence in offered.values()):
                self._sentence = ui.label().classes("hint option-sentence")
                self._describing.append(self._sentence.html_id)
        else:
            self._list = ui.radio(self._labels(), value=self._now).props("dense").classes("run-form-radio")
            self.place.classes("option-radio")
        self._describe(self._list).on_value_change(lambda e: self._choose(e.value))

    def _choose(self, value: Any) -> None:
        if value is not None and value != self._now:
            self.choosing.set_option(self.option, value)

    def _labels(self) -> dict[Any, str]:
        offered = self.option.available_choices(self.choosing.choice)
        if isinstance(self._list, ui.select) or len(offered) > RADIOS:
            return {value: name for value, (name, _) in offered.items()}
        return {value: f"{name}: {said}" if said else name for value, (name, said) in offered.items()}

    def text(self) -> None:
        self._head()
        box = sent_while_typing(text_area(self.option.title, str(self.choosing.control_value(self.option) or "")))
        self._describe(box).on_value_change(lambda e: self.choosing.set_option(self.option, e.value or None))
        self.choosing.memory.keep_in_browser(f"setting.{self.option.name.replace('.', '/')}", box)

    def traits(self) -> None:
        self._head()
        chosen = list(self.choosing.control_value(self.option) or [])
        names = {name: name for name in self.choosing.traits}
        names |= {name: f"{name} (not in this benchmark)" for name in chosen if name not in names}
        box = ui.select(names, multiple=True, value=chosen).props("outlined dense use-chips options-dense")
        self._describe(box.classes("input run-form-wide")).on_value_change(
            lambda e: self.choosing.set_option(self.option, list(e.value or []) or None)
        )

    def examples(self) -> None:
        self._head()
        columns = [Column("question", "Question", area=True), Column("answer", "Answer", area=True)]
        known = [dict(each) for each in self.choosing.control_value(self.option)]
        shared = self.choosing.memory.rows("examples", known, lambda rows: self.choosing.set_option(self.option, rows))
        FormRows(columns, "Add example", shared, _incomplete_examples, name="Few-shot examples")

    def retries(self) -> None:
        retries(self.option, self.choosing)

    def limits(self) -> None:
        self._head()
        self._limits = ModelLimits(self.option, self.choosing)

    def depths(self) -> None:
        self._draw_later(TraitTable)

    def pools(self) -> None:
        self._draw_later(QuestionExamples)

    def _draw_later(self, table: Callable[[Option, OptionContext], Any]) -> None:
        self._head()
        self._room = ui.element("div").classes("full-width")
        self._later = table


_DRAWN: dict[Kind, Callable[[OptionControl], None]] = {
    "switch": OptionControl.switch,
    "number": OptionControl.number,
    "choice": OptionControl.choose,
    "text": OptionControl.text,
    "traits": OptionControl.traits,
    "examples": OptionControl.examples,
    "retries": OptionControl.retries,
    "limits": OptionControl.limits,
    "depths": OptionControl.depths,
    "pools": OptionControl.pools,
}


def _incomplete_examples(records: list[Record]) -> dict[int, str]:
    """Return the examples that a run would not use."""
    whole = [all(str(each.get(part) or "").strip() for part in ("question", "answer")) for each in records]
    return {
        place: "Add a question and an answer, or this example is skipped." for place, is_ in enumerate(whole) if not is_
    }
