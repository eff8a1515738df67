"""Traits of a type from outside the package in the rubric's editor: chosen, filled in, checked; kept without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from nicegui import ui
from nicegui.testing import User
from pydantic import Field

from karenina_gui.app import Application, build
from karenina_gui.authoring.trait_catalog import traits_in
from karenina_gui.benchmark import Benchmark
from karenina_gui.gui.pages.rubric import rules
from karenina_gui.gui.pages.rubric.kinds import Record, heading_of_type, kind_of, kinds
from karenina_gui.gui.pages.rubric.other_form import format_input, parse_input, shape_of
from karenina_gui.gui.pages.rubric.rubric_record import insert, new_trait, read_traits, write_traits
from karenina_gui.gui.pages.rubric.trait_list import TraitList
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.rubric import OtherRubricTrait, add_type
from karenina_gui.settings import Settings
from tests.outside.conftest import SHORT
from tests.until import until

Make = Callable[..., OtherRubricTrait]
UNIT = {"name": "unit", "pattern": "mg"}
STRANGE = {"type_name": "unheard_of", "name": "odd", "kind": "score", "classes": {"a": 1}, "unit": ["mg"]}


class Everything(OtherRubricTrait):
    """Has a field of every sort."""

    type_name: Literal["everything"] = "everything"
    words: list[str] = []
    share: float | None = Field(default=None, description="between 0 and 1")
    style: Literal["terse", "plain"] = "plain"
    mood: Literal["calm", "loud"] | None = None
    strict: bool = True
    note: str = ""
    weights: dict[str, float] = {}


SHAPES = {
    name: shape_of(described, Everything.model_json_schema().get("$defs", {}))
    for name, described in Everything.model_json_schema()["properties"].items()
}


def test_its_kind_is_offered_in_its_own_words(word_count: Make) -> None:
    kind = kinds()[-1]
    assert (kind.type_name, kind.title, kind.icon) == ("word_count", "Length in words", "short_text")
    assert kind.line == "The words of the answer are counted."
    assert heading_of_type("word_count") == "Length in words"


def test_a_type_that_is_not_installed_has_a_line_too() -> None:
    assert kind_of("unheard_of", "").title == "Unheard of"
    assert "unheard_of" not in {kind.type_name for kind in kinds()}


def test_it_is_made_checked_and_kept(word_count: Make) -> None:
    trait = new_trait("word_count", {"name": "", **kinds()[-1].blank})
    assert rules.problems(trait.type_name, trait.values, {}) == {"name": "Enter a name."}
    trait = trait.with_values({"name": " short ", "most": "few"}, {})
    assert rules.problems(trait.type_name, trait.values, {}) == {"most": "Must be a whole number."}
    assert write_traits([trait], {})[0] is None
    assert write_traits([trait.with_values({"most": 3}, {})], {})[0] == {"other_traits": [SHORT]}


def test_names_differ_from_those_of_other_types(word_count: Make) -> None:
    assert "Another trait in this rubric" in rules.problems("word_count", SHORT, {"short": ""})["name"]


@pytest.mark.parametrize("installed", [True, False])
def test_what_nobody_edits_stays_as_it_is(installed: bool, request: pytest.FixtureRequest) -> None:
    if installed:
        request.getfixturevalue("word_count")
    stored = {"other_traits": [SHORT, STRANGE, {**SHORT, "name": "brief"}]}
    traits = read_traits(stored, ())
    assert [trait.incomplete for trait in traits] == [False] * 3
    written, edits = write_traits(traits, {})
    assert edits is None
    assert sorted(map(str, (written or {})["other_traits"])) == sorted(map(str, stored["other_traits"]))


def test_types_from_outside_stand_together_and_after_the_others() -> None:
    rubric: Record = {"other_traits": [SHORT, STRANGE, {**SHORT, "name": "brief"}], "regex_traits": [UNIT]}
    assert [trait["name"] for _, trait in traits_in(rubric)] == ["unit", "short", "brief", "odd"]
    traits = read_traits(rubric, ())
    insert(traits, new_trait("word_count", {**SHORT, "name": "third"}))
    insert(traits, new_trait("regex", {**UNIT, "name": "dose"}))
    assert [trait.name for trait in traits] == ["unit", "dose", "short", "brief", "third", "odd"]


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("words", "a b\n\n c \n", ["a b", "c"]),
        ("note", "[1]", "[1]"),
        ("weights", '{"a": 1}', {"a": 1}),
        ("weights", "{a", "{a"),
    ],
)
def test_what_is_typed_becomes_what_the_field_takes(field: str, text: str, value: Any) -> None:
    assert parse_input(text, SHAPES[field]) == value
    assert parse_input(format_input(value, SHAPES[field]), SHAPES[field]) == value


@pytest.fixture
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    yield application
    application.close()


@pytest.fixture
def edit(user: User, application: Application) -> Callable[[Record], Any]:
    """`await edit(rubric)`: the editor of this rubric in a window, and a function that reads what is saved."""

    async def open_(rubric: Record) -> tuple[TraitList, Callable[[], Record | None]]:
        opened: list[TraitList] = []
        number = application.library.benchmarks.create(Benchmark.create("b").document)
        application.editor.edit_benchmark(number, {"rubric": rubric})

        @ui.page("/")
        def page() -> None:
            opened.append(TraitList(Window(application.services(), browser_id="ada", benchmark_id=number)))

        await user.open("/")
        return opened[0], lambda: application.library.benchmarks.rubric(number).rubric

    return open_


async def test_the_form_has_its_fields(word_count: Make, user: User, edit: Callable[[Record], Any]) -> None:
    _, saved = await edit({"other_traits": [SHORT]})
    await user.should_see("Length in words")
    await user.should_see("Most words")
    await user.should_see("a longer answer does not pass")
    box = next(each for each in user.find(ui.number).elements if each.props.get("aria-label") == "Most words")
    assert (box.value, box.props["placeholder"]) == (3, "100")
    box.set_value(0)
    await user.should_see("Must be at least 1.")
    assert saved() == {"other_traits": [SHORT]}
    box.set_value(None)
    await until(lambda: saved() == {"other_traits": [{"type_name": "word_count", "name": "short"}]})


async def test_a_trait_without_its_type_can_be_read_and_renamed(user: User, edit: Callable[[Record], Any]) -> None:
    traits, saved = await edit({"other_traits": [STRANGE]})
    await user.should_see("come from a package that is not installed here. The trait is preserved")
    await user.should_see('{"a": 1}')
    assert traits.sheet is not None
    traits.sheet.name.set_value("odder")
    await until(lambda: saved() == {"other_traits": [{**STRANGE, "name": "odder"}]})


async def test_a_form_is_made_of_every_sort_of_field(tables: None, user: User, edit: Callable[[Record], Any]) -> None:
    add_type(Everything)
    _, saved = await edit({"other_traits": [{"type_name": "everything", "name": "all"}]})
    for title in ("Words", "Share", "between 0 and 1", "Style", "Mood", "Strict", "Note", "Weights"):
        await user.should_see(title)
    mood = next(each for each in user.find(ui.select).elements if each.props.get("aria-label") == "Mood")
    weights = next(each for each in user.find(ui.textarea).elements if each.props.get("aria-label") == "Weights")
    mood.set_value("loud")
    weights.set_value('{"a": 0.5}')
    trait = {"type_name": "everything", "name": "all", "mood": "loud", "weights": {"a": 0.5}}
    await until(lambda: saved() == {"other_traits": [trait]})
    weights.set_value("{a")
    await user.should_see("Must be an object (name: value pairs).")
