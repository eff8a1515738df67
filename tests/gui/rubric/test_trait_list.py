"""The list of traits and the form of one: which of them is open, and what is typed into it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application, build
from karenina_gui.gui.pages.rubric.rubric_record import GONE, RubricOwner
from karenina_gui.gui.pages.rubric.trait_list import TraitList
from karenina_gui.gui.session.window import Window
from karenina_gui.settings import Settings
from tests.gui.desktop import text_of
from tests.until import until

UNIT = {"name": "unit", "pattern": "mg"}
DOSE = {"name": "dose", "pattern": r"\d+"}
TONE = {"name": "tone", "kind": "boolean", "description": "Friendly?"}


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    yield application
    application.close()


@pytest.fixture
def open_(user: User, application: Application) -> Callable[..., Awaitable[TraitList]]:
    """Opens a new benchmark with this rubric; `before` is called with its number."""

    async def open_(rubric: dict[str, Any], before: Callable[[int], Any] = lambda _: None) -> TraitList:
        editor, services = application.editor, application.services()
        services.connect()
        benchmark = editor.create_benchmark("doses")
        editor.edit_benchmark(benchmark, {"rubric": rubric})
        before(benchmark)
        opened: list[TraitList] = []

        @ui.page("/")
        def page() -> None:
            opened.append(TraitList(Window(services, browser_id="ada", benchmark_id=benchmark), RubricOwner(benchmark)))

        await user.open("/")
        return opened[0]

    return open_


def stored(traits: TraitList) -> Any:
    return traits.window.services.library.benchmarks.rubric(traits.owner.benchmark_id).rubric


def elsewhere(traits: TraitList, rubric: dict[str, Any]) -> None:
    """Save a rubric in another window."""
    traits.editor.edit_benchmark(traits.owner.benchmark_id, {"rubric": rubric})


def control(traits: TraitList, label: str) -> Any:
    (made,) = [
        element
        for element in traits.main.descendants()
        if isinstance(element, ui.input | ui.number | ui.select) and element.props.get("aria-label") == label
    ]
    return made


async def test_text_of_another_trait_that_a_dead_window_left_opens_its_form(
    open_: Callable[..., Awaitable[TraitList]],
) -> None:
    traits = await open_({"regex_traits": [UNIT, DOSE]})
    assert traits.chosen == "regex:unit"
    traits.open("regex%3Adose/pattern", r"\d", is_gone=True)
    assert traits.chosen == "regex:dose"
    traits.open("llm%3A17/description", "Typed.", is_gone=True)  # nothing else of it had been saved
    assert traits.sheet is not None
    description = control(traits, "Trait description")
    description.set_value("Typed.")
    await until(
        lambda: [trait.values.get("description") for trait in traits.record.state.traits] == ["Typed.", None, None]
    )


async def test_text_on_its_way_to_the_library_does_not_open_the_form_that_was_left(
    open_: Callable[..., Awaitable[TraitList]],
) -> None:
    traits = await open_({"regex_traits": [UNIT, DOSE]})
    control(traits, "Pattern").set_value("kg")
    traits.choose("regex:dose")
    await until(lambda: stored(traits)["regex_traits"][0]["pattern"] == "kg")
    traits.open("regex%3Aunit/pattern", "kg", is_gone=False)
    assert traits.chosen == "regex:dose"
    traits.open("regex%3Aunit/pattern", "kg, typed on", is_gone=False)
    assert traits.chosen == "regex:unit"


async def test_a_draft_of_a_field_is_offered_in_its_form(
    open_: Callable[..., Awaitable[TraitList]], application: Application
) -> None:
    def leave_draft(benchmark: int) -> None:
        application.library.drafts.save(f"benchmark/{benchmark}/trait/regex%3Adose/pattern", "ada", "x", "y")

    traits = await open_({"regex_traits": [UNIT, DOSE]}, leave_draft)
    assert traits.chosen == "regex:dose"
    assert traits.sheet is not None
    assert [edit.undecided for edit in traits.sheet.form.edits].count(True) == 1


async def test_an_incomplete_trait_says_what_it_lacks_and_is_marked(
    user: User, open_: Callable[..., Awaitable[TraitList]]
) -> None:
    traits = await open_({"regex_traits": [UNIT], "llm_traits": [TONE]})
    traits.choose("regex:unit")
    control(traits, "Pattern").set_value("mg(")
    await user.should_see("Not saved. Fix: pattern. Runs use the last saved version.")
    await until(lambda: "trait-unkept-bad" in traits.list.rows.content)
    assert stored(traits)["regex_traits"] == [UNIT]
    control(traits, "Pattern").set_value("mg")
    await user.should_see("Saved")
    await until(lambda: "trait-unkept" not in traits.list.rows.content)


async def test_the_buttons_of_a_trait_move_it_by_one_row(
    user: User, open_: Callable[..., Awaitable[TraitList]]
) -> None:
    traits = await open_({"regex_traits": [UNIT, DOSE, {"name": "route", "pattern": "oral"}]})
    traits.choose("regex:route")
    for label, order in (("Move up", "unit route dose"), ("Move down", "unit dose route")):
        (item,) = [
            element
            for element in traits.main.descendants()
            if isinstance(element, ui.menu_item) and text_of(element).startswith(label)
        ]
        UserInteraction(user, {item}, None).click()
        await until(lambda order=order: " ".join(trait["name"] for trait in stored(traits)["regex_traits"]) == order)


async def test_a_class_is_chosen_before_its_classes(open_: Callable[..., Awaitable[TraitList]]) -> None:
    traits = await open_({"llm_traits": [TONE]})
    control(traits, "Result").set_value("literal")
    await until(lambda: traits.record.state.traits[0].values.get("kind") == "literal")
    assert stored(traits) == {"llm_traits": [TONE]}
    for number, name in enumerate(("casual", "formal"), 1):
        control(traits, f"Name, class {number}").set_value(name)
        control(traits, f"Applies when, class {number}").set_value("so it sounds")
    classes = {"casual": "so it sounds", "formal": "so it sounds"}
    await until(lambda: stored(traits)["llm_traits"][0].get("classes") == classes)


async def test_a_trait_deleted_elsewhere_waits_for_a_decision_if_it_holds_unsaved_text(
    user: User, open_: Callable[..., Awaitable[TraitList]]
) -> None:
    traits = await open_({"regex_traits": [UNIT, DOSE]})
    control(traits, "Pattern").set_value("kg")
    elsewhere(traits, {"regex_traits": [DOSE]})
    await user.should_see(GONE)
    await traits.keep_local()
    await until(lambda: {"name": "unit", "pattern": "kg"} in stored(traits)["regex_traits"])
    await user.should_not_see(GONE)


async def test_a_trait_deleted_elsewhere_goes_unless_it_is_edited(open_: Callable[..., Awaitable[TraitList]]) -> None:
    traits = await open_({"regex_traits": [UNIT, DOSE]})
    elsewhere(traits, {"regex_traits": [DOSE]})
    await until(lambda: traits.chosen == "regex:dose")
