"""Table controls of options: limits by model, retries, traits, and examples of questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from karenina_gui.gui.binding.fields import CallbackField
from karenina_gui.gui.components.elements import icon_button
from karenina_gui.gui.models.retries import RetryGrid
from karenina_gui.gui.models.retry_numbers import number_of, with_number
from karenina_gui.gui.run_setup.option import Option
from karenina_gui.gui.run_setup.option_context import OptionContext
from karenina_gui.schemas.benchmark_summaries import ExamplePool
from karenina_gui.schemas.deep_judgment import TraitDeepJudgment
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import FewShotExampleConfig
from karenina_gui.text import quantity

Table = dict[str, Any]
SHORT = 80
"""Number of characters of a question or example in a row."""
AS_TRAIT = "as in rubric"
EITHER = {None: AS_TRAIT, True: "yes", False: "no"}
MODES = {
    "inherit": "As set above",
    "disabled": "None",
    "all": "All of its own",
    "k-shot": "Random selection",
    "custom": "Selected only",
}
"""Alternatives of a question to the general setting."""


def retries(option: Option, choosing: OptionContext) -> None:
    """Grid of retry numbers; each is saved once it is valid."""

    def field_of(category: str, part: str) -> CallbackField:
        def save(value: Any) -> str | None:
            try:
                policy = with_number(RetryPolicy.model_validate(choosing.control_value(option)), category, part, value)
            except ValueError as wrong:
                return str(wrong)
            return choosing.set_option(option, policy.model_dump(mode="json"))

        now = RetryPolicy.model_validate(choosing.control_value(option))
        return CallbackField(number_of(now, category, part), save)

    RetryGrid(field_of)


class ModelLimits:
    """Limit of concurrent calls for each selected answering model; empty: no limit."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self._option, self._choosing = option, choosing
        self._shown: list[str] | None = None
        self._place = ui.element("div").classes("option-table-lines")
        self.refresh()

    def refresh(self) -> None:
        """Refresh the list of models."""
        models = [*self._choosing.choice.models]
        # A redraw would take the focus from the field that the user is in.
        if models == self._shown:
            return
        self._shown = models
        self._place.clear()
        with self._place:
            for name in models:
                self._line(name)
            if not models:
                ui.label("Select answering models first.").classes("hint")

    def _line(self, name: str) -> None:
        with ui.element("div").classes("option-table-line option-table-limit"):
            box = ui.number(value=self._limits().get(name), placeholder="no limit", step=1, min=1)
            box.props("outlined dense").classes("input run-form-number")
            ui.label(name)
            box.props["aria-label"] = f"{self._option.title}: {name}"
            box.on_value_change(lambda e: self._set_limit(name, e.value))

    def _limits(self) -> Table:
        """Return limits by model; a single number applies to all models."""
        now = self._choosing.control_value(self._option)
        return dict.fromkeys(self._shown or (), now) if isinstance(now, int) else dict(now or {})

    def _set_limit(self, name: str, number: float | None) -> None:
        limits = {each: limit for each, limit in self._limits().items() if each != name}
        if number is not None and number >= 1:
            limits[name] = int(number)
        self._choosing.set_option(self._option, limits or None)


class TraitTable:
    """Traits with deep judgment and their overrides."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self._option, self._choosing = option, choosing
        self._homes = choosing.llm_traits()
        self._place = ui.element("div").classes("option-table-lines")
        self._draw()

    def _table(self) -> Table:
        now = self._choosing.control_value(self._option) or {}
        return {part: dict(now.get(part) or {}) for part in ("global", "question_specific")}

    def _entries(self) -> dict[str, Table]:
        """{trait: its settings}; for traits of questions, those of the first one."""
        table = self._table()
        found = dict(table["global"])
        for traits in table["question_specific"].values():
            for name, settings in traits.items():
                found.setdefault(name, settings)
        return found

    def _draw(self) -> None:
        self._place.clear()
        entries = self._entries()
        with self._place:
            if entries:
                with ui.element("div").classes("option-table-line option-table-trait hint"):
                    for title in ("Trait", "Quotes", "Maximum", "Web search", ""):
                        ui.label(title)
            for name, settings in entries.items():
                self._line(name, settings)
            others = {name: self._trait_title(name) for name in self._homes if name not in entries}
            _adder("Add trait", others, self._add)

    def _trait_title(self, name: str) -> str:
        questions = self._homes.get(name)
        if questions is None:
            return f"{name} (not in this benchmark)"
        if not questions:
            return name
        return f"{name} ({quantity(len(questions), 'question')})"

    def _line(self, name: str, settings: Table) -> None:
        with ui.element("div").classes("option-table-line option-table-trait"):
            ui.label(self._trait_title(name))
            self._yes_no_select(name, settings, "excerpt_enabled", "Quotes")
            most = ui.number(value=settings.get("max_excerpts"), placeholder=AS_TRAIT, step=1, min=1)
            most.props("outlined dense").classes("input").props["aria-label"] = f"Maximum quotes: {name}"
            most.on_value_change(lambda e: self._set(name, "max_excerpts", e.value and max(1, int(e.value))))
            self._yes_no_select(name, settings, "search_enabled", "Web search")
            icon_button("close", f"Remove {name}", lambda: self._remove(name))

    def _yes_no_select(self, name: str, settings: Table, key: str, title: str) -> None:
        box = ui.select(EITHER, value=settings.get(key)).props("outlined dense options-dense").classes("input")
        box.props["aria-label"] = f"{title}: {name}"
        box.on_value_change(lambda e: self._set(name, key, e.value))

    def _set(self, name: str, key: str, value: Any) -> None:
        settings = {**self._entries().get(name, {}), key: value}
        self._save_trait(name, {each: known for each, known in settings.items() if known is not None})

    def _add(self, name: str) -> None:
        self._save_trait(name, {})
        self._draw()

    def _save_trait(self, name: str, settings: Table) -> None:
        settings = TraitDeepJudgment.model_validate(settings).model_dump(mode="json")
        table, questions = self._without(name), self._homes.get(name)
        # Traits of the benchmark have one entry, those of questions one per question.
        if questions:
            for question in questions:
                table["question_specific"][question] = {**table["question_specific"].get(question, {}), name: settings}
        else:
            table["global"][name] = settings
        self._save(table)

    def _remove(self, name: str) -> None:
        self._save(self._without(name))
        self._draw()

    def _without(self, name: str) -> Table:
        table = self._table()
        for traits in (table["global"], *table["question_specific"].values()):
            traits.pop(name, None)
        return table

    def _save(self, table: Table) -> None:
        of_questions = {question: traits for question, traits in table["question_specific"].items() if traits}
        specific = {"question_specific": of_questions} if of_questions else {}
        self._choosing.set_option(self._option, {"global": table["global"], **specific})


class QuestionExamples:
    """Questions with a choice of examples that differs from the general one."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self._option, self._choosing = option, choosing
        self._pools = choosing.pools()
        self._place = ui.element("div").classes("option-table-lines")
        self._draw()

    def _entries(self) -> dict[str, Table]:
        return dict(self._choosing.control_value(self._option) or {})

    def _draw(self) -> None:
        self._place.clear()
        entries = self._entries()
        with self._place:
            for question, entry in entries.items():
                self._line(question, entry)
            others = {key: short(pool.text) for key, pool in self._pools.items() if key not in entries}
            _adder("Add question", others, self._add)

    def _line(self, question: str, entry: Table) -> None:
        pool = self._pools.get(question)
        title = short(pool.text) if pool else f"{question} (no examples)"
        mode = entry.get("mode", "inherit")
        with ui.element("div").classes("option-table-line option-table-example"):
            ui.label(title).tooltip(pool.text if pool else question)
            box = ui.select(MODES, value=mode).props("outlined dense options-dense").classes("input")
            box.props["aria-label"] = f"Examples of {title}"
            box.on_value_change(lambda e: self._set(question, {**entry, "mode": e.value}, redraw=True))
            icon_button("close", f"Remove {title}", lambda: self._remove(question))
            if mode == "k-shot":
                number = ui.number("Number", value=entry.get("k"), placeholder="as above", step=1, min=0)
                number.props("outlined dense").classes("input option-table-wide")
                number.on_value_change(lambda e: self._set(question, {**entry, "k": e.value and int(e.value)}))
            if mode == "custom" and pool:
                self._draw_selection(question, entry, pool)

    def _draw_selection(self, question: str, entry: Table, pool: ExamplePool) -> None:
        names = {place: short(example) for place, example in enumerate(pool.examples)}
        chosen = [place for place in entry.get("selected_examples") or [] if place in names]
        some = ui.select(names, multiple=True, value=chosen, label="Examples").classes("input option-table-wide")
        some.props("outlined dense use-chips options-dense")
        some.on_value_change(lambda e: self._set(question, {**entry, "selected_examples": sorted(e.value or [])}))

    def _add(self, question: str) -> None:
        self._set(question, {"mode": "disabled"}, redraw=True)

    def _remove(self, question: str) -> None:
        self._save({key: entry for key, entry in self._entries().items() if key != question})
        self._draw()

    def _set(self, question: str, entry: Table, *, redraw: bool = False) -> None:
        kept = FewShotExampleConfig.model_validate(entry).model_dump(mode="json", exclude_none=True)
        self._save({**self._entries(), question: kept})
        if redraw:
            self._draw()

    def _save(self, entries: dict[str, Table]) -> None:
        self._choosing.set_option(self._option, entries)


def _adder(title: str, names: Mapping[str, str], add: Callable[[str], None]) -> None:
    if not names:
        return
    box = (
        ui.select(dict(names), with_input=True, label=title)
        .props("outlined dense options-dense")
        .classes("input option-table-add")
    )
    box.on_value_change(lambda e: add(e.value) if e.value is not None else None)


def short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SHORT else f"{words[: SHORT - 1]}…"
