"""The status bar follows what happens in other windows of the same person."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.status import StatusBar
from tests.until import until


@dataclass(eq=False)
class Refusal:
    """An edit that cannot be saved as it is."""

    problem: str | None = "“abc” is not a number."
    dirty: bool = True
    undecided: bool = False

    def on_delay_changed(self) -> None: ...


async def test_a_refused_edit_counts_until_its_page_is_left(user: User, application: Application) -> None:
    bars: list[StatusBar] = []

    @ui.page("/")
    def page() -> None:
        bars.append(StatusBar(Window(application.services())))
        place = ui.element()
        bars[0].edits.note(Refusal(), place)
        ui.button("Leave", on_click=place.delete)

    await user.open("/")
    assert bars[0].saved.text == "1 edit not saved"
    user.find("Leave").click()
    await until(lambda: bars[0].saved.text == "All changes saved")


async def test_edits_to_decide_are_counted_in_every_window_of_a_person_and_in_no_other(
    user: User, application: Application
) -> None:
    services = application.services()
    services.connect()
    bars: dict[str, StatusBar] = {}
    drafts: list[QuestionDraft] = []

    @ui.page("/")
    def page() -> None:
        drafts.append(QuestionDraft(Window(services, browser_id="ada"), 1, 1))
        bars.update({who: StatusBar(Window(services, browser_id=who.split()[0])) for who in ("ada elsewhere", "bob")})

    await user.open("/")
    (draft,) = drafts
    await draft.save_draft("answer_notes", "mine", "theirs")
    assert (bars["ada elsewhere"].undecided.text, bars["bob"].undecided.text) == ("1 conflict to resolve", "")
    editor = services.editor
    editor.edit(1, 1, {"trait_edits": [{"id": "1", "type": "llm", "name": None, "values": {"name": "clear"}}]})
    assert bars["ada elsewhere"].undecided.text == "1 conflict to resolve"
    draft.discard_draft("answer_notes")
    await until(lambda: bars["ada elsewhere"].undecided.text == "Incomplete trait")
    assert bars["ada elsewhere"].undecided.props["href"] == "/benchmarks/1/questions/1?tab=rubric"
    editor.edit(1, 1, {"trait_edits": None})
    await until(lambda: not bars["ada elsewhere"].undecided.visible)
