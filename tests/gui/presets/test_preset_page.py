"""A preset in two windows: neither overwrites the other unseen."""

from __future__ import annotations

import asyncio

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.formats.presets import preset_bytes
from karenina_gui.gui.kit.uploads import Uploader
from karenina_gui.gui.pages.presets import page as presets
from karenina_gui.gui.pages.presets.page import PresetDraft
from karenina_gui.gui.records.optimistic_edit import RemoteValue
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.gui.desktop import Desktop
from tests.until import until

SAVED = 0.5
"""Seconds after a keystroke by which it is saved."""


@pytest.fixture
def preset(application: Application) -> Preset:
    return application.library.presets.save(Preset(name="Quick", config=VerificationConfig()))


async def test_the_same_field_is_never_saved_over_another_window(
    user: User, services: AppContext, preset: Preset
) -> None:
    opened: list[PresetDraft] = []

    @ui.page("/")
    def page() -> None:
        opened.extend(PresetDraft(Window(services, browser_id=person), preset.id) for person in ("ada", "bob"))

    await user.open("/")
    ada, bob = opened
    name, description = bob.field("name"), bob.field("description")
    assert await ada.save("name", "Quick and cheap") is None
    assert await name.save("Quickest", base="Quick") == RemoteValue("Quick and cheap")
    assert await description.save("For a first look", base="") is None
    kept = services.library.presets.get(preset.id)
    assert (kept.name, kept.description) == ("Quick and cheap", "For a first look")


async def test_an_edit_elsewhere_appears_and_one_of_both_is_kept_until_it_is_decided(
    user: User, services: AppContext, preset: Preset
) -> None:
    catalog = services.library.presets
    await open_page(user, services, preset)
    elsewhere = catalog.save(preset.model_copy(update={"name": "Slow"}))
    services.emit_preset_changed(elsewhere.id)
    await user.should_see(content="Slow", kind=ui.label)
    box = next(each for each in user.find(kind=ui.input).elements if each.props["aria-label"] == "Name")
    box.set_value("Mine")
    catalog.save(elsewhere.model_copy(update={"name": "Theirs"}))
    services.emit_preset_changed(preset.id)
    await user.should_see("Keep mine")
    await until(lambda: services.library.drafts.waiting("ada"))
    assert catalog.get(preset.id).name == "Theirs"
    (waiting,) = services.library.drafts.waiting("ada")
    assert waiting.preset_id == preset.id
    user.find("Keep mine").click()
    await until(lambda: catalog.get(preset.id).name == "Mine")
    await until(lambda: services.library.drafts.waiting("ada") == [])


async def test_what_is_typed_into_a_deleted_preset_is_kept_when_one_has_it_back(
    user: User, services: AppContext, preset: Preset
) -> None:
    catalog = services.library.presets
    await open_page(user, services, preset)
    catalog.delete(preset.id)
    services.emit_preset_changed(preset.id)
    await user.should_see("This preset was deleted in another window.")
    next(iter(user.find(kind=ui.textarea).elements)).set_value("For a first look")
    await asyncio.sleep(SAVED)
    user.find("Restore preset").click()
    await until(lambda: [each.description for each in catalog.all().values()] == ["For a first look"])
    assert catalog.get(preset.id).name == preset.name
    await user.should_not_see("This preset was deleted in another window.")


async def test_rules_for_trying_again_are_fields_that_change_them(
    user: User, services: AppContext, preset: Preset
) -> None:
    catalog = services.library.presets
    few = RetryPolicy(rate_limit=RetryBudget(max_attempts=1, backoff_max=9), timeout_escalation={"strategy": "linear"})
    catalog.save(preset.model_copy(update={"config": VerificationConfig(replicate_count=2, retry_policy=few)}))
    await open_page(user, services, preset)
    boxes = {str(each.props["aria-label"]): each for each in user.find(kind=ui.number).elements}
    assert len(boxes) == 16
    retries, longest = boxes["Rate limit: Retries"], boxes["Rate limit: Maximum delay (s)"]
    assert (retries.value, longest.value, boxes["Server error: Initial delay (s)"].value) == (1, 9, 2)
    assert next(iter(user.find(kind=ui.expansion).elements)).value
    await user.should_not_see("{")
    retries.set_value(4)
    boxes["Timeout: Backoff factor"].set_value(1.5)

    def saved() -> tuple[int, float]:
        policy = catalog.get(preset.id).config.retry_policy
        return policy.rate_limit.max_attempts, policy.timeout.backoff_multiplier

    await until(lambda: saved() == (4, 1.5))
    now = catalog.get(preset.id).config
    assert (now.retry_policy.rate_limit.backoff_max, now.replicate_count) == (9, 2)
    assert now.retry_policy.timeout_escalation == {"strategy": "linear"}
    longest.set_value(0.5)
    await user.should_see("The maximum delay must be at least the initial delay.")
    assert catalog.get(preset.id).config == now


async def test_a_rule_that_was_changed_in_another_window_is_not_overwritten(
    user: User, services: AppContext, preset: Preset
) -> None:
    opened: list[PresetDraft] = []

    @ui.page("/")
    def page() -> None:
        opened.extend(PresetDraft(Window(services, browser_id=person), preset.id) for person in ("ada", "bob"))

    await user.open("/")
    hers, his = (draft.form_field(presets.RETRIES["connection", "max_attempts"]) for draft in opened)
    assert await hers.save(7, base=3) is None
    assert await his.save(1, base=3) == RemoteValue(7)
    assert await his.save(-1, base=7) == "Enter a whole number of retries, 0 or more."
    assert await opened[1].form_field(presets.RETRIES["timeout", "max_attempts"]).save(0, base=3) is None
    kept = services.library.presets.get(preset.id).config.retry_policy
    assert (kept.connection.max_attempts, kept.timeout.max_attempts) == (7, 0)


async def test_the_usual_rules_are_folded_away(user: User, services: AppContext, preset: Preset) -> None:
    await open_page(user, services, preset)
    (folded,) = user.find(kind=ui.expansion).elements
    assert (folded.text, folded.value) == ("Retries", False)


async def open_page(user: User, services: AppContext, preset: Preset) -> None:
    """The page of the preset in a window of Ada."""

    @ui.page("/")
    def page() -> None:
        presets.draw(Window(services, browser_id="ada"), PageRoute({}, {"id": preset.id}))

    await user.open("/")


async def test_an_imported_file_never_replaces_a_preset(
    user: User, application: Application, services: AppContext, preset: Preset
) -> None:
    content = preset_bytes(preset)
    desktop = Desktop(user, services)

    async def import_file() -> None:
        await desktop.load("/presets?import=1")
        await desktop.elements(Uploader)[-1].handle_uploads([SmallFileUpload("quick.json", "", content)])

    await import_file()
    await user.should_see("The preset “Quick” is already here.")
    assert [*application.library.presets.all().values()] == [preset]
    described = application.library.presets.save(preset.model_copy(update={"description": "For pilots."}))
    await import_file()
    await user.should_see("Imported preset “Quick 2”.")
    kept, added = application.library.presets.all().values()
    assert (kept, added.name, added.description) == (described, "Quick 2", "")
