"""Texts that the browser kept: which are saved, which become drafts, and which nothing may write."""

from __future__ import annotations

from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.outbox import BufferedText, Outbox

NOTES = "question/1/answer_notes"


def entry(address: str, *, left: bool = True, adopt: bool = True, control: int = 0) -> dict[str, Any]:
    return {"place": address, "value": "typed", "base": "base", "left": left, "adopt": adopt, "control": control}


@pytest.mark.parametrize(
    ("left", "is_same_control", "expected"),
    [
        (True, True, ["typed over base", "Restored unsaved edits in Notes."]),
        (False, False, ["typed over base"]),
        (False, True, []),
    ],
    ids=["of a page that is gone", "of a control that was drawn again", "of a control that is open"],
)
async def test_a_text_is_saved_once_its_control_is_gone(
    user: User, services: AppContext, left: bool, is_same_control: bool, expected: list[str]
) -> None:
    made: list[tuple[Outbox, ui.input]] = []
    log: list[str] = []

    def save(value: Any, base: Any) -> bool:
        log.append(f"{value} over {base}")
        return True

    @ui.page("/")
    def page() -> None:
        outbox, box = Outbox(services, "ada", log.append), ui.input()
        outbox.watch(NOTES, "Notes", lambda path: None if path else BufferedText(save, log.append, box))
        made.append((outbox, box))

    await user.open("/")
    ((outbox, box),) = made
    await outbox.receive(entry(NOTES, left=left, control=box.id if is_same_control else 0))
    assert log == expected
    assert box.value == ("" if expected else "typed")
    assert services.library.drafts.of("ada", "question/1") == []


@pytest.mark.parametrize(
    ("address", "adopt", "expected"),
    [
        (NOTES, True, ["typed"]),
        (NOTES, False, []),
        ("question/1/sources#0.url", True, []),
        ("model/gpt/api_key", True, []),
        ("run-choice/1/setting", True, []),
    ],
)
async def test_a_text_without_a_control_becomes_at_most_a_draft(
    user: User, services: AppContext, address: str, adopt: bool, expected: list[str]
) -> None:
    outboxes: list[Outbox] = []
    ui.page("/")(lambda: outboxes.append(Outbox(services, "ada", lambda _: None)))
    await user.open("/")
    await outboxes[0].receive(entry(address, adopt=adopt))
    record = address.rpartition("/")[0]
    assert [draft.typed for draft in services.library.drafts.of("ada", record)] == expected
