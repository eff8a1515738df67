"""Conditions of a run as a list of cards; the first one is the baseline.

A card has the name of a condition and a summary of its differences; expanded, all its settings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from karenina_gui.gui.forms.bound_field import AppliedField
from karenina_gui.gui.forms.form import make_control
from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.kit.elements import (
    button,
    checkbox,
    chip,
    field,
    focus_on,
    icon_button,
    text_area,
    text_input,
)
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.models.agent_fields import SERVER_FIELD, fault_of
from karenina_gui.gui.pages.models.server_list import ServerList
from karenina_gui.gui.pages.run_setup.condition_differences import difference_view, differences
from karenina_gui.gui.pages.run_setup.condition_draft import (
    NOBODY,
    SETTINGS,
    UNFINISHED,
    ConditionDraft,
    Mode,
    free_name,
    name_problem,
    with_and_without_prompt,
    with_and_without_tools,
)
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.records.form_field import Column, Kind
from karenina_gui.gui.records.optimistic_edit import CallbackField
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig

PROMPT, SERVERS = "system_prompt", SERVER_FIELD.name
RULES = {
    "require_mcp_tool_use": (
        "Require at least one MCP tool call",
        "Otherwise an answer that ignored its tools is scored as if it had used them.",
    ),
    "require_mcp_tool_success": (
        "Require at least one successful call",
        "Otherwise a server outage looks like a wrong answer. Answers without any call are not affected.",
    ),
}
"""Title and explanation of each rule by its name in `Condition`."""
OWN = "the model’s own"
_OWN = {"mcp_tool_filter": "for the model’s own servers; servers added here have lists of their own"}
"""Hints of settings that need another one than the model form."""
_PLACEHOLDERS = {"mcp_tool_filter": "all"}
_WIDTHS: dict[Kind, str] = {"number": "run-form-number", "picks": "wide"}


class ConditionList:
    """List of conditions; `changed` is called after changes, `refresh` after changes of the models.

    `restore_apart` receives a deleted condition and its position if it is restored after the page was left.
    """

    def __init__(
        self,
        window: Window,
        choice: RunDraft,
        memory: ChoiceMemory,
        changed: Callable[[], Any],
        restore_apart: Callable[[int, ConditionDraft], Awaitable[None]],
    ) -> None:
        self._window = window
        self._restore_apart = restore_apart
        self._choice = choice
        self._memory = memory
        self._changed = changed
        self._cards: list[ConditionCard] = []
        self._open: list[ConditionDraft] = []
        """Conditions whose card is expanded."""

    @property
    def drafts(self) -> list[ConditionDraft]:
        return self._choice.conditions

    def draw(self) -> None:
        """Draw the list; cards with problems are expanded."""
        self._open += [draft for draft in self.drafts if draft.refused]
        with field("Conditions", "the same questions under different settings, to compare"):
            self._container = ui.element("div").classes("stack wide gap-8")
            self._buttons()
        self._window.listen(self._window.services.keys_changed, self.refresh)
        self._draw()

    def refresh(self) -> None:
        """Refresh everything that depends on other choices."""
        models = self._models()
        for card in self._cards:
            card.refresh(self.drafts, models)

    def is_open(self, draft: ConditionDraft) -> bool:
        # By identity, because a condition and its copy are equal.
        return any(opened is draft for opened in self._open)

    def fold(self, draft: ConditionDraft, *, unfolded: bool) -> None:
        self._open = [opened for opened in self._open if opened is not draft] + ([draft] if unfolded else [])

    def on_edited(self) -> None:
        """Process an edit in a card."""
        self._changed()

    def copy(self, draft: ConditionDraft) -> None:
        """Insert a copy after a condition."""
        copied = draft.copy(self._free(draft.name.strip() or "condition"))
        self._open.append(copied)
        self._insert(self._index_of(draft) + 1, [copied])

    def move(self, draft: ConditionDraft, steps: int) -> None:
        """Move a condition up or down; the first one becomes the baseline."""
        at = self._index_of(draft)
        to = min(max(at + steps, 0), len(self.drafts) - 1)
        self.drafts.insert(to, self.drafts.pop(at))
        self._draw_anew()
        self._cards[to].focus_move(steps)

    def delete(self, draft: ConditionDraft) -> None:
        """Delete a condition, with an Undo button."""
        at = self._index_of(draft)
        del self.drafts[at]
        self._draw_anew()
        if self._cards:
            self._cards[min(at, len(self._cards) - 1)].focus()
        else:
            focus_on(self._add)
        name = f"“{draft.name}”" if draft.name.strip() else f"condition {at + 1}"

        async def undo() -> None:
            if self._container.is_deleted:
                await self._restore_apart(at, draft)
            else:
                self._insert(min(at, len(self.drafts)), [draft])

        self._window.notify(f"Deleted {name}.", undo=undo)

    def _insert(self, at: int, drafts: Sequence[ConditionDraft]) -> None:
        self.drafts[at:at] = drafts
        self._draw_anew()
        self._cards[at].focus()

    def _new(self) -> None:
        draft = ConditionDraft(self._free("condition" if self.drafts else "baseline"))
        self._open.append(draft)
        self._insert(len(self.drafts), [draft])
        self._cards[-1].focus_prompt()

    def _free(self, name: str) -> str:
        return free_name(name, [draft.name for draft in self.drafts])

    def _index_of(self, draft: ConditionDraft) -> int:
        return next(at for at, other in enumerate(self.drafts) if other is draft)

    def _models(self) -> list[ModelConfig]:
        """Return the selected answering models."""
        models = self._window.services.library.models.all()
        return [models[name] for name in self._choice.models if name in models]

    def _draw_anew(self) -> None:
        self._draw()
        self._changed()

    def _draw(self) -> None:
        self._container.clear()
        self._cards = []
        with self._container:
            for number in range(1, len(self.drafts) + 1):
                self._cards.append(ConditionCard(self._window, self.drafts, number, self._memory, self))
            if len(self.drafts) == 1:
                ui.label("Add another condition to compare.").classes("hint")
        self._pairs.set_visibility(not self.drafts)
        self.refresh()

    def _buttons(self) -> None:
        """Draw the buttons."""
        # Apart from the cards, which are redrawn: a click on a button that is being replaced would be lost.
        with ui.element("div").classes("condition-adds flow gap-4"):
            self._add = button("Add condition", self._new, icon="add", look="quiet")
            with ui.element("div").classes("condition-adds condition-pairs flow gap-4") as self._pairs:
                button("Compare tools on/off", lambda: self._pair(with_and_without_tools), look="quiet")
                button("Compare prompt on/off", lambda: self._pair(with_and_without_prompt), look="quiet")

    def _pair(self, made: Callable[[Sequence[ModelConfig]], list[ConditionDraft]]) -> None:
        drafts = made(self._models())
        self._open += [draft for draft in drafts if draft.refused]
        self._insert(0, drafts)
        if open_card := next((card for card in self._cards if PROMPT in card.draft.refused), None):
            open_card.focus_prompt()


class ConditionCard:
    """Card of a condition; `refresh` after changes of other conditions or of the models."""

    def __init__(
        self,
        window: Window,
        drafts: Sequence[ConditionDraft],
        number: int,
        memory: ChoiceMemory,
        actions: ConditionList,
    ) -> None:
        self._window, self._number, self._memory, self._actions = window, number, memory, actions
        self._drafts, self.draft = drafts, drafts[number - 1]
        self._parts: ConditionParts | None = None
        self._seen = ""
        """Differences as last drawn."""
        with (
            ui.element("div")
            .classes("condition-card stack wide card shrinks gap-4")
            .props(f'role="group" {aria_label(f"Condition {number}")}')
        ):
            self._head(is_last=number == len(drafts))
            self._name = AppliedField(self._name_input, self._rename)
            memory.keep_in_browser(f"condition-{number - 1}.name", self._name_input)
            self._difference = ui.html("").classes("condition-difference")
            self._body = ui.element("div").classes("condition-body stack gap-14")
        self._show_body()

    def focus(self) -> None:
        focus_on(self._name_input)

    def focus_prompt(self) -> None:
        """Ask for the prompt of an expanded card first: most conditions differ by it."""
        if self._parts is not None:
            focus_on(self._parts.prompt)

    def focus_move(self, steps: int) -> None:
        """Keep the focus on the button after a move, so that the card can be moved again."""
        there, back = self._moves[steps], self._moves[-steps]
        focus_on(there if there.enabled else back)

    def refresh(self, drafts: Sequence[ConditionDraft], models: Sequence[ModelConfig]) -> None:
        self._name.show(_refusal(name_problem(self.draft, drafts)))
        if self._parts is not None:
            self._parts.refresh()
        baseline = drafts[0]
        if self.draft is not baseline:
            self._show_difference(baseline, models)

    def _show_difference(self, baseline: ConditionDraft, models: Sequence[ModelConfig]) -> None:
        before = baseline.condition
        changes = differences(before, self.draft.condition, models)
        unwritten = not changes and (
            self.draft.refused or baseline.refused
        )  # unknown until the invalid input is corrected
        content = "" if unwritten else difference_view(before, changes)
        if content != self._seen:  # a redraw would collapse expanded texts
            self._seen = content
            self._difference.set_content(content)

    def _head(self, *, is_last: bool) -> None:
        number, actions, draft = self._number, self._actions, self.draft
        with ui.element("div").classes("condition-top line gap-2"):
            self._fold = icon_button("chevron_right", f"Settings of condition {number}", self._toggle)
            self._name_input = text_input(f"Condition {number} name", draft.name, placeholder="Name")
            if number == 1:
                with chip("Baseline"):
                    ui.tooltip("Other conditions are compared with this one.")
            up = icon_button("arrow_upward", f"Move condition {number} up", lambda: actions.move(draft, -1))
            down = icon_button("arrow_downward", f"Move condition {number} down", lambda: actions.move(draft, 1))
            up.set_enabled(number > 1)
            down.set_enabled(not is_last)
            self._moves = {-1: up, 1: down}
            icon_button("content_copy", f"Copy condition {number}", lambda: actions.copy(draft))
            icon_button("delete_outline", f"Delete condition {number}", lambda: actions.delete(draft))

    def _rename(self, name: str) -> str | None:
        self.draft.set_text("name", name)
        self._actions.on_edited()
        return _refusal(name_problem(self.draft, self._drafts))

    def _toggle(self) -> None:
        self._actions.fold(self.draft, unfolded=not self._actions.is_open(self.draft))
        self._show_body()

    def _show_body(self) -> None:
        is_open = self._actions.is_open(self.draft)
        self._fold.set_icon("expand_more" if is_open else "chevron_right")
        self._fold.props(f'aria-expanded="{str(is_open).lower()}"')
        self._body.set_visibility(is_open)
        # Built at the first expansion, because a card has dozens of elements.
        if is_open and self._parts is None:
            with self._body:
                self._parts = ConditionParts(
                    self._window, self.draft, self._number, self._memory, self._actions.on_edited
                )


class ConditionParts:
    """Controls of a condition in its expanded card; every change goes into the draft, then `edited` is called."""

    def __init__(
        self, window: Window, draft: ConditionDraft, number: int, memory: ChoiceMemory, edited: Callable[[], Any]
    ) -> None:
        self._window, self._draft, self._edited = window, draft, edited
        self._of = f"condition {number}"
        """Name of the condition for screen readers."""
        self._memory, self._path = memory, f"condition-{number - 1}"
        self._radios: dict[str, ui.radio] = {}
        self._asks_prompt = True
        """True until a source of the prompt is chosen, for example by typing one."""
        with field("System prompt"):
            self._by_mode("System prompt source", PROMPT, self._prompt)
        with field("MCP servers", "tools for the models"):
            self._by_mode("MCP server source", SERVERS, self._tool_servers)
        head = field("Settings", "checked settings override the model’s own")
        with head, ui.element("div").classes("condition-settings"):
            for name in SETTINGS:
                self._setting(name)
        for name, (title, why) in RULES.items():
            with ui.element("div").classes("option option-switch"):
                box = checkbox(title, draft.flag(name), name=f"{title}, {self._of}")
                box.props["aria-describedby"] = ui.label(why).classes("hint").html_id
                box.on_value_change(lambda event, name=name: self._set_rule(name, on=bool(event.value)))
        with field("Description", "optional"):
            self._text("description", text_input(f"Description, {self._of}", draft.text("description")))

    def refresh(self) -> None:
        """Refresh the warnings about environment variables."""
        self._servers.refresh()

    def _text(self, part: str, control: ui.input) -> AppliedField:
        """Bind a text of the condition, which the browser keeps until it is saved."""
        text = AppliedField(control, partial(self._set_text, part))
        self._memory.keep_in_browser(f"{self._path}.{part}", control)
        return text

    def _set_text(self, part: str, text: str) -> str | None:
        # A delayed keystroke may arrive after the mode has changed.
        if part == "prompt" and not self._takes_prompt(text):
            return None
        problem = self._draft.set_text(part, text)
        if part == "prompt":
            self._radios[PROMPT].set_value("these")
        self._edited()
        return _refusal(problem)

    def _takes_prompt(self, text: str) -> bool:
        mode = self._draft.mode(PROMPT)
        return mode == "these" or (mode == "own" and self._asks_prompt and bool(text.strip()))

    def _is_shown(self, name: str) -> bool:
        """True if the controls of the condition's own value are shown."""
        mode = self._draft.mode(name)
        return mode == "these" or (mode == "own" and name == PROMPT and self._asks_prompt)

    def _set_rule(self, name: str, *, on: bool) -> None:
        self._draft.set_field(name, on)
        self._edited()

    def _by_mode(self, title: str, name: str, draw: Callable[[], Callable[[], None]]) -> None:
        """Draw the choice between the model's own value, none, and that of the condition.

        `draw` draws the latter's controls, and returns a function that shows the draft in them.
        """
        modes: dict[Mode, str] = {"own": "The model’s own", "none": "None", "these": "Custom"}
        radio = self._radios[name] = ui.radio(modes, value=self._draft.mode(name)).classes("run-form-radio")
        radio.props(f"inline dense {aria_label(f'{title}, {self._of}')}")
        with ui.element("div").classes("wide") as container:
            refresh = draw()

        def show() -> None:
            container.set_visibility(self._is_shown(name))
            refresh()

        def choose(mode: Mode) -> None:
            self._asks_prompt = self._asks_prompt and name != PROMPT
            self._draft.choose(name, mode)
            show()
            self._edited()

        show()
        radio.on_value_change(lambda event: choose(event.value))

    def _prompt(self) -> Callable[[], None]:
        self.prompt = text_area(f"System prompt, {self._of}", self._draft.prompt)
        text = self._text("prompt", self.prompt)

        def refresh() -> None:
            if self._draft.mode(PROMPT) == "these" and text.control.value != self._draft.prompt:
                text.control.set_value(self._draft.prompt)
            text.show(_refusal(self._draft.problem(PROMPT)))

        return refresh

    def _tool_servers(self) -> Callable[[], None]:
        keys = self._window.services.runs.models.keys

        def save(rows: list[dict[str, Any]]) -> str | None:
            if self._draft.mode(SERVERS) != "these":
                return None
            problem = self._draft.write_servers(rows)
            self._edited()
            return _refusal(problem)

        self._servers = ServerList(
            CallbackField(self._draft.servers, save),
            lambda variable: keys.origin(variable) is not None,
            lambda row: fault_of(row, NOBODY),
        )
        return lambda: None

    # Settings: one line each with a checkbox that enables it

    def _setting(self, name: str) -> None:
        title = SETTINGS[name].title
        box = checkbox(title, self._draft.is_given(name), name=f"{title}, {self._of}")
        container = ui.element("div").classes("condition-setting stack shrinks")

        def draw() -> None:
            container.clear()
            with container:
                if self._draft.is_given(name):
                    self._setting_control(name)
                else:
                    ui.label(_OWN.get(name, OWN)).classes("hint condition-own")

        def tick(on: bool) -> None:
            if on:
                self._draft.set_setting(name, self._draft.control_value(name))
            else:
                self._draft.unset_setting(name)
            draw()
            self._edited()

        draw()
        box.on_value_change(lambda event: tick(bool(event.value)))

    def _setting_control(self, name: str) -> None:
        spec, value = SETTINGS[name], self._draft.control_value(name)

        def save(entered: Any) -> str | None:
            problem = self._draft.set_setting(name, entered)
            self._edited()
            return problem

        if spec.kind == "rows":
            ui.label(spec.hint).classes("hint")
            columns = [Column("name", "Name"), Column("value", "Value")]
            FormRows(columns, spec.add, CallbackField(value, save), name=spec.title)
            return
        control = make_control(spec, value, f"{spec.title} value, {self._of}", _PLACEHOLDERS.get(name, ""))
        hint = ui.label(spec.hint).classes("hint")
        error = AppliedField(control.classes(_WIDTHS.get(spec.kind, "")), save, self._draft.problem(name)).error
        control.props["aria-describedby"] = f"{hint.html_id} {error.html_id}"


def _refusal(problem: str | None) -> str | None:
    """Return the problem of what was entered; None: it is only missing, as the plan says."""
    return None if problem in UNFINISHED else problem
