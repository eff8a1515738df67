"""Way from one problem to the next: its order, its turn at each end, and what it says."""

from __future__ import annotations

import json

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.authoring.problem_index import BenchmarkProblem, ProblemReport
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.pages.problems.rows import ProblemFilter, counts_text, problem_rows, problem_text
from karenina_gui.gui.pages.problems.walk import neighbor
from karenina_gui.gui.shell import api
from karenina_gui.gui.shell.menus import Menu
from karenina_gui.schemas.review import CheckItem, CheckState
from tests.gui.desktop import Desktop
from tests.until import until


def problem(place: int, text: str, state: CheckState = "missing", tab: str = "question") -> BenchmarkProblem:
    return BenchmarkProblem(place, place, f"Question {place}", CheckItem(state, text, tab))


THREE = [problem(1, "a"), problem(1, "b", tab="template"), problem(4, "c")]


@pytest.mark.parametrize(
    ("here", "step", "found", "turn"),
    [
        ((0, -1, "", ""), 1, 0, ""),
        (THREE[0].order, 1, 1, ""),
        ((1, -1, "", ""), 1, 0, ""),
        ((2, -1, "", ""), 1, 2, ""),
        (THREE[2].order, 1, 0, "From the top again: "),
        (THREE[2].order, -1, 1, ""),
        ((4, -1, "", ""), -1, 1, ""),
        (THREE[0].order, -1, 2, "From the end again: "),
    ],
)
def test_the_neighbor_of_a_place(here: tuple[int, int, str, str], step: int, found: int, turn: str) -> None:
    assert neighbor(THREE, here, step) == (THREE[found], turn)


def test_a_solved_problem_still_says_where_to_go_on() -> None:
    solved = THREE[1]
    assert neighbor([THREE[0], THREE[2]], solved.order, 1) == (THREE[2], "")


def test_the_filter_chooses_by_severity_and_part() -> None:
    found = [problem(1, "a"), problem(1, "b", "advice", "template"), problem(2, "c", "advice")]
    notes = [BenchmarkProblem(3, 3, "", CheckItem("advice", "d", "template", "samples", minor=True))]
    every = [*found, *notes]
    assert ProblemFilter().choose(every) == found
    assert ProblemFilter("errors").choose(every) == found[:1]
    assert ProblemFilter("all", "samples").choose(every) == notes
    assert ProblemFilter("warnings", "template").choose(every) == found[1:2]


def test_counts_tell_the_progress_of_the_first_check_alone() -> None:
    assert counts_text(ProblemReport()) == "Checking…"
    assert counts_text(ProblemReport(THREE, 2, 9)) == "3 errors. Checking 2 of 9…"
    assert counts_text(ProblemReport(THREE, 9, 9)) == "3 errors."
    assert counts_text(ProblemReport([], 9, 9, complete=True)) == "No problems."


def test_messages_of_templates_are_shown_without_their_prefixes() -> None:
    item = CheckItem("missing", "An error.", "template", "line:1", "Error executing template code: name 'x' is unknown")
    assert problem_text(BenchmarkProblem(1, 1, "", item)) == "An error. Name 'x' is unknown"


def test_rows_of_one_question_have_different_ids() -> None:
    assert [row["id"] for row in problem_rows([*THREE, problem(4, "c")])] == ["1:1", "1:2", "4:1", "4:2"]


def test_rows_name_their_question_or_the_benchmark() -> None:
    benchmark = BenchmarkProblem(None, 0, "Kinases", CheckItem("missing", "No rubric.", "rubric"))
    untitled = BenchmarkProblem(1, 1, " ", CheckItem("missing", "Empty.", "question"))
    rows = problem_rows([benchmark, THREE[0], untitled])
    assert [row["owner"] for row in rows] == ["Benchmark", "Question 1", "Untitled question"]


@pytest.fixture
def flawed(application: Application) -> Application:
    """Question 2 has no reference answer, question 5 a broken template."""
    application.editor.edit(1, 2, {"raw_answer": ""})
    application.editor.edit(1, 5, {"answer_template": "class Answer("})
    return application


def words(desktop: Desktop) -> str:
    (label,) = [each for each in desktop.elements(ui.label) if "status-problem" in each.classes]
    return str(label.text)


def press(desktop: Desktop, title: str) -> None:
    """Choose an entry of the View menu."""
    menus = [each for each in desktop.client.elements.values() if isinstance(each, Menu)]
    (menu,) = [menu for menu in menus if menu.commands[0].menu == "View"]
    with desktop.client:
        menu.refresh()
    (item,) = [item for item, label in menu.entries.values() if label.text == title]
    UserInteraction(desktop.user, {item}, None).click()


async def test_f8_goes_through_all_problems_and_begins_again(user: User, flawed: Application) -> None:
    desktop = Desktop(user, flawed.services())
    await desktop.load("/benchmarks/1/questions/1?tab=question")
    seen: list[str] = []
    for _ in range(12):
        before = words(desktop)
        press(desktop, "Next problem")
        await until(lambda before=before: words(desktop) not in ("", before))
        seen.append(words(desktop))
        if seen[-1].startswith("From the top again"):
            break
    assert seen[0].endswith("No reference answer. (question 2)")
    assert any("The answer template has an error." in each and "(question 5)" in each for each in seen)
    assert seen[-1].startswith("From the top again: 1 of ")
    assert desktop.address.startswith("/benchmarks/1/questions/2?tab=question&at=raw_answer")
    press(desktop, "Previous problem")
    await until(lambda: words(desktop).startswith("From the end again: "))


async def test_the_panel_opens_keeps_its_filter_and_counts_as_questions_are_mended(
    user: User, flawed: Application
) -> None:
    services = flawed.services()
    api.register(services)
    desktop = Desktop(user, services)
    await desktop.load("/benchmarks/1/questions/1?tab=question")
    press(desktop, "Show or hide problems")
    await until(lambda: any(each.text.startswith("3 errors") for each in desktop.elements(ui.label)))
    (shown,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Severity filter"]
    shown.value = "errors"
    await until(lambda: any(each.text == "3 problems" for each in desktop.elements(ui.button)))
    services.editor.edit(1, 2, {"raw_answer": "42 mg"})
    await until(lambda: any(each.text == "2 problems" for each in desktop.elements(ui.button)))
    await desktop.load("/benchmarks/1/questions/1?tab=question")
    (shown,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Severity filter"]
    assert shown.value == "errors"
    response = await user.http_client.get("/api/benchmarks/1/problems?shown=errors")
    rows = json.loads(response.content)["rows"]
    assert (5, "error", "template", "line:1") in [
        (row["number"], row["severity"], row["tab"], row["at"]) for row in rows
    ]
    assert (await user.http_client.get("/api/benchmarks/99/problems")).status_code == 404
    grid = desktop.elements(Grid)[-1]
    broken = next(row for row in rows if (row["number"], row["at"]) == (5, "line:1"))
    UserInteraction(user, {grid}, None).trigger("open", broken)
    await until(lambda: desktop.address.startswith("/benchmarks/1/questions/5?tab=template&at=line"))
