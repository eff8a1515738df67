"""Tab Template: form and code of a template with its problems, tables of declarations, and a trial."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.leaks import Leak, leak_sentence, leaks, line_of_field
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsWrongValues, MutationCase, RefusesExpected, is_remark
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.calibration_links import calibration_address
from karenina_gui.gui.kit.code_editor import CodeEditor
from karenina_gui.gui.kit.elements import button, focus_on, menu_button, menu_item, splitter
from karenina_gui.gui.pages.templates.editor import arguments, completions, with_plain_messages
from karenina_gui.gui.pages.templates.form_view import TemplateFormView
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.gui.pages.templates.proposal_view import ProposalPanel, draft_card
from karenina_gui.gui.pages.templates.starters import STARTERS, Starter
from karenina_gui.gui.pages.templates.template_library import SaveTemplate, TemplatePicker
from karenina_gui.gui.pages.templates.template_tests import TemplateTests
from karenina_gui.gui.records.conflict import ConflictPanel
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.outbox import BufferedText
from karenina_gui.gui.session.unsaved_edits import edits_here
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem
from karenina_gui.text import quantity

PAUSE = 0.3
"""Pause in seconds after the last keystroke before the template is checked."""
LARGEST = 400_000
"""Maximum number of characters. NiceGUI drops messages above 1 MB."""


class TemplateTab:
    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        field = draft.field("answer_template", _editor_text, _changes)
        self._address, self._outbox = field.address, draft.window.outbox
        self.edit = OptimisticEdit(field, self)
        self.source = str(self.edit.mine)
        self._task: asyncio.Task[None] | None = None
        self._checking = False
        self._checked: tuple[TemplateOutline | None, list[TemplateProblem]] | None = None
        """Result of the check of the present text; None: it is being checked."""
        self._problem_shown: str | None = None
        self._view = draft.window.preferences.template_view
        self._is_writing = False
        """True if the author writes code, also before there is a template."""
        self._has_focus = False
        self.conflict_panel = ConflictPanel("Answer template", self.edit).classes("clash-template stack")
        with splitter(draft.window, "template", 62, limits=(15, 85), stacked=True) as panes:
            with panes.before, ui.element("div").classes("pane"):
                self.proposal = ProposalPanel(draft, lambda: self.source, self._use_draft)
                self.starters = ui.element("div").classes("starters edge wide scrolls")
                self._draw_starters()
                self._bar = self._draw_bar()
                self.form = TemplateFormView(self, self._address, self._outbox)
                self.editor = CodeEditor(
                    self.source,
                    "Python",
                    "Answer template",
                    self._on_edit,
                    self.on_focus,
                    words=completions(),
                    calls=arguments(),
                )
                self.state = ui.element("div").classes("template-state").props('role="status"')
            with panes.after, ui.element("div").classes("pane"):
                self.below = TemplateTests(draft)
        self._choose_view()
        self.edit.keep_in_browser("Answer template", self.editor, self._part_at)
        self.edit.on_settled = self._settle_texts
        draft.window.listen(draft.window.services.changes_of(draft.benchmark_id), self._on_change)
        self._settle_soon(0)

    def _on_change(self, change: Change) -> None:
        """Check again after a change of trust: refused code may run now."""
        if change.kind == "replaced":
            self._settle_soon(0)

    def focus(self) -> None:
        self.editor.focus()

    def _settle_texts(self, typed: Any) -> None:
        """Let the browser drop what it kept of a template that is saved, or kept as a draft."""
        self._outbox.settle(self._address, typed, self.edit.base)
        if self._shows_form and typed == self.source:
            texts = self.form.applied_texts
            self._outbox.settle_cells(self._address, texts, sorted({path.partition(".")[0] for path in texts}))

    def _part_at(self, path: str) -> BufferedText | None:
        """Return a text of the form, see `OptimisticEdit.part_in`."""
        text = self.form.text_at(path) if self._shows_form else None
        return (
            None if text is None else self.edit.part_in(text.control, text.applied, partial(self.form.with_text, text))
        )

    def _draw_starters(self) -> None:
        with self.starters:
            ui.label("Start from").classes("h2").props('role="heading" aria-level="2"')
            ui.label("A template defines what to extract from an answer and which values are correct.").classes("hint")
            with ui.element("div").classes("starter-grid"):
                draft_card(self.proposal.order)
                for starter in STARTERS:
                    self._starter(starter)
            with ui.element("div").classes("label-ways"):
                use = partial(self._use_draft, to_edit=True)
                pick = partial(TemplatePicker, self.draft.window, use)
                button("From library…", pick, icon="bookmarks", look="quiet")

    def _starter(self, starter: Starter) -> None:
        with ui.element("button").props('type="button"').classes("starter") as card:
            ui.icon(starter.icon)
            with ui.element("span"):
                ui.label(starter.title).classes("starter-title")
                ui.label(starter.about).classes("hint")
        card.on("click", lambda: self._begin(starter), args=[])

    def _draw_bar(self) -> ui.element:
        """Draw the switch between form and code."""
        with ui.element("div").classes("template-bar edge line wide wraps gap-8") as bar:
            self._switch = ui.toggle({"form": "Form", "code": "Code"}, value=self._view)
            self._switch.props('dense no-caps unelevated aria-label="View of the template"').classes("view-switch")
            self._switch.on_value_change(lambda event: self._select_view(event.value))
            ui.space()
            with menu_button("more_horiz", "Template actions"):
                menu_item("Draft with model…", self.proposal.order)
                menu_item("Save to library…", self._shelve)
                menu_item("Start over", self._start_over)
        window = self.draft.window
        window.register_command("template.draft", self.proposal.order)
        window.register_command("template.shelve", self._shelve)
        window.register_command("template.restart", self._start_over)
        return bar

    @property
    def _shows_form(self) -> bool:
        return self._view == "form"

    async def _begin(self, starter: Starter) -> None:
        # The starter reads the saved reference answer, which may have been typed a moment ago.
        if edits := edits_here():
            await edits.finish()
        if starter.in_code:
            self._is_writing = True
            self._switch.value = "code"
        self._enter(starter.write(self.draft.question.raw_answer))
        if self._shows_form:
            self.form.focus()
        else:
            self.editor.reveal(2)

    def _use_draft(self, source: str, to_edit: bool) -> None:
        self._enter(source)
        if to_edit and not self._shows_form:
            self.editor.focus()

    def _shelve(self) -> None:
        SaveTemplate(self.draft.window, self.source)

    def _start_over(self) -> None:
        """Remove the template, so that another starter can be chosen."""
        before = self.source
        self._is_writing = False
        self._enter("")
        self.offer_undo("Template removed.", before)

    def calibrate(self, name: str) -> None:
        """Open the calibration of a field."""
        target = CalibrationTarget(self.draft.benchmark_id, self.draft.number, "field", name)
        ui.navigate.to(calibration_address(target))

    def offer_undo(self, message: str, source: str) -> None:
        self.draft.window.notify(message, undo=lambda: self._enter(source))

    def _enter(self, source: str) -> None:
        """Replace the template, as if it were typed."""
        if not self._shows_form:
            self.editor.replace(source, instead_of=None)
            return
        self.on_form_edit(source)
        self.form.show(source)
        self._choose_view()

    def _select_view(self, name: str) -> None:
        if name == self._view:
            return
        # A control that is hidden does not report that it lost the focus.
        self.edit.leave()
        self._view = self.draft.window.preferences.template_view = name
        # On a slow connection a replacement arrives after the first keystrokes, so none is sent without need.
        if name == "code" and self.source != (self.editor.value or ""):
            self.editor.replace(self.source, instead_of=None)
        self._choose_view()
        self._draw_state()  # its words and links are those of the view

    def reveal(self, target: str) -> None:
        """Move the focus to a place, see `CheckItem`."""
        kind, _, rest = target.partition(":")
        if kind == "field":
            self.reveal(f"line:{line_of_field(rest, self.source) or ''}")
        elif kind == "samples":
            self.below.reveal_samples()
        elif kind == "line" and rest.isdecimal():
            card = self.form.card_at(int(rest)) if self._shows_form else None
            card.focus() if card is not None else self.show_code(int(rest))
        elif self.starters.visible:
            focus_on(self.starters)
        else:
            self.form.focus() if self._shows_form else self.editor.focus()

    def show_code(self, line: int | None) -> None:
        """Show the code, at a line (from 1)."""
        self._switch.value = "code"
        if line is not None:
            self.editor.reveal(line)
        else:
            self.editor.focus()

    def _on_edit(self) -> None:
        """Process an edit of the code."""
        # While the form is shown, the editor only reports older text that it was given.
        if not self._shows_form:
            # An author who empties the editor to write other code goes on writing.
            self._is_writing |= self._has_focus
            self._change(self.editor.value or "")
            self._choose_view()

    def on_form_edit(self, source: str) -> None:
        self._change(source)

    def _change(self, source: str) -> None:
        self.source = source
        self.edit.type(source)
        self._clear_results()
        self._settle_soon(PAUSE)

    def on_focus(self, inside: bool) -> None:
        self._has_focus = inside
        self.edit.enter() if inside else self.edit.leave()

    def follow(self, text: str) -> None:
        """Show a remote change. The editor reports it like an edit."""
        if self._shows_form:
            self._enter(text)
        else:
            self.editor.replace(text, instead_of=self.source)

    def set_value(self, text: str) -> None:
        self._enter(text)

    def show_status(self) -> None:
        if not self.editor.is_deleted:
            self.conflict_panel.show()
            if self._problem_shown != self.edit.problem:
                self._settle_soon(0)

    def _choose_view(self) -> None:
        """Show the starters, the form, or the code."""
        starts = not self.source.strip() and not self._is_writing
        self.starters.set_visibility(starts)
        self._bar.set_visibility(not starts)
        self.form.element.set_visibility(not starts and self._shows_form)
        self.editor.set_visibility(not starts and not self._shows_form)
        if not starts and self._shows_form:
            self.form.show(self.source)

    def _clear_results(self) -> None:
        """Clear the problems and the verdict: they refer to older text."""
        if self._checking:
            return
        self._checking, self._checked = True, None
        self.editor.show_problems([])
        self.state.clear()
        with self.state:
            ui.label("Checking…").classes("hint")
        self.below.wait()

    def _settle_soon(self, pause: float) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = background_tasks.create(self._settle(pause), name="check a template", context=self.editor)

    async def _settle(self, pause: float) -> None:
        await asyncio.sleep(pause)
        source = self.source
        if self.editor.is_deleted:
            return
        # The check may run the template in the sandbox, which would block the event loop.
        result = await run.io_bound(self._examine, source) if source.strip() else (None, [])
        # Newer text is being checked, or the tab is closed: this result is outdated.
        if result is not None and not self.editor.is_deleted and source == self.source:
            with self.state:
                self._show(source, *result)

    def _examine(self, source: str) -> tuple[TemplateOutline, list[MutationCase]]:
        """Check a template, and try wrong values on it."""
        draft, editor = self.draft, self.draft.editor
        outline = editor.check_template(draft.benchmark_id, draft.number, source)
        return outline, editor.mutations(draft.benchmark_id, draft.question, source, outline)

    def _show(self, source: str, outline: TemplateOutline | None, mutations: list[MutationCase]) -> None:
        problems = list(outline.problems) if outline else []
        leaks = [] if outline is None else leak_problems(source, outline)
        problems += [*leaks, *mutation_problems(source, mutations, problems)]
        problem = self._problem_shown = self.edit.problem
        if problem:
            problems.insert(0, TemplateProblem(message=problem))
        self._checking, self._checked = False, (outline, problems)
        self.editor.show_problems(with_plain_messages(problems))
        self._draw_state()
        outline = outline or TemplateOutline(valid=False)
        self.form.show_outline(outline, problems)
        self.below.show(source, outline, [leak.message for leak in leaks])

    def _draw_state(self) -> None:
        if self._checked is None:
            return
        self.state.clear()
        with self.state:
            draw_state(*self._checked, self._link_to_line, self.draft.benchmark_id, in_form=self._shows_form)

    def _link_to_line(self, line: int) -> None:
        """Link to the field at a line in the form, else to the line in the code."""
        card = self.form.card_at(line) if self._shows_form else None
        if card is not None:
            button(card.field.name, card.focus, look="quiet")
        elif self._shows_form:
            button(f"Line {line}", lambda: self.show_code(line), look="quiet")
        else:
            button(f"Line {line}", lambda: self.editor.reveal(line), look="quiet")


def _editor_text(question: Question) -> str:
    """Return the template as the editor shows it. A default template is empty."""
    source = question.answer_template
    return "" if source is None or is_default_template(source) else "\n".join(_LINE_ENDS.split(source))


def _changes(_: Question, source: str) -> dict[str, Any]:
    """Return the change of the question. Raises `InputError` if the source is too long."""
    if len(source) > LARGEST:
        raise InputError(f"The template is too long ({len(source):,} characters; maximum {LARGEST:,}).")
    return {"answer_template": source if source.strip() else None}


_LINE_ENDS = re.compile(r"\r\n?|\n")
"""Line ends of any platform. CodeMirror uses only line feeds."""


def draw_state(
    outline: TemplateOutline | None,
    problems: Sequence[TemplateProblem],
    link: Callable[[int], None],
    benchmark_id: int,
    *,
    in_form: bool,
) -> None:
    """Draw the result of a check.

    `outline`: None if there is no template. `link`: draws a link to a line of the source. `in_form`: the form is shown,
    not the code.
    """
    if outline is None and not problems:
        ui.label("No template yet.").classes("hint")
    elif not problems and outline is not None:
        _draw_valid(outline)
    _draw_to_do(problems, link, in_form=in_form)
    for problem in problems:
        _draw_problem(problem, link, in_form=in_form)
    if outline is not None and outline.fault == "refused":
        _offer_trust(benchmark_id)


def _offer_trust(benchmark_id: int) -> None:
    """Link to the page on which the user can trust the benchmark."""
    with ui.element("div").classes("problem"):
        ui.icon("lock_open")
        ui.link("Trust this benchmark’s code", f"/benchmarks/{benchmark_id}/details")


def _draw_problem(problem: TemplateProblem, link: Callable[[int], None], *, in_form: bool) -> None:
    if problem.unfinished and problem.line is not None:
        return  # see `_draw_to_do`
    with ui.element("div").classes(f"problem problem-{problem.severity}"):
        ui.icon("error" if problem.severity == "error" else "warning")
        if problem.line is not None:
            link(problem.line)
        ui.label(plain_message(problem.message, in_form=in_form))


def _draw_to_do(problems: Sequence[TemplateProblem], link: Callable[[int], None], *, in_form: bool) -> None:
    """Say neutrally what a new template still lacks."""
    lines = sorted({problem.line for problem in problems if problem.unfinished and problem.line is not None})
    if not lines:
        return
    with ui.element("div").classes("problem problem-to-do"):
        ui.icon("radio_button_unchecked")
        ui.label(f"Still to do: {'each empty box and “…”' if in_form else 'each “…”'} in").classes("shrinks")
        for line in lines:
            link(line)


def _draw_valid(outline: TemplateOutline) -> None:
    judging = "filled in by a judge" if outline.needs_judge else "no judge needed"
    counted = [quantity(len(of), noun) for of, noun in ((outline.fields, "field"), (outline.regex, "pattern")) if of]
    parts = [*counted, judging, _EXECUTIONS.get(outline.execution or "")]
    with ui.element("div").classes("problem problem-none"):
        ui.icon("check_circle")
        ui.label(f"No problems: {', '.join(filter(None, parts))}.")


_EXECUTIONS = {
    "data": "read without running code",
    "monty": "sandboxed plain code",
    "locked": "sandboxed full Python",
    "unlocked": "unsandboxed full Python",
}


def leak_problems(source: str, outline: TemplateOutline) -> list[TemplateProblem]:
    """Warnings about what gives the answer away; empty for a template with errors."""
    return [_warning(source, leak) for leak in leaks(outline)] if outline.valid else []


def _warning(source: str, leak: Leak) -> TemplateProblem:
    return TemplateProblem(message=leak_sentence(leak), severity="warning", line=line_of_field(leak.field, source))


def mutation_problems(
    source: str, cases: Sequence[MutationCase], problems: Sequence[TemplateProblem] = ()
) -> list[TemplateProblem]:
    """Warnings about cases that are not intended; remarks are left out.

    `problems`: those of the template, which say why a field rejects its own expected value. Such a case is left out.
    """
    return [
        TemplateProblem(message=mutation_sentence(case), severity="warning", line=_line_of(_field_of(case), source))
        for case in cases
        if not is_remark(case) and not (isinstance(case, RefusesExpected) and _is_known(case, source, problems))
    ]


def _is_known(case: RefusesExpected, source: str, problems: Sequence[TemplateProblem]) -> bool:
    """True if a problem names the fields that reject their expected values, or has the words of the error."""
    name, _, reason = case.error.partition(": ")
    lines = {_line_of(field, source) for field in case.fields or [name]} - {None}
    # Another problem of the line, such as a missing description, explains nothing.
    explained = {problem.line for problem in problems if "expected value" in problem.message}
    return bool(lines & explained) or any(reason and reason in problem.message for problem in problems)


def _field_of(case: MutationCase) -> str | None:
    if isinstance(case, AcceptsWrongValues):
        return case.field
    return case.fields[0] if isinstance(case, RefusesExpected) and len(case.fields) == 1 else None


def _line_of(field: str | None, source: str) -> int | None:
    return line_of_field(field, source) if field else None
