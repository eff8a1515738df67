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
from karenina_gui.gui.rubric import rules
from karenina_gui.gui.rubric.kinds import Record, heading, kind_of, kinds
from karenina_gui.gui.rubric.other_form import format_input, parse_input, shape_of
from karenina_gui.gui.rubric.rubric_draft import RubricDraft
from karenina_gui.gui.rubric.trait_list import TraitList
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
    assert heading("word_count") == "Length in words"


def test_a_type_that_is_not_installed_has_a_line_too() -> None:
    assert kind_of("unheard_of", "").title == "Unheard of"
    assert "unheard_of" not in {kind.type_name for kind in kinds()}


def test_it_is_made_checked_and_kept(word_count: Make) -> None:
    draft = RubricDraft({"regex_traits": [UNIT]})
    trait = draft.add("word_count", {"name": "", **kinds()[-1].blank})
    assert draft.problems(trait) == {"name": "Enter a name."}
    trait.values |= {"name": " short ", "most": "few"}
    assert draft.problems(trait) == {"most": "Must be a whole number."}
    assert draft.to_record() == {"regex_traits": [UNIT]}
    trait.values["most"] = 3
    assert draft.to_record() == {"regex_traits": [UNIT], "other_traits": [SHORT]}


def test_names_differ_from_those_of_other_types(word_count: Make) -> None:
    assert "Another trait in this rubric" in rules.problems("word_count", SHORT, {"short": ""})["name"]


@pytest.mark.parametrize("installed", [True, False])
def test_what_nobody_edits_stays_as_it_is(installed: bool, request: pytest.FixtureRequest) -> None:
    if installed:
        request.getfixturevalue("word_count")
    stored = {"other_traits": [SHORT, STRANGE, {**SHORT, "name": "brief"}]}
    draft = RubricDraft(stored)
    assert not draft.changed
    assert [trait.edited for trait in draft.traits] == [False] * 3
    assert sorted(map(str, (draft.to_record() or {})["other_traits"])) == sorted(map(str, stored["other_traits"]))


def test_types_from_outside_stand_together_and_after_the_others() -> None:
    rubric: Record = {"other_traits": [SHORT, STRANGE, {**SHORT, "name": "brief"}], "regex_traits": [UNIT]}
    assert [trait["name"] for _, trait in traits_in(rubric)] == ["unit", "short", "brief", "odd"]
    draft = RubricDraft(rubric)
    draft.add("word_count", {**SHORT, "name": "third"})
    draft.add("regex", {**UNIT, "name": "dose"})
    assert [trait.name for trait in draft.traits] == ["unit", "dose", "short", "brief", "third", "odd"]


def test_two_windows_do_not_undo_one_another(word_count: Make) -> None:
    draft = RubricDraft({"other_traits": [SHORT, {**SHORT, "name": "brief"}]})
    draft.traits[0].values["most"] = 5
    draft.merge({"other_traits": [SHORT, {**SHORT, "name": "terse", "most": 9}]})
    assert draft.to_record() == {"other_traits": [{**SHORT, "most": 5}, {**SHORT, "name": "terse", "most": 9}]}


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("words", "a b\n\n c \n", ["a b", "c"]),
        ("share", "0.5", 0.5),
        ("share", "half", "half"),
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
    """`await edit(rubric)`: the editor of this rubric in a window, and what it has saved."""

    async def open_(rubric: Record) -> tuple[TraitList, list[Record | None]]:
        opened: list[TraitList] = []
        saved: list[Record | None] = []

        async def save(kept: Record | None) -> str | None:
            saved.append(kept)
            return None

        number = application.library.benchmarks.create(Benchmark.create("b").document)

        @ui.page("/")
        def page() -> None:
            window = Window(application.services(), browser_id="ada", benchmark_id=number)
            opened.append(TraitList(window, rubric, save))

        await user.open("/")
        return opened[0], saved

    return open_


async def test_the_form_has_its_fields(word_count: Make, user: User, edit: Callable[[Record], Any]) -> None:
    _, saved = await edit({"other_traits": [SHORT]})
    await user.should_see("Length in words")
    await user.should_see("Most words")
    await user.should_see("a longer answer does not pass")
    box = next(each for each in user.find(ui.input).elements if each.props.get("aria-label") == "Most words")
    assert (box.value, box.props["placeholder"]) == ("3", "100")
    box.set_value("0")
    await user.should_see("Must be at least 1.")
    assert saved == []
    box.set_value("")
    await until(lambda: saved == [{"other_traits": [{"type_name": "word_count", "name": "short"}]}])


async def test_a_trait_without_its_type_can_be_read_and_renamed(user: User, edit: Callable[[Record], Any]) -> None:
    traits, saved = await edit({"other_traits": [STRANGE]})
    await user.should_see("come from a package that is not installed here. The trait is preserved")
    await user.should_see('{"a": 1}')
    traits.sheet.name.set_value("odder")
    await until(lambda: saved == [{"other_traits": [{**STRANGE, "name": "odder"}]}])


async def test_a_form_is_made_of_every_sort_of_field(tables: None, user: User, edit: Callable[[Record], Any]) -> None:
    add_type(Everything)
    traits, saved = await edit({"other_traits": [{"type_name": "everything", "name": "all"}]})
    for title in ("Words", "Share", "between 0 and 1", "Style", "Mood", "Strict", "Note", "Weights"):
        await user.should_see(title)
    form = traits.sheet.form
    form.set("mood", "loud")
    form.set("weights", {"a": 0.5})
    trait = {"type_name": "everything", "name": "all", "mood": "loud", "weights": {"a": 0.5}}
    await until(lambda: saved and saved[-1] == {"other_traits": [trait]})
    form.set("weights", "{a")
    await user.should_see("Must be an object (name: value pairs).")
