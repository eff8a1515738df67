"""The bar above a chart: which metric, of which results. Only what changes something is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from karenina_gui.analysis.charts.request import EACH_OTHER, MOST_PAIRED, ChartRequest
from karenina_gui.analysis.charts.words import listed
from karenina_gui.analysis.material import Choices, Found
from karenina_gui.gui.charts.query import ChartQuery, size
from karenina_gui.gui.parts.elements import button
from karenina_gui.schemas.condition import named

TICKED = """
<q-item v-bind="props.itemProps"><q-item-section side class="ch-tick"><q-icon size="18px"
  :name="props.selected ? 'check_box' : 'check_box_outline_blank'" /></q-item-section>
  <q-item-section>{{ props.opt.label }}</q-item-section></q-item>
"""
"""A choice of which several can be made."""


class ChartFilters:
    """Drawn where it is made; `on_change` gets what is asked for now."""

    def __init__(self, on_change: Callable[[ChartQuery], Any]) -> None:
        self._on_change = on_change
        self._query = ChartQuery()
        self._offered: Any = None
        self._width: ui.number | None = None
        """Where a reader says how sure a mean shall be; None: this chart does not ask."""
        self._wanted: float | None = None
        """What was last put there: what somebody is typing is left alone."""
        self._bar = ui.element("div").classes("bar rt-bar ch-bar").props('role="search" aria-label="Filter the chart"')

    def show(self, query: ChartQuery, found: Found) -> None:
        """Offer what there is to choose; controls that are the same stay, and one that is in use keeps its focus."""
        self._query = query
        finding = found.finding
        worst = finding.metric.worst is not None and bool(finding.lacking or query.request.errors_as_failures)
        offered = (query.chart, replace(query.request, within=None), found.choices, finding.metric, worst)
        if offered != self._offered:
            self._offered = offered
            self._draw(query, found, worst)
        if self._width is not None and self._wanted != query.request.within:
            self._wanted = query.request.within
            self._width.set_value(self._wanted)

    def _draw(self, query: ChartQuery, found: Found, worst: bool) -> None:
        request, choices = query.request, found.choices
        self._bar.clear()
        self._width = None
        with self._bar:
            metrics = {metric.trait: metric.title for metric in choices.metrics}
            if len(metrics) > 1:
                self._one("Metric", "trait", found.finding.metric.trait, metrics)
            self._several("Models", "answering", request.answering, choices.answering)
            self._several("Conditions", "condition", request.condition, choices.conditions)
            self._any("Judge", "judge", request.judge, choices.judges)
            self._any("Keyword", "keyword", request.keyword, choices.keywords, least=1)
            if request.question_id is not None:
                chip = ui.button("One question", icon="close", color=None, on_click=lambda: self._ask(question_id=None))
                chip.props('flat dense no-caps aria-label="Show all questions again"').classes("rt-chip rt-on")
            if "against" in query.chart.own:
                self._against(request, choices)
            if "within" in query.chart.own:
                self._draw_width(found.finding.metric.kind == "binary")
            if "clustered" in query.chart.own and (1 < choices.clusters < choices.questions or request.clustered):
                switch = ui.switch("Clusters by keyword", value=request.clustered).props("dense").classes("ch-errors")
                switch.tooltip(
                    "Takes questions that share a keyword as one cluster: intervals regard that they go together"
                )
                switch.on_value_change(lambda event: self._ask(clustered=bool(event.value)))
            if worst:
                switch = ui.switch("Errors as failures", value=request.errors_as_failures)
                switch.props("dense").classes("ch-errors")
                switch.tooltip("Counts what has no score as the worst one: how bad it could be at most")
                switch.on_value_change(lambda event: self._ask(errors_as_failures=bool(event.value)))
            if query.filtered:
                button("Clear filters", lambda: self._on_change(query.unfiltered()), look="quiet").classes("rt-clear")
        self._bar.set_visibility(bool(self._bar.default_slot.children))

    def _against(self, request: ChartRequest, choices: Choices) -> None:
        """What is compared with what, among those that are shown."""
        shown = [
            (model, condition)
            for model, condition in choices.arms
            if (not request.answering or model in request.answering)
            and (not request.condition or condition in request.condition)
        ]
        if len(shown) < 2:
            return
        names = [named(*arm) for arm in shown]
        grid = all(len(set(part)) > 1 for part in zip(*shown, strict=True))
        usual = "One thing at a time" if grid else f"Against {names[0]}"
        options: dict[str | None, str] = {None: usual}
        options |= {name: f"Against {name}" for name in (names if grid else names[1:])}
        if 2 < len(names) <= MOST_PAIRED:
            options[EACH_OTHER] = "Every pair"
        value = None if not grid and request.against == names[0] else request.against
        options.setdefault(value, f"Against {value}")
        self._one("Compared with", "against", value, options).classes("ch-wide")

    def _draw_width(self, rate: bool) -> None:
        """A number is asked for when it is complete, not with each of its digits."""
        self._wanted = self._query.request.within
        self._width = box = ui.number(value=self._wanted, placeholder="wanted")
        box.props(f'outlined dense prefix="±" suffix="{"points" if rate else ""}"')
        box.props('aria-label="Half width that is wanted"')
        box.classes("inp ch-wanted").tooltip(
            "How far the true mean may be off, either way: says how many replicates or questions that takes"
        )

        def entered() -> None:
            box.set_value(size(box.value))
            self._wanted = box.value
            self._ask(within=box.value)

        for done in ("keydown.enter", "blur"):
            box.on(done, entered)

    def _any(self, title: str, name: str, value: str | None, values: Sequence[str], *, least: int = 2) -> None:
        if len(values) >= least or value is not None:
            known = [*values] if value is None or value in values else [*values, value]
            self._one(title, name, value, {None: f"Any {title.lower()}", **{each: each for each in known}})

    def _one(self, title: str, name: str, value: str | None, options: dict[str | None, str]) -> ui.select:
        select = ui.select(options, value=value, on_change=lambda event: self._ask(**{name: event.value}))
        select.props(f'outlined dense options-dense aria-label="{title}"').classes("inp rt-select")
        return select

    def _several(self, title: str, name: str, value: Sequence[str], values: Sequence[str]) -> None:
        if len(values) < 2 and not value:
            return
        options = dict.fromkeys([*values, *value])
        chosen = [each for each in options if each in value]
        few = listed(chosen) if len(chosen) < 3 else f"{len(chosen)} {title.lower()}"
        select = ui.select(list(options), value=chosen, multiple=True)
        select.add_slot("option", TICKED)
        select.on("popup-hide", lambda: self._ask(**{name: tuple(each for each in options if each in select.value)}))
        select.props(f'outlined dense options-dense aria-label="{title}"')
        select.props["display-value"] = few if chosen else f"All {title.lower()}"
        select.classes("inp rt-select")

    def _ask(self, **changes: Any) -> None:
        """Another metric has another unit, in which nobody has wanted anything yet."""
        if "trait" in changes:
            changes["within"] = None
        self._on_change(self._query.changed(**changes))
