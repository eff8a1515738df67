"""Blind labels: one answer after the other, labeled by keys, while the values of judges stay on the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.authoring.calibration.targets import OpenTarget
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.elements import button, note, on_enter, text_input
from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.gui.pages.rubric.regex_form import INVERTED
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import Calibration, LabelScale, LabelValue
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait

SKIP, BACK, REFERENCE, MISSING = "s", "Backspace", "r", "0"
LETTERS = "abcdefghijklmnopq"
"""Keys of classes after the ninth."""


def wording_title(opened: OpenTarget) -> str:
    """Return the label of the wording, as in the form of the trait or field."""
    if opened.trait is None:
        return "What to extract"
    return "Pattern" if opened.is_pattern else "Description"


def value_keys(scale: LabelScale) -> dict[str, LabelValue]:
    """Labels by key; empty for numbers, texts, and scores with many grades, which are typed."""
    keys: dict[str, LabelValue] = {}
    if scale.kind == "boolean":
        keys = {"y": True, "n": False}
    elif scale.kind == "score" and scale.low >= 0 and scale.high <= 10 and scale.high - scale.low < 10:
        # A scale that ends at 10 has the key 0 for it.
        keys = {str(value % 10): value for value in scale.values if isinstance(value, int)}
    elif scale.kind == "class":
        keys = dict(zip([*map(str, range(1, 10)), *LETTERS], scale.values, strict=False))
    return {**keys, MISSING: None} if scale.can_be_missing else keys


class BlindLabels:
    """Sheet with one answer, the question, and the possible labels."""

    def __init__(
        self, window: Window, opened: OpenTarget, calibration: Calibration, index: int, done: Callable[[], Any]
    ) -> None:
        """`done`: called after the last answer, or if a label is gone as soon as it is saved."""
        self._window, self._opened, self._calibration = window, opened, calibration
        self._editor = window.services.editor.calibrations
        self.labels = calibration.labels
        """Labels as they are shown."""
        self._index, self._done = index, done
        self._keys = value_keys(opened.scale)
        keys = [*self._keys, SKIP, BACK, REFERENCE]
        with ui.element("div").classes("label-sheet fills").props('tabindex="0" role="group"') as self._sheet:
            self._sheet.props["aria-label"] = f"Label for “{opened.target.name}”"
            # Single letters are shortcuts elsewhere; here they are labels.
            self._sheet.props["data-own-keys"] = " ".join(key.upper() if len(key) == 1 else key for key in keys)
            self._draw_wording()
            self._count = ui.label().classes("label-count").props('role="status"')
            self._body = ui.element("div").classes("label-body")
        self._sheet.on("keydown", lambda event: self.press(str(event.args)), js_handler=_keys_script(keys))
        # Last, since it moves the focus into the sheet.
        self.show()

    def press(self, key: str) -> Any:
        """Carry out a key."""
        if self._index >= len(self._calibration.answers):
            return None  # the last label is being saved
        if key in self._keys:
            return self.label(self._keys[key])
        actions: dict[str, Callable[[], Any]] = {SKIP: self.skip, BACK: self.back, REFERENCE: self.show_reference}
        return actions[key]()

    async def label(self, value: LabelValue) -> None:
        """Save the label of the shown answer, and show the next one."""
        await self._keep(self._editor.label, value)

    async def skip(self) -> None:
        """Leave the shown answer without a label."""
        await self._keep(self._editor.skip)

    def back(self) -> None:
        """Show the answer before, to label it again."""
        if self._index:
            self._index -= 1
            self.show()

    async def show_reference(self) -> None:
        """Show the reference answer of the question."""
        answer = self._calibration.answers[self._index]
        try:
            question = self._editor.question(self._calibration.target.benchmark_id, answer.number)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return
        self._reference.text = f"Reference answer: {question.raw_answer or 'none'}"
        self._reference.set_visibility(True)

    def show(self) -> None:
        """Show the answer at the present place."""
        answers = self._calibration.answers
        answer = answers[self._index]
        self._count.text = f"Answer {self._index + 1:,} of {len(answers):,}"
        self._body.clear()
        with self._body:
            ui.label("Question").classes("field-label")
            ui.label(answer.question).classes("label-question prose")
            ui.label("Answer").classes("field-label")
            ui.label(answer.text).classes("label-answer prose")
            self._reference = ui.label().classes("label-reference hint")
            self._reference.set_visibility(False)
            self._problem = ui.element("div")
            self._draw_values(answer.key)
            with ui.element("div").classes("label-ways"):
                button("Back", self.back, icon="undo", look="quiet").tooltip("Previous answer (Backspace)").set_enabled(
                    self._index > 0
                )
                button("Skip", self.skip, icon="skip_next", look="quiet").tooltip("Leave without a label (S)")
                button("Reference answer", self.show_reference, icon="key", look="quiet").tooltip("Show it (R)")
        self._focus()

    def _draw_wording(self) -> None:
        opened = self._opened
        ui.label(wording_title(opened)).classes("field-label")
        ui.label(opened.wording.description or "No description.").classes("prose")
        if isinstance(opened.trait, RegexRubricTrait):
            for hint in (INVERTED if opened.trait.invert_result else "", opened.trait.description):
                if hint:
                    ui.label(hint).classes("hint")
        if isinstance(opened.trait, LLMRubricTrait) and opened.trait.kind == "score":
            better = {True: ", higher is better", False: ", lower is better", None: ""}[opened.trait.higher_is_better]
            ui.label(f"Score from {opened.scale.low} to {opened.scale.high}{better}.").classes("hint")

    def _draw_values(self, key: str) -> None:
        before = self.labels.get(key)
        if before is not None and before.skipped:
            before = None
        if self._keys.keys() - {MISSING}:
            with ui.element("div").classes("label-values").props('role="group" aria-label="Your label"'):
                # There are fewer keys than choices that a template field may have.
                keyless = [("", value) for value in self._opened.scale.values if value not in self._keys.values()]
                for name, value in [*self._keys.items(), *keyless]:
                    self._draw_value(name, value, chosen=before is not None and before.value == value)
            return
        self._input = text_input("Your label", "" if before is None else str(before.value))
        self._input.props("autofocus")
        on_enter(self._input, self._label_typed)
        with ui.element("div").classes("label-ways"):
            button("Save (Enter)", self._label_typed, look="main")
            if self._opened.scale.can_be_missing:
                button("No value", lambda: self.label(None))

    def _draw_value(self, key: str, value: LabelValue, *, chosen: bool) -> None:
        text = _label_text(value)
        made = button(f"{text} ({key.upper()})" if key and text != key else text, lambda: self.label(value))
        made.classes("label-value").props["aria-pressed"] = "true" if chosen else "false"
        about = self._opened.wording.classes.get(str(value))
        if about:
            ui.label(about).classes("hint label-class")

    async def _label_typed(self) -> None:
        text = str(self._input.value or "").strip()
        if not text:
            self._show_problem("Enter a label, or skip this answer.")
            return
        scale = self._opened.scale
        try:
            value: LabelValue = text if scale.kind == "text" else number_in(text)
        except ValueError as error:
            self._show_problem(str(error))
            return
        if value is None or not scale.accepts(value):
            whole = f"Enter a whole number from {scale.low} to {scale.high}."
            self._show_problem(whole if scale.kind == "score" else "Enter a number.")
            return
        await self.label(value)

    async def _keep(self, command: Callable[..., None], *value: LabelValue) -> None:
        calibration, index = self._calibration, self._index
        # After the last one, until the page shows the agreement.
        if index >= len(calibration.answers):
            return
        name = self._window.preferences.author.get("name", "")
        # At once: a key that is pressed while this label is being saved belongs to the next answer.
        self._index += 1
        if self._index < len(calibration.answers):
            self.show()
        key = calibration.answers[index].key
        try:
            await self._window.write(command, calibration, key, *value, self._opened.wording, name)
        except InputError as error:
            self._index = index
            self.show()
            self._show_problem(str(error))
            return
        if self._sheet.is_deleted:
            return
        self._window.note_saved()
        self.labels = self._window.services.library.calibrations.get(calibration.id).labels
        # An undo in another window may be faster than this one; the page then begins where labels are missing.
        if index + 1 == len(calibration.answers) or key not in self.labels:
            self._done()

    def _show_problem(self, message: str) -> None:
        self._problem.clear()
        with self._problem:
            note(message, "bad")

    def _focus(self) -> None:
        """Focus the sheet, or its text field: keys go to the new answer at once."""
        self._sheet.client.run_javascript(
            f"{{ const sheet = getHtmlElement({self._sheet.id}); (sheet?.querySelector('input') ?? sheet)?.focus(); }}"
        )


def _label_text(value: LabelValue) -> str:
    if value is None:
        return "No value"
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return str(value)


def _keys_script(keys: list[str]) -> str:
    return f"""(event) => {{
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("input")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!{keys!r}.includes(key)) return;
  event.preventDefault();
  event.stopPropagation();
  emit(key);
}}"""
