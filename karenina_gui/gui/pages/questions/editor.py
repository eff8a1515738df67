"""Editor of one question: title bar and the tabs Question, Template, Rubric and Workspace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.elements import button, focus_on, icon_button, note, pane, scrolling
from karenina_gui.gui.pages.questions.form import QuestionForm
from karenina_gui.gui.pages.questions.list import TEXT_OF_QUESTION, QuestionList
from karenina_gui.gui.pages.questions.review import ReviewTab
from karenina_gui.gui.pages.questions.rows import is_usable, shown_title
from karenina_gui.gui.pages.rubric.rubric_record import RubricOwner
from karenina_gui.gui.pages.rubric.trait_list import TraitList
from karenina_gui.gui.pages.templates.tab import TemplateTab
from karenina_gui.gui.pages.workspaces.tab import WorkspaceTab
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.review import CheckItem

TABS = {
    "question": "Question",
    "template": "Template",
    "rubric": "Rubric",
    "workspace": "Workspace",
    "review": "Review",
}

CALM = 0.4
"""Pause in seconds after the last edit before the question's obstacles are computed."""


def draw(
    window: Window, questions: QuestionList, number: int, tab: str | None = None, target: str | None = None
) -> None:
    """Draw the editor.

    `tab`: key of `TABS`; None: the tab that was open last. `target`: what gets the focus there, see `CheckItem`.
    """
    draft = QuestionDraft(window, questions.benchmark_id, number)
    with pane("Question editor"):
        _deleted_note(draft, questions)
        head = _Head(draft, questions)
        fresh, questions.fresh = questions.fresh == number, None
        first = "question" if fresh else tab if tab in TABS else window.preferences.question_tab
        tabs = QuestionTabs(draft, first, head.turn_to)
        if target is not None and tab in TABS:
            tabs.show(tab, target)
        if fresh or (first == "question" and not draft.question.question):
            # Whoever was quicker than this script, and is in another field by then, stays there. Quasar’s own autofocus
            # waits until a tooltip is open, and takes the focus even then.
            ui.run_javascript(
                "document.activeElement?.closest('[aria-label=\"Question editor\"] :is(input, textarea)') || "
                f"document.querySelector({json.dumps(TEXT_OF_QUESTION)})?.focus()"
            )


def _deleted_note(draft: QuestionDraft, questions: QuestionList) -> None:
    """Show a restore button while the question is deleted.

    Edits stay in the form and are saved on restore.
    """
    with note("This question was deleted. Restore it to edit it.", "bad") as banner:
        button("Restore", draft.restore)
    banner.classes("note-deleted").set_visibility(False)

    def show(_: object) -> None:
        # If the whole benchmark was deleted, the page shows its own restore button.
        alone = draft.deleted and draft.window.services.library.benchmarks.get_deleted(draft.benchmark_id) is None
        banner.set_visibility(alone and draft.number not in questions.leaving)

    draft.listen(show, "presence")


class QuestionTabs:
    """Tabs of the editor; each is drawn when it is first opened."""

    def __init__(self, draft: QuestionDraft, first: str, opened: Callable[[str], None]) -> None:
        """`opened` is called with each tab that is opened."""
        self._draft, self._opened = draft, opened
        self._drawn: dict[str, Any] = {}
        with ui.tabs().props('align="left" dense no-caps') as self._tabs:
            titles = {name: ui.tab(name, title) for name, title in TABS.items()}
        self._panels: dict[str, ui.tab_panel] = {}
        with ui.tab_panels(self._tabs, value=first, animated=False, keep_alive=True):
            for name in TABS:
                self._panels[name] = ui.tab_panel(name)
        self._fill(first)
        _mark_unsaved(draft, titles)
        draft.listen(lambda _: _mark_unsaved(draft, titles), "unsaved")
        self._tabs.on_value_change(lambda event: self._fill(str(event.value)))
        draft.window.register_places(draft.number, self.show)

    def show(self, tab: str, target: str) -> None:
        """Open a tab with the focus at a place of it, see `CheckItem`."""
        self._tabs.value = tab
        content = self._drawn[tab]
        if hasattr(content, "reveal"):
            content.reveal(target)
        else:
            focus_on(self._panels[tab])

    def _fill(self, name: str) -> None:
        self._draft.window.preferences.question_tab = name
        self._opened(name)
        self._draft.window.chapter = _CHAPTERS[name]
        if name in self._drawn:
            return
        with self._panels[name]:
            if name == "review":
                self._drawn[name] = ReviewTab(self._draft, self.show)
            else:
                self._drawn[name] = _PANELS[name](self._draft)


def _question_traits(draft: QuestionDraft) -> TraitList:
    with scrolling("Rubric"), ui.element("div").classes("form form-wide"):
        ui.label("Traits rate the answers to this question, in addition to the benchmark’s traits.").classes("hint")
        traits = TraitList(draft.window, RubricOwner(draft.benchmark_id, draft.number))
    traits.is_visible = lambda: draft.window.preferences.question_tab == "rubric"
    return traits


_PANELS: dict[str, Callable[[QuestionDraft], Any]] = {
    "question": QuestionForm,
    "template": TemplateTab,
    "rubric": _question_traits,
    "workspace": WorkspaceTab,
}

_CHAPTERS = {
    "question": "questions",
    "template": "templates",
    "rubric": "rubrics",
    "workspace": "workspaces",
    "review": "questions",
}
"""{tab: chapter of the guide}."""


def _mark_unsaved(draft: QuestionDraft, tabs: dict[str, ui.tab]) -> None:
    """Mark the tabs that contain an unsaved edit."""
    waiting = {_tab_of(name) for name in draft.unsaved}
    for name, tab in tabs.items():
        tab.props["label"] = f"{TABS[name]} (not saved)" if name in waiting else TABS[name]


def _tab_of(name: str) -> str:
    """Return the tab that contains the field of an edit. Edits of files: see `name_of_drafts`."""
    if name.startswith("file:"):
        return "workspace"
    if name.startswith("trait/"):
        return "rubric"
    return "template" if name == "answer_template" else "question"


class _Head:
    """Title bar: title, finished state and obstacles."""

    def __init__(self, draft: QuestionDraft, questions: QuestionList) -> None:
        self.draft, self.questions = draft, questions
        self._obstacles_task: asyncio.Task[None] | None = None
        self._obstacles: list[CheckItem] = []
        self._tab = ""
        """Open tab, which says itself what it lacks."""
        with ui.element("div").classes("question-head edge wide"):
            with ui.element("div").classes("question-head-line"):
                self.title = ui.label().classes("question-head-title grow").props('role="heading" aria-level="1"')
                self.finished = button("", self.turn)
                with self.finished:
                    self._finished_tip = ui.tooltip("")
                icon_button("history", "Question history", self.show_history)
                copy = icon_button("content_copy", "Duplicate question", self.duplicate)
                delete = icon_button("delete", "Delete question", self.delete)
            self.obstacles = ui.label().classes("question-head-obstacles breaks small text-warn")
        draft.listen(self.show, "saved", "elsewhere")
        controls = (self.finished, copy, delete)
        draft.listen(lambda _: [control.set_enabled(not draft.deleted) for control in controls], "presence")
        draft.window.register_command("question.finish", self.turn)
        draft.window.register_command("question.duplicate", self.duplicate)
        draft.window.register_command("question.history", self.show_history)
        draft.window.register_command("question.delete", self.delete)
        self.show()

    def show(self, *_: object) -> None:
        self.title.text = shown_title(self.draft.summary, " ".join(self.draft.question.question.split()))
        done, (text, icon) = self.draft.summary.finished, _mark(self.draft.summary)
        self.finished.text, self.finished.icon = text, icon
        doubtful = icon == "warning"
        self.finished.classes(add="button-left-out") if doubtful else self.finished.classes(remove="button-left-out")
        self._finished_tip.text = _review_note(self.draft.summary)
        self.finished.props(f'aria-pressed="{str(done).lower()}"')
        self.finished.classes(add="button-done") if done else self.finished.classes(remove="button-done")
        if self._obstacles_task is not None:
            self._obstacles_task.cancel()
        self._obstacles_task = background_tasks.create(self.show_obstacles(), name="look", context=self.obstacles)

    async def show_obstacles(self) -> None:
        """Show the obstacles to finishing.

        The check runs the template, so it waits for a pause and uses a thread.
        """
        await asyncio.sleep(CALM)
        try:
            obstacles = await run.io_bound(self.draft.editor.missing, self.draft.benchmark_id, self.draft.number)
        except InputError:
            return
        if not self.obstacles.is_deleted:
            self._obstacles = obstacles or []
            self._draw_obstacles()

    def turn_to(self, tab: str) -> None:
        """Leave out what the open tab says itself."""
        self._tab = tab
        self._draw_obstacles()

    def _draw_obstacles(self) -> None:
        texts = [item.text for item in self._obstacles if not item.tab == self._tab == "template"]
        self.obstacles.text = " ".join(texts)
        self.obstacles.set_visibility(bool(texts))
        # Unfinished, a question only lists what is still to do; the mark warns of a finished one without a template.
        calm = not self.draft.summary.finished or not is_usable(self.draft.summary)
        self.obstacles.classes(add="hint") if calm else self.obstacles.classes(remove="hint")

    async def turn(self) -> None:
        """Mark the question finished or unfinished; an edited one as reviewed again."""
        if self.draft.summary.changed_since_review:
            await self.questions.marks.confirm(self.draft.number)
            return
        self.questions.finish([self.draft.number], not self.draft.summary.finished)

    async def duplicate(self) -> None:
        await self.questions.duplicate(self.draft.number)

    def show_history(self) -> None:
        ui.navigate.to(f"/benchmarks/{self.draft.benchmark_id}/history?question={self.draft.number}")

    def delete(self) -> None:
        self.questions.delete([self.draft.number])


def _mark(question: QuestionSummary) -> tuple[str, str]:
    """Return text and icon of the finished mark."""
    if question.finished and not is_usable(question):
        return "Finished, no working template", "warning"
    if question.changed_since_review:
        return "Changed since review", "warning"
    return ("Finished", "check_circle") if question.finished else ("Mark finished", "radio_button_unchecked")


def _review_note(summary: QuestionSummary) -> str:
    """Say when the question was finished, and how to go on."""
    if not summary.finished:
        return "Runs include only finished questions."
    when = f"Finished {day_and_time(summary.finished_at)}. " if summary.finished_at else "Finished. "
    if not is_usable(summary):
        when += "Runs that use templates skip this question. "
    if summary.changed_since_review:
        return f"{when}Edited since. Press to mark it as reviewed again."
    return f"{when}Press to mark it as unfinished."
