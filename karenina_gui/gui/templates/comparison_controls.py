"""Comparison of a field in the form: which one, an example of what passes, and its settings."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

from nicegui import ui

from karenina_gui.authoring.template_form import Call, CodeField, CodeValue, FormEdits, write_value
from karenina_gui.gui.components.elements import field as labeled
from karenina_gui.gui.components.number_text import number_written
from karenina_gui.gui.templates.comparisons import (
    COMPARISONS,
    FLAGS,
    NORMALIZERS,
    OPTIONS,
    SHARES,
    STARTS,
    Setting,
    settings_of,
)
from karenina_gui.gui.templates.field_kinds import FieldKind, is_locked, lines_of, number_or_text
from karenina_gui.gui.templates.form_controls import FormControls, TextKind
from karenina_gui.schemas.primitives.normalizers import Normalizer, SynonymMap, apply_normalizers
from karenina_gui.schemas.template_placeholders import OPEN

SYNONYMS = "SynonymMap"
CASE_MATTERS = "Case now matters in these names, too. Check their spelling."


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
            self._case_remark = ui.label().classes("field-hint").props('role="status"')

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
