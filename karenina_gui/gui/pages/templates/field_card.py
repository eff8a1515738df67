"""One field of a template in its form, with the controls of its comparison."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Any, Protocol

from nicegui import ui

from karenina_gui.authoring.template_form import (
    Call,
    CodeField,
    CodeValue,
    FormEdits,
    FormError,
    TemplateForm,
    read_form,
    write_value,
)
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.elements import field as labeled, focus_on, icon_button, menu_button, menu_item
from karenina_gui.gui.kit.number_text import number_written
from karenina_gui.gui.pages.templates.comparisons import (
    COMPARISONS,
    FLAGS,
    NORMALIZERS,
    OPTIONS,
    SHARES,
    STARTS,
    Setting,
    settings_of,
)
from karenina_gui.gui.pages.templates.field_kinds import (
    KINDS,
    FieldKind,
    annotation_with,
    choice_annotation,
    convert_expected,
    expected_text,
    expected_value,
    field_name,
    is_locked,
    kind_named,
    kind_of,
    lines_of,
    number_or_text,
)
from karenina_gui.gui.pages.templates.form_controls import EditTarget, FormControls, FormText, TextKind
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.schemas.primitives.normalizers import Normalizer, SynonymMap, apply_normalizers
from karenina_gui.schemas.template import TemplateField, TemplateProblem
from karenina_gui.schemas.template_placeholders import OPEN

BY_CODE = "Custom code checks this field."
UNCHECKED = "Nothing checks this field."
_YES_NO = {"yes": "Yes", "no": "No"}
_FOR_JUDGE = ("What to extract", "for the judge")
_FOR_READERS = ("Description", "a note for readers; no judge is asked")
"""Label and hint of the description of a field that no judge fills in."""
SYNONYMS = "SynonymMap"
CASE_MATTERS = "Case now matters in these names, too. Check their spelling."


CROSSES_EDGE = "(event) => { if (!event.currentTarget.contains(event.relatedTarget)) emit(); }"
"""Handler of focus events that hears only of those into an element or out of it."""


class CardOwner(Protocol):
    """Form that shows the card."""

    @property
    def is_judged_by_code(self) -> bool: ...
    def field_at(self, index: int) -> CodeField: ...
    def move(self, index: int, step: int) -> None: ...
    def remove(self, index: int) -> None: ...
    def calibrate(self, index: int) -> None: ...


class FieldCard:
    """Card of the field at a place (from 0) of the template."""

    def __init__(self, index: int, owner: CardOwner, template: EditTarget) -> None:
        self.index, self._owner, self._template = index, owner, template
        self._problems: list[str] = []
        self._missing: list[str] = []
        """What is not entered yet; a problem only once the card was left."""
        self._was_left = False
        self._accepts = ""
        self.element = ui.element("section").classes("form-card stack card gap-10")
        self.element.on("focusout", self._leave, args=[], js_handler=CROSSES_EDGE)
        self._draw()

    @property
    def field(self) -> CodeField:
        return self._owner.field_at(self.index)

    @property
    def texts(self) -> dict[str, FormText]:
        return self._controls.texts

    def covers(self, line: int) -> bool:
        """True if a line of the source (from 1) belongs to the field."""
        node = self.field.node
        return node.lineno <= line <= (node.end_lineno or node.lineno)

    def show_problems(self, problems: Sequence[TemplateProblem]) -> None:
        """Show problems of the field below its controls."""
        faults = [plain_message(problem.message, in_form=True) for problem in problems if not problem.unfinished]
        missing = [plain_message(problem.message, in_form=True) for problem in problems if problem.unfinished]
        if (faults, missing) != (self._problems, self._missing):
            self._problems, self._missing = faults, missing
            self._show_messages()

    def _leave(self) -> None:
        if not self._was_left:
            self._was_left = True
            self._show_messages()

    def show_outline(self, field: TemplateField | None) -> None:
        """Show the numbers that the field accepts, once the template was checked."""
        accepts = (field.accepts if field is not None else None) or ""
        if accepts != self._accepts:
            self._accepts = accepts
            self._show_messages()

    def refuse(self, message: str) -> None:
        """Say at the head of the card why it cannot be moved or removed."""
        self._refusal.show_message(f"Not applied: {message}")

    def focus(self) -> None:
        if self._described is None:
            self._name.run_method("focus")
        else:
            focus_on(self._described, select=OPEN)

    def _draw(self) -> None:
        field, kind = self.field, kind_of(self.field)
        self._controls = FormControls(self._template, str(self.index))
        self._described: ui.input | None = None
        self.element.clear()
        self.element.props["aria-label"] = f"Template field {field.name}"
        with self.element:
            self._head(field, kind)
            self._refusal = FieldError()
            title, reader = _FOR_READERS if _is_without_judge(kind) else _FOR_JUDGE
            with labeled(title, reader):
                self._description(field, title)
            if field.kind == "verified":
                with ui.element("div").classes("form-pair"):
                    with labeled("Expected value"):
                        self._draw_expected(field, kind)
                    comparison = ComparisonControls(lambda: self.field, kind, self._controls, self._draw_again)
                    comparison.draw_choice()
                comparison.draw_settings()
                self._more(field)
            else:
                ui.label(BY_CODE if self._owner.is_judged_by_code else UNCHECKED).classes("hint")
            self._messages = ui.element("div").classes("when-filled")
        self._show_messages()

    def _draw_again(self, label: str) -> None:
        """Draw the card after an edit by the selection with this label, which keeps the focus."""
        self._draw()
        if (control := self._controls.choices.get(label)) is not None:
            control.run_method("focus")

    def _show_messages(self) -> None:
        self._messages.clear()
        problems = [*self._problems, *(self._missing if self._was_left else [])]
        with self._messages:
            if self._accepts and not problems:
                ui.label(f"{self._accepts[:1].upper()}{self._accepts[1:]}.").classes("hint")
            for message in problems:
                ui.label(message).classes("field-error")

    def _head(self, field: CodeField, kind: FieldKind | None) -> None:
        with ui.element("div").classes("form-card-head flow gap-8"):
            with ui.element("div").classes("form-card-name"):
                self._name = self._controls.text("name", "Field name", field.name, self._rename)
            if kind is None:
                ui.label(field.type).classes("mono form-locked").props('aria-label="Type"')
            elif field.kind != "verified":
                ui.label(kind.title).classes("form-locked")
            else:
                options = {option.key: option.title for option in KINDS}
                self._controls.choice(f"Type: {field.name}", options, kind.key, self._select_kind, self._draw_again)
            ui.space()
            with menu_button("more_vert", "Field actions"):
                menu_item("Move field up", lambda: self._owner.move(self.index, -1))
                menu_item("Move field down", lambda: self._owner.move(self.index, 1))
                menu_item("Calibrate field", lambda: self._owner.calibrate(self.index))
                menu_item("Remove field", lambda: self._owner.remove(self.index))

    def _rename(self, edits: FormEdits, text: str) -> str:
        name = field_name(text)
        if unicodedata.normalize("NFKC", name) == self.field.name:
            return edits.text
        source = edits.rename(self.field.name, name)
        self.element.props["aria-label"] = f"Template field {name}"
        return source

    def _select_kind(self, edits: FormEdits, key: str) -> str:
        """Change the type, with the expected value and comparison that fit it."""
        kind, field = kind_named(key), self.field
        expected = convert_expected(field, kind)
        source = edits.set_type(field.name, annotation_with(kind, expected))
        source = _reread(source).set_expected(field.name, expected)
        if isinstance(field.comparison, Call) and field.comparison.name in kind.comparisons:
            return source
        return _reread(source).set_comparison(field.name, kind.comparison)

    def _description(self, field: CodeField, title: str) -> None:
        if isinstance(field.description, CodeValue):
            ui.label(field.description.source).classes("mono form-locked")
            return
        self._described = self._controls.text(
            "description",
            f"{title}: {field.name}",
            field.description or "",
            lambda edits, text: edits.set_description(self.field.name, text),
            kind="area",
        )

    def _draw_expected(self, field: CodeField, kind: FieldKind | None) -> None:
        label, value = f"Expected value: {field.name}", field.expected
        if kind is None or is_locked(value):
            ui.label(value.source if isinstance(value, CodeValue) else write_value(value)).classes("mono form-locked")
            return
        current = expected_text(kind, value)
        match kind.key:
            case "yes_no" | "trace":
                self._controls.choice(label, _YES_NO, current, self._set_expected)
            case "choice":
                self._choices(field, label, current)
            case "date":
                box = self._controls.text("expected", label, current, self._set_expected)
                _add_calendar(box.props('placeholder="YYYY-MM-DD"'))
            case "list":
                box = self._controls.text("expected", label, current, self._set_expected, kind="area")
                box.props('placeholder="One per line"')
            case "text":
                self._controls.text("expected", label, current, self._set_expected, kind="area")
            case _:
                self._controls.text("expected", label, current, self._set_expected, kind="number")

    def _choices(self, field: CodeField, label: str, current: str) -> None:
        options = {choice: choice for choice in field.choices or ()}
        select = self._controls.choice(label, options, current, self._set_expected)

        def change(edits: FormEdits, text: str) -> str:
            field, choices = self.field, list(dict.fromkeys(lines_of(text)))
            before = list(field.choices or ())
            source = edits.set_type(field.name, choice_annotation(choices))
            if field.expected in before and field.expected not in choices and len(before) == len(choices):
                # The choice that is expected was edited, so it is expected in its new form.
                return _reread(source).set_expected(field.name, choices[before.index(field.expected)])
            return source

        def update_options() -> None:
            choices, expected = self.field.choices or (), self.field.expected
            select.set_options({choice: choice for choice in choices}, value=expected if expected in choices else None)

        with labeled("Choices", "one per line"):
            text = "\n".join(field.choices or ())
            self._controls.text("choices", f"Choices: {field.name}", text, change, kind="area", then=update_options)

    def _set_expected(self, edits: FormEdits, text: str | None) -> str:
        field, kind = self.field, kind_of(self.field)
        assert kind is not None
        value = expected_value(kind, text or "")
        source = edits.set_expected(field.name, value)
        comparison = with_synonyms(field, value)
        return source if comparison is None else _reread(source).set_comparison(field.name, comparison)

    def _more(self, field: CodeField) -> None:
        fold = ui.expansion("More", value=bool(field.hint) or field.weight != 1).classes("trait-fold")
        with fold, ui.element("div").classes("trait-fold-body form-pair"):
            with labeled("Weight", "in the partial credit"):
                self._weight(field)
            if not _is_without_judge(kind_of(field)):
                with labeled("Hint for the judge", "how to write the value"):
                    self._hint(field)

    def _weight(self, field: CodeField) -> None:
        if isinstance(field.weight, CodeValue):
            ui.label(field.weight.source).classes("mono form-locked")
            return
        written = number_written(float(field.weight))
        self._controls.text("weight", f"Weight: {field.name}", written, self._weigh, kind="number")

    def _hint(self, field: CodeField) -> None:
        if isinstance(field.hint, CodeValue):
            ui.label(field.hint.source).classes("mono form-locked")
            return
        label = f"Hint for the judge: {field.name}"
        self._controls.text(
            "hint",
            label,
            field.hint or "",
            lambda edits, text: edits.set_hint(self.field.name, text),
            kind="area",
        )

    def _weigh(self, edits: FormEdits, text: str) -> str:
        value = number_or_text(text or "1")
        if isinstance(value, str):
            raise FormError("Enter a number.")
        return edits.set_weight(self.field.name, value)


def _reread(source: str) -> FormEdits:
    form = read_form(source)
    assert isinstance(form, TemplateForm)
    return FormEdits(form)


def _is_without_judge(kind: FieldKind | None) -> bool:
    return kind is not None and kind.key == "trace"


def _add_calendar(box: ui.input) -> None:
    """Add a calendar to a text control of a date."""
    with box.add_slot("append"):
        opener = icon_button("event", "Choose a date")
        with opener, ui.menu().props("no-parent-event") as menu:
            picker = ui.date().props("mask=YYYY-MM-DD")
        opener.on("click", menu.open, args=[])

    def choose(event: Any) -> None:
        if event.value:
            box.set_value(str(event.value))
            menu.close()

    picker.on_value_change(choose)


class ComparisonControls:
    """Controls of one field's comparison."""

    def __init__(
        self,
        current: Callable[[], CodeField],
        kind: FieldKind | None,
        controls: FormControls,
        redraw: Callable[[str], None],
    ) -> None:
        """`current` returns the field as it is now; `redraw` is called when other settings apply.

        It gets the label of the control that was used.
        """
        self._current, self._kind, self._controls, self._redraw = current, kind, controls, redraw

    def draw_choice(self) -> None:
        """Draw the selection of the comparison, with an example."""
        comparison = self._current().comparison
        with labeled("Comparison"):
            if not isinstance(comparison, Call):
                source = comparison.source if isinstance(comparison, CodeValue) else ""
                ui.label(source or "Custom code compares this field.").classes("mono form-locked")
                return
            names = list(self._kind.comparisons) if self._kind is not None else list(COMPARISONS)
            names += [comparison.name] if comparison.name not in names else []
            label = f"Comparison: {self._current().name}"
            options = {name: COMPARISONS[name].title for name in names}
            self._controls.choice(label, options, comparison.name, self._select, self._redraw)
            ui.label(COMPARISONS[comparison.name].hint).classes("hint")

    def draw_settings(self) -> None:
        """Draw the settings of the comparison, if it has any."""
        comparison = self._current().comparison
        settings = settings_of(comparison.name) if isinstance(comparison, Call) else []
        applicable = [setting for setting in settings if self._applies(setting)]
        if applicable:
            with ui.element("div").classes("form-settings"):
                for setting in applicable:
                    self._setting(setting)

    def _select(self, edits: FormEdits, name: str) -> str:
        comparison = Call(name, dict(STARTS.get(name, {})))
        return edits.set_comparison(self._current().name, comparison)

    def _applies(self, setting: Setting) -> bool:
        return setting.name != "min_overlap" or self._value("mode", "exact") == "overlap"

    def _value(self, name: str, default: Any) -> Any:
        comparison = self._current().comparison
        return comparison.settings.get(name, default) if isinstance(comparison, Call) else default

    def _setting(self, setting: Setting) -> None:
        value = self._value(setting.name, setting.default)
        label = f"{setting.title}: {self._current().name}"
        with labeled(self._title(setting), setting.hint) as container:
            if setting.kind in ("lines", "normalize", "flags"):
                container.classes("form-whole")
            if _is_locked(setting, value):
                ui.label(write_value(value)).classes("mono form-locked")
                return
            match setting.kind:
                case "choice":
                    options = {option: OPTIONS[option] for option in setting.options}
                    if setting.name == "mode":
                        # In another mode, other settings apply, or in percent.
                        self._controls.choice(label, options, str(value), self._set_mode, self._redraw)
                    else:
                        self._controls.choice(label, options, str(value), lambda e, v: self._set(e, setting, v))
                case "yes_no":
                    self._controls.tick("Yes", bool(value), lambda edits, on: self._set(edits, setting, on))
                case "flags":
                    self._controls.ticks(label, FLAGS, value, lambda edits, on: self._set(edits, setting, on))
                case "normalize":
                    self._normalizers(label, setting, value)
                case _:
                    self._text(setting, label, value)

    def _title(self, setting: Setting) -> str:
        return f"{setting.title} (%)" if self._in_percent(setting) else setting.title

    def _text(self, setting: Setting, label: str, value: Any) -> None:
        def change(edits: FormEdits, text: str) -> str:
            return self._set(edits, setting, self._setting_value(setting, text))

        value_text = self._setting_text(setting, value)
        kind: TextKind = "area" if setting.kind == "lines" else "line" if setting.kind == "text" else "number"
        self._controls.text(f"comparison.{setting.name}", label, value_text, change, kind=kind)

    def _setting_text(self, setting: Setting, value: Any) -> str:
        if value is None or value in (OPEN, [OPEN]):
            return ""
        if isinstance(value, list):
            return "\n".join(value)
        if isinstance(value, str):
            return value
        return number_written(float(value * 100 if self._in_percent(setting) else value))

    def _setting_value(self, setting: Setting, text: str) -> Any:
        if setting.kind == "lines":
            return lines_of(text) or [OPEN]
        if not text.strip():
            # Without a value, the setting keeps its default; one that is needed gets a placeholder.
            return None if setting.default is not None or setting.name not in _required_settings(setting) else OPEN
        if setting.kind == "text":
            return text
        number = number_or_text(text)
        if isinstance(number, str):
            return number
        return number / 100 if self._in_percent(setting) else number

    def _in_percent(self, setting: Setting) -> bool:
        modes = {sibling.name: sibling.default for sibling in settings_of(setting.comparison)}
        return setting.name in SHARES and "mode" in modes and self._value("mode", modes["mode"]) == "relative"

    def _set_mode(self, edits: FormEdits, mode: str) -> str:
        """Set the mode; numbers stay as the form shows them: 2% become 2 in the value's unit."""
        comparison = self._current().comparison
        assert isinstance(comparison, Call)
        was_percent = any(map(self._in_percent, settings_of(comparison.name)))
        factor = 100 if was_percent else 0.01
        rescaled = {
            name: number_or_text(f"{value * factor:.12g}")
            for name, value in comparison.settings.items()
            if name in SHARES and isinstance(value, int | float)
        }
        settings = {**comparison.settings, **rescaled, "mode": mode}
        return edits.set_comparison(self._current().name, replace(comparison, settings=settings))

    def _set(self, edits: FormEdits, setting: Setting, value: Any) -> str:
        comparison = self._current().comparison
        assert isinstance(comparison, Call)
        settings = {**comparison.settings, setting.name: value}
        if value is None:
            del settings[setting.name]
        return edits.set_comparison(self._current().name, replace(comparison, settings=settings))

    # Normalizers

    def _normalizers(self, label: str, setting: Setting, value: list[Any]) -> None:
        """Draw a checkbox for each difference to ignore, and the synonyms."""

        def choose(edits: FormEdits, chosen: list[str]) -> str:
            now = self._value(setting.name, setting.default)
            # Those that stay keep their order; synonyms meet the text as the others left it.
            remaining = [normalizer for normalizer in now if isinstance(normalizer, str) and normalizer in chosen]
            plain = [*remaining, *(normalizer for normalizer in chosen if normalizer not in remaining)]
            synonyms = self._controls.text_at("comparison.synonyms") or ""
            if synonyms.strip():
                self._case_remark.text = CASE_MATTERS if "lowercase" in now and "lowercase" not in plain else ""
            return self._set(edits, setting, [*plain, *self._synonym_map(plain, synonyms)])

        self._controls.ticks(
            label, NORMALIZERS, [normalizer for normalizer in value if isinstance(normalizer, str)], choose
        )
        if setting.comparison != "ExactMatch":
            return
        with (
            ui.element("div").classes("form-whole"),
            labeled("Also accept", "other names of the expected value, one per line"),
        ):

            def enter(edits: FormEdits, text: str) -> str:
                now = self._value(setting.name, setting.default)
                plain = [normalizer for normalizer in now if isinstance(normalizer, str)]
                return self._set(edits, setting, [*plain, *self._synonym_map(plain, text)])

            name = self._current().name
            self._controls.text(
                "comparison.synonyms", f"Also accept: {name}", self._synonym_text(value), enter, kind="area"
            )
            # The code has these names in lower case as long as case is ignored.
            self._case_remark = ui.label().classes("hint").props('role="status"')

    def _synonym_map(self, normalizers: list[Any], text: str) -> list[Call]:
        mapping = self._synonyms(normalizers, text)
        return [Call(SYNONYMS, {"mapping": mapping})] if mapping else []

    def _synonyms(self, normalizers: list[Any], text: str) -> dict[str, str]:
        """Mapping of each line: its text, or what is before ` = `, to the expected value, or to what is after."""
        expected = self._current().expected
        mapping = {}
        for line in lines_of(text):
            name, sign, other = line.partition(" = ")
            target = other if sign else str(expected)
            mapping[_normalize(name.strip(), normalizers)] = _normalize(target.strip(), normalizers)
        return mapping

    def _synonym_text(self, value: list[Any]) -> str:
        maps = [normalizer for normalizer in value if isinstance(normalizer, Call)]
        plain = [normalizer for normalizer in value if isinstance(normalizer, str)]
        expected = _normalize(str(self._current().expected), plain)
        pairs = maps[0].settings["mapping"].items() if maps else ()
        return "\n".join(name if other == expected else f"{name} = {other}" for name, other in pairs)


def with_synonyms(field: CodeField, expected: Any) -> Call | None:
    """The comparison with its synonyms for the old expected value made synonyms of the new; None: it has none."""
    comparison = field.comparison
    normalizers = comparison.settings.get("normalize") if isinstance(comparison, Call) else None
    if not isinstance(comparison, Call) or not isinstance(normalizers, list) or not _has_synonyms(normalizers):
        return None
    plain = [normalizer for normalizer in normalizers if isinstance(normalizer, str)]
    before, now = (_normalize(str(value), plain) for value in (field.expected, expected))
    mapping = {name: now if other == before else other for name, other in normalizers[-1].settings["mapping"].items()}
    settings = {**comparison.settings, "normalize": [*normalizers[:-1], Call(SYNONYMS, {"mapping": mapping})]}
    return replace(comparison, settings=settings)


def _normalize(text: str, normalizers: list[Any]) -> str:
    valid: list[Normalizer] = [normalizer for normalizer in normalizers if normalizer in NORMALIZERS]
    return apply_normalizers(text, valid)


def _has_synonyms(value: list[Any]) -> bool:
    """True for names of normalizers with one table of synonyms at the end."""
    *plain, last = value or [None]
    if not isinstance(last, Call) or last.name != SYNONYMS or last.settings.keys() != SynonymMap.model_fields.keys():
        return False
    mapping = last.settings["mapping"]
    texts = [*mapping, *mapping.values()] if isinstance(mapping, dict) else [None]
    return all(isinstance(text, str) for text in texts) and _are_known(plain, NORMALIZERS)


def _are_known(value: Any, allowed: Container[str]) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item in allowed for item in value)


def _is_locked(setting: Setting, value: Any) -> bool:
    """True if the form can show a setting, but not edit it."""
    if setting.kind == "normalize":
        return not _are_known(value, NORMALIZERS) and not (isinstance(value, list) and _has_synonyms(value))
    return not _are_known(value, FLAGS) if setting.kind == "flags" else is_locked(value)


def _required_settings(setting: Setting) -> set[str]:
    return set(STARTS.get(setting.comparison, {}))
