"""Every page as an accessibility check finds it: each tab, dialog, menu and message, empty and full, light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from karenina_gui.app import Application, build
from karenina_gui.gui.frame.commands import MENUS
from karenina_gui.gui.frame.pages import PAGES
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.settings import Settings
from tests.browser.conftest import run_long_conversation, served

pytestmark = pytest.mark.browser

Show = Callable[[Page], None]

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
IN_THE_DARK = ["color-contrast", "link-in-text-block"]
"""Rules that depend on colours: all that can differ between light and dark."""

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
KINDS = [trait["name"] for traits in TRAITS.values() for trait in traits]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where an application is served that has something of everything."""
    folder = tmp_path_factory.mktemp("furnished")
    application = build(Settings(data=folder / "data"))
    try:
        run_long_conversation(application)
        furnish(application, folder / "work")
    finally:
        application.close()
    with served(folder / "data") as address:
        yield address


def furnish(application: Application, root: Path) -> None:
    """Benchmark 3 has a question with a trait of every kind and a workspace, benchmark 4 nothing."""
    desk = application.desk
    benchmark = desk.create_benchmark("Every kind")
    question = desk.add_question(benchmark, "Which dose?", "300 mg").entry.id
    desk.edit(benchmark, question, {"question_rubric": TRAITS, "workspace_path": "task"})
    (root / "task").mkdir(parents=True)
    (root / "task" / "notes.txt").write_text("Look here first.\n")
    desk.workspaces.set_root(benchmark, str(root))
    desk.create_benchmark("Nothing yet")
    models = list(application.library.models.all().values())
    config = VerificationConfig(answering_models=models[:1], parsing_models=models[-1:])
    application.runs.presets.kept.save(Preset(name="Careful", config=config))


def at(place: str, ready: str = "[role=heading]") -> Show:
    """An address, and what is there once its page is drawn."""

    def show(page: Page) -> None:
        page.goto(origin(page) + place)
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
    return click(name, "menuitem", f".q-menu[data-menu={name}] .q-item")


def trait(name: str) -> Show:
    def show(page: Page) -> None:
        page.get_by_role("option", name=name).first.click()
        expect(page.get_by_role("region", name="Trait", exact=True).get_by_label("Name", exact=True)).to_have_value(
            name
        )

    return show


def words_of_a_template(page: Page) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n    Ver", delay=40)
    page.locator(".cm-tooltip-autocomplete").wait_for()


def delete_and_tell(page: Page) -> None:
    page.get_by_role("button", name="Delete question").click()
    page.locator(".toast").wait_for()


KEYS = at("/keys", ".keys-list > *")

STATES: Mapping[str, Mapping[str, Show]] = {
    "/benchmarks": {
        "full": at("/benchmarks", "table"),
        "new": click("New benchmark", awaited=".dialog"),
        "import": at("/benchmarks?import=1", ".dialog"),
    },
    "/benchmarks/{b}/questions": {
        "empty": at("/benchmarks/4/questions", ".empty"),
        "import": click("Import questions", awaited=".dialog"),
        "question": at("/benchmarks/1/questions/1?tab=question", ".ag-row"),
        "template": at("/benchmarks/1/questions/2?tab=template", ".cm-content[aria-label]"),
        "words": words_of_a_template,
        "rubric": then(at("/benchmarks/3/questions", ".qh-title"), click("Rubric", "tab", ".trait-line")),
        **{name: trait(name) for name in KINDS},
        "workspace": click("Workspace", "tab", "[role=treeitem]"),
        "file": then(
            lambda page: page.get_by_role("treeitem", name="notes.txt").click(),
            lambda page: page.locator(".ws-file .cm-content").wait_for(),
        ),
        "toast": delete_and_tell,
        "deleted": then(menu("Edit"), click("Restore deleted questions", "menuitem", ".deleted-line")),
    },
    "/benchmarks/{b}/details": {"": at("/benchmarks/1/details", ".form")},
    "/benchmarks/{b}/run": {
        "": at("/benchmarks/1/run", ".rf-headline"),
        "preset": click("Save as preset…"),
    },
    "/runs": {"": at("/runs", ".ag-row"), "open": click("Open results…")},
    "/runs/{r}": {"": at("/runs/1", ".rt-grid .ag-row")},
    "/runs/{r}/results/{id}": {"": at("/runs/1/results/1", ".tv-m")},
    "/presets": {"": at("/presets", ".kv"), "import": click("Import file…")},
    "/models": {"": at("/models", ".ml")},
    "/keys": {"": KEYS, "enter": click("Enter another key…")},
    "/settings": {"": at("/settings", ".form")},
    "/guide": {
        "": at("/guide", ".guide h1"),
        **{name: then(KEYS, menu(name)) for name in MENUS},
        "palette": then(KEYS, press("Control+k", ".palette-rows .q-item")),
        "shortcuts": then(KEYS, press("?", ".keys dt")),
        "nowhere": at("/nowhere", ".empty"),
    },
}


def test_every_page_is_looked_at() -> None:
    assert set(STATES) == {page.path for page in PAGES}


@pytest.mark.parametrize("path", STATES)
def test_a_page_is_accessible_in_light_and_dark(new_page: Callable[..., Page], furnished: str, path: str) -> None:
    page = new_page()
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{furnished}/guide")
    found = []
    for name, show in STATES[path].items():
        show(page)
        settle(page)
        found += [f"{name}: {line}" for line in violations(page, RULES)]
        page.emulate_media(color_scheme="dark")
        expect(page.locator("body")).to_have_class(re.compile("body--dark"))
        found += [f"{name}, dark: {line}" for line in dark_violations(page)]
        page.emulate_media(color_scheme="light")
    assert found == []


def origin(page: Page) -> str:
    return "/".join(page.url.split("/")[:3])


def settle(page: Page) -> None:
    """Nothing is moving any more, and the pointer is over nothing."""
    page.mouse.move(640, 799)
    page.wait_for_timeout(250)


def dark_violations(page: Page) -> list[str]:
    """Looked for anew while colours are still turning."""
    found: list[str] = []
    for pause in (150, 600, 1500):
        page.wait_for_timeout(pause)
        if not (found := violations(page, IN_THE_DARK, kind="rule")):
            break
    return found


def violations(page: Page, rules: list[str], kind: str = "tag") -> list[str]:
    """One line each; the checker is loaded once for an address."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(Axe().axe_script)
    options = {"runOnly": {"type": kind, "values": rules}, "resultTypes": ["violations"]}
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    lines = [f"{each['id']}: {node['target']} {node['html'][:160]}" for each in found for node in each["nodes"]]
    popups = page.evaluate(IN_POPUPS)
    return [line for line in lines if not excused(line, popups)]


def excused(line: str, popups: list[str]) -> bool:
    """What the libraries do by design, and no more than that.

    Quasar draws menus and tooltips at the end of the page, beside its landmarks (`region`, a best practice and no
    rule of WCAG). CodeMirror scrolls its list of words by the arrow keys of the editor, which keeps the focus.
    """
    rule, _, where = line.partition(": ")
    if rule == "region":
        return any(identity in where for identity in popups)
    return rule == "scrollable-region-focusable" and "#cm-ac-" in where


IN_POPUPS = """() => [...document.querySelectorAll("[id^=q-portal--menu] [id], [id^=q-portal--tooltip] [id]")]
    .map((each) => `'#${each.id}'`)"""
