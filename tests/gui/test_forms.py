"""A form edits the record that it shows, whatever was created, renamed, deleted and restored before."""

from __future__ import annotations

import pytest
from nicegui.testing import User

from karenina_gui.gui.frame.studio import Studio
from tests.gui.desktop import Desktop
from tests.gui.records import KINDS, Records


@pytest.fixture(params=KINDS, ids=[kind.__name__.lower() for kind in KINDS])
def records(user: User, studio: Studio, request: pytest.FixtureRequest) -> Records:
    kind: type[Records] = request.param
    return kind(Desktop(user, studio))


async def test_what_is_edited_is_what_the_form_shows(records: Records) -> None:
    desktop = records.desktop
    await desktop.load(records.start)

    async def see(saved: dict[str, str], shown: str | None) -> None:
        """The library has these; list and form agree with it."""
        await desktop.until(lambda: records.saved() == saved)
        if shown is not None:
            await desktop.until(lambda: records.shown() == (shown, saved[shown]))
        if records.listed():
            await desktop.until(lambda: records.listed() == set(saved))

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
