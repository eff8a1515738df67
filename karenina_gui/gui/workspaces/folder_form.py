"""Which folder below the root belongs to a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.parts.bound_field import FieldError
from karenina_gui.gui.parts.elements import button, field, on_enter, text_input
from karenina_gui.gui.questions.draft import QuestionDraft


class FolderForm:
    """`done` goes back to the files that were shown; None: there were none, and what is chosen shows by itself."""

    def __init__(self, draft: QuestionDraft, done: Callable[[], Any] | None = None) -> None:
        self.draft, self.done = draft, done
        self.workspaces = draft.window.studio.desk.workspaces
        kept = draft.question.workspace_path
        hint = "its path below the root, such as task_01"
        with ui.element("div").classes("ws-form"), field("Workspace folder", hint):
            with ui.element("div").classes("ws-line"):
                self.path = text_input("Workspace folder of this question", kept or f"task_{draft.summary.number:02}")
                self.path.props('debounce="200" spellcheck="false"')
                self.path.set_autocomplete(self.workspaces.suggestions(draft.benchmark_id))
                self.use = button("Create folder", self._use, look="main")
                if done is not None:
                    button("Cancel", done)
            self.problem = FieldError()
            self.hint = ui.label().classes("hint").props('role="status"')
        self.path.on_value_change(self._check)
        on_enter(self.path, self._use)
        ui.timer(0, self._check, once=True)

    async def _check(self) -> None:
        text = str(self.path.value or "").strip()
        found = await run.io_bound(self.workspaces.find, self.draft.benchmark_id, text) if text else None
        if self.path.is_deleted or text != str(self.path.value or "").strip():
            return
        refused = found is not None and found.state == "refused"
        self.problem.say(found.message if found and refused else None)
        self.path.classes(add="bad") if refused else self.path.classes(remove="bad")
        there = found is not None and found.state == "there"
        self.use.text = "Use this folder" if there else "Create folder"
        self.use.set_enabled(bool(text) and not refused)
        self.hint.text = "There is a folder of this name already." if there else ""

    def _use(self) -> None:
        text = str(self.path.value or "").strip()
        if not text:
            self.problem.say("Write the name of a folder first.")
            return
        try:
            if self.workspaces.find(self.draft.benchmark_id, text).state == "missing":
                self.workspaces.make(self.draft.benchmark_id, text)
        except InputError as error:
            self.problem.say(str(error))
            return
        problem = self.draft.save("workspace_path", text)
        self.problem.say(problem)
        if problem is None and self.done is not None:
            self.done()
