"""Drafts on the pages: ordered, shown, accepted, edited, and refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.authoring.drafting.service import CONCURRENT, DraftOrder
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.schemas.model_config import ModelConfig
from tests.authoring.drafting.replies import KINDS
from tests.gui.desktop import Desktop
from tests.saved_models import save_model
from tests.twin import Asked, Reply, Twin
from tests.until import until

EXAMPLE = 1


@pytest.fixture
def desktop(user: User, services: AppContext) -> Desktop:
    return Desktop(user, services)


@pytest.fixture
def twin(services: AppContext) -> Iterator[Twin]:
    """A model named `drafter` that replies well, except for a question about leaks."""

    def script(asked: Asked) -> Reply:
        text = str(asked.body["messages"][1]["content"])
        number = re.findall(r"\d+", text)[-1]
        return KINDS["leak" if "leak" in text else "right"](number)  # type: ignore[no-any-return]

    with Twin(script) as twin:
        model = ModelConfig(id="drafter", model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        save_model(services, "drafter", model)
        yield twin


def unfinished(services: AppContext) -> int:
    (row,) = services.library.questions.summaries(EXAMPLE, QuestionFilter(has_template=False))
    return row.number


def template_of(services: AppContext, benchmark_id: int, number: int) -> str:
    return services.library.questions.entry(benchmark_id, number).question.answer_template or ""


async def test_the_example_has_a_recorded_draft(desktop: Desktop, services: AppContext) -> None:
    number = unfinished(services)
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions/{number}?tab=template")
    await desktop.press("Draft templates")
    (choice,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Model"]
    assert choice.value == "sample-judge"
    await desktop.press("Start")
    await until(lambda: html(desktop, "Recorded reply") and html(desktop, "Exactly the same"))
    assert template_of(services, EXAMPLE, number) == ""
    await desktop.press("Accept")
    await until(lambda: "kidneys" in template_of(services, EXAMPLE, number))
    assert services.library.proposals.count_open(EXAMPLE, "template") == 0
    await desktop.press("Undo")
    await until(lambda: template_of(services, EXAMPLE, number) == "")
    await until(lambda: services.library.proposals.count_open(EXAMPLE, "template") == 1)


async def test_a_refused_draft_is_gone_and_can_be_brought_back(desktop: Desktop, services: AppContext) -> None:
    number = unfinished(services)
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions/{number}?tab=template")
    await desktop.press("Draft templates")
    await desktop.press("Start")
    await desktop.press("Discard")
    await until(lambda: services.library.proposals.count_open(EXAMPLE, "template") == 0)
    await desktop.press("Undo")
    await until(lambda: services.library.proposals.count_open(EXAMPLE, "template") == 1)


async def test_changed_instructions_are_sent_and_can_be_reset(
    desktop: Desktop, services: AppContext, twin: Twin
) -> None:
    number = unfinished(services)
    services.editor.edit(EXAMPLE, number, {"raw_answer": "It is 1984."})
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions/{number}?tab=template")
    await desktop.press("Draft templates")
    default = desktop.text("Instructions")
    choose_model(desktop, "drafter")
    await desktop.type("Instructions", "Only numbers.")
    await desktop.press("Start")
    await until(lambda: services.library.proposals.count_open(EXAMPLE, "template") == 1)
    assert twin.requests[0].system == "Only numbers."
    await desktop.press("Draft templates")
    assert desktop.text("Instructions") == "Only numbers."
    await desktop.press("Reset to default")
    await until(lambda: desktop.text("Instructions") == default)


async def test_drafts_of_many_questions_are_reviewed_by_keys(
    desktop: Desktop, services: AppContext, twin: Twin
) -> None:
    benchmark_id = services.editor.create_benchmark("Many")
    texts = ("How many cells?", "How many, with a leak?", "How many genes?", "How many beds?")
    numbers = [services.editor.add_question(benchmark_id, text, f"It is {1984 + place}.").summary.number
               for place, text in enumerate(texts)]  # fmt: skip
    await desktop.load(f"/benchmarks/{benchmark_id}/questions")
    await desktop.press("Draft templates")
    choose_model(desktop, "drafter")
    await until(lambda: html(desktop, "cost unknown"))
    await desktop.press("Start")
    await until(lambda: services.library.proposals.count_open(benchmark_id, "template") == 4)
    await until(lambda: "4 drafts to review, 1 failed." in labels(desktop))
    assert len(twin.requests) == 3 + 3
    await desktop.press("Review drafts")
    await until(lambda: "1 of 4 drafts" in labels(desktop))
    press_key(desktop, "a")
    await until(lambda: "1984" in template_of(services, benchmark_id, numbers[0]))
    await until(lambda: "1 of 3 drafts" in labels(desktop) and html(desktop, "Gives the answer away"))
    press_key(desktop, "a")  # not offered for a draft with a problem
    press_key(desktop, "j")
    await until(lambda: "2 of 3 drafts" in labels(desktop))
    press_key(desktop, "k")
    press_key(desktop, "d")
    await until(lambda: "1 of 2 drafts" in labels(desktop))
    assert template_of(services, benchmark_id, numbers[1]) == ""
    await desktop.press("Accept warning-free drafts")
    await until(lambda: "No drafts to review." in labels(desktop))
    assert all(template_of(services, benchmark_id, number) for number in numbers[2:])
    await desktop.press("Undo")
    await until(lambda: services.library.proposals.count_open(benchmark_id, "template") == 2)
    assert template_of(services, benchmark_id, numbers[2]) == ""
    await until(lambda: "1 of 2 drafts" in labels(desktop))
    press_key(desktop, "e")
    await until(lambda: desktop.address.startswith(f"/benchmarks/{benchmark_id}/questions/{numbers[2]}"))
    assert "1986" in template_of(services, benchmark_id, numbers[2])


async def test_drafts_go_on_while_the_page_is_left_and_can_be_stopped(
    desktop: Desktop, services: AppContext, twin: Twin
) -> None:
    benchmark_id = services.editor.create_benchmark("Slow")
    for place in range(9):
        services.editor.add_question(benchmark_id, f"How many, in case {place}?", "It is 1984.")
    asked, free = threading.Event(), threading.Event()
    reply = twin.script

    def slow(request: Asked) -> Reply:
        if request.number > 1:
            if request.number == 1 + CONCURRENT:
                asked.set()
            free.wait(10)
        return reply(request)

    twin.script = slow
    await desktop.load(f"/benchmarks/{benchmark_id}/questions")
    await desktop.press("Draft templates")
    choose_model(desktop, "drafter")
    await desktop.press("Start")
    await desktop.follow("/runs")
    await until(asked.is_set)
    await desktop.follow(f"/benchmarks/{benchmark_id}/questions")
    await until(lambda: "Drafting templates: 1 of 9" in labels(desktop))
    await desktop.press("Stop")
    await until(lambda: "Stopped by you. 1 draft to review." in labels(desktop))
    await desktop.press("Hide message")
    await until(lambda: "1 draft to review." in labels(desktop))
    free.set()
    assert len(twin.requests) == 1 + CONCURRENT


async def test_a_deleted_benchmark_asks_for_no_more_drafts(services: AppContext, twin: Twin) -> None:
    benchmark_id = services.editor.create_benchmark("Gone")
    numbers = [services.editor.add_question(benchmark_id, f"Case {each}?", "1984").summary.number for each in range(9)]
    asked, free = threading.Event(), threading.Event()

    def slow(request: Asked) -> Reply:
        if request.number == CONCURRENT:
            asked.set()
        free.wait(10)
        return Reply()

    twin.script = slow
    model = services.library.models.all()["drafter"]
    services.drafting.start(DraftOrder(benchmark_id, "template", tuple(numbers), model, "Draft."))
    await until(asked.is_set)
    services.editor.delete_benchmark(benchmark_id)
    await until(lambda: not services.drafting.is_drafting(benchmark_id, numbers[0], "template"))
    free.set()
    assert len(twin.requests) == CONCURRENT


async def test_a_draft_with_a_problem_can_only_be_edited(desktop: Desktop, services: AppContext, twin: Twin) -> None:
    number = unfinished(services)
    services.editor.edit(EXAMPLE, number, {"raw_answer": "It is 1984.", "answer_notes": "Without a leak: 1984"})
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions/{number}?tab=template")
    await desktop.press("Draft templates")
    choose_model(desktop, "drafter")
    await desktop.press("Start")
    await until(lambda: html(desktop, "Gives the answer away") and html(desktop, "3 attempts"))
    assert not [each for each in desktop.elements(ui.button) if each.text == "Accept"]
    await desktop.press("Edit")
    await until(lambda: "1984" in template_of(services, EXAMPLE, number))
    await desktop.choose("Draft with model…")
    await desktop.press("Cancel")
    assert services.library.proposals.count_open(EXAMPLE, "template") == 0


async def test_a_benchmark_whose_questions_all_have_templates_says_so(desktop: Desktop, services: AppContext) -> None:
    services.editor.edit(EXAMPLE, unfinished(services), {"answer_template": "class Answer(BaseAnswer): ..."})
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions")
    await desktop.press("Draft templates")
    await until(lambda: any("Every question has a template." in text for text in labels(desktop)))


async def test_suggested_traits_are_added_singly_or_together(desktop: Desktop, services: AppContext) -> None:
    await desktop.load(f"/benchmarks/{EXAMPLE}/rubric")
    await desktop.press("Suggest traits")
    await desktop.press("Start")
    await desktop.press("Add plain language")
    await until(lambda: "plain language" in trait_names(services))
    await until(lambda: len(added := trait_names(services)) == 3 and "hedging" not in added)
    await desktop.press("Add all")
    await until(lambda: {"plain language", "hedging", "gives a reason"} <= set(trait_names(services)))
    await until(lambda: services.library.proposals.count_open(EXAMPLE, "traits") == 0)
    (clear,) = [trait for trait in services.library.benchmarks.frame(EXAMPLE).rubric.llm_traits  # type: ignore[union-attr]
                if trait.name == "plain language"]  # fmt: skip
    assert (clear.kind, clear.min_score, clear.max_score, clear.higher_is_better) == ("score", 1, 5, True)


async def test_without_a_model_the_dialog_leads_to_the_models(desktop: Desktop, services: AppContext) -> None:
    for model in services.library.models.entries():
        services.library.models.delete(model.number)
    await desktop.load(f"/benchmarks/{EXAMPLE}/questions")
    await desktop.press("Draft templates")
    await until(lambda: any("No models yet." in text for text in labels(desktop)))


def choose_model(desktop: Desktop, name: str) -> None:
    (choice,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Model"]
    choice.value = name


def press_key(desktop: Desktop, key: str) -> None:
    """As the script of the dialog reports a key."""
    (dialog,) = [each for each in desktop.elements(ui.dialog) if each.props.get("aria-label") == "Review drafts"]
    for listener in dialog._event_listeners.values():
        if listener.type == "keydown":
            dialog._handle_event({"listener_id": listener.id, "args": key})


def html(desktop: Desktop, text: str) -> bool:
    return any(text in each.content for each in desktop.elements(ui.html))


def labels(desktop: Desktop) -> list[str]:
    return [each.text for each in desktop.elements(ui.label)]


def trait_names(services: AppContext) -> list[str]:
    rubric = services.library.benchmarks.frame(EXAMPLE).rubric
    return [] if rubric is None else rubric.names
