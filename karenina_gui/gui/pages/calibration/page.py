"""Page of a calibration: the draw, blind labels, and the agreement with judges."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.calibration.calibration_editor import COUNTS
from karenina_gui.authoring.calibration.targets import OpenTarget
from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.calibration_links import owner_address
from karenina_gui.gui.kit.elements import button, empty_state, focus_on, heading, pane, toolbar
from karenina_gui.gui.kit.routing import NotFound
from karenina_gui.gui.pages.calibration.agreement import AgreementView
from karenina_gui.gui.pages.calibration.labeling import BlindLabels
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import AnswerPool, Calibration, CalibrationTarget, TargetKind, Wording
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> NotFound | None:
    """Draw `/benchmarks/{b}/calibration?trait=clarity&question=12`; without a question: a trait of the benchmark."""
    target = _target(route)
    if target is None:
        return NotFound("Open a trait or a template field, and choose Calibrate there.", "Nothing to calibrate")
    CalibrationPage(window, target)
    return None


def _target(route: PageRoute) -> CalibrationTarget | None:
    number = route.query.get("question", "")
    kinds: tuple[TargetKind, ...] = ("trait", "field")
    for kind in kinds:
        if name := route.query.get(kind):
            return CalibrationTarget(route["b"], int(number) if number.isdecimal() else None, kind, name)
    return None


class CalibrationPage:
    """Page of one trait or field; shows its latest draw."""

    def __init__(self, window: Window, target: CalibrationTarget) -> None:
        self._window, self._target = window, target
        self._editor = window.services.editor.calibrations
        self._store = window.services.library.calibrations
        self._opened: OpenTarget | None = None
        self._calibration: Calibration | None = None
        self._labeling: BlindLabels | None = None
        self._agreement: AgreementView | None = None
        """None: no answers are drawn yet, or all are labeled."""
        with pane("Calibration"):
            with toolbar("Calibration"):
                heading(f"Calibrate “{target.name}”", 1)
                ui.space()
                self._again = button("Draw other answers", self._draw_other, icon="shuffle", look="quiet")
                self._again.set_visibility(False)
                back = "Open the template" if target.kind == "field" else "Open the rubric"
                button(back, lambda: ui.navigate.to(owner_address(target)), icon="edit", look="quiet")
            self._body = ui.element("div").classes("label-page stack fills")
        window.listen(window.services.benchmark_changed, self._on_change)
        self._load()

    def _load(self) -> None:
        background_tasks.create(self._read(), name="open a calibration", context=self._body)

    async def _read(self) -> None:
        """Read the trait or field in a thread: its template may run in the sandbox."""
        try:
            opened = await run.io_bound(self._editor.open, self._target)
        except InputError as error:
            self._show_reason(str(error))
            return
        if opened is None or self._body.is_deleted:
            return
        # The latest draw counts; earlier ones stay in the history.
        self._opened = opened
        ids = self._store.ids(self._target)
        self._calibration = self._store.get(ids[0]) if ids else None
        self._show()

    def _on_change(self, change: Change) -> None:
        """Follow an undo of labels, and edits of the wording."""
        if change.benchmark_id == self._target.benchmark_id and self._opened is not None:
            background_tasks.create(self._follow(self._opened.wording), name="follow a calibration", context=self._body)

    async def _follow(self, wording: Wording) -> None:
        if self._is_behind():
            self._load()
            return
        try:
            # In a thread, as the template of a field is checked again.
            opened = await run.io_bound(self._editor.open, self._target)
        except InputError as error:
            self._show_reason(str(error))
            return
        if opened is not None and opened.wording != wording:
            self._load()

    def _is_behind(self) -> bool:
        """True if the latest draw or its labels are others than those on the page."""
        ids = self._store.ids(self._target)
        calibration = self._calibration
        if not ids or calibration is None:
            return bool(ids) != (calibration is not None)
        # Labels that were just saved here are on the sheet before the page reads them again.
        labels = self._labeling.labels if self._labeling else calibration.labels
        stored = self._store.get(ids[0])
        return stored.id != calibration.id or stored.labels != labels

    def _show(self) -> None:
        """Show what comes next: the draw, the first answer without a label, or the agreement."""
        opened, calibration = self._opened, self._calibration
        assert opened is not None
        draft = self._agreement.draft if self._agreement is not None else None
        self._body.clear()
        self._labeling = self._agreement = None
        self._again.set_visibility(calibration is not None)
        with self._body:
            if calibration is None:
                self._draw_start(opened)
            elif (index := calibration.next) is not None:
                self._labeling = BlindLabels(self._window, opened, calibration, index, self._load)
            else:
                self._agreement = AgreementView(self._window, opened, calibration)
                # Typed before somebody else's edit made the page new.
                if draft is not None:
                    self._agreement.load(draft)

    def _draw_start(self, opened: OpenTarget) -> None:
        about = (
            "Label some stored answers without seeing what the judge said about them. Then see where you agree, "
            "and try another wording."
        )
        with empty_state("balance", "Does the judge judge as you do?", about):
            self._count_label = ui.label("Reading stored answers…").classes("empty-text").props('role="status"')
            self._counts = ui.element("div").classes("empty-actions flow gap-8")
        background_tasks.create(self._count(opened), name="count stored answers", context=self._counts)

    async def _count(self, opened: OpenTarget) -> None:
        pool = await run.io_bound(self._editor.pool, opened)
        if pool is None or self._count_label.is_deleted:
            return
        self._count_label.text = pool_text(pool)
        with self._counts:
            if not pool.answers:
                run_address = f"/benchmarks/{self._target.benchmark_id}/run"
                button("New run", lambda: ui.navigate.to(run_address), look="main", icon="play_arrow")
                return
            for count in COUNTS:
                if count <= len(pool.answers) or count == COUNTS[0]:
                    self._count_button(count, min(count, len(pool.answers)))

    def _count_button(self, count: int, available: int) -> None:
        label = f"Label {quantity(available, 'answer')}"
        made = button(label, lambda: self._draw(count), look="main" if count == COUNTS[0] else "plain")
        if count == COUNTS[0]:
            focus_on(made)

    async def _draw(self, count: int) -> bool:
        """Draw answers, and show the first; False: that was not possible."""
        assert self._opened is not None
        name = self._window.preferences.author.get("name", "")
        # Any number does: it is stored, so that the draw can be repeated.
        seed = secrets.randbelow(2**31)
        try:
            await self._window.write(self._editor.draw, self._opened, count, seed, name)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return False
        self._load()
        return True

    async def _draw_other(self) -> None:
        """Begin again with other answers; the labels of this draw are kept."""
        if self._calibration is not None and await self._draw(len(self._calibration.answers)):
            self._window.notify("Drew other answers. Ctrl+Z brings back the previous ones.")

    def _show_reason(self, reason: str) -> None:
        if self._body.is_deleted:
            return
        self._body.clear()
        with self._body, empty_state("balance", "Nothing to calibrate", reason):
            button("All questions", lambda: ui.navigate.to(f"/benchmarks/{self._target.benchmark_id}/questions"))


def pool_text(pool: AnswerPool) -> str:
    """Number of stored answers and their sources in one sentence."""
    if not pool.answers:
        return "No answers are stored yet. Run the benchmark, or add sample answers to its questions."
    sources = [quantity(pool.results, "result")] if pool.results else []
    sources += [quantity(pool.samples, "sample answer")] if pool.samples else []
    return f"{quantity(len(pool.answers), 'different answer')} in {' and '.join(sources)}."
