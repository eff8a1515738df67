"""The Run page of a benchmark that is deleted while it is open."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.preset import Preset
from tests.example.plain_run import plain_run


async def test_a_preset_that_is_chosen_after_the_benchmark_was_deleted_changes_nothing(
    user: User, application: Application
) -> None:
    application.library.presets.save(Preset(id="plain", name="Plain", config=plain_run()))
    forms: list[RunForm] = []

    @ui.page("/")
    def page() -> None:
        forms.append(RunForm(Window(application.services()), 1, RunDraft(models=["sample-careful"])))
        forms[0].draw()

    await user.open("/")
    application.editor.delete_benchmark(1)
    with user:
        await forms[0].presets.apply_preset("plain")
    assert forms[0].choice.models == ["sample-careful"]
    await user.should_see("New run: Medicines: a first look")
