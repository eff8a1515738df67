"""Dialog that goes through the duplicates of a benchmark: keep one question of a pair, or both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.benchmark_editor import OpenQuestion
from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.duplicates import DuplicatePair, TakenField, takeable
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.diff_view import diff_head, diff_section
from karenina_gui.gui.kit.elements import button, empty_state, icon_button
from karenina_gui.gui.kit.html import Html, tag
from karenina_gui.gui.kit.uploads import busy
from karenina_gui.gui.pages.questions.question_results import results_html
from karenina_gui.gui.pages.questions.rows import TEMPLATE_WORDS, template_state
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.result_summaries import QuestionResults
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.text import percent, quantity

TAKEN: dict[TakenField, str] = {
    "raw_answer": "Reference answer",
    "answer_template": "Template",
    "keywords": "Keywords",
    "samples": "Sample answers",
}


@dataclass(frozen=True)
class _Comparison:
    """Pairs, and the places of all questions by number."""

    pairs: list[DuplicatePair]
    places: dict[int, int]


class OpenList(Protocol):
    """List of questions behind the dialog, as the dialog uses it."""

    current: int | None
    leaving: set[int]

    def open(self, number: int | None) -> None: ...


class DuplicateReview:
    """Dialog above the list of questions."""

    def __init__(self, window: Window, benchmark_id: int, questions: OpenList) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self._questions = questions
        self._editor, self._library = window.services.editor, window.services.library
        self._comparison: _Comparison | None = None
        self._at = 0
        self._drawn: DuplicatePair | None = None
        """Pair that is drawn. Decisions are about this one only, so that none is about a pair nobody has seen."""
        self._round = 0
        self._searching = self._search_again = False
        self._taken: dict[TakenField, ui.checkbox] = {}
        with dialog("Duplicates", classes="draft-review") as self._dialog:
            self._draw_bar()
            self._body = ui.element("div").classes("draft-review-body scroll wide fills box").props('tabindex="0"')
            self._body.props('role="region" aria-label="Both questions"')
            self._choices = ui.element("div").classes("duplicate-choices")
            with dialog_actions():
                button("Close", self._dialog.close)
                self._actions = [
                    button("Keep both (B)", self._keep_both),
                    button("Keep left (L)", lambda: self._keep("left"), icon="arrow_back"),
                    button("Keep right (R)", lambda: self._keep("right"), icon="arrow_forward"),
                ]
        # The dialog of commands gives the focus back as it closes, maybe to a message that is gone by then.
        self._dialog.on("show", self._focus, args=[])
        self._dialog.on("keydown", lambda event: self._press(str(event.args)), js_handler=_KEYS)
        with self._body:  # inside the dialog, so that it ends with it
            window.listen(window.services.benchmark_changed, self._on_change)
            self._view = ui.element("div")
        with self._view:
            busy("Comparing the questions…")
        self._enable(False)
        self._search()

    def _draw_bar(self) -> None:
        with ui.element("div").classes("draft-review-bar").props('role="toolbar" aria-label="Pairs"'):
            icon_button("chevron_left", "Previous pair (K)", lambda: self._step(-1))
            icon_button("chevron_right", "Next pair (J)", lambda: self._step(1))
            self._count = ui.label().props('role="status"')
            ui.space()
            self._opening = [
                button("Open left", lambda: self._open("left"), look="quiet"),
                button("Open right", lambda: self._open("right"), look="quiet"),
            ]

    def _focus(self) -> None:
        self._body.client.run_javascript(f"getHtmlElement({self._body.id})?.focus()")

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self.benchmark_id:
            return
        # An edit elsewhere that makes a new duplicate is found the next time: comparing all takes a moment.
        numbers = {number for pair in self._pairs for number in (pair.left, pair.right)}
        if change.kind != "edited" or change.number is None or change.number in numbers:
            self._search()

    def _search(self) -> None:
        background_tasks.create(self._find(), name="find duplicates", context=self._body)

    async def _find(self) -> None:
        """Compare all questions in a thread, and again if something has changed meanwhile."""
        self._search_again = True
        if self._searching:
            return
        self._searching = True
        try:
            while self._search_again:
                self._search_again = False
                comparison = await run.io_bound(self._compare)
        except InputError:  # the benchmark was deleted; the page says so
            return
        finally:
            self._searching = False
        if comparison is not None and not self._body.is_deleted:
            self._take_up(comparison)

    def _compare(self) -> _Comparison:
        rows = self._library.questions.summaries(self.benchmark_id)
        return _Comparison(
            self._editor.duplicates.pairs(self.benchmark_id),
            {row.number: position for position, row in enumerate(rows, start=1)},
        )

    def _take_up(self, comparison: _Comparison) -> None:
        """Show these pairs; the one that is shown stays, or the one after it follows."""
        current = self._pair
        self._comparison = comparison
        if current is not None:
            same = [(pair.left, pair.right) for pair in comparison.pairs]
            here = (current.left, current.right)
            self._at = same.index(here) if here in same else self._at
        self._step(0)

    @property
    def _pairs(self) -> list[DuplicatePair]:
        return self._comparison.pairs if self._comparison else []

    @property
    def _pair(self) -> DuplicatePair | None:
        return self._pairs[self._at] if self._at < len(self._pairs) else None

    def _step(self, steps: int) -> None:
        self._at = max(0, min(self._at + steps, len(self._pairs) - 1))
        self._show()

    def _show(self) -> None:
        pair, total = self._pair, len(self._pairs)
        if pair != self._drawn:
            self._drawn = None
        self._round += 1
        if self._comparison is None:
            return
        if pair is None:
            self._count.text = "No duplicates."
            self._enable(False)
            self._focus()  # a button that is disabled loses the focus
            self._view.clear()
            self._choices.clear()
            with self._view, empty_state("rule", "No duplicates", _NONE):
                pass
            return
        self._count.text = f"{self._at + 1:,} of {quantity(total, 'pair')}: {kind_text(pair)}"
        background_tasks.create(self._draw(pair, self._round), name="show duplicates", context=self._view)

    def _enable(self, enabled: bool) -> None:
        for control in (*self._actions, *self._opening):
            control.set_enabled(enabled)

    async def _draw(self, pair: DuplicatePair, number: int) -> None:
        sides = await run.io_bound(self._read, pair)
        if sides is None or number != self._round or self._view.is_deleted:
            return
        self._view.clear()
        self._choices.clear()
        with self._view:
            ui.html(pair_html(*sides))
        with self._choices:
            self._draw_choices(*sides)
        self._drawn = pair
        self._enable(True)

    def _read(self, pair: DuplicatePair) -> tuple[PairSide, PairSide] | None:
        try:
            return self._side(pair.left), self._side(pair.right)
        except InputError:  # deleted meanwhile
            return None

    def _side(self, number: int) -> PairSide:
        assert self._comparison is not None
        question = self._editor.question(self.benchmark_id, number)
        results = self._library.results.of_question(self.benchmark_id, question.entry.id)
        return PairSide(self._comparison.places.get(number, 0), question, results)

    def _draw_choices(self, left: PairSide, right: PairSide) -> None:
        """Draw what the question that stays can get from the other, and what becomes of results."""
        names = takeable(left.question.entry.question, right.question.entry.question)
        self._taken = {}
        if names:
            with ui.element("div").classes("duplicate-taken").props('role="group" aria-label="Copy to the kept one"'):
                ui.label("Copy to the question you keep:")
                for key, name in enumerate(names, start=1):
                    self._taken[name] = ui.checkbox(f"{TAKEN[name]} ({key})").props("dense")
        if left.question.results or right.question.results:
            counts = f"Left has {quantity(left.question.results, 'result')}, right {right.question.results:,}."
            rest = "Those of the deleted question stay in their runs, linked from the other."
            ui.label(f"{counts} {rest}").classes("hint")

    def _press(self, key: str) -> Any:
        if key.isdecimal():
            for box in list(self._taken.values())[int(key) - 1 : int(key)]:
                box.value = not box.value
            return None
        steps = {"j": 1, "k": -1}
        if key in steps:
            return self._step(steps[key])
        return self._keep_both() if key == "b" else self._keep("left" if key == "l" else "right")

    async def _keep(self, side: str) -> None:
        """Delete the question on the other side. A message offers undo."""
        if (pair := self._drawn) is None:
            return
        survivor, dropped = (pair.left, pair.right) if side == "left" else (pair.right, pair.left)
        taken = [name for name, box in self._taken.items() if box.value]
        assert self._comparison is not None
        position = self._comparison.places.get(dropped, 0)
        # The editor behind the dialog should not report its question as deleted by somebody else.
        self._questions.leaving.add(dropped)
        keep = self._editor.duplicates.keep_one
        done = await self._resolve(f"Deleted question {position:,}.", keep, survivor, dropped, taken)
        if done and self._questions.current == dropped and not self._body.is_deleted:
            self._questions.open(survivor)

    async def _keep_both(self) -> None:
        if (pair := self._drawn) is not None:
            keep = self._editor.duplicates.keep_both
            await self._resolve("Marked as different questions. They aren’t listed again.", keep, pair.left, pair.right)

    async def _resolve(self, message: str, command: Callable[..., None], *args: Any) -> bool:
        """Carry out a decision and go on to the next pair; False: it was not possible."""
        pair, self._drawn = self._drawn, None
        assert pair is not None
        try:
            done = await self.window.write_long(as_one(command), self.benchmark_id, *args)
        except InputError as error:
            self.window.notify(str(error), "bad")
            self._note_present(pair)
            self._search()
            return False
        self.window.note_saved()
        self.window.notify(message, undo=lambda: self._undo(pair, done.command_id))
        if pair in self._pairs and not self._body.is_deleted:
            self._pairs.remove(pair)
            self._step(0)
        return True

    async def _undo(self, pair: DuplicatePair, command_id: int | None) -> None:
        self._note_present(pair)
        await self.window.undo(command_id)

    def _note_present(self, pair: DuplicatePair) -> None:
        """Report it again if somebody else deletes one of these questions."""
        self._questions.leaving.difference_update((pair.left, pair.right))

    def _open(self, side: str) -> None:
        if (pair := self._drawn) is not None:
            self._dialog.close()
            self._questions.open(pair.left if side == "left" else pair.right)


_NONE = "No two questions have the same text, the same wording, or nearly the same words. Unedited copies are left out."
_KEYS = """(event) => {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.altKey || event.metaKey || key.length > 1 || !"jklrb1234".includes(key)) return;
  // A key that is held would decide on pairs that nobody has looked at.
  if (event.repeat && !"jk".includes(key)) return;
  event.preventDefault();
  emit(key);
}"""


@dataclass(frozen=True)
class PairSide:
    """One question of a pair."""

    position: int
    """Place in the benchmark, from 1."""
    question: OpenQuestion
    results: QuestionResults


def pair_html(left: PairSide, right: PairSide) -> Html:
    """Table of everything by which an author decides which of two questions stays."""
    one, other = left.question.entry.question, right.question.entry.question
    texts = [
        ("Question", one.question, other.question, None),
        ("Reference answer", one.raw_answer, other.raw_answer, None),
        ("State", _state(left), _state(right), None),
        ("Notes", one.answer_notes or "", other.answer_notes or "", None),
        ("Keywords", ", ".join(one.keywords), ", ".join(other.keywords), None),
        ("Sample answers", _samples(left), _samples(right), None),
        ("Template", _code(left), _code(right), "duplicate-code"),
    ]
    sections = [diff_section(title, a, b, look=look) for title, a, b, look in texts if a or b]
    id_row = _plain("ID", *(side.question.entry.id for side in (left, right)))
    titles = (f"Left: question {left.position:,}", f"Right: question {right.position:,}")
    return tag("table", diff_head(titles), *sections, id_row, _results(left, right), class_="versions duplicate-table")


def kind_text(pair: DuplicatePair) -> str:
    """Label of a pair by how much of it is the same."""
    if pair.kind == "exact":
        return "Same text"
    if pair.kind == "wording":
        return f"Same wording, except for {pair.difference}"
    # Order is not compared, and “A inhibits B” and “B inhibits A” would read as equal.
    return "Same words in another order" if pair.similarity == 1 else f"{percent(pair.similarity)} similar"


def _state(side: PairSide) -> str:
    summary = side.question.summary
    finished = "Finished" if summary.finished else "Unfinished"
    return f"{finished}, template: {TEMPLATE_WORDS[template_state(summary)]}"


def _code(side: PairSide) -> str:
    # Without the line break at its end, which would be an empty line of the table.
    return (side.question.entry.question.answer_template or "").rstrip()


def _samples(side: PairSide) -> str:
    return "\n".join(
        f"{'Passes' if sample.passes else 'Fails'}: {' '.join(sample.text.split())}"
        for sample in sample_answers(side.question.entry.question)
    )


def _results(left: PairSide, right: PairSide) -> Html | None:
    """Runs with results of either question; None if no run has any."""
    if not (left.question.results or right.question.results):
        return None
    lists = (results_html(side.results, side.question.entry.id) for side in (left, right))
    return _plain("Results", *(runs or tag("span", "None", class_="hint") for runs in lists))


def _plain(title: str, left: str, right: str) -> Html:
    """Section whose difference is not marked."""
    head = tag("tr", tag("th", title, colspan="2", scope="rowgroup"))
    return tag("tbody", head, tag("tr", tag("td", left), tag("td", right)))
