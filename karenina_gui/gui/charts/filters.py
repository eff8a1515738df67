"""Filter bar of a chart: metric and filters. Controls without effect are hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.analysis.charts.chart_request import EACH_OTHER, ChartRequest
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.run_data import ChartResult, Choices
from karenina_gui.analysis.thresholds import MAX_ARMS_FOR_ALL_PAIRS
from karenina_gui.gui.charts.query import FILTERS_OF_RESULTS, LARGEST, SMALLEST, ChartQuery, size
from karenina_gui.gui.kit.elements import button, leaves_focus
from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.schemas.condition import combined_name
from karenina_gui.text import join_list, plural, quantity

TICKED = """
<q-item v-bind="props.itemProps"><q-item-section side class="chart-tick"><q-icon size="18px"
  :name="props.selected ? 'check_box' : 'check_box_outline_blank'" /></q-item-section>
  <q-item-section>{{ props.opt.label }}</q-item-section></q-item>
"""
"""Option of a multiple choice, with a checkbox."""


class ChartFilters:
    """Filter bar, drawn in the current container.

    `ask` is called with a changed request parameter, `clear` to show all results, and `tell` with an error message for
    the user.
    """

    def __init__(self, ask: Callable[..., Any], clear: Callable[[], Any], tell: Callable[[str], Any]) -> None:
        self._on_change = ask
        self._tell = tell
        self._showing = False
        """True while `show` sets the controls, which must not trigger requests."""
        self._last_target: float | None = None
        """Target half width that was last set, so that `show` does not overwrite what the user types."""
        self._reported = ""
        """The last invalid input already reported to the user."""
        self._bar = (
            ui.element("div").classes("bar results-bar chart-bar").props('role="search" aria-label="Filter the chart"')
        )
        # Controls are created once and hidden, not removed: a late answer must not close a list that the user has
        # opened.
        with self._bar:
            self._metric = self._choice("Metric", "trait")
            self._models = self._multiple_choice("Models", "answering")
            self._conditions = self._multiple_choice("Conditions", "condition")
            self._judge = self._choice("Judge", "judge")
            self._keyword = self._choice("Keyword", "keyword")
            self._question = leaves_focus(ui.button("One question", icon="close", color=None))
            self._question.on_click(lambda: self._ask(question_id=None))
            self._question.props('flat dense no-caps aria-label="Show all questions"').classes(
                "results-chip results-on"
            )
            self._compared = self._choice("Compare with", "against").classes("chart-wide")
            self._width = self._target_field()
            with ui.element("div").classes("line rigid gap-6") as self._switches:
                self._clustered = self._switch(
                    "Cluster by keyword",
                    "clustered",
                    "Treats questions that share a keyword as dependent (clustered CI)",
                )
                self._worst = self._switch(
                    "Count errors as failures",
                    "errors_as_failures",
                    "Gives jobs that ended without a score the worst possible one",
                )
            self._clear = leaves_focus(button("Clear filters", clear, look="quiet").classes("results-clear"))
            self._ignored = ui.label().classes("hint")
        # Until the first answer the bar is empty, so the chart below it doesn’t move when it comes.
        for control in self._bar.default_slot.children:
            control.set_visibility(False)

    def show(self, query: ChartQuery, result: ChartResult) -> None:
        """Set the options and values of the controls for an answer."""
        self._showing = True
        try:
            self._show(query, result)
        finally:
            self._showing = False
        self._bar.set_visibility(any(control.visible for control in self._bar.default_slot.children))

    def _show(self, query: ChartQuery, result: ChartResult) -> None:
        request, choices, metric = query.request, result.choices, result.finding.metric
        metrics: dict[str | None, str] = {choice.trait: choice.title for choice in choices.metrics}
        _set_options(self._metric, metrics if len(metrics) > 1 else {}, metric.trait)
        _set_multiple_options(self._models, "model", request.answering, choices.answering)
        _set_multiple_options(self._conditions, "condition", request.condition, choices.conditions)
        _set_options_with_any(self._judge, "judge", request.judge, choices.judges)
        _set_options_with_any(self._keyword, "keyword", request.keyword, choices.keywords, least=1)
        self._question.set_visibility(request.question_id is not None)
        _set_options(self._compared, *(_baselines(request, choices) if "against" in query.chart.own else ({}, None)))
        self._show_target(query, metric)
        self._show_switches(query, result)
        self._clear.set_visibility(query.filtered)
        ignored = dict.fromkeys(FILTERS_OF_RESULTS[name] for name, _ in query.of_results if name in FILTERS_OF_RESULTS)
        self._ignored.text = f"Charts ignore the results’ filter by {join_list([*ignored])}."
        self._ignored.set_visibility(bool(ignored))

    def _show_target(self, query: ChartQuery, metric: Metric) -> None:
        self._width.set_visibility("within" in query.chart.own)
        self._width.props["suffix"] = "points" if metric.kind == "binary" else ""
        if self._last_target != query.request.within:
            self._last_target = query.request.within
            self._width.set_value(_format_target(self._last_target))

    def _show_switches(self, query: ChartQuery, result: ChartResult) -> None:
        request, choices = query.request, result.choices
        together = 1 < choices.clusters < choices.questions or request.clustered
        self._clustered.set_visibility("clustered" in query.chart.own and together)
        self._clustered.set_value(request.clustered)
        lacking = bool(result.finding.lacking or request.errors_as_failures)
        self._worst.set_visibility(result.finding.metric.worst is not None and lacking)
        self._worst.set_value(request.errors_as_failures)
        self._switches.set_visibility(self._clustered.visible or self._worst.visible)

    def _ask(self, **changes: Any) -> None:
        """Request a change."""
        if self._showing:
            return
        if "trait" in changes:
            # The target is in the unit of the metric.
            changes["within"] = None
        self._on_change(**changes)

    def _choice(self, title: str, name: str) -> ui.select:
        select = ui.select({}, on_change=lambda event: self._ask(**{name: event.value}))
        select.props(f"outlined dense options-dense {aria_label(title)}").classes("input results-select")
        return select

    def _multiple_choice(self, title: str, name: str) -> ui.select:
        select = ui.select([], multiple=True)
        select.add_slot("option", TICKED)
        select.on(
            "popup-hide", lambda: self._ask(**{name: tuple(name for name in select.options if name in select.value)})
        )
        select.props(f"outlined dense options-dense {aria_label(title)}").classes("input results-select")
        return select

    def _switch(self, title: str, name: str, meaning: str) -> ui.switch:
        switch = ui.switch(title, on_change=lambda event: self._ask(**{name: bool(event.value)}))
        switch.props("dense").classes("chart-errors").tooltip(meaning)
        return switch

    def _target_field(self) -> ui.input:
        """Create the field for the target half width."""
        box = ui.input(placeholder="target")
        box.props('outlined dense prefix="±" inputmode="decimal" aria-label="Target margin of error"')
        box.classes("input chart-wanted").tooltip("Shows how many replicates or questions you need for this margin")

        def submit() -> None:
            text, fault = str(box.value or "").strip(), ""
            try:
                width = size(number_in(text))
            except ValueError as error:
                width, fault = None, str(error)
            if text and width is None:
                box.props("error no-error-icon hide-bottom-space")
                if text != self._reported:
                    self._tell(fault or f"Enter a margin from {SMALLEST:.4f} to {LARGEST:,.0f}, for example 5.")
                self._reported = text
                return
            box.props(remove="error")
            self._reported, self._last_target = "", width
            box.set_value(_format_target(width))
            self._ask(within=width)

        # Not on every key: half a number would start a computation.
        for done in ("keydown.enter", "blur"):
            box.on(done, submit)
        return box


def _format_target(width: float | None) -> str:
    return "" if width is None else f"{width:.10g}"


def _set_options(select: ui.select, options: dict[str | None, str], value: str | None) -> None:
    """Set the options of a choice; hide it if there are none."""
    select.set_visibility(bool(options))
    if options and (options, value) != (select.options, select.value):
        select.set_options(options, value=value)


def _set_options_with_any(
    select: ui.select, kind: str, value: str | None, values: Sequence[str], *, least: int = 2
) -> None:
    offered: dict[str | None, str] = {None: f"Any {kind}"} | {
        name: name for name in (*values, value) if name is not None
    }
    _set_options(select, offered if len(values) >= least or value is not None else {}, value)


def _set_multiple_options(select: ui.select, kind: str, value: Sequence[str], values: Sequence[str]) -> None:
    """Set the options of a multiple choice; hide it if there are fewer than two."""
    options = list(dict.fromkeys([*values, *value]))
    chosen = [name for name in options if name in value]
    select.set_visibility(len(values) > 1 or bool(value))
    # Choices in an open list are applied when it closes; an answer in between must not reset them.
    ticked = select.value if select.is_showing_popup else chosen
    if (options, ticked) != (select.options, select.value):
        select.set_options(options, value=ticked)
    few = join_list(chosen) if len(chosen) < 3 else quantity(len(chosen), kind)
    select.props["display-value"] = few if chosen else f"All {plural(2, kind)}"


def _baselines(request: ChartRequest, choices: Choices) -> tuple[dict[str | None, str], str | None]:
    """Return the baselines among the filtered arms, and the chosen one; empty: fewer than two arms."""
    arms = [arm for arm in choices.arms if _is_shown(request, *arm)]
    if len(arms) < 2:
        return {}, None
    names = [combined_name(*arm) for arm in arms]
    models, conditions = zip(*arms, strict=True)
    grid = len(set(models)) > 1 and len(set(conditions)) > 1
    usual = "One factor at a time" if grid else f"vs. {names[0]}"
    options: dict[str | None, str] = {None: usual}
    options |= {name: f"vs. {name}" for name in (names if grid else names[1:])}
    if 2 < len(names) <= MAX_ARMS_FOR_ALL_PAIRS:
        options[EACH_OTHER] = "All pairs"
    return options, request.against if request.against in options else None


def _is_shown(request: ChartRequest, model: str, condition: str | None) -> bool:
    """Return True if the filters of models and conditions let an arm pass."""
    has_model = not request.answering or model in request.answering
    return has_model and (not request.condition or condition in request.condition)
