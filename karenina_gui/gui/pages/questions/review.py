"""Tab Review of a question: the checklist, the answer key on demand, the decision, and comments."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    chip,
    focus_on,
    heading,
    icon_button,
    note,
    scrolling,
    text_area,
)
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.templates.outline_view import fields_table
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.window import as_one
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.review import CheckItem, CheckState, Comment, waits_for
from karenina_gui.schemas.template import TemplateOutline

ICONS: dict[CheckState, tuple[str, str]] = {
    "done": ("check_circle", "Done"),
    "missing": ("cancel", "Missing"),
    "advice": ("info", "Worth a look"),
}
RETURNED = "The question becomes unfinished and goes back to {author}."
RETURNED_TO_NOBODY = (
    "The question becomes unfinished. It has no author, so no one sees it under “Waiting for me” until you enter one."
)
P = ParamSpec("P")
T = TypeVar("T")

WHOLE = ""
PARTS = {
    WHOLE: "Whole question",
    "question": "Question text",
    "raw_answer": "Reference answer",
    "answer_template": "Template",
    "question_rubric": "Rubric",
    "workspace_path": "Workspace",
}


class ReviewTab:
    """Everything that a reviewer needs for one question."""

    def __init__(self, draft: QuestionDraft, show: Callable[[str, str], object]) -> None:
        """`show` opens another tab of the question with the focus at a place, see `CheckItem`."""
        self.draft, self._show_place = draft, show
        self._items: list[CheckItem] = []
        with scrolling("Review"), ui.element("div").classes("form review"):
            self._draw_question()
            with ui.element("div").classes("group"):
                heading("Checklist")
                self.checklist = ui.element("ul").classes("bare-list stack").props('aria-label="Checklist"')
            with ui.element("div").classes("group"):
                self._draw_decision()
            with ui.element("div").classes("group"):
                heading("Comments")
                CommentList(draft)
        self._register_commands()
        draft.listen(lambda _: self.refresh(), "saved", "elsewhere")
        draft.window.listen(draft.window.services.changes_of(draft.benchmark_id, draft.number), self._on_change)
        self.refresh()

    @property
    def person(self) -> str:
        """Name of the user; empty: not set."""
        return self.draft.window.preferences.author.get("name", "")

    def refresh(self) -> None:
        """Show the question as it is stored, and check it in the background."""
        self._text.text = self.draft.question.question or "No question text."
        self._show_state()
        background_tasks.create(self._check(), name="check a question", context=self.checklist)

    def _draw_question(self) -> None:
        self._text = ui.label().classes("review-question prose")
        self._key_button = button("Show answer key", self.toggle_key, icon="key", look="quiet")
        self._key_button.tooltip("Reference answer and expected values (X)")
        self._key = ui.element("div").classes("review-key")
        self._key.set_visibility(False)

    def _draw_decision(self) -> None:
        heading("Decision")
        self._state = ui.label().classes("hint")
        self._problem = ui.element("div").classes("rows")
        with ui.element("div").classes("flow gap-8"):
            self._finish = button("Finish and next", self.finish, icon="check_circle", look="main")
            self._finish.tooltip("Mark finished, and open the next question that waits for you (F)")
            self._return = button("Return to author…", self.give_back, icon="undo")
            self._return.tooltip("Say what should change (R)")
            self._again = button("Ask for review", self._ask_again, icon="rate_review")
            button("Next", self.next, icon="skip_next", look="quiet").tooltip("Open the next without a decision (N)")
        if not self.person:
            with ui.element("div").classes("hint"):
                ui.label("Comments and decisions carry your name.").classes("inline")
                ui.link("Enter your name", "/settings")

    def _register_commands(self) -> None:
        for name, action in (
            ("review.finish", self.finish),
            ("review.return", self.give_back),
            ("review.next", self.next),
            ("review.key", self.toggle_key),
        ):
            self.draft.window.register_command(name, action)

    def _on_change(self, change: Change) -> None:
        if change.number is not None:
            self.refresh()

    def _show_state(self) -> None:
        summary = self.draft.summary
        self._state.text = state_text(summary)
        self._return.set_visibility(not summary.returned_at)
        self._again.set_visibility(bool(summary.returned_at))
        self._finish.set_enabled(bool(summary.id))
        self._finish.set_visibility(not summary.finished or summary.changed_since_review)

    async def _check(self) -> None:
        draft = self.draft
        try:
            items = await run.io_bound(draft.editor.reviews.checklist, draft.benchmark_id, draft.number)
        except InputError:
            return  # deleted meanwhile; the editor says so
        if items is None or self.checklist.is_deleted or items == self._items:
            return
        self._items = items
        self.checklist.clear()
        with self.checklist:
            for item in items:
                self._draw_item(item)

    def _draw_item(self, item: CheckItem) -> None:
        icon, word = ICONS[item.state]
        with ui.element("li").classes(f"check-item check-{item.state} line gap-8"):
            ui.icon(icon).props('aria-hidden="true"')
            ui.label(f"{word}: ").classes("sr-only")
            ui.label(" ".join(plain_message(text, in_form=True) for text in (item.text, item.detail) if text))
            if item.state != "done" and item.tab != "review":
                button("Open", lambda: self._show_place(item.tab, item.anchor), look="quiet").props(
                    f'aria-label="Open the tab {item.tab.capitalize()}"'
                )

    async def toggle_key(self) -> None:
        """Show or hide reference answer and expected values."""
        # Hidden at first: a reviewer who knows the expected answer no longer sees what is unclear in the question.
        visible = not self._key.visible
        self._key_button.text = "Hide answer key" if visible else "Show answer key"
        self._key.set_visibility(visible)
        if not visible:
            return
        draft, source = self.draft, self.draft.question.answer_template or ""
        outline = await run.io_bound(draft.editor.check_template, draft.benchmark_id, draft.number, source)
        self._key.clear()
        with self._key:
            heading("Reference answer")
            ui.label(draft.question.raw_answer or "None.").classes("prose")
            if outline is not None and outline.valid and outline.fields:
                heading("Expected values")
                ui.html(_expected_values(outline))

    async def finish(self) -> None:
        """Mark the question finished, and open the next one that waits."""
        draft = self.draft
        reviews = draft.editor.reviews
        try:
            done = await draft.window.write(reviews.finish, draft.benchmark_id, [draft.number], self.person)
        except InputError as error:
            self._show_problem(str(error))
            return
        if done.own:
            self._show_problem("This is your own question. In this benchmark, another person has to finish it.")
            return
        draft.window.notify("Marked finished.", "good")
        await self.next()

    async def give_back(self) -> None:
        """Ask what should change, and return the question to its author."""
        if self.draft.summary.returned_at:
            self._show_problem("The question is with its author already.")
            return
        with dialog("Return to author", classes="dialog-narrow") as sheet:
            author = self.draft.summary.author
            hint = RETURNED if author else RETURNED_TO_NOBODY
            ui.label(hint.format(author=author)).classes("hint")
            comment = text_area("What should change", placeholder="What should change, and why")
            problem = ui.element("div")
            with dialog_actions():
                button("Cancel", sheet.close, look="quiet")
                button("Return", lambda: self._give_back(str(comment.value or ""), sheet, problem), look="main")
        focus_on(comment)

    async def _give_back(self, text: str, sheet: ui.dialog, problem: ui.element) -> None:
        draft = self.draft
        reviews = draft.editor.reviews
        try:
            await draft.window.write(reviews.return_to_author, draft.benchmark_id, draft.number, self.person, text)
        except InputError as error:
            problem.clear()
            with problem:
                note(str(error), "bad")
            return
        sheet.close()
        await self.next()

    async def _ask_again(self) -> None:
        draft = self.draft
        await draft.window.write(draft.editor.reviews.ask_again, draft.benchmark_id, draft.number)

    async def next(self) -> None:
        """Open the next question that waits for this person, after this one and then from the top."""
        draft = self.draft
        rows = await run.io_bound(draft.window.services.library.questions.summaries, draft.benchmark_id) or []
        index = next((index for index, row in enumerate(rows) if row.number == draft.number), 0)
        # From here on and then from the top, so that skipped questions come again at the end.
        waiting = (row for row in [*rows[index + 1 :], *rows[:index]] if waits_for(self.person, row))
        following = next(waiting, None)
        if following is None:
            draft.window.notify("No other question waits for you.")
            return
        ui.navigate.to(f"/benchmarks/{draft.benchmark_id}/questions/{following.number}?tab=review")

    def _show_problem(self, message: str) -> None:
        self._problem.clear()
        with self._problem:
            note(message, "bad")


def state_text(summary: QuestionSummary) -> str:
    """Return the state of the review in one sentence."""
    if summary.returned_at:
        return f"Returned to its author {day_and_time(summary.returned_at)}."
    if not summary.finished:
        return "Not finished: runs leave it out."
    by = f" by {summary.finished_by}" if summary.finished_by else ""
    at = f" {day_and_time(summary.finished_at)}" if summary.finished_at else ""
    changed = " Changed since: look at it again." if summary.changed_since_review else ""
    return f"Finished{by}{at}.{changed}"


def _expected_values(outline: TemplateOutline) -> str:
    return str(fields_table(outline) or "")


class CommentList:
    """Comments, the oldest first."""

    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self._comments: list[Comment] | None = None
        self.list = ui.element("div").classes("when-filled stack gap-8").props('role="list" aria-label="Comments"')
        with ui.element("div").classes("stack gap-8"):
            preferences = draft.window.preferences
            written = preferences.comment_draft(draft.number)
            self.text = text_area("New comment", written, placeholder="Write a comment")
            self.text.on_value_change(
                lambda event: preferences.save_comment_draft(draft.number, str(event.value or ""))
            )
            with ui.element("div").classes("comment-line line gap-8"):
                self.part = ui.select(PARTS, value=WHOLE).classes("input")
                self.part.props(f"outlined dense options-dense {aria_label('Part of the question')}")
                button("Comment", self._add, icon="add_comment")
            self._problem = FieldError()
        draft.window.listen(draft.window.services.changes_of(draft.benchmark_id, draft.number), self._on_change)
        self.refresh()

    def refresh(self) -> None:
        comments = self.draft.window.services.library.comments.of(self.draft.number)
        # Each edit of the question comes by here, and a redraw would close an open menu.
        if comments == self._comments:
            return
        self._comments = comments
        self.list.clear()
        with self.list:
            for comment in comments:
                self._draw(comment)

    def _on_change(self, change: Change) -> None:
        # News without a number may be about any question: a comment that was undone, for one.
        self.refresh()

    def _draw(self, comment: Comment) -> None:
        look = "comment comment-done" if comment.done else "comment"
        with ui.element("div").classes(look).props('role="listitem"'):
            with ui.element("div").classes("line gap-8"):
                ui.label(comment.author or "Unnamed").classes("strong")
                ui.label(day_and_time(comment.created_at)).classes("hint")
                if comment.kind == "returned":
                    chip("Returned to author", "warn")
                if comment.part:
                    chip(part_title(comment.part))
                ui.space()
                if comment.kind == "comment":
                    title = "Reopen" if comment.done else "Mark done"
                    button(title, lambda: self._set_done(comment), look="quiet")
                icon_button("delete", "Delete comment", lambda: self._delete(comment))
            ui.label(comment.text).classes("comment-text prose")

    async def _add(self) -> None:
        draft = self.draft
        person = draft.window.preferences.author.get("name", "")
        part, text = self.part.value or None, str(self.text.value or "")
        try:
            await draft.window.write(draft.editor.reviews.comment, draft.benchmark_id, draft.number, person, text, part)
        except InputError as error:
            self._problem.show_message(str(error))
            return
        self._problem.show_message(None)
        self.text.value = ""
        self.part.value = WHOLE
        self.refresh()

    async def _set_done(self, comment: Comment) -> None:
        await self._change(self.draft.editor.reviews.set_done, self.draft.benchmark_id, comment, not comment.done)

    async def _delete(self, comment: Comment) -> None:
        window, reviews = self.draft.window, self.draft.editor.reviews
        deleted = await self._change(as_one(reviews.delete_comment), self.draft.benchmark_id, comment)
        if deleted is not None:
            window.notify("Comment deleted.", undo=lambda: window.undo(deleted.command_id))

    async def _change(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Carry out a command and show its outcome; None: another window has deleted the comment."""
        try:
            return await self.draft.window.write(command, *args, **kwargs)
        except NotFoundError as error:
            self.draft.window.notify(str(error), "bad")
            return None
        finally:
            self.refresh()


def part_title(part: str) -> str:
    """Return the title of a part; a field of the template has its name."""
    return PARTS.get(part, part.removeprefix("field:"))
