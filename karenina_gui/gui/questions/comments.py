"""Comments about a question, and the form to add one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.elements import button, chip, icon_button, text_area
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.session.window import as_one
from karenina_gui.schemas.review import Comment

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


class CommentList:
    """Comments, the oldest first."""

    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self._comments: list[Comment] | None = None
        self.list = ui.element("div").classes("when-filled stack gap-8").props('role="list" aria-label="Comments"')
        with ui.element("div").classes("stack gap-8"):
            self.text = text_area("New comment", placeholder="Write a comment")
            with ui.element("div").classes("comment-line line gap-8"):
                self.part = ui.select(PARTS, value=WHOLE).classes("input")
                self.part.props(f"outlined dense options-dense {aria_label('Part of the question')}")
                button("Comment", self._add, icon="add_comment")
            self._problem = FieldError()
        draft.window.listen(draft.window.services.benchmark_changed, self._on_change)
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
        if change.benchmark_id == self.draft.benchmark_id and change.number in (None, self.draft.number):
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
