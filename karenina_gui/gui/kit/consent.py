"""Consent of the user to what a model reaches: servers, variables, and programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import ConsentError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.kit.html import Html, tag
from karenina_gui.text import join_list

TRUST = "Allow this only if you trust where it came from. You are asked once."
BEFORE_A_RUN = "Nothing of this happens before you allow it at the start of a run."


async def with_consent(agree: Callable[[Sequence[Any]], None], action: Callable[..., Any], *arguments: Any) -> Any:
    """Result of the action in a thread, which is repeated once the user has agreed to what it reaches.

    `agree` saves the consents, in a thread. Raises the errors of the action; `ConsentError` if the user does not agree.
    """
    while True:
        try:
            return await run.io_bound(action, *arguments)
        except ConsentError as error:
            if not await _is_agreed(error):
                raise
            await run.io_bound(agree, error.accesses)


async def _is_agreed(error: ConsentError) -> bool:
    with dialog("Allow access?") as confirmation:
        ui.html(access_list(error.accesses)).classes("full-width")
        note(TRUST, "warn")
        with dialog_actions():
            button("Allow", lambda: confirmation.submit(True))
            button("Cancel", lambda: confirmation.submit(False), look="main")
    return bool(await confirmation)


def access_note(subject: str, accesses: Sequence[Any]) -> None:
    """Tell what the models of an imported file would reach."""
    note(f"{subject} would {join_list([str(access) for access in accesses])}. {BEFORE_A_RUN}", "warn")


def access_list(accesses: Sequence[Any]) -> Html:
    """HTML of what a model would reach (`adapters.consents.Access`)."""
    return tag("ul", *(tag("li", f"Would {access}.") for access in accesses), class_="access-list")
