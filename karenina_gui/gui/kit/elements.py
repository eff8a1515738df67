"""Basic elements with the application's look and accessible names."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, ParamSpec

from nicegui import ui

from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.session.nicegui_internals import set_unseen, throttle_value
from karenina_gui.gui.session.window import Window

P = ParamSpec("P")
ButtonLook = Literal["main", "plain", "quiet"]


def button(
    text: str, on_click: Callable[..., Any] | None = None, *, icon: str | None = None, look: ButtonLook = "plain"
) -> ui.button:
    """Button: `main` for the main action of a page, `plain` with a border, `quiet` without."""
    made = ui.button(text, icon=icon, color=None, on_click=on_click and one_at_a_time(on_click))
    return made.props("flat dense no-caps").classes(f"button button-{look}")


def one_at_a_time(action: Callable[P, Any]) -> Callable[P, Any]:
    """Wrap an action so that calls during an unfinished one are ignored, because writes may take long."""
    busy = False

    @wraps(action)
    def act(*args: P.args, **kwargs: P.kwargs) -> Any:
        nonlocal busy
        if busy:
            return None
        outcome = action(*args, **kwargs)
        if not inspect.iscoroutine(outcome):  # dialogs are awaitable too, and awaiting opens them
            return outcome
        busy = True
        return finish(outcome)

    async def finish(outcome: Awaitable[Any]) -> Any:
        nonlocal busy
        try:
            return await outcome
        finally:
            busy = False

    return act


def icon_button(icon: str, name: str, on_click: Callable[..., Any] | None = None) -> ui.button:
    """Button with only an icon; `name` is its tooltip and its accessible name."""
    made = (
        ui.button(icon=icon, color=None, on_click=on_click and one_at_a_time(on_click))
        .props(f"flat dense {aria_label(name)}")
        .classes("icon-button")
    )
    with made:
        ui.tooltip(name).classes("tip-short")
    return made


@contextmanager
def menu_button(icon: str, name: str) -> Iterator[ui.button]:
    """Icon button that opens a menu of the items built in the context; arrow keys move in it (`menu_keys.js`)."""
    made = icon_button(icon, name)
    made.props('aria-haspopup="menu"')
    with made, ui.menu().props(f'auto-close role="menu" {aria_label(name)}').classes("menu"):
        yield made


def menu_item(title: str, on_click: Callable[[], Any]) -> None:
    item = ui.menu_item(title).props('role="menuitem"').classes("menu-item")
    # Once the menu has closed, which gives the focus back to its button: the action may move it on.
    item.on("click", on_click, args=[], js_handler="() => afterMenu(emit)")


def fold(window: Window, name: str, title: str, *, unfolded: bool = False) -> ui.expansion:
    """Part of a page that is behind its title, and stays open for the user who opened it.

    `name`: under which that is saved. `unfolded`: open in any case, because something in it is set or needs attention.
    """
    made = ui.expansion(title, value=unfolded or window.preferences.is_unfolded(name))
    made.on_value_change(lambda event: window.preferences.save_unfolded(name, bool(event.value)))
    return made.props("dense")


def help_button(subject: str, text: str) -> ui.button:
    """Question mark that shows an explanation."""
    made = icon_button("help_outline", f"About {subject}").props('aria-haspopup="dialog"').classes("help-button")
    with made, ui.menu().props(f'role="dialog" {aria_label(subject)}').classes("menu help-text"):
        ui.label(text)
    return made


def leaves_focus(made: ui.button) -> ui.button:
    """Move the focus to the first control beside a button that disappears on use, if a key pressed it."""
    made.on("click", js_handler=TO_THE_FIRST)
    return made


TO_THE_FIRST = """(e) => {
  if (e.detail) return;  // by a mouse
  const beside = e.target.closest("[role=search], .filters").querySelectorAll("input");
  [...beside].find((each) => each.checkVisibility())?.focus();
}"""


@contextmanager
def toolbar(label: str | None = None) -> Iterator[ui.element]:
    """Row of controls above a pane; `label` makes it a toolbar with that name."""
    with ui.element("div").classes("bar") as row:
        if label:
            row.props(f'role="toolbar" {aria_label(label)}')
        yield row


@contextmanager
def pane(label: str, *, classes: str = "") -> Iterator[ui.element]:
    """Section that fills the available space; `label` is its accessible name."""
    with ui.element("section").classes(f"pane {classes}").props(aria_label(label)) as section:
        yield section


@contextmanager
def scrolling(label: str | None = None) -> Iterator[ui.element]:
    """Scrolling part of a pane, which the keyboard can reach."""
    with ui.element("div").classes("scroll").props('tabindex="0"') as area:
        if label:
            area.props(f'role="region" {aria_label(label)}')
        yield area


def heading(text: str, level: int = 2) -> ui.label:
    return ui.label(text).classes(f"h{level}").props(f'role="heading" aria-level="{level}"')


@contextmanager
def empty_state(icon: str, title: str, text: str = "", *, level: int = 2) -> Iterator[ui.element]:
    """Placeholder of an empty list: its purpose, and below it the next actions.

    `level` 1: it is the only heading of its page.
    """
    with ui.element("div").classes("empty") as element:
        ui.icon(icon).classes("empty-icon")
        ui.label(title).classes("empty-title").props(f'role="heading" aria-level="{level}"')
        if text:
            ui.label(text).classes("empty-text")
        with ui.element("div").classes("empty-actions flow gap-8"):
            yield element


def chip(text: str, tone: Literal["plain", "good", "warn", "bad"] = "plain") -> ui.label:
    return ui.label(text).classes(f"chip chip-{tone}")


def key_values(rows: list[tuple[str, str]]) -> None:
    """List of names and values in two columns."""
    with ui.element("dl").classes("facts"):
        for name, value in rows:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)


@contextmanager
def field(label: str, hint: str = "") -> Iterator[ui.element]:
    """Labeled place in a form; its controls need an `aria-label` of their own."""
    with ui.element("div").classes("field") as element:
        with ui.element("div").classes("field-head flow gap-8"):
            ui.label(label).classes("field-label")
            if hint:
                ui.label(hint).classes("hint")
        yield element


def text_input(label: str, value: str = "", *, placeholder: str = "", on_change: Any = None) -> ui.input:
    """Single-line text input; `label` is its accessible name."""
    made = ui.input(value=value, placeholder=placeholder, on_change=on_change)
    return made.props(f'outlined dense debounce="400" {aria_label(label)}').classes("input")


def text_area(label: str, value: str = "", *, placeholder: str = "") -> ui.textarea:
    """Multi-line text input that grows with its text."""
    made = ui.textarea(value=value, placeholder=placeholder)
    return made.props(f'outlined dense autogrow debounce="400" {aria_label(label)}').classes("input area")


def number_input(
    label: str, value: float | None = None, *, placeholder: str = "", step: float | None = None
) -> ui.number:
    """Number input; `label` is its accessible name."""
    made = ui.number(value=value, placeholder=placeholder or None, step=step)
    return made.props(f"outlined dense {aria_label(label)}").classes("input")


def select(
    label: str,
    options: Mapping[Any, str] | Sequence[str],
    value: Any,
    *,
    on_change: Callable[..., Any] | None = None,
    multiple: bool = False,
    searchable: bool = False,
) -> ui.select:
    """Selection of a text, or of a value by its title; `label` is its accessible name.

    `multiple`: the value is a list. `searchable`: typing filters the options.
    """
    copied = dict(options) if isinstance(options, Mapping) else list(options)
    made = ui.select(copied, value=value, on_change=on_change, multiple=multiple, with_input=searchable)
    return made.props(f"outlined dense options-dense {'use-chips ' * multiple}{aria_label(label)}").classes("input")


def checkbox(title: str, value: bool = False, *, name: str = "") -> ui.checkbox:
    """Checkbox; `name` is its accessible name, if it is not the title."""
    return ui.checkbox(title, value=value).props(f"dense {aria_label(name or title)}")


TYPED = 0.2
"""Seconds between messages of typed text in fields that are saved during typing."""


def sent_while_typing(control: ui.input) -> ui.input:
    """Send typed text also during uninterrupted typing, so that a crash loses at most a second of it."""
    control.props(remove="debounce")
    throttle_value(control, TYPED)
    # A `change` event sends the rest at once, so that the next action comes after it. The control must not be updated
    # by it: the browser may hold more text by now.
    # The browser shows it already, and maybe more by now.
    control.on("change", lambda event: set_unseen(control, str(event.args or "")), js_handler="(text) => emit(text)")
    return control


def on_enter(control: ui.input, action: Callable[[], Any]) -> None:
    """Run an action when Enter is pressed, after the control's current text has arrived."""
    control.on("keydown.enter", action, args=[], js_handler=_AFTER_ITS_TEXT)


_AFTER_ITS_TEXT = """(event) => {
  event.target.dispatchEvent(new Event("change", { bubbles: true }));
  setTimeout(emit); // the text is sent a moment later
}"""


def focus_on(control: ui.element, *, select: str = "") -> None:
    """Move the keyboard focus to a control. `select`: first text to select in it, so that typing replaces it."""
    control.client.run_javascript(
        f"{{ const place = getHtmlElement({control.id}); const fits = 'input, textarea, button';"
        " const found = place?.matches(fits) ? place : place?.querySelector(fits); found?.focus();"
        f" const text = {json.dumps(select)}, start = text ? (found?.value ?? '').indexOf(text) : -1;"
        " if (start >= 0) found.setSelectionRange(start, start + text.length); }"
    )


def hold_typing(opener: ui.element, field: str) -> None:
    """Keep what is typed after a click on `opener` for a field that appears then; `field`: its CSS selector."""
    opener.props["data-typing-goes-to"] = field


def splitter(
    window: Window, name: str, percent: float, *, limits: tuple[float, float] = (20, 75), stacked: bool = False
) -> ui.splitter:
    """Two panes whose sizes are saved under a name; `stacked`: one above the other."""
    size = window.preferences.split_size(name, percent)
    panes = ui.splitter(horizontal=stacked, value=size, limits=limits)
    with panes.separator:
        handle = ui.element("div").classes("split-handle").props('role="separator" tabindex="0"')
        handle.props(f'aria-label="Size of the panes" aria-orientation="{"horizontal" if stacked else "vertical"}"')
        handle.props(f'aria-valuemin="{limits[0]:g}" aria-valuemax="{limits[1]:g}" aria-valuenow="{size:.0f}"')

    def save_size(percent: float) -> None:
        window.preferences.save_split_size(name, round(percent, 1))
        handle.props(f'aria-valuenow="{percent:.0f}"')

    def move(step: float) -> None:
        panes.value = min(max((panes.value or 0) + step, limits[0]), limits[1])

    panes.on_value_change(lambda event: save_size(event.value))
    handle.on("keydown", lambda event: move(float(event.args)), js_handler=_BY_ARROWS)
    return panes.classes("split")


_BY_ARROWS = """(event) => {
    const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    emit(step);
}"""


def note(text: str, tone: Literal["plain", "good", "warn", "bad"] = "plain") -> ui.element:
    """Highlighted message."""
    icons = {"plain": "info", "good": "check_circle", "warn": "warning", "bad": "error"}
    with ui.element("div").classes(f"note note-{tone}") as element:
        ui.icon(icons[tone])
        ui.label(text).classes("note-text")
    if tone == "bad":
        element.props('role="alert"')
    return element
