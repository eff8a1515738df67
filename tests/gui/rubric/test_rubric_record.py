"""A rubric in two windows: each field of a trait is saved over what its window has seen, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application, build
from karenina_gui.gui.pages.rubric.kinds import Record
from karenina_gui.gui.pages.rubric.rubric_record import GONE, RubricOwner, RubricRecord, RubricState
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import RemoteValue
from karenina_gui.gui.records.record import RecordField
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.command import field_titles
from karenina_gui.settings import Settings
from karenina_gui.store.drafts import INCOMPLETE
from tests.until import until

UNIT = {"name": "unit", "pattern": "mg"}
DOSE = {"name": "dose", "pattern": r"\d+"}
Two = tuple[RubricRecord, RubricRecord]


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    yield application
    application.close()


@pytest.fixture(params=["question", "benchmark"])
async def records(user: User, application: Application, request: pytest.FixtureRequest) -> Two:
    """A rubric with two patterns, in the windows of ada and bob."""
    editor = application.editor
    benchmark, number = editor.create_benchmark("doses"), None
    if request.param == "question":
        number = editor.add_question(benchmark, "How much?").summary.number
        editor.edit(benchmark, number, {"question_rubric": {"regex_traits": [UNIT, DOSE]}})
    else:
        editor.edit_benchmark(benchmark, {"rubric": {"regex_traits": [UNIT, DOSE]}})
    services = application.services()
    services.connect()
    opened: list[RubricRecord] = []

    @ui.page("/")
    def page() -> None:
        windows = (Window(services, browser_id=person, benchmark_id=benchmark) for person in ("ada", "bob"))
        opened.extend(RubricRecord(window, RubricOwner(benchmark, number)) for window in windows)

    await user.open("/")
    return opened[0], opened[1]


def text(record: RubricRecord, trait_id: str, key: str) -> RecordField[RubricState]:
    return record.trait_field(
        trait_id,
        FormField[Record](key, key, read=lambda values: values.get(key, ""), write=lambda _, value: {key: value}),
    )


def stored(record: RubricRecord) -> list[Record]:
    """The patterns of the rubric that runs use."""
    library, owner = record.window.services.library, record.owner
    saved = (
        library.benchmarks.rubric(owner.benchmark_id)
        if owner.number is None
        else library.questions.rubric(owner.benchmark_id, owner.number)
    )
    return [{key: trait[key] for key in UNIT} for trait in (saved.rubric or {}).get("regex_traits", [])]


def values(record: RubricRecord) -> list[Any]:
    return [trait.values.get("pattern") for trait in record.traits]


async def test_fields_of_one_trait_are_edited_in_two_windows(records: Two) -> None:
    ada, bob = records
    assert await text(ada, "regex:unit", "pattern").save("kg", base="mg") is None
    assert await text(bob, "regex:unit", "name").save("mass", base="unit") is None
    assert await text(bob, "regex:dose", "pattern").save("x", base=r"\d+") is None
    assert stored(ada) == [{"name": "mass", "pattern": "kg"}, {**DOSE, "pattern": "x"}]
    assert await text(ada, "regex:unit", "name").save("weight", base="unit") == RemoteValue("mass")
    assert await text(ada, "regex:unit", "name").save("weight", base="mass") is None


async def test_incomplete_values_are_in_every_window_and_runs_use_the_version_before(records: Two) -> None:
    ada, bob = records
    assert await text(ada, "regex:unit", "pattern").save("mg(", base="mg") is None
    await until(lambda: values(bob) == ["mg(", r"\d+"])
    assert stored(bob) == [UNIT, DOSE]
    waiting = ada.window.services.library.drafts.waiting("eve")
    here = [(edit.number, edit.field) for edit in waiting if edit.benchmark_id == ada.owner.benchmark_id]
    assert here == [(ada.owner.number, INCOMPLETE)]
    assert await text(bob, "regex:unit", "pattern").save("mcg", base="mg(") is None
    assert stored(bob) == [{**UNIT, "pattern": "mcg"}, DOSE]


async def test_a_new_trait_is_stored_with_its_first_letter(records: Two) -> None:
    ada, bob = records
    trait = ada.begin("regex", {"name": "", "pattern": ""})
    assert len(bob.traits) == 2
    await text(ada, trait.id, "name").save("route", base="")
    await until(lambda: [trait.name for trait in bob.traits] == ["unit", "dose", "route"])
    await text(bob, trait.id, "pattern").save("oral", base="")
    assert stored(ada)[-1] == {"name": "route", "pattern": "oral"}
    await until(lambda: values(ada)[-1] == "oral")
    assert [other.id for other in ada.traits][-1] == trait.id


async def test_what_an_outcome_does_not_use_comes_back_with_it(records: Two) -> None:
    ada, _ = records
    (trait,) = await ada.add([("llm", {"name": "tone", "kind": "literal", "classes": {"a": "x", "b": "y"}})])
    kind = text(ada, trait.id, "kind")
    await kind.save("boolean", base="literal")
    assert "classes" not in (ada.traits[0].stored or {})
    await kind.save("literal", base="boolean")
    assert (ada.traits[0].stored or {})["classes"] == {"a": "x", "b": "y"}


async def test_a_trait_deleted_elsewhere_is_not_saved_until_it_is_put_back(records: Two) -> None:
    ada, bob = records
    unit = bob.traits[0]
    await ada.remove("regex:unit")
    assert await text(bob, unit.id, "pattern").save("kg", base="mg") == GONE
    await bob.put_back(unit, 0)
    assert stored(ada) == [UNIT, DOSE]
    assert await text(bob, unit.id, "pattern").save("kg", base="mg") is None


async def test_copies_get_names_of_their_own(records: Two) -> None:
    ada, _ = records
    ada.taken = {"unit 2": "the benchmark"}
    (copy,) = await ada.add([("regex", UNIT)], after="regex:unit")
    assert copy.name == "unit 3"
    assert [trait["name"] for trait in stored(ada)] == ["unit", "unit 3", "dose"]


async def test_moves_of_two_windows_both_stand(records: Two) -> None:
    ada, bob = records
    await asyncio.gather(ada.move("regex:dose", -1), bob.add([("regex", {"name": "route", "pattern": "oral"})]))
    assert [trait["name"] for trait in stored(ada)] == ["dose", "unit", "route"]


async def test_an_edit_is_undone_with_what_it_left_incomplete(records: Two) -> None:
    ada, bob = records
    commands, scope = ada.window.services.library.commands, f"benchmark/{ada.owner.benchmark_id}"
    await text(ada, "regex:unit", "pattern").save("mg(", base="mg")
    (incomplete,) = commands.entries([scope])[:1]
    assert field_titles(incomplete.data["fields"]) == ["incomplete traits"]
    ada.editor.history.undo(incomplete.id)
    await until(lambda: values(bob) == ["mg", r"\d+"])
    assert not bob.traits[0].incomplete
    await text(ada, "regex:unit", "name").save("mass", base="unit")
    (complete,) = commands.entries([scope])[:1]
    assert field_titles(complete.data["fields"]) == ["traits"]
    ada.editor.history.undo(complete.id)
    await until(lambda: (bob.traits[0].id, bob.traits[0].name) == ("regex:unit", "unit"))
