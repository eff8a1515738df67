"""Controls of options by type of setting; valid input is saved, invalid input shows an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.choice_element import ChoiceElement
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.forms.bound_field import AppliedField
from karenina_gui.gui.forms.form_rows import FormRows, Record
from karenina_gui.gui.kit.elements import checkbox, help_button, icon_button, number_input, select, text_area
from karenina_gui.gui.kit.number_text import NumberLimits
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.kit.typed_text import strip_control_chars
from karenina_gui.gui.pages.models.retries import RetryGrid
from karenina_gui.gui.pages.models.retry_numbers import retry_fields
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.pages.run_setup.option import Kind, Option
from karenina_gui.gui.records.form_field import Column, FormField
from karenina_gui.gui.records.optimistic_edit import CallbackField
from karenina_gui.schemas.benchmark_summaries import ExamplePool
from karenina_gui.schemas.deep_judgment import TraitDeepJudgment
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import FewShotExampleConfig
from karenina_gui.text import quantity

RETRIES = retry_fields(lambda policy: policy, lambda _, policy: {"retry_policy": policy})
RADIOS = 4
"""Number of choices that are shown as radio buttons; more become a select."""
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


@dataclass(frozen=True)
class OptionContext:
    """State that the controls edit."""

    choice: RunDraft
    memory: ChoiceMemory
    changed: Callable[[], Any]
    """Called after every change."""
    traits: Sequence[str] = ()
    """Names of the benchmark's traits."""
    llm_traits: Callable[[], Mapping[str, Sequence[str]]] = dict
    """{LLM trait: ids of its questions; empty: all questions}."""
    cluster: str = ""
    """Address of the cluster in the settings; empty: none."""
    pools: Callable[[], Mapping[str, ExamplePool]] = dict
    """{id: examples} of the questions with examples of their own."""

    def set_option(self, option: Option, entered: Any) -> str | None:
        """Set a value; return the problem, or None."""
        if option.kind == "choice" and entered in (None, self.choice.value(option.name)):
            return None  # of new choices, which nobody selected
        entered = strip_control_chars(entered, None)
        problem = option.problem(entered)
        if problem:
            # Kept beside the setting, so that the invalid input reappears with the page.
            self.choice.refused[option.name] = entered
        else:
            if isinstance(entered, str) and entered in option.begins:
                needed, first = option.begins[entered]
                if self.choice.value(needed) is None:
                    self.choice.set(needed, first)
            self.choice.set(option.name, option.read(entered))
        self.changed()
        return problem


class OptionControl:
    """Control of an option; `refresh` shows if it applies, and its choices."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self.option, self.choosing = option, choosing
        self.element = ui.element("div").classes(f"option option-{option.kind}")
        self._list: ChoiceElement | None = None
        self._explanation: ui.label | None = None
        self._limits: ModelLimits | None = None
        self._later: Callable[[Option, OptionContext], Any] | None = None
        """Draws a table that needs the whole benchmark, once the option applies."""
        self._describing: list[str] = []
        with self.element:
            _DRAWN[option.kind](self)
            self.below = ui.element("div").classes("option-below line wraps")

    def refresh(self) -> None:
        if self._list is not None and self._list.options != self._labels():
            self._list.set_options(self._labels(), value=self._now)
        if self._explanation is not None:
            self._explanation.text = self.option.available_choices(self.choosing.choice)[self._now][1]
        if self._limits is not None:
            self._limits.refresh()
        # Such a table reads the whole benchmark, which would delay the page for a hidden option.
        if self._later is not None and self.element.visible:
            draw, self._later = self._later, None
            with self._room:
                draw(self.option, self.choosing)

    @property
    def _now(self) -> Any:
        return self.option.control_value(self.choosing.choice)

    def _head(self, hint: str | None = None) -> None:
        """Draw title and explanation, to the left of a small control or above a wide one."""
        with ui.element("div").classes("stack shrinks"):
            with ui.element("div").classes("line gap-4"):
                ui.label(self.option.title).classes("field-label")
                if self.option.reason:
                    help_button(self.option.title, self.option.reason)
            if text := self.option.help if hint is None else hint:
                self._describe(text)

    def _describe(self, text: str) -> ui.label:
        label = ui.label(text).classes("hint")
        self._describing.append(label.html_id)
        return label

    def _bind(self, control: ValueElement[Any]) -> None:
        """Bind the control, with its accessible description."""
        option, choosing = self.option, self.choosing
        field = AppliedField(control, partial(choosing.set_option, option), option.problem_in(choosing.choice))
        control.props["aria-describedby"] = " ".join([*self._describing, field.error.html_id])

    def switch(self) -> None:
        control = checkbox(self.option.title, bool(self._now))
        self._describe(self.option.help)
        self._bind(control)

    def number(self) -> None:
        limits, empty = self.option.limits, self.option.empty
        assert limits is not None  # by the definition of this kind
        self._head(f"{self.option.help} Empty: {empty}." if empty else None)
        step = 1 if limits.whole or limits.most != 1 else 0.05
        control = number_input(
            self.option.title, self._now, placeholder="" if empty else self.option.when_empty, step=step
        )
        self._bind(control.props(f'suffix="{self.option.unit}"').classes("run-form-number"))

    def choose(self) -> None:
        """Radio buttons with explanations for few choices, a select with the current explanation for many."""
        available = self.option.available_choices(self.choosing.choice)
        explained = any(explanation for _, explanation in available.values())
        folded = len(available) > RADIOS or not explained
        self._head("" if folded and not self.option.help else None)
        if folded:
            self._list = select(self.option.title, self._labels(), self._now).classes("run-form-list")
            if explained:
                self._explanation = self._describe("").classes("option-sentence")
        else:
            self._list = ui.radio(self._labels(), value=self._now).classes("run-form-radio")
            self._list.props(f"dense {aria_label(self.option.title)}")
            self.element.classes("option-radio")
        self._bind(self._list)

    def _labels(self) -> dict[Any, str]:
        available = self.option.available_choices(self.choosing.choice)
        if isinstance(self._list, ui.select) or len(available) > RADIOS:
            return {value: name for value, (name, _) in available.items()}
        return {value: f"{name}: {text}" if text else name for value, (name, text) in available.items()}

    def text(self) -> None:
        self._head()
        control = text_area(self.option.title, str(self._now or ""))
        self._bind(control)
        self.choosing.memory.keep_in_browser(f"setting.{self.option.name.replace('.', '/')}", control)

    def cluster(self) -> None:
        """Checkbox for the cluster of the settings, or for that of an earlier run or preset."""
        address = self._now or self.choosing.cluster
        self.element.classes("option-switch")
        control = checkbox(self.option.title, bool(self._now))
        if address:
            self._describe(f"Workers of {address} verify the jobs, with their own API keys. This computer coordinates.")
        else:
            self._describe("Verifies the jobs on other computers. First, enter the address of a cluster on the page")
            ui.link("Settings", "/settings").classes("hint")
            control.disable()
        option, choosing = self.option, self.choosing
        AppliedField(control, lambda on: choosing.set_option(option, address if on else None))

    def traits(self) -> None:
        self._head()
        chosen = list(self._now or [])
        names = {name: name for name in self.choosing.traits}
        names |= {name: f"{name} (not in this benchmark)" for name in chosen if name not in names}
        self._bind(select(self.option.title, names, chosen, multiple=True).classes("wide"))

    def examples(self) -> None:
        self._head()
        columns = [Column("question", "Question", area=True), Column("answer", "Answer", area=True)]
        save = partial(self.choosing.set_option, self.option)
        shared = self.choosing.memory.rows("examples", [dict(example) for example in self._now], save)
        FormRows(columns, "Add example", shared, _incomplete_examples, name="Few-shot examples")

    def retries(self) -> None:
        option, choosing = self.option, self.choosing

        def policy() -> RetryPolicy:
            return RetryPolicy.model_validate(option.control_value(choosing.choice))

        def bind(spec: FormField[RetryPolicy]) -> CallbackField:
            def save(number: float | None) -> str | None:
                try:
                    changed: RetryPolicy = spec.changes(policy(), number)["retry_policy"]
                except ValueError as error:
                    return str(error)
                return choosing.set_option(option, changed.model_dump(mode="json"))

            return CallbackField(spec.value_of(policy()), save)

        RetryGrid(RETRIES, bind)

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


class ModelLimits:
    """Limit of concurrent calls for each selected answering model; empty: no limit."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self._option, self._choosing = option, choosing
        self._drawn: list[str] | None = None
        self._container = ui.element("div").classes("stack wide shrinks gap-6")
        self.refresh()

    def refresh(self) -> None:
        """Refresh the list of models."""
        models = [*self._choosing.choice.models]
        # A redraw would take the focus from the field that the user is in.
        if models == self._drawn:
            return
        self._drawn = models
        self._container.clear()
        with self._container:
            for name in models:
                self._line(name)
            if not models:
                ui.label("Select answering models first.").classes("hint")

    def _line(self, name: str) -> None:
        with ui.element("div").classes("option-table-line option-table-limit"):
            label, limit = f"{self._option.title}: {name}", self._limits().get(name)
            with ui.element("div"):
                _number(label, limit, "no limit", NumberLimits(1, whole=True), partial(self._set_limit, name))
            ui.label(name)

    def _limits(self) -> Table:
        """Return limits by model; a single number applies to all models."""
        now = self._option.control_value(self._choosing.choice)
        return dict.fromkeys(self._drawn or (), now) if isinstance(now, int) else dict(now or {})

    def _set_limit(self, name: str, number: float | None) -> None:
        limits = {**self._limits(), name: number}
        if number is None:
            del limits[name]
        self._choosing.set_option(self._option, limits or None)


class TraitTable:
    """Traits with deep judgment and their overrides."""

    def __init__(self, option: Option, choosing: OptionContext) -> None:
        self._option, self._choosing = option, choosing
        self._homes = choosing.llm_traits()
        self._container = ui.element("div").classes("stack wide shrinks gap-6")
        self._draw()

    def _table(self) -> Table:
        now = self._option.control_value(self._choosing.choice) or {}
        return {part: dict(now.get(part) or {}) for part in ("global", "question_specific")}

    def _entries(self) -> dict[str, Table]:
        """{trait: its settings}; for traits of questions, those of the first one."""
        table = self._table()
        entries = dict(table["global"])
        for traits in table["question_specific"].values():
            for name, settings in traits.items():
                entries.setdefault(name, settings)
        return entries

    def _draw(self) -> None:
        self._container.clear()
        entries = self._entries()
        with self._container:
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
            limits = NumberLimits.of(TraitDeepJudgment.model_fields["max_excerpts"])
            most, save = settings.get("max_excerpts"), partial(self._set, name, "max_excerpts")
            with ui.element("div"):
                _number(f"Maximum quotes: {name}", most, AS_TRAIT, limits, save)
            self._yes_no_select(name, settings, "search_enabled", "Web search")
            icon_button("close", f"Remove {name}", lambda: self._remove(name))

    def _yes_no_select(self, name: str, settings: Table, key: str, title: str) -> None:
        control = select(f"{title}: {name}", EITHER, settings.get(key))
        control.on_value_change(lambda event: self._set(name, key, event.value))

    def _set(self, name: str, key: str, value: Any) -> None:
        settings = {**self._entries().get(name, {}), key: value}
        self._save_trait(name, {part: setting for part, setting in settings.items() if setting is not None})

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
        self._container = ui.element("div").classes("stack wide shrinks gap-6")
        self._draw()

    def _entries(self) -> dict[str, Table]:
        return dict(self._option.control_value(self._choosing.choice) or {})

    def _draw(self) -> None:
        self._container.clear()
        entries = self._entries()
        with self._container:
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
            control = select(f"Examples of {title}", MODES, mode)
            control.on_value_change(lambda event: self._set(question, {**entry, "mode": event.value}, redraw=True))
            icon_button("close", f"Remove {title}", lambda: self._remove(question))
            if mode == "k-shot":
                limits = NumberLimits.of(FewShotExampleConfig.model_fields["k"])
                with ui.element("div").classes("option-table-wide"):
                    number = _number("Number", entry.get("k"), "as above", limits, partial(self._set_number, question))
                    number.props("prefix=Number").classes("full-width")
            if mode == "custom" and pool:
                self._draw_selection(question, entry, pool)

    def _draw_selection(self, question: str, entry: Table, pool: ExamplePool) -> None:
        names = {index: short(example) for index, example in enumerate(pool.examples)}
        chosen = [index for index in entry.get("selected_examples") or [] if index in names]
        control = select("Examples", names, chosen, multiple=True).classes("option-table-wide").props("prefix=Examples")
        control.on_value_change(lambda e: self._set(question, {**entry, "selected_examples": sorted(e.value or [])}))

    def _set_number(self, question: str, number: float | None) -> None:
        self._set(question, {**self._entries()[question], "k": number})

    def _add(self, question: str) -> None:
        self._set(question, {"mode": "disabled"}, redraw=True)

    def _remove(self, question: str) -> None:
        self._save({key: entry for key, entry in self._entries().items() if key != question})
        self._draw()

    def _set(self, question: str, entry: Table, *, redraw: bool = False) -> None:
        changed = FewShotExampleConfig.model_validate(entry).model_dump(mode="json", exclude_none=True)
        self._save({**self._entries(), question: changed})
        if redraw:
            self._draw()

    def _save(self, entries: dict[str, Table]) -> None:
        self._choosing.set_option(self._option, entries)


def _number(
    label: str, value: float | None, placeholder: str, limits: NumberLimits, save: Callable[[float | None], Any]
) -> ui.number:
    """Draw a number of a table; it is saved once it is in range."""

    def apply(entered: float | None) -> str | None:
        try:
            save(limits.read(entered))
        except ValueError as error:
            return str(error)
        return None

    control = number_input(label, value, placeholder=placeholder, step=1)
    AppliedField(control, apply)
    return control


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
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"


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
    "cluster": OptionControl.cluster,
}


def _incomplete_examples(records: list[Record]) -> dict[int, str]:
    """Return the examples that a run would not use."""
    whole = [all(str(record.get(part) or "").strip() for part in ("question", "answer")) for record in records]
    return {
        index: "Add a question and an answer, or this example is skipped." for index, is_ in enumerate(whole) if not is_
    }
