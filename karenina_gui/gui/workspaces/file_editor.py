"""Autosaving editor of a text file. It shows changes by other programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from nicegui import ui

from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.authoring.workspace_text import Encoding, FileContent, lacking
from karenina_gui.gui.binding.conflict import ConflictPanel
from karenina_gui.gui.binding.optimistic_edit import OptimisticEdit
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.session.nicegui_internals import set_unseen
from karenina_gui.gui.workspaces.file_field import GONE, FileField
from karenina_gui.gui.workspaces.languages import language_of
from karenina_gui.static_files import module


class FileEditor:
    """Editor of one text file. When another file is opened, pending edits are saved first."""

    def __init__(self, draft: QuestionDraft, files: WorkspaceFiles, content: FileContent) -> None:
        self.content = content
        self.field = FileField(draft, files, content)
        self.edit = OptimisticEdit(self.field, self)
        name = printable_path(PurePosixPath(content.path).name)
        self.conflict_panel = ConflictPanel(name, self.edit, "outside").classes("clash-template stack")
        if content.mixed:
            ui.label("This file mixes Windows and Linux line endings. Edits make them uniform.").classes(
                "hint workspace-mixed"
            )
        self.manner = ui.label().classes("hint workspace-mixed")
        self.code = _Code(str(self.edit.mine), content.path, self._on_edit, self._on_focus)
        self._watch(name)
        with (
            ui.element("div")
            .classes("workspace-problem line gap-10 rigid small text-bad")
            .props('role="status"') as self.state
        ):
            self.problem = ui.label()
            self.anew = button("Recreate file", self._recreate)
        self.show_status()

    def _watch(self, name: str) -> None:
        address, outbox = self.field.place, self.field.draft.window.outbox
        if outbox is not None:
            outbox.watch(address, name, self)
            self.code.keep_in_browser(address, str(self.edit.base))
            self.edit.on_settled = lambda typed: outbox.settle(address, typed, self.edit.base)

    @property
    def shown_by(self) -> int:
        return self.code.id

    def recover(self, value: Any, base: Any) -> bool:
        return self.edit.recover(value, base)

    def resume(self, value: Any) -> None:
        if value != self.code.value:
            set_unseen(self.code, value)
        else:
            self.edit.confirm(value)

    def focus(self) -> None:
        self.code.focus()

    def on_remote_change(self, content: FileContent) -> None:
        """Handle new content on disk."""
        self.field.content, self.field.gone = content, False
        self.edit.on_remote_change(content.text)
        if self.edit.problem == GONE:
            self.edit.retry()

    def follow(self, text: str) -> None:
        self.code.replace(text, instead_of=self.code.value or "")

    def set_value(self, text: str) -> None:
        self.code.replace(text, instead_of=None)

    def show_status(self) -> None:
        if self.code.is_deleted:
            return
        self.conflict_panel.show()
        self.manner.text = manner(self.field.encoding, self.field.as_it_is.encoding, str(self.edit.mine))
        self.manner.set_visibility(bool(self.manner.text))
        problem = None if self.edit.undecided else self.edit.problem
        self.problem.text = problem or ""
        self.anew.set_visibility(problem == GONE)
        self.state.set_visibility(bool(problem))

    def _on_edit(self) -> None:
        self.edit.type(self.code.value or "")

    def _on_focus(self, inside: bool) -> None:
        if not inside:  # being in the text is no edit: until something is typed, it follows the file
            self.edit.leave()

    async def _recreate(self) -> None:
        outcome = await self.field.write_anew(str(self.edit.mine))
        if outcome is None:
            self.edit.on_remote_change(self.field.read())
        elif not isinstance(outcome, str):
            self.edit.on_remote_change(outcome.value)
        self.edit.flush()


def manner(first: Encoding, now: Encoding, text: str) -> str:
    """Return a note on the encoding of the file before and after the save. Empty: always UTF-8."""
    if first == "utf-8":
        return ""
    if now != first:
        changed = f"This file was in {ENCODINGS[first]}. It is now saved in {ENCODINGS[now]}."
        sign = lacking(text, first)
        return f"{changed} {ENCODINGS[first]} doesn’t support “{sign}”." if sign else changed
    stays = f"This file is in {ENCODINGS[first]}. Edits keep this encoding."
    return (
        f"{stays} If you type a character it doesn’t support, the file is saved in UTF-8."
        if first == "cp1252"
        else stays
    )


ENCODINGS: dict[Encoding, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1)",
}


class _Code(ui.codemirror):
    """Code editor. Its properties are set only once.

    A later update would send old text over the user's typing.
    """

    def __init__(self, text: str, path: str, on_change: Any, on_focus: Callable[[bool], Any]) -> None:
        super().__init__(
            text,
            language=language_of(path),
            theme="vscodeLight",
            line_wrapping=True,
            on_change=on_change,
            on_focus_change=lambda event: on_focus(event.focused),
        )
        self.classes("template-code")
        self._js("attach", {"words": [], "label": f"Text of {printable_path(path)}"})

    def replace(self, text: str, *, instead_of: str | None) -> None:
        """Replace the text as an edit. `instead_of`: replace only this text. None: replace any text."""
        self._js("replace", {"text": text, "instead": instead_of})

    def keep_in_browser(self, address: str, base: str) -> None:
        """Keep the text in the browser until it is saved."""
        self._js("keep", {"place": address, "base": base, "drawn": self.value or ""})

    def focus(self) -> None:
        self._js("focus", None)

    def _js(self, function: str, argument: Any) -> None:
        call = f"{module('template_editor')}.then(m => m.{function}({self.id}, {json.dumps(argument)}))"
        self.client.run_javascript(call)
