"""Every page as an accessibility check finds it: each tab, dialog, menu and message, empty and full, light and dark.

None has a control that 200% zoom cuts off. Parts of pages, such as dialogs, are only drawn where a run is not thorough.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import Application, build
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from karenina_gui.gui.shell.commands import MENUS
from karenina_gui.gui.shell.pages import PAGES
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.settings import Settings
from tests.answered import answer
from tests.browser.accessibility import violations
from tests.browser.conftest import open_advanced, served
from tests.browser.template_views import open_code
from tests.browser.zoom import cut_controls
from tests.calibrated import depth, judged_benchmark
from tests.examples import THOROUGH
from tests.saved_models import save_model

pytestmark = pytest.mark.browser

Show = Callable[[Page], None]
State = tuple[Show, str | None]
"""How it is reached, and the selector of what is new in it; None: the whole page."""

TRAITS: dict[str, list[dict[str, Any]]] = {
    "llm_traits": [
        {"name": "cites", "description": "Are sources named?", "kind": "boolean"},
        {"name": "depth", "description": "How deep is it?", "kind": "score", "min_score": 1, "max_score": 5},
        {"name": "tone", "kind": "literal", "classes": {"casual": "chatty", "formal": "dry"}},
        {
            "name": "facts",
            "description": "What is said?",
            "kind": {
                "type": "template",
                "schema": {
                    "title": "Facts",
                    "type": "object",
                    "properties": {"sources": {"type": "integer", "description": "How many"}},
                    "required": ["sources"],
                },
            },
            "higher_is_better": None,
        },
    ],
    "regex_traits": [{"name": "unit", "pattern": "mg"}],
    "callable_traits": [
        {"name": "short", "kind": "boolean", "source": "def short(text):\n    return len(text) < 99\n"}
    ],
    "metric_traits": [{"name": "effects", "metrics": ["precision"], "tp_instructions": ["nausea"]}],
    "agentic_traits": [
        {"name": "runs", "description": "Does the code run?", "kind": "boolean", "higher_is_better": True}
    ],
}
AGENT = ModelConfig(
    id="agent",
    model_name="m",
    interface="claude_tool",
    mcp_urls_dict={"db": "http://127.0.0.1:9/mcp"},
    mcp_servers={"papers": ToolServer(type="stdio", command="uvx", env={"A": "${NOT_SET_HERE}"})},
)
KINDS = [trait["name"] for traits in TRAITS.values() for trait in traits]


@pytest.fixture(scope="module")
def furnished(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where an application is served that has something of everything."""
    folder = tmp_path_factory.mktemp("furnished")
    shutil.copytree(first_data, folder / "data")
    application = build(Settings(data=folder / "data"))
    try:
        furnish(application, folder / "work")
    finally:
        application.close()
    with served(folder / "data") as address:
        yield address


def furnish(application: Application, root: Path) -> None:
    """Benchmark 4 has a question with a trait of every kind and a workspace, and nearly the same question again.

    Benchmark 5 has nothing, benchmark 6 a question with a result, and benchmark 7 is calibrated.
    """
    editor = application.editor
    benchmark = editor.create_benchmark("Every kind")
    question = editor.add_question(benchmark, "Which dose?", "300 mg").summary.number
    editor.edit(benchmark, question, {"question_rubric": TRAITS, "workspace_path": "task"})
    (root / "task").mkdir(parents=True)
    (root / "task" / "notes.txt").write_text("Look here first.\n")
    editor.workspaces.set_root(benchmark, str(root))
    editor.add_question(benchmark, "Which  dose")
    editor.create_benchmark("Nothing yet")
    diverge(application, root)
    answered = editor.create_benchmark("Answered")
    answer(application.library, answered, editor.add_question(answered, "How?").entry.id)
    models = list(application.library.models.all().values())
    config = VerificationConfig(answering_models=models[:1], parsing_models=models[-1:])
    application.library.presets.save(Preset(name="Careful", config=config))
    save_model(application, "agent", AGENT)
    application.library.prices.save(Price(model="openai:gpt-5", input=1.25, output=10))
    label_all(application, judged_benchmark(application.library))


def label_all(application: Application, benchmark: int) -> None:
    """Benchmark 7 has labels for the trait “depth”, and none for “dose”."""
    calibrations, target = application.editor.calibrations, depth(benchmark)
    opened = calibrations.open(target)
    drawn = application.library.calibrations.get(calibrations.draw(opened, 10, 1, "Ada"))
    for place, each in enumerate(drawn.answers):
        calibrations.label(drawn, each.key, place % 5 + 1, opened.wording, "Ada")


def diverge(application: Application, folder: Path) -> None:
    """Benchmark 1 has a published version, and a linked file with conflicts."""
    editor = application.editor
    editor.publishing.publish(1, "pilot", "For the paper.")
    path = folder / "colleague.jsonld"
    editor.links.write(1, str(path))
    document = load_checkpoint(path)
    document.entries[0].question.raw_answer = "Edited by a colleague."
    document.entries[0].question.answer_template = (document.entries[0].question.answer_template or "") + "# More.\n"
    document.description = "Edited by a colleague."
    save_checkpoint(document, path)
    editor.edit(1, 1, {"raw_answer": "Edited here."})


def at(place: str, ready: str = "[role=heading]") -> Show:
    """An address, and what is there once its page is drawn."""

    def show(page: Page) -> None:
        page.goto(place)
        page.locator(ready).first.wait_for()
        page.wait_for_function("window.did_handshake")  # from now on it hears keys

    return show


def then(*steps: Show) -> Show:
    def show(page: Page) -> None:
        for step in steps:
            step(page)

    return show


def click(name: str | re.Pattern[str], role: Any = "button", awaited: str = ".dialog") -> Show:
    def show(page: Page) -> None:
        page.get_by_role(role, name=name).first.click()
        page.locator(awaited).first.wait_for()

    return show


def press(key: str, awaited: str) -> Show:
    def show(page: Page) -> None:
        page.keyboard.press(key)
        page.locator(awaited).first.wait_for()

    return show


def menu(name: str) -> Show:
    # “View” is part of “Review”.
    return click(re.compile(rf"^{name}$"), "menuitem", f".q-menu[data-menu={name}] .q-item")


def leave(page: Page) -> None:
    """What is open above the page is closed."""
    page.keyboard.press("Escape")
    expect(page.locator(".q-menu, .q-dialog")).to_have_count(0)


def trait(name: str) -> Show:
    def show(page: Page) -> None:
        page.get_by_role("option", name=name).first.click()
        expect(page.get_by_role("region", name="Trait", exact=True).get_by_label("Name", exact=True)).to_have_value(
            name
        )

    return show


def words_of_a_template(page: Page) -> None:
    open_code(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n    Ver", delay=40)
    page.locator(".cm-tooltip-autocomplete").wait_for()


def delete_and_tell(page: Page) -> None:
    page.get_by_role("button", name="Delete question").click()
    page.locator(".toast").wait_for()


def edit_text(page: Page) -> None:
    page.get_by_role("textbox", name="Question", exact=True).fill("How else?")
    page.locator(".question-id-choices").wait_for()


def agents(page: Page) -> None:
    open_advanced(page)
    for group in ("Agentic judging", "Agent workspaces", "Workspace limits"):
        page.locator(".run-form-group", has_text=group).locator(".q-item").first.click()
    page.get_by_label("Investigate before").click()
    page.get_by_label("Network access").click()
    page.locator(".run-form-group .note-warn").nth(1).wait_for()


def whole(show: Show) -> State:
    return show, None


def dialog(show: Show) -> State:
    """What lies below a dialog is looked at without it."""
    return show, ".q-dialog"


def editor(show: Show) -> State:
    """The list beside it has been looked at with another question."""
    return show, "[aria-label='Question editor']"


STATES: Mapping[str, Mapping[str, State]] = {
    "/benchmarks": {
        "full": whole(at("/benchmarks", "table")),
        "new": dialog(click("New benchmark")),
        "import": whole(at("/benchmarks?import=1", ".dialog")),
    },
    "/benchmarks/{b}/questions": {
        "empty": whole(at("/benchmarks/5/questions", ".empty")),
        "import": dialog(click("Import questions")),
        "duplicates": dialog(
            then(
                at("/benchmarks/4/questions", ".question-head-title"),
                menu("Review"),
                click("Find duplicates", "menuitem", ".duplicate-table"),
            )
        ),
        "question": whole(at("/benchmarks/1/questions/1?tab=question", ".ag-cell")),
        "template": editor(at("/benchmarks/1/questions/2?tab=template", ".form-card")),
        "words": editor(words_of_a_template),
        "rubric": editor(
            then(at("/benchmarks/4/questions", ".question-head-title"), click("Rubric", "tab", ".trait-line"))
        ),
        **{name: (trait(name), "[aria-label=Trait]") for name in KINDS},
        "workspace": editor(click("Workspace", "tab", "[role=treeitem]")),
        "file": editor(
            then(
                lambda page: page.get_by_role("treeitem", name="notes.txt").click(),
                lambda page: page.locator(".workspace-file .cm-content").wait_for(),
            )
        ),
        "toast": whole(delete_and_tell),
        "deleted": dialog(then(menu("Edit"), click("Restore deleted questions", "menuitem", ".deleted-line"))),
        "edited": editor(then(at("/benchmarks/6/questions?tab=question", ".question-head-title"), edit_text)),
    },
    "/benchmarks/{b}/table": {
        "": whole(at("/benchmarks/1/table", ".ag-cell")),
        "keywords": dialog(
            then(
                click("Press Space to toggle row selection", "checkbox", ".chosen"),
                click("More edits", awaited=".q-menu"),
                click("Edit keywords…", "menuitem"),
            )
        ),
    },
    "/benchmarks/{b}/details": {
        "": whole(at("/benchmarks/1/details", ".form")),
        "folder": dialog(click("Choose folder…", awaited=".folder-list .button")),
    },
    "/benchmarks/{b}/rubric": {
        "empty": whole(at("/benchmarks/5/rubric", ".empty")),
        "full": whole(at("/benchmarks/1/rubric", ".trait-line")),
        "actions": (click("Trait actions", awaited=".q-menu .menu-item"), ".q-menu"),
    },
    "/benchmarks/{b}/calibration": {
        "agreement": whole(at("/benchmarks/7/calibration?trait=depth", ".label-tried table")),
        "start": whole(at("/benchmarks/7/calibration?trait=dose", ".empty .button-main")),
        "label": whole(click("Label 10 answers", awaited=".label-sheet")),
    },
    "/benchmarks/{b}/replace": {
        "": whole(at("/benchmarks/1/replace", ".replace-grid")),
        "matches": whole(
            lambda page: (
                page.get_by_role("textbox", name="Find", exact=True).fill("enzyme"),
                page.get_by_text("need another review").wait_for(),
            )
        ),
        "problems": whole(press("Control+Alt+p", ".problems-grid .ag-cell")),
    },
    "/benchmarks/{b}/history": {"": whole(at("/benchmarks/1/history", ".history-list"))},
    "/benchmarks/{b}/versions": {
        "empty": whole(at("/benchmarks/4/versions", ".empty")),
        "full": whole(at("/benchmarks/1/versions", ".version")),
        "publish": dialog(click("Publish version…")),
    },
    "/benchmarks/{b}/versions/compare": {
        "choose": whole(at("/benchmarks/1/versions/compare", ".model-list-entry")),
        "changed": whole(at("/benchmarks/1/versions/compare?with=linked", ".compared-section")),
        "details": whole(click("Benchmark details", "link", ".compared-section")),
        "missing": whole(at("/benchmarks/1/versions/compare?with=file:gone", ".empty")),
    },
    "/history": {"": whole(at("/history", ".history-list"))},
    "/benchmarks/{b}/run": {
        "": whole(at("/benchmarks/1/run", ".run-form-headline")),
        "preset": dialog(click("Save as preset…")),
        "agents": (then(at("/benchmarks/1/run", ".run-form-headline"), agents), ".run-form-groups"),
        "sent": dialog(
            then(at("/benchmarks/1/run", ".run-form-headline"), click("Preview requests…", awaited=".sent"))
        ),
    },
    "/runs": {"": whole(at("/runs", ".ag-cell")), "open": dialog(click("Import results…"))},
    "/runs/{r}": {
        "": whole(
            then(
                at("/runs/1", ".result-grid .ag-cell"),
                lambda page: expect(page.locator("[aria-colcount='0']")).to_have_count(0),  # it has its columns
                lambda page: page.get_by_text("percentages weight each question equally").first.wait_for(),  # counted
            )
        )
    },
    "/runs/{r}/summary": {"": whole(at("/runs/1/summary", ".chart-sentence"))},
    "/runs/{r}/results": {
        "": whole(at("/runs/1/results?outcome=passed", ".results-grid .ag-cell")),
        "groups": whole(at("/runs/1/results?group=question", ".results-groups li")),
        "filter": (
            then(at("/runs/1/results", ".ag-cell"), click("Filter", awaited=".results-panel")),
            ".results-panel",
        ),
        "columns": (
            then(at("/runs/1/results", ".ag-cell"), click("Columns", awaited=".column-panel")),
            ".column-panel",
        ),
    },
    "/runs/{r}/record": {"": whole(at("/runs/1/record", ".plain-table"))},
    "/runs/{r}/charts": {
        "": whole(at("/runs/1/charts", ".chart-counted")),
        "table": (click("Table", awaited=".chart-table table"), ".chart-main"),
    },
    "/runs/{r}/results/{id}": {"": whole(at("/runs/1/results/1", ".trace-message"))},
    "/presets": {"": whole(at("/presets", ".facts")), "import": dialog(click("Import preset…"))},
    "/models": {
        "": whole(at("/models", ".model-list")),
        "agent": (
            then(
                at("/models?name=agent", ".model-form-advanced"),
                open_advanced,
                lambda page: page.locator(".model-server-card").first.wait_for(),
            ),
            ".model-form-advanced",
        ),
    },
    "/keys": {
        "": whole(at("/keys", ".keys-list > *")),
        "enter": dialog(click("Add key…")),
        **{name: (then(leave, menu(name)), f".q-menu[data-menu={name}]") for name in MENUS},
        "palette": dialog(then(leave, press("Control+k", ".palette-rows .q-item"))),
        "shortcuts": dialog(then(leave, press("?", ".keys dt"))),
    },
    "/prices": {"": whole(at("/prices", ".price-row"))},
    "/settings": {"": whole(at("/settings", ".form"))},
    "/guide": {"": whole(at("/guide", ".guide h1")), "nowhere": whole(at("/nowhere", ".empty"))},
}


def test_faint_text_is_found_among_others_of_its_class(page: Page, address: str) -> None:
    at(f"{address}/settings", ".form")(page)
    assert violations(page, ".form") == []
    page.evaluate("document.querySelector('.form').prepend(document.querySelector('.form .hint').cloneNode(true))")
    assert violations(page, ".form") == []
    page.evaluate("document.querySelector('.form').firstChild.style.color = '#888'")  # too faint on either ground
    assert [line.partition(":")[0] for line in violations(page, ".form")] == ["color-contrast"]


def test_every_page_is_looked_at() -> None:
    assert set(STATES) == {page.path for page in PAGES}


@pytest.mark.parametrize("path", STATES)
def test_a_page_is_accessible_light_dark_and_zoomed(new_page: Callable[..., Page], furnished: str, path: str) -> None:
    page = new_page(furnished)
    found = []
    for name, (show, part) in STATES[path].items():
        show(page)
        if part is None or THOROUGH:
            found += [f"{name}: {line}" for line in [*violations(page, part), *cut_controls(page)]]
    assert found == []
