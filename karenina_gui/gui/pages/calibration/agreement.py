"""Agreement of the labels with judges: figures, disagreements, and comparison of wordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.analysis.calibration import (
    AGREEMENT,
    LABEL_KAPPA,
    AgreementChange,
    AgreementReport,
    LabelAgreement,
    LabeledAnswers,
    agreement_cautions,
    agreement_report,
    agreement_sentence,
    change_sentence,
    kappa_text,
    value_text,
)
from karenina_gui.analysis.chart_process import ChartError
from karenina_gui.authoring.calibration.targets import OpenTarget
from karenina_gui.gui.kit.elements import field, heading, note, scrolling, splitter
from karenina_gui.gui.kit.figure_links import figure_link, figure_list
from karenina_gui.gui.kit.html import Html, join_html, table, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.calibration.wording_panel import WordingPanel
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import Calibration, DrawnAnswer, JudgmentSet, LabelScale, Wording
from karenina_gui.text import percent, quantity

NOBODY = "No comparison"
LONGEST = 60
"""Characters of a wording in a table."""


class AgreementView:
    """Both panes of a labeled calibration."""

    def __init__(self, window: Window, opened: OpenTarget, calibration: Calibration) -> None:
        self._window, self._opened, self._calibration = window, opened, calibration
        self._sets: list[ShownSet] = []
        self._report = AgreementReport()
        with splitter(window, "calibration", 60) as panes:
            with panes.before, scrolling("Agreement"), ui.element("div").classes("form form-wide label-report"):
                self._draw_left()
            with panes.after, scrolling("Wording"), ui.element("div").classes("form form-wide"):
                self._panel = WordingPanel(window, opened, calibration, lambda: self._read(latest=True))
                with ui.element("div").classes("group"):
                    heading("Tried so far")
                    self._table = ui.html("", sanitize=False).classes("label-tried")
        self._read()

    @property
    def draft(self) -> Wording | None:
        """Wording that was typed but not used; None: the draft is as the wording in use."""
        draft = self._panel.draft
        return None if draft == self._opened.wording else draft

    def load(self, draft: Wording) -> None:
        self._panel.load(draft)

    def _draw_left(self) -> None:
        self._problem = ui.element("div")
        with ui.element("div").classes("field-row") as self._choices:
            with field("Judge and wording"):
                self._one = ui.select({}, on_change=self._choose)
                self._one.props(f"outlined dense options-dense {aria_label('Judge and wording')}").classes("input")
            with field("Compare with"):
                self._other = ui.select({}, on_change=self._show)
                self._other.props(f"outlined dense options-dense {aria_label('Compare with')}").classes("input")
        with ui.element("div").props('role="status"'):
            self._figures = ui.html("", sanitize=False)
        self._differing = ui.html("", sanitize=False)

    def _read(self, *, latest: bool = False) -> None:
        background_tasks.create(self._compute(latest), name="compare labels", context=self._problem)

    async def _compute(self, latest: bool) -> None:
        """Compute all figures."""
        sets = self._window.services.library.calibrations.judgments(self._calibration.id)
        judged = [{key: value.value for key, value in judgment_set.values.items()} for judgment_set in sets]
        calibration = self._calibration
        labeled = LabeledAnswers(
            self._opened.scale,
            calibration.values,
            {answer.key: answer.number for answer in calibration.answers},
            one_question=calibration.target.number is not None,
        )
        # In the process of the charts, where the statistics libraries are loaded already.
        question = partial(agreement_report, labeled, judged)
        report = await run.io_bound(self._window.services.worker.compute, question)
        if report is None or self._problem.is_deleted:
            return
        self._problem.clear()
        if isinstance(report, ChartError):
            with self._problem:
                note(report.message, "bad")
            return
        self._show_sets(sets, report, latest)

    def _show_sets(self, sets: list[JudgmentSet], report: AgreementReport, latest: bool) -> None:
        names = wording_names(sets, self._opened.wording.hash)
        self._report = report
        self._sets = [
            ShownSet(judgment_set, agreement, names[judgment_set.wording.hash if judgment_set.wording else ""])
            for judgment_set, agreement in zip(sets, report.agreements, strict=True)
        ]
        self._choices.set_visibility(bool(sets))
        if not sets:
            with self._problem:
                note("No judge has read these answers yet. Choose one on the right, and let it judge them.")
            return
        options = {index: shown_set.name for index, shown_set in enumerate(self._sets)}
        last = len(sets) - 1
        before = self._one.value if self._one.value in options else self._first(sets)
        if latest:
            before = self._predecessor(sets)
        self._one.set_options(options, value=before)
        # The latest wording is what the author wants to see against the one before.
        self._offer_others(last if latest else -1)
        self._table.content = sets_table(self._sets)
        self._show()

    def _choose(self) -> None:
        self._offer_others(self._other.value)
        self._show()

    def _offer_others(self, chosen: int) -> None:
        """Offer all but the judge that is shown; `chosen`: index in `_sets`, -1 for none."""
        others = {index: shown_set.name for index, shown_set in enumerate(self._sets) if index != self._one.value}
        self._other.set_options({-1: NOBODY, **others}, value=chosen if chosen in others else -1)

    def _predecessor(self, sets: list[JudgmentSet]) -> int:
        """Values to compare with the latest ones: of the same judge with the wording in use, if there are any."""
        latest, current = sets[-1], self._opened.wording.hash

        def rank(index: int) -> tuple[bool, bool, int]:
            wording = sets[index].wording
            return (sets[index].judge == latest.judge, wording is not None and wording.hash == current, index)

        return max(range(max(1, len(sets) - 1)), key=rank)

    def _first(self, sets: list[JudgmentSet]) -> int:
        """The judge that read most answers with the wording in use."""
        current = self._opened.wording.hash

        def rank(index: int) -> tuple[bool, int]:
            wording = sets[index].wording
            return (wording is not None and wording.hash == current, self._report.agreements[index].n)

        return max(range(len(sets)), key=rank)

    def _show(self) -> None:
        if not self._sets or self._one.value is None:
            return
        one, target = self._sets[int(self._one.value)], self._opened.target
        kind = "trait" if target.kind == "trait" else "template field"
        subject = f"the {kind} “{target.name}”"
        person = self._labeler()
        parts = [
            agreement_view(
                one,
                subject,
                person,
                spread=any(shown_set.judged.source == "results" for shown_set in self._sets),
                one_question=target.number is not None,
            )
        ]
        change = None
        if self._other.value not in (None, -1) and self._other.value != self._one.value:
            other = self._sets[int(self._other.value)]
            change = (other, self._report.changes[int(self._one.value), int(self._other.value)])
            parts.insert(0, change_view(one, other, change[1]))
        title = tag("h2", "Disagreements" if change is None else "Disagreements and changes", class_="h2")
        self._figures.content = join_html([*parts, self._other_wordings()])
        self._differing.content = join_html([title, differing_view(self._calibration, one, self._opened.scale, change)])

    def _labeler(self) -> str:
        """Name of the only person who labeled; empty: several, or none is known."""
        names = {label.author for label in self._calibration.labels.values() if not label.skipped}
        return names.pop() if len(names) == 1 else ""

    def _other_wordings(self) -> Any:
        """Remark about labels that were given while the trait had another wording."""
        labels = [label for label in self._calibration.labels.values() if not label.skipped]
        other = sum(label.wording.hash != self._opened.wording.hash for label in labels)
        if not other:
            return None
        return tag("p", f"{other} of {len(labels)} labels were given under another wording.", class_="hint")


@dataclass(frozen=True)
class ShownSet:
    """Values of a judge with their agreement, and their names on the page."""

    judged: JudgmentSet
    agreement: LabelAgreement
    wording: str
    """Name of the wording, such as `Wording A`."""

    @property
    def name(self) -> str:
        return f"{self.judged.judge} ({self.wording[:1].lower()}{self.wording[1:]})"


def wording_names(sets: Sequence[JudgmentSet], current: str) -> dict[str, str]:
    """Names of wordings by hash (empty: unknown), in the order in which they were tried.

    `current`: hash of the one that is saved.
    """
    names: dict[str, str] = {}
    for judgment_set in sets:
        key = judgment_set.wording.hash if judgment_set.wording else ""
        if key not in names:
            letter = chr(ord("A") + sum(bool(wording) for wording in names) % 26)
            names[key] = f"Wording {letter}" if key else "Unknown wording"
    return {key: f"{name}, in use" if key == current else name for key, name in names.items()}


def sets_table(sets: Sequence[ShownSet]) -> Html:
    """All judges and wordings with their figures."""
    rows = [
        (
            one.wording,
            tag("span", _short(one), title=one.judged.wording.description if one.judged.wording else None),
            one.judged.judge,
            figure_link(AGREEMENT, _share(one.agreement)),
            figure_link(LABEL_KAPPA, _kappa(one.agreement)),
        )
        for one in sets
    ]
    titles = ("Wording", "Text", "Judge", "Agreement", "Kappa")
    return join_html([table(titles, rows, caption="Judges and wordings"), figure_list((AGREEMENT, LABEL_KAPPA))])


def agreement_view(one: ShownSet, subject: str, person: str, *, spread: bool, one_question: bool) -> Html:
    """Sentences about one judge, and the counts by label and value."""
    agreement = one.agreement
    sentence = agreement_sentence(agreement, subject, one.name, person)
    cautions = [
        tag("p", text, class_="hint")
        for text in agreement_cautions(agreement, spread=spread, one_question=one_question)
    ]
    failed = [tag("p", text, class_="hint") for text in _problems(one.judged)]
    return join_html([tag("p", sentence, class_="label-said"), *cautions, *failed, _counts(agreement)])


def change_view(one: ShownSet, other: ShownSet, change: AgreementChange) -> Html:
    """Comparison of two judges or wordings."""
    sentence = change_sentence(change, one.name, other.name)
    return tag("p", sentence[:1].upper() + sentence[1:], class_="label-said")


def differing_view(
    calibration: Calibration, one: ShownSet, scale: LabelScale, change: tuple[ShownSet, AgreementChange] | None
) -> Html:
    """Every answer on which person and judge differ; with a comparison, also those that it changed."""
    keys = set(one.agreement.differing)
    if change is not None:
        keys |= {*change[1].gained, *change[1].lost}
    answers = [answer for answer in calibration.answers if answer.key in keys]
    if not answers:
        return tag("p", "No disagreement.", class_="hint")
    sets = [one] if change is None else [one, change[0]]
    return tag(
        "ol",
        *(_answer(calibration, answer, sets, scale, change) for answer in answers),
        class_="label-differing bare-list grid gap-10",
    )


def _answer(
    calibration: Calibration,
    answer: DrawnAnswer,
    sets: Sequence[ShownSet],
    scale: LabelScale,
    change: tuple[ShownSet, AgreementChange] | None,
) -> Html:
    """One answer with the label and the values of the shown judges."""
    facts = [("Label", value_text(calibration.values[answer.key], scale))]
    facts += [(shown_set.name, _value(shown_set.judged, answer.key, scale)) for shown_set in sets]
    value = sets[0].judged.values.get(answer.key)
    if value is not None and value.reasoning:
        facts.append(("Judge’s reasoning", value.reasoning))
    pairs = (piece for name, text in facts for piece in (tag("dt", name), tag("dd", text)))
    return tag(
        "li",
        tag("p", answer.question, class_="muted"),
        tag("p", answer.text, class_="prose"),
        tag("dl", *pairs, class_="facts"),
        _became(answer.key, change),
    )


def _became(key: str, change: tuple[ShownSet, AgreementChange] | None) -> Html | None:
    if change is None:
        return None
    if key in change[1].gained:
        return tag("p", f"Now agrees: {change[0].name}", class_="text-ok")
    return tag("p", f"No longer agrees: {change[0].name}", class_="text-bad") if key in change[1].lost else None


def _value(judged: JudgmentSet, key: str, scale: LabelScale) -> str:
    value = judged.values.get(key)
    return value_text(value.value, scale) if value else "no value"


def _counts(agreement: LabelAgreement) -> Html | None:
    if not agreement.table:
        return None
    rows = [
        (
            tag("b", name),
            *(tag("b", count) if row == column and count else count for column, count in enumerate(counts)),
        )
        for row, (name, counts) in enumerate(zip(agreement.categories, agreement.table, strict=True))
    ]
    titles = ("Label ↓ Judge →", *agreement.categories)
    return table(titles, rows, caption="Answers by label and the judge’s value", numeric=range(1, len(titles)))


def _share(agreement: LabelAgreement) -> str:
    if not agreement.n:
        return "–"
    return f"{agreement.same} of {agreement.n} ({percent(agreement.share.value or 0.0)})"


def _kappa(agreement: LabelAgreement) -> str:
    if agreement.kappa.value is None:
        return "none"
    if agreement.kappa.low is None or agreement.kappa.high is None:
        return kappa_text(agreement.kappa.value)
    low, high = kappa_text(agreement.kappa.low), kappa_text(agreement.kappa.high)
    return f"{kappa_text(agreement.kappa.value)} ({low} to {high})"


def _short(one: ShownSet) -> str:
    if one.judged.wording is None:
        return "The run has no copy of its benchmark."
    description = " ".join(one.judged.wording.description.split())
    return description if len(description) <= LONGEST else f"{description[: LONGEST - 1]}…"


def _problems(judged: JudgmentSet) -> Iterable[str]:
    """Reasons for missing values, each once with its number."""
    reasons = list(judged.problems.values())
    for reason in dict.fromkeys(reasons):
        yield f"{quantity(reasons.count(reason), 'answer')} without a value: {reason}"
