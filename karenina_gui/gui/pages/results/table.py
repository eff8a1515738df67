"""Results table of one run with its filters. The URL holds the filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field as data_field, replace
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.analysis.costs import RESULT_TIME, TOKENS
from karenina_gui.analysis.rates import Summary
from karenina_gui.formats.results.export_kinds import KINDS
from karenina_gui.gui.kit.column_panel import ColumnPanel
from karenina_gui.gui.kit.elements import button, field, leaves_focus, menu_button, menu_item, select
from karenina_gui.gui.kit.grid import ARRANGED, BLOCK, FROM_SERVER, MARKED_ROW, Grid, fetch_ahead
from karenina_gui.gui.kit.html import Html, link, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.kit.verdicts import ENDINGS, REASONS, SCORED, looks
from karenina_gui.gui.pages.results.query import LONGEST_TEXT, ResultQuery
from karenina_gui.gui.session.preferences import Preferences
from karenina_gui.schemas.outcome import Outcome, judged_count
from karenina_gui.schemas.result_summaries import GroupKey, ResultFilter, ResultGroup
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store.results import MOST_SEARCHED, Results
from karenina_gui.text import quantity

YES_NO = {True: "yes", False: "no"}
AboutTrait = tuple[str | None, bool | None, bool]
"""Filter by trait: name, score, and whether results without a score match."""
TITLES = {
    "answering": "Model",
    "condition": "Condition",
    "judge": "Judge",
    "keyword": "Keyword",
    "replicate": "Replicate",
    "category": "Reason",
    "failed_field": "Failed field",
}
"""Titles of filters that have one value, or None."""
COLUMNS = {
    "outcome": "Outcome",
    "question": "Question",
    "category": "Why",
    "answering": "Model",
    "condition": "Condition",
    "judge": "Judge",
    "replicate": "Replicate",
    "judge_replicate": "Judgment",
    "seconds": "Time",
    "tokens": "Tokens",
    "keywords": "Keywords",
}
"""Titles of the columns in their default order."""
NO_TRAIT: dict[str, Any] = {"trait": None, "trait_is": None, "trait_or_none": False}
"""Values without a filter by trait, in the order of `AboutTrait`."""
ROW = 46
"""Height of a row in pixels: three lines of a reason, two of a question."""
NOT_SEARCHED = f"Answers and reasons are searched only in runs of up to {MOST_SEARCHED:,} results."
NOTHING = "<span>No results match these filters. Clear the filters to see all.</span>"
NOTHING_YET = "<span>No results yet.</span>"


@dataclass
class ResultsTable:
    """Filters and rows. `query` is the current filter."""

    run: RunSummary
    query: ResultQuery
    summary: Summary
    results: Results
    preferences: Preferences
    search: ui.input = data_field(init=False)
    buttons: dict[str, ui.button] = data_field(default_factory=dict)
    """Buttons of the bar by their commands."""
    _controls: list[Callable[[], object]] = data_field(default_factory=list)
    """Functions that set each control to `query`."""
    _is_outdated: bool = False
    """True if there are other options than the open panel shows."""

    def draw(self) -> None:
        with ui.element("div").classes("bar results-bar").props('role="search" aria-label="Filter results"'):
            self._search()
            self._outcomes = ui.element("div").classes("results-choices")
            with button("Filter", icon="filter_list").props('aria-haspopup="dialog"') as opener:
                self._panel = ui.menu().props('role="dialog" aria-label="Filter"').classes("results-panel")
                self._panel.on_value_change(lambda: self._draw_choices() if self._is_outdated else None)
            self.buttons |= {"results.filter": opener, "results.group": self._group_menu()}
            self._chips = ui.element("div").classes("results-choices")
            with ui.element("div").classes("results-end line gap-6"):
                self._unsearched = ui.label(NOT_SEARCHED).classes("result-muted")
                self._clear = leaves_focus(button("Clear filters", self.clear, look="quiet").classes("results-clear"))
                ui.html('<span id="results-count" role="status"></span>').classes("result-muted results-count")
                panel = ColumnPanel(self.preferences, "results", self._columns())
                self.buttons["results.columns"] = panel.draw()
                exports = export_menu("Export filtered results", lambda kind: self.grid.call("download", kind))
                self.buttons["results.export"] = exports
        self._draw_choices()
        columns = {
            "titles": self._columns(),
            "last": self.summary.last,
            "looks": looks(),
            "told": {"seconds": RESULT_TIME.short, "tokens": TOKENS.short},
            "arranged": panel.state(),
        }
        until = "" if self.summary.last is None else f"&last={self.summary.last}"
        fetch_ahead(f"/api/runs/{self.run.id}/results?start=0&end={BLOCK}{until}&{self.query}")
        empty = NOTHING if self.summary.outcomes else NOTHING_YET
        options = {"rowHeight": ROW, **ARRANGED, **MARKED_ROW, **FROM_SERVER}
        with ui.element("div").classes("results-body line wide fills"):
            if self.query.group is not None:
                self._groups = ui.html("").classes("results-groups scroll").props('tabindex="0"')
                self._count_groups()
            self.grid = Grid("run_tables", label="Results", empty=empty, loading=False, **options)
        self.grid.classes("result-grid results-grid wide fills").props('data-row-menu="result"')
        self.grid.attach(self.run.id, str(self.query), columns, function="results")
        panel.attach(self.grid)

    def _columns(self) -> dict[str, str]:
        """Titles of the columns that this run can fill."""
        optional = {
            "condition": bool(self.run.conditions),
            "judge": len(self.run.judges) > 1,
            "replicate": self.run.replicates > 1,
            "judge_replicate": self.run.judge_replicates > 1,
        }
        titles = COLUMNS | ({"category": "Scores or reason"} if self._has_only_scores else {})
        return {name: title for name, title in titles.items() if optional.get(name, True)}

    def address(self, result_id: int) -> str:
        """Address of a result, with the filter to return to."""
        return self.query.after(f"/runs/{self.run.id}/results/{result_id}")

    def update(self, summary: Summary) -> None:
        """Refresh the filter options while the run is active."""
        before, self.summary = self.summary, summary
        if summary.outcomes and not before.outcomes:
            self.grid.run_grid_method("setGridOption", "overlayNoRowsTemplate", NOTHING)
        if _filter_options(before) != _filter_options(summary):
            self._draw_choices()

    def _draw_choices(self) -> None:
        """Redraw the filters once the panel is closed; redrawing would close an open list in it."""
        self._is_outdated = bool(self._panel.value)
        if self._is_outdated:
            return
        self._outcomes.clear()
        self._panel.clear()
        # The search box stays, because the user may be typing in it.
        del self._controls[1:]
        with self._outcomes:
            for outcome in ENDINGS:
                self._outcome(outcome)
        with self._panel:
            self._choice("answering", list(self.run.answering), always=True)
            self._choice("condition", list(self.run.conditions))
            self._choice("judge", list(self.run.judges))
            self._choice("keyword", list(self.summary.by_keyword))
            self._choice("replicate", list(range(1, self.run.replicates + 1)))
            self._trait()
            reasons = {reason for _, reason in self.summary.reasons}
            self._choice("category", [reason for reason in REASONS if reason in reasons])
        self._align()

    def set_filter(self, **changes: Any) -> None:
        """Change filters; None removes one."""
        self.query = self.query.with_changes(**changes)
        self._align()
        self.grid.call("show", str(self.query))
        self._count_groups()

    def clear(self) -> None:
        self.set_filter(**{name: getattr(ResultFilter(), name) for name in ResultFilter.__dataclass_fields__})

    def _align(self) -> None:
        self._clear.set_visibility(self.query.filtered)
        self._unsearched.set_visibility(bool(self.query.filter.text.strip()) and self.run.total > MOST_SEARCHED)
        for control in self._controls:
            control()
        self._chips.clear()
        with self._chips:
            self._draw_chips()

    def _draw_chips(self) -> None:
        """Draw each filter of the panel that is set, and that of a question, with a button to remove it.

        That of the open group is shown by the list of groups.
        """
        result_filter = self.query.filter
        if self.query.group is not None:
            result_filter = self.query.with_changes(**{self.query.group: None}).filter
        for name, title in TITLES.items():
            if (value := getattr(result_filter, name)) is not None:
                self._chip(f"{title}: {_word(name, value)}", **{name: None})
        if result_filter.trait is not None:
            self._chip(f"Trait: {_trait_title(self._about_trait())}", **NO_TRAIT)
        if (question := result_filter.question_id) is not None:
            self._chip(self._text_of(question), question_id=None)

    def _chip(self, text: str, **changes: Any) -> None:
        chip = leaves_focus(ui.button(text, color=None, on_click=lambda: self.set_filter(**changes)))
        chip.props(f'flat dense no-caps icon-right="close" {aria_label(f"Remove filter: {text}")}')
        chip.classes("results-chip results-on results-set")

    def _search(self) -> None:
        self.search = box = ui.input(placeholder="Search results")
        box.on_value_change(lambda e: self._on_change("text", (e.value or "")[:LONGEST_TEXT]))
        box.props('outlined dense clearable debounce=250 aria-label="Search results" data-own-keys="Escape"')
        box.props(f"maxlength={LONGEST_TEXT}").classes("input results-search")
        box.on("keydown.down", js_handler="() => enterTable('.results-grid')")
        with box.add_slot("prepend"):
            ui.icon("search", size="18px")
        self._controls.append(lambda: box.set_value(self.query.filter.text))

    def _outcome(self, outcome: Outcome) -> None:
        count = self.summary.outcomes.get(outcome, 0)
        if not count and outcome not in self.query.filter.outcomes:
            return
        ending = SCORED if outcome == "unscored" and self._has_only_scores else ENDINGS[outcome]
        chip = ui.button(ending.title, icon=ending.icon, color=None, on_click=lambda: self._toggle(outcome))
        chip.props("flat dense no-caps").classes(f"results-chip outcome-{outcome}").tooltip(ending.meaning)

        def align() -> None:
            pressed = outcome in self.query.filter.outcomes
            chip.props(f"aria-pressed={'true' if pressed else 'false'}")
            chip.classes(add="results-on") if pressed else chip.classes(remove="results-on")

        self._controls.append(align)

    @property
    def _has_only_scores(self) -> bool:
        """Return True if there are results without a verdict and none with one."""
        return "unscored" in self.summary.outcomes and not judged_count(self.summary.outcomes)

    def _choice(self, name: str, values: list[Any], *, always: bool = False) -> None:
        if len(values) < (1 if always else 2) and getattr(self.query.filter, name) is None:
            return
        chosen = getattr(self.query.filter, name)
        options = values if chosen is None or chosen in values else [*values, chosen]
        titles = {None: "Any", **{value: _word(name, value) for value in options}}
        with field(TITLES[name]):
            made = select(TITLES[name], titles, chosen, on_change=lambda e: self._on_change(name, e.value))
        self._controls.append(lambda: made.set_value(getattr(self.query.filter, name)))

    def _trait(self) -> None:
        """Draw the filter by boolean trait, including the one in the URL."""
        options: dict[AboutTrait, str] = {
            about: _trait_title(about)
            for trait in self.summary.by_trait
            for about in ((trait, True, False), (trait, False, False))
        }
        chosen = self._about_trait()
        if chosen[0] is not None:
            options.setdefault(chosen, _trait_title(chosen))
        if not options:
            return
        titles = {tuple(NO_TRAIT.values()): "Any", **options}
        with field("Trait"):
            made = select("Trait", titles, chosen, on_change=lambda e: self._set_trait_filter(e.value))
        self._controls.append(lambda: made.set_value(self._about_trait()))

    def _about_trait(self) -> AboutTrait:
        result_filter = self.query.filter
        return result_filter.trait, result_filter.trait_is, result_filter.trait_or_none

    def _set_trait_filter(self, chosen: AboutTrait) -> None:
        if self._about_trait() != chosen:
            self.set_filter(**dict(zip(NO_TRAIT, chosen, strict=True)))

    def _text_of(self, question_id: str) -> str:
        rows = self.results.page(self.run.id, ResultFilter(question_id=question_id), limit=1).rows
        return rows[0].question_text if rows else question_id

    def _group_menu(self) -> ui.button:
        titles = self._group_titles()
        with button("Group" if self.query.group is None else titles[self.query.group], icon="segment") as opener:
            opener.props('aria-haspopup="menu"')
            with ui.menu().props('auto-close role="menu" aria-label="Group"').classes("menu"):
                for key, title in titles.items():
                    menu_item(title, partial(self._group_by, key))
        return opener

    def _group_titles(self) -> dict[GroupKey | None, str]:
        titles: dict[GroupKey | None, str] = {None: "No groups", "question_id": "By question", "answering": "By model"}
        titles["category"] = "By reason"
        # Fields are in the documents of results, and a large run has too many to read.
        return titles | ({"failed_field": "By failed field"} if self.run.total <= MOST_SEARCHED else {})

    def _group_by(self, key: GroupKey | None) -> None:
        filters = {name: None for name in (self.query.group,) if name is not None and name != key}
        query = replace(self.query.with_changes(**filters), group=key)
        ui.navigate.to(query.after(f"/runs/{self.run.id}/results"))

    def _count_groups(self) -> None:
        if self.query.group is not None:
            background_tasks.create(self._show_groups(self.query, self.query.group), context=self._groups)

    async def _show_groups(self, query: ResultQuery, key: GroupKey) -> None:
        groups = await run.io_bound(self.results.groups, self.run.id, query.filter, key)
        if groups is not None and query == self.query and not self._groups.is_deleted:
            self._groups.set_content(group_list(self.run.id, query, key, groups))

    def _toggle(self, outcome: Outcome) -> None:
        outcomes = self.query.filter.outcomes
        toggled = tuple(o for o in outcomes if o != outcome) if outcome in outcomes else (*outcomes, outcome)
        self.set_filter(outcomes=toggled)

    def _on_change(self, name: str, value: Any) -> None:
        if getattr(self.query.filter, name) != value:
            self.set_filter(**{name: value})


def export_menu(name: str, export: Callable[[str], object]) -> ui.button:
    """Button with a menu of the kinds of files; `export` receives the ending of one."""
    with menu_button("download", name) as opener:
        for kind, about in KINDS.items():
            menu_item(about.title, partial(export, kind))
    return opener


def group_list(run_id: int, query: ResultQuery, key: GroupKey, groups: Sequence[ResultGroup]) -> Html:
    """List of groups, which lead to their results; the open one leads back to all."""
    chosen = getattr(query.filter, key)

    def entry(group: ResultGroup) -> Html:
        is_open = group.value == chosen
        address = query.with_changes(**{key: None if is_open else group.value}).after(f"/runs/{run_id}/results")
        title = _word(key, group.value) if key == "category" else group.title
        passed = f"{group.passed:,} of {quantity(group.results, 'result')} passed"
        return tag(
            "li",
            link(
                address,
                tag("span", title, class_="lines-2", title=title),
                tag("small", passed if group.passed else quantity(group.results, "result"), class_="result-muted"),
                class_="results-group" + " results-group-on" * is_open,
                aria_current="true" if is_open else None,
            ),
        )

    if not groups:
        return tag("p", "No results to group.", class_="result-muted results-group")
    return tag("ul", *map(entry, groups), class_="bare-list", aria_label="Groups")


def _trait_title(chosen: AboutTrait) -> str:
    trait, yes, or_none = chosen
    return f"{trait}" if yes is None else f"{trait}: {YES_NO[yes]}{' or no score' if or_none else ''}"


def _word(name: str, value: Any) -> str:
    return REASONS[value][0] if name == "category" else str(value)


def _filter_options(summary: Summary) -> tuple[frozenset[str], ...]:
    reasons = frozenset(reason for _, reason in summary.reasons)
    return frozenset(summary.outcomes), reasons, frozenset(summary.by_keyword), frozenset(summary.by_trait)
