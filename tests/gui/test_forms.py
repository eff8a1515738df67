"""A form edits the record that it shows, whatever was created, renamed, deleted and restored before."""

from __future__ import annotations

import asyncio
import threading

import pytest
from nicegui.testing import User, UserInteraction

from karenina_gui.gui.session.app_context import AppContext
from tests.examples import cases
from tests.gui.desktop import Desktop
from tests.gui.records import KINDS, Benchmarks, Conditions, Models, Presets, Questions, Records, Traits
from tests.until import until


@pytest.fixture(params=KINDS, ids=[kind.__name__.lower() for kind in KINDS])
def records(user: User, services: AppContext, request: pytest.FixtureRequest) -> Records:
    kind: type[Records] = request.param
    return kind(Desktop(user, services))


@pytest.fixture(params=cases([Models], [Presets]), ids=["models", "presets"])
def listed(user: User, services: AppContext, request: pytest.FixtureRequest) -> Models | Presets:
    """Records that are listed next to their form."""
    kind: type[Models | Presets] = request.param
    return kind(Desktop(user, services))


async def test_what_is_edited_is_what_the_form_shows(records: Records) -> None:
    desktop = records.desktop
    await desktop.load(records.start)

    async def see(saved: dict[str, str], shown: str | None) -> None:
        """The library has these; list and form agree with it."""
        await until(lambda: records.saved() == saved)
        if shown is not None:
            await until(lambda: records.shown() == (shown, saved[shown]))
        if records.listed():
            await until(lambda: records.listed() == set(saved))

    await records.new()
    await records.rename("Ada")
    await records.edit("1")
    await see({"Ada": "1"}, "Ada")
    adas = desktop.address

    await records.new()
    assert records.shown()[0] != "Ada"
    await records.rename("Bob")
    await records.edit("2")
    await see({"Ada": "1", "Bob": "2"}, "Bob")
    bobs = desktop.address

    await records.delete()
    await see({"Ada": "1"}, None)
    assert records.shown() != ("Bob", "2")
    await records.undo()
    await see({"Ada": "1", "Bob": "2"}, None)

    await records.open("Ada")
    await records.edit("3")
    await see({"Ada": "3", "Bob": "2"}, "Ada")
    ada = "Ada"
    if records.renamed_later:
        await records.rename(ada := "Ann")
        await see({ada: "3", "Bob": "2"}, ada)
    await records.open("Bob")
    await records.edit("4")
    await see({ada: "3", "Bob": "4"}, "Bob")

    for address, name in ((adas, ada), (bobs, "Bob")):
        await desktop.load(address)
        if adas == bobs:
            await records.open(name)
        await see({ada: "3", "Bob": "4"}, name)


@pytest.mark.parametrize("kind", cases([Models, Traits, Questions], [Presets, Conditions, Benchmarks]))
async def test_a_deletion_is_undone_from_another_page_and_changes_no_later_edit(
    user: User, services: AppContext, kind: type[Records]
) -> None:
    records = kind(Desktop(user, services))
    await two(records)
    await records.open("Bob")
    await records.delete()
    await until(lambda: records.saved() == {"Ada": "0"})
    await records.desktop.follow("/guide")
    await records.desktop.follow(records.start)
    await records.open("Ada")
    await records.edit("1")
    await until(lambda: records.saved() == {"Ada": "1"})
    await records.undo()
    await until(lambda: records.saved() == {"Ada": "1", "Bob": "0"})
    await records.open("Bob")
    await records.edit("2")
    await until(lambda: records.saved() == {"Ada": "1", "Bob": "2"})
    assert records.shown() == ("Bob", "2")


@pytest.mark.parametrize("kind", cases([Traits], [Models, Presets]))
async def test_undo_restores_also_the_text_that_was_being_saved_at_the_deletion(
    user: User, services: AppContext, kind: type[Records]
) -> None:
    records, slow = kind(Desktop(user, services)), threading.Event()
    await two(records)
    task = asyncio.create_task(services.write(slow.wait))
    await records.edit("typed last")
    (field,) = records.desktop.fields(records.text_field)
    UserInteraction(user, {field}, None).trigger("blur")  # as a click on the button does
    await asyncio.sleep(0.01)
    await records.open("Bob")
    await records.delete()
    slow.set()
    await task
    await until(lambda: records.saved() == {"Ada": "0"})
    await records.undo()
    await until(lambda: records.saved() == {"Ada": "0", "Bob": "typed last"})


async def two(records: Records) -> None:
    """Ada and Bob, of whom Bob is open."""
    await records.desktop.load(records.start)
    for name in ("Ada", "Bob"):
        await records.new()
        await records.rename(name)
        await records.edit("0")
        await until(lambda name=name: records.saved().get(name) == "0")


async def test_a_link_opens_its_record_also_after_another_one_took_its_place(listed: Models | Presets) -> None:
    await two(listed)
    await listed.open("Ada")
    restore = listed.delete_elsewhere("Ada")
    await listed.desktop.press("Restore model" if isinstance(listed, Models) else "Restore preset")
    await until(lambda: "Ada" in listed.saved())
    restore()  # once more, in the other window
    await listed.delete()
    await until(lambda: listed.shown()[0] != "Ada")
    listed.new_elsewhere("Cleo")
    await listed.undo()
    await until(lambda: listed.shown()[0] == "Ada")
    await listed.open("Bob")
    await listed.edit("1")
    await listed.open("Ada")
    await listed.edit("2")
    await until(lambda: listed.saved() == {"Ada": "2", "Bob": "1", "Cleo": ""})
    assert listed.shown() == ("Ada", "2")


async def test_the_entry_of_a_deleted_record_opens_it_once_another_window_has_restored_it(
    listed: Models | Presets,
) -> None:
    await two(listed)
    await listed.open("Bob")
    deleted = listed.desktop.address
    await listed.delete()
    await until(lambda: listed.desktop.address != deleted)
    listed.delete_elsewhere("Ada")()
    await listed.undo()
    await until(lambda: listed.desktop.address == deleted)
    await listed.open("Ada")
    await listed.delete()
    await until(lambda: listed.saved() == {"Bob": "0"})
    await listed.desktop.follow(deleted)
    await listed.edit("1")
    await until(lambda: listed.saved() == {"Bob": "1"})
    assert listed.shown() == ("Bob", "1")


async def test_a_form_whose_record_was_deleted_says_so_and_changes_no_other(listed: Models | Presets) -> None:
    await two(listed)
    await listed.open("Ada")
    listed.delete_elsewhere("Ada")
    listed.new_elsewhere("Ada")
    kind = "model" if isinstance(listed, Models) else "preset"
    await listed.desktop.user.should_see(f"This {kind} was deleted in another window.")
    await listed.edit("mine")
    await listed.desktop.user.should_see("Not saved")
    assert listed.saved() == {"Ada": "", "Bob": "0"}
    await listed.desktop.press(f"Restore {kind}")
    await until(lambda: listed.saved() == {"Ada": "", "Ada 2": "mine", "Bob": "0"})
    await until(lambda: listed.shown() == ("Ada 2", "mine"))


async def test_an_address_of_nothing_opens_nothing_else(listed: Models | Presets) -> None:
    await two(listed)
    await listed.desktop.load(f"{listed.start}?id=1f")
    await listed.desktop.user.should_see("not found")
    assert listed.shown() == (None, None)
    assert listed.listed() == {"Ada", "Bob"}


async def test_an_address_by_name_leads_to_the_lasting_one(user: User, services: AppContext) -> None:
    models = Models(Desktop(user, services))
    await two(models)
    lasting = models.desktop.address
    await models.desktop.load("/models?name=Bob")
    await until(lambda: models.desktop.address == lasting)
    assert models.shown() == ("Bob", "0")
