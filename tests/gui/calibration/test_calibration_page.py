"""Calibration on its page: blind labels, agreement, another wording, and undo."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.analysis.calibration import LabeledAnswers, agreement_report
from karenina_gui.gui.kit.calibration_links import calibration_address
from karenina_gui.gui.pages.calibration.labeling import value_keys
from karenina_gui.gui.pages.calibration.wording_panel import judging_forecast
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.calibration import CalibrationTarget, LabelScale
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.prices import Price
from tests.calibrated import depth, judged_benchmark
from tests.gui.desktop import Desktop
from tests.saved_models import save_model
from tests.twin import Asked, Reply, Twin
from tests.until import until

LABELS = (1, 2, 3, 4, 5, 5, 4, 3, 2, 1)


@pytest.fixture
def desktop(user: User, services: AppContext) -> Desktop:
    return Desktop(user, services)


@pytest.fixture
def benchmark(services: AppContext) -> int:
    # Here, where nothing waits for it: to load the libraries of statistics takes seconds.
    services.worker.compute(partial(agreement_report, LabeledAnswers(LabelScale("boolean"), {"a": True}, {"a": 1}), []))
    return judged_benchmark(services.library)


@pytest.fixture
def twin(services: AppContext) -> Iterator[Twin]:
    """A judge that finds a depth of 3 in everything, but nothing under a wording about nonsense."""

    def script(asked: Asked) -> Reply:
        return Reply(text="No JSON from me.") if "nonsense" in str(asked.body) else Reply(data={"depth": 3})

    with Twin(script) as twin:
        model = ModelConfig(id="live", model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        save_model(services, "live", model)
        yield twin


async def begin(desktop: Desktop, target: CalibrationTarget) -> None:
    await desktop.load(calibration_address(target))
    await desktop.press("Label 10 answers")
    await until(lambda: said(desktop, "Answer 1 of 10"))


async def label_all(desktop: Desktop) -> None:
    for place, value in enumerate(LABELS):
        await until(lambda place=place: said(desktop, f"Answer {place + 1} of 10"))  # type: ignore[misc]
        await desktop.press(str(value))
    await until(lambda: shown(desktop, "agree with"))


async def test_values_of_judges_stay_away_until_all_is_labeled(
    desktop: Desktop, services: AppContext, benchmark: int
) -> None:
    await begin(desktop, depth(benchmark))
    assert not shown(desktop, "mild") and not said(desktop, "mild")
    await label_all(desktop)
    assert shown(desktop, "agree with mild (wording A, in use) on")
    assert shown(desktop, "Cohen’s kappa with quadratic weights is")
    (calibration_id,) = services.library.calibrations.ids(depth(benchmark))
    labels = services.library.calibrations.get(calibration_id)
    assert [labels.labels[each.key].value for each in labels.answers] == list(LABELS)


async def test_a_session_is_resumed_and_labels_are_undone(
    desktop: Desktop, services: AppContext, benchmark: int
) -> None:
    await begin(desktop, depth(benchmark))
    (calibration_id,) = services.library.calibrations.ids(depth(benchmark))

    def labels() -> list[object]:
        """Saved labels in the order of the page."""
        stored = services.library.calibrations.get(calibration_id)
        return [stored.labels[each.key].value for each in stored.answers if each.key in stored.labels]

    await desktop.press("3")
    await until(lambda: said(desktop, "Answer 2 of 10"))
    await desktop.press("Skip")
    await until(lambda: labels() == [3, None])
    await desktop.load(calibration_address(depth(benchmark)))
    await until(lambda: said(desktop, "Answer 3 of 10"))
    await desktop.press("Back")
    await until(lambda: said(desktop, "Answer 2 of 10"))
    await desktop.press("4")
    await until(lambda: labels() == [3, 4])
    person = _person(services, benchmark)
    services.editor.history.undo_last(f"benchmark/{benchmark}", person)
    assert labels() == [3, None]
    services.editor.history.undo_last(f"benchmark/{benchmark}", person)
    assert labels() == [3]
    await until(lambda: said(desktop, "Answer 2 of 10"))


async def test_another_wording_is_judged_compared_and_used(
    desktop: Desktop, services: AppContext, benchmark: int, twin: Twin
) -> None:
    await begin(desktop, depth(benchmark))
    await label_all(desktop)
    await desktop.type("Description", "How much of it is nonsense?")
    choose(desktop, "Judge", "live")
    await desktop.press("Judge again")
    await until(lambda: said(desktop, "JSON"))
    await desktop.type("Description", "How many reasons are there?")
    await desktop.press("Judge again")
    await until(lambda: shown(desktop, "and live (wording B) on "))
    one, other = (control(desktop, name) for name in ("Judge and wording", "Compare with"))
    assert one.value not in other.options and len(other.options) == len(one.options), "all but the one that is shown"
    assert all("How many reasons" in str(each.body) or "nonsense" in str(each.body) for each in twin.requests)
    assert shown(desktop, "the judge always says “3”") is False, "the older judge is shown, the new one compared"
    assert services.editor.calibrations.open(depth(benchmark)).wording.description == "How much is explained?"
    await desktop.press("Use this wording")
    await until(lambda: shown(desktop, "wording B, in use"))
    assert services.editor.calibrations.open(depth(benchmark)).wording.description == "How many reasons are there?"
    assert shown(desktop, "10 of 10 labels were given under another wording.")
    await desktop.press("Undo")
    await until(lambda: shown(desktop, "wording A, in use"))


async def test_numbers_and_texts_are_typed(desktop: Desktop, services: AppContext) -> None:
    target = CalibrationTarget(1, 2, "field", "dose_mg")
    question = services.library.questions.entry(1, 2).question
    samples = [{"id": str(n), "text": f"{n} mg", "kind": "other", "passes": False} for n in range(3)]
    services.editor.edit(1, 2, {"custom_metadata": {**(question.custom_metadata or {}), "sample_answers": samples}})
    await desktop.load(calibration_address(target))
    await desktop.press("Label 3 answers")
    await desktop.type("Your label", "much")
    await desktop.press("Save (Enter)")
    await until(lambda: said(desktop, "Enter a number."))
    await desktop.type("Your label", "350")
    await desktop.press("Save (Enter)")
    await until(lambda: said(desktop, "Answer 2 of 3"))
    await desktop.press("No value")
    await until(lambda: said(desktop, "Answer 3 of 3"))
    (calibration_id,) = services.library.calibrations.ids(target)
    await until(lambda: len(services.library.calibrations.get(calibration_id).labels) == 2)
    assert sorted(map(str, services.library.calibrations.get(calibration_id).values.values())) == ["350", "None"]
    await desktop.press("Skip")
    await until(lambda: said(desktop, "No judge has read these answers yet."))


async def test_keys_that_come_faster_than_saves_label_one_answer_each(
    desktop: Desktop, services: AppContext, benchmark: int
) -> None:
    await begin(desktop, depth(benchmark))
    (sheet,) = [each for each in desktop.elements(ui.element) if "label-sheet" in each.classes]
    for key in "54321":
        UserInteraction(desktop.user, {sheet}, None).trigger("keydown", key)
    await until(lambda: said(desktop, "Answer 6 of 10"))
    (calibration_id,) = services.library.calibrations.ids(depth(benchmark))
    await until(lambda: len(services.library.calibrations.get(calibration_id).labels) == 5)
    stored = services.library.calibrations.get(calibration_id)
    assert [stored.labels[each.key].value for each in stored.answers[:5]] == [5, 4, 3, 2, 1]


async def test_what_cannot_be_calibrated_says_so(desktop: Desktop, benchmark: int) -> None:
    missing = await desktop.user.http_client.get(f"/benchmarks/{benchmark}/calibration")
    assert missing.status_code == 404
    await desktop.load(calibration_address(CalibrationTarget(benchmark, None, "trait", "gone")))
    await until(lambda: said(desktop, "no longer exists"))


async def test_traits_fields_and_results_lead_there(desktop: Desktop, services: AppContext, benchmark: int) -> None:
    await desktop.load(f"/benchmarks/{benchmark}/rubric")
    await desktop.choose("Calibrate trait")
    await until(lambda: desktop.address == calibration_address(depth(benchmark)))
    number = services.library.questions.summaries(benchmark)[0].number
    await desktop.load(f"/benchmarks/{benchmark}/questions/{number}?tab=template")
    await desktop.choose("Calibrate field")
    field = CalibrationTarget(benchmark, number, "field", "organ")
    await until(lambda: desktop.address == calibration_address(field))
    (first, *_) = services.library.results.page(1).rows
    await desktop.load(f"/runs/1/results/{first.id}")
    await until(lambda: shown(desktop, "Calibrate depth"))


def test_each_label_has_a_key() -> None:
    assert value_keys(LabelScale("boolean", can_be_missing=True)) == {"y": True, "n": False, "0": None}
    assert value_keys(LabelScale("score", 1, 10)) == {**{str(n): n for n in range(1, 10)}, "0": 10}
    classes = tuple(f"class {n}" for n in range(12))
    assert list(value_keys(LabelScale("class", classes=classes))) == [*"123456789", "a", "b", "c"]
    assert value_keys(LabelScale("text")) == value_keys(LabelScale("score", 0, 100)) == {}
    assert value_keys(LabelScale("score", -2, 2)) == {}, "there is no key with a sign"


def test_the_cost_is_foreseen() -> None:
    live = ModelConfig(id="a", model_name="m", interface="openai_endpoint")
    price = {"openai_endpoint:m": Price(model="openai_endpoint:m", input=1.0, output=10.0)}
    assert "10 calls" in judging_forecast(live, [400] * 10, price)
    assert "$0.0" in judging_forecast(live, [400] * 10, price)
    assert "cost unknown" in judging_forecast(live, [400] * 10, {})
    replay = ModelConfig(id="a", model_name="m", interface="replay", recording="example")
    assert "at no cost" in judging_forecast(replay, [400] * 10, {})


def said(desktop: Desktop, text: str) -> bool:
    return any(text in str(each.text) for each in desktop.elements(ui.label))


def shown(desktop: Desktop, text: str) -> bool:
    return any(text in str(each.content) for each in desktop.elements(ui.html))


def control(desktop: Desktop, name: str) -> ui.select:
    (found,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == name]
    return found


def choose(desktop: Desktop, name: str, value: str) -> None:
    control(desktop, name).value = value


def _person(services: AppContext, benchmark: int) -> str:
    (latest,) = services.library.commands.entries([f"benchmark/{benchmark}"], limit=1)
    return latest.actor.person
