"""Small pieces that every page uses, so that they look and sound the same everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, ParamSpec

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.quoting import aria_label

P = ParamSpec("P")
ButtonLook = Literal["main", "plain", "quiet"]


def button(
    text: str, on_click: Callable[..., Any] | None = None, *, icon: str | None = None, look: ButtonLook = "plain"
) -> ui.button:
    """`main` is the one thing to do on a page, `plain` has a border, `quiet` has none."""
    made = ui.button(text, icon=icon, color=None, on_click=on_click and one_at_a_time(on_click))
    return made.props("flat dense no-caps").classes(f"btn btn-{look}")


def one_at_a_time(action: Callable[P, Any]) -> Callable[P, Any]:
    """The same action, which does nothing while an earlier call of it is being awaited: a write may have to wait."""
    busy = False

    @wraps(action)
    def act(*args: P.args, **kwargs: P.kwargs) -> Any:
        nonlocal busy
        if busy:
            return None
        outcome = action(*args, **kwargs)
        if not inspect.iscoroutine(outcome):  # a dialog can be awaited, too, which opens it
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
    """A button that shows an icon only; `name` is its tooltip and what a screen reader says."""
    made = (
        ui.button(icon=icon, color=None, on_click=on_click and one_at_a_time(on_click))
        .props(f"flat dense {aria_label(name)}")
        .classes("ib")
    )
    with made:
        ui.tooltip(name).classes("tip-short")
    return made


@contextmanager
def menu_button(icon: str, name: str) -> Iterator[ui.button]:
    """A button with an icon that opens a menu of the items made inside; arrows go through them (`keyboard.js`)."""
    made = icon_button(icon, name)
    made.props('aria-haspopup="menu"')
    with made, ui.menu().props(f'auto-close role="menu" {aria_label(name)}').classes("mn"):
        yield made


def menu_item(title: str, on_click: Callable[[], Any]) -> None:
    ui.menu_item(title, on_click).props('role="menuitem"').classes("mn-item")


def leaves_focus(made: ui.button) -> ui.button:
    """A button that is gone once it was used: whoever pressed it by a key goes on at the first control beside it."""
    made.on("click", js_handler=TO_THE_FIRST)
    return made


TO_THE_FIRST = """(e) => {
  if (e.detail) return;  // by a mouse
  const beside = e.target.closest("[role=search], .filters").querySelectorAll("input");
  [...beside].find((each) => each.checkVisibility())?.focus();
}"""


@contextmanager
def bar(label: str | None = None) -> Iterator[ui.element]:
    """A row of controls above a pane; `label` names it where it is a toolbar."""
    with ui.element("div").classes("bar") as row:
        if label:
            row.props(f'role="toolbar" {aria_label(label)}')
        yield row


@contextmanager
def pane(label: str, *, classes: str = "") -> Iterator[ui.element]:
    """A region that fills its place; `label` names it for screen readers."""
    with ui.element("section").classes(f"pane {classes}").props(aria_label(label)) as section:
        yield section


@contextmanager
def scrolling(label: str | None = None) -> Iterator[ui.element]:
    """The part of a pane that scrolls; reachable by keyboard."""
    with ui.element("div").classes("scroll").props('tabindex="0"') as area:
        if label:
            area.props(f'role="region" {aria_label(label)}')
        yield area


def heading(text: str, level: int = 2) -> ui.label:
    return ui.label(text).classes(f"h{level}").props(f'role="heading" aria-level="{level}"')


@contextmanager
def empty_state(icon: str, title: str, text: str = "", *, level: int = 2) -> Iterator[ui.element]:
    """What stands where there is nothing yet: what this place is for, and below it what to do next.

    `level` 1: it is the only heading of its page.
    """
    with ui.element("div").classes("empty") as place:
        ui.icon(icon).classes("empty-icon")
        ui.label(title).classes("empty-title").props(f'role="heading" aria-level="{level}"')
        if text:
            ui.label(text).classes("empty-text")
        with ui.element("div").classes("empty-actions"):
            yield place


def chip(text: str, tone: Literal["plain", "good", "warn", "bad"] = "plain") -> ui.label:
    return ui.label(text).classes(f"chip chip-{tone}")


def key_values(rows: list[tuple[str, str]]) -> None:
    """Names on the left, values on the right."""
    with ui.element("dl").classes("kv"):
        for name, value in rows:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)


@contextmanager
def field(label: str, hint: str = "") -> Iterator[ui.element]:
    """A labelled place in a form; what is drawn inside gets its own aria-label."""
    with ui.element("div").classes("field") as place:
        with ui.element("div").classes("field-head"):
            ui.label(label).classes("field-label")
            if hint:
                ui.label(hint).classes("field-hint")
        yield place


def text_input(label: str, value: str = "", *, placeholder: str = "", on_change: Any = None) -> ui.input:
    """One line, in the look of the application; `label` is for screen readers."""
    made = ui.input(value=value, placeholder=placeholder, on_change=on_change)
    return made.props(f'outlined dense debounce="400" {aria_label(label)}').classes("inp")


def text_area(label: str, value: str = "", *, placeholder: str = "") -> ui.textarea:
    """Several lines; grows with its text."""
    made = ui.textarea(value=value, placeholder=placeholder)
    return made.props(f'outlined dense autogrow debounce="400" {aria_label(label)}').classes("inp area")


TYPED = 0.2
"""Seconds between two messages of what is being typed, where it is saved while somebody types."""


def sent_while_typing(control: ui.input) -> ui.input:
    """Sends what is typed also while the typing does not pause, so that a break-down costs a second at most.

    A `change` event of the browser sends the last of it at once, so that whatever is done next comes after it.
    """
    control.props(remove="debounce")
    for listener in control._event_listeners.values():
        if listener.type.startswith("update:"):
            listener.throttle = TYPED

    # The browser shows it already, and maybe more by now.
    control.on("change", lambda event: set_unseen(control, str(event.args or "")), js_handler="(text) => emit(text)")
    return control


def set_unseen(control: ValueElement[Any], value: Any) -> None:
    """Give a control this value without telling the browser to show it."""
    control._send_update_on_value_change = False
    control.set_value(value)
    control._send_update_on_value_change = True
    if isinstance(control, ui.codemirror):  # counts its signs by what the browser sends, which it did not get here
        control._codepoints = control._encode_codepoints(value or "")


def on_enter(control: ui.input, action: Callable[[], Any]) -> None:
    """Do this when Enter is pressed, with what stands in the control at that moment."""
    control.on("keydown.enter", action, args=[], js_handler=_AFTER_ITS_TEXT)


_AFTER_ITS_TEXT = """(event) => {
  event.target.dispatchEvent(new Event("change", { bubbles: true }));
  setTimeout(emit); // the text is sent a moment later
}"""


def focus_on(control: ui.element) -> None:
    """Put the keyboard's focus into a control."""
    control.client.run_javascript(
        f"{{ const place = getHtmlElement({control.id}); const fits = 'input, textarea, button';"
        " (place?.matches(fits) ? place : place?.querySelector(fits))?.focus(); }"
    )


def splitter(
    window: Window, name: str, percent: float, *, limits: tuple[float, float] = (20, 75), stacked: bool = False
) -> ui.splitter:
    """Two panes whose sizes are remembered under this name; `stacked`: one above the other."""
    kept = window.preferences.split(name, percent)
    panes = ui.splitter(horizontal=stacked, value=kept, limits=limits)
    with panes.separator:
        handle = ui.element("div").classes("split-handle").props('role="separator" tabindex="0"')
        handle.props(f'aria-label="Size of the panes" aria-orientation="{"horizontal" if stacked else "vertical"}"')
        handle.props(f'aria-valuemin="{limits[0]:g}" aria-valuemax="{limits[1]:g}" aria-valuenow="{kept:.0f}"')

    def sized(percent: float) -> None:
        window.preferences.keep_split(name, round(percent, 1))
        handle.props(f'aria-valuenow="{percent:.0f}"')

    def move(step: float) -> None:
        panes.value = min(max((panes.value or 0) + step, limits[0]), limits[1])

    panes.on_value_change(lambda event: sized(event.value))
    handle.on("keydown", lambda event: move(float(event.args)), js_handler=_BY_ARROWS)
    return panes.classes("split")


_BY_ARROWS = """(event) => {
    const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    emit(step);
}"""


def note(text: str, tone: Literal["plain", "good", "warn", "bad"] = "plain") -> ui.element:
    """A sentence that a person should read."""
    icons = {"plain": "info", "good": "check_circle", "warn": "warning", "bad": "error"}
    with ui.element("div").classes(f"note note-{tone}") as place:
        ui.icon(icons[tone])
        ui.label(text).classes("note-text")
    if tone == "bad":
        place.props('role="alert"')
    return place
