"""Building a rubric with one trait of every kind by keyboard alone; two windows in one rubric."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from karenina_gui.gui.pages.rubric.kinds import FUNCTION
from tests.browser.accessibility import violations
from tests.browser.conftest import SIZE

pytestmark = pytest.mark.browser

KEPT = re.compile(r"^Saved$")
NAMES = ["cites", "depth", "tone", "facts", "unit", "short", "effects", "runs"]


@pytest.fixture(scope="module")
def benchmark(address: str, chromium: Browser) -> Iterator[Callable[[], str]]:
    """Makes an empty benchmark and gives the address of its rubric."""
    page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")

    def make() -> str:
        page.goto(f"{address}/benchmarks")
        page.get_by_role("button", name="New benchmark").click()
        page.get_by_label("Name", exact=True).fill("Rubrics")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url(re.compile(r"/benchmarks/\d+/questions$"))
        return page.url.replace("/questions", "/rubric")

    yield make
    page.close()


def sheet(page: Page) -> Locator:
    return page.get_by_role("region", name="Trait", exact=True)


def begin(page: Page, line: str) -> None:
    """A new trait of the kind that this line describes."""
    page.get_by_role("button", name="New trait").click()
    page.get_by_role("menuitem", name=line).click()
    expect(sheet(page).get_by_label("Name", exact=True)).to_be_focused()


def rows(page: Page) -> list[str]:
    return page.locator(".trait-line .trait-name").all_text_contents()


@pytest.mark.thorough
def test_a_rubric_of_every_kind_is_built_by_mouse(page: Page, benchmark: Callable[[], str]) -> None:
    page.goto(benchmark())
    name = sheet(page).get_by_label("Name", exact=True)
    page.get_by_role("button", name="A judge answers yes or no.").click()
    expect(name).to_be_focused()
    name.fill("cites")
    expect(page.get_by_text(KEPT)).to_be_visible()
    begin(page, "A judge gives a score.")
    name.fill("depth")
    sheet(page).get_by_label("Maximum score").fill("0")
    expect(page.get_by_text("The maximum must be greater than the minimum.")).to_be_visible()
    sheet(page).get_by_label("Maximum score").fill("10")
    expect(page.get_by_text(KEPT)).to_be_visible()
    begin(page, "A judge picks one of your classes.")
    name.fill("tone")
    for number, word in enumerate(("casual", "Casual"), 1):
        sheet(page).get_by_label(f"Name, class {number}").fill(word)
        sheet(page).get_by_label(f"Applies when, class {number}").fill("so it sounds")
    expect(page.get_by_text("case is ignored")).to_be_visible()
    sheet(page).get_by_label("Name, class 2").fill("formal")
    expect(page.get_by_text(KEPT)).to_be_visible()
    sheet(page).get_by_role("button", name="Move class 2 up").click()
    expect(sheet(page).get_by_label("Name, class 1")).to_have_value("formal")
    begin(page, "A judge fills in several fields.")
    name.fill("facts")
    sheet(page).get_by_label("Name, field 1").fill("sources")
    sheet(page).get_by_label("Type, field 1").click()
    page.get_by_role("option", name="Whole number", exact=True).click()
    instructions, whole = (
        sheet(page).locator(place).bounding_box() for place in (".trait-row-below", ".trait-row:has(.trait-row-below)")
    )
    assert instructions and whole and instructions["width"] == whole["width"]
    expect(page.get_by_text(KEPT)).to_be_visible()
    begin(page, "Searches the answer")
    name.fill("unit")
    sheet(page).get_by_label("Pattern", exact=True).fill("mg(")
    expect(page.get_by_text("Invalid regular expression")).to_be_visible()
    sheet(page).get_by_label("Pattern", exact=True).fill("mg")
    sheet(page).get_by_label("Sample answer").fill("400 mg")
    expect(page.get_by_text("Yes for this text")).to_be_visible()
    begin(page, "Your Python function")
    name.fill("short")
    expect(page.get_by_text("Needed: function")).to_be_visible()
    expect(page.get_by_text("No problems.")).to_be_hidden()
    sheet(page).get_by_role("textbox", name="Trait function").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("len(te")  # inside a call, too
    expect(page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("the answer")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(FUNCTION.replace("…", "mg"))
    expect(page.get_by_text("No problems.")).to_be_visible()
    expect(page.get_by_text("Needed: function")).to_be_hidden()
    sheet(page).get_by_label("Sample answer").fill("400 mg")
    expect(page.get_by_text("Yes for this text")).to_be_visible()
    begin(page, "A judge checks which")
    name.fill("effects")
    sheet(page).get_by_label("Statement, statement 1").fill("nausea")
    expect(page.get_by_text(KEPT)).to_be_visible()
    begin(page, "An agent investigates")
    name.fill("runs")
    expect(page.get_by_text(KEPT)).to_be_visible()
    sheet(page).get_by_role("checkbox", name="Provide trace as file").click()
    sheet(page).get_by_label("Agent context").click()
    page.get_by_role("option", name="Files only").click()
    expect(page.get_by_text("sees only the workspace files")).to_be_visible()
    sheet(page).get_by_role("checkbox", name="Provide trace as file").click()
    expect(page.get_by_text(KEPT)).to_be_visible()

    page.reload()
    expect(page.locator(".trait-line")).to_have_count(8)
    assert rows(page) == NAMES
    assert page.locator(".trait-unkept").count() == 0
    page.get_by_role("option", name="tone").click()
    expect(sheet(page).get_by_label("Name, class 1")).to_have_value("formal")
    assert violations(page) == []
    page.get_by_role("option", name="short").click()
    expect(name).to_have_value("short")
    assert violations(page, "[aria-label=Trait]") == []


@pytest.mark.thorough
def test_the_details_of_a_benchmark_with_traits_open_at_their_top(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/rubric")
    expect(page.locator(".trait-line.on")).to_be_attached()
    page.wait_for_function("window.did_handshake")
    expect(page.get_by_label("Name", exact=True).first).to_be_in_viewport(ratio=1)


@pytest.mark.thorough
def test_a_rubric_of_every_kind_is_built_by_keyboard_alone(page: Page, benchmark: Callable[[], str]) -> None:
    page.goto(benchmark())
    expect(page.get_by_text("No traits yet")).to_be_visible()
    keys = page.keyboard
    name = sheet(page).get_by_label("Name", exact=True)

    def tab_to(label: str, key: str = "Tab") -> None:
        """On until the control of this name has the focus."""
        for _ in range(20):
            if page.evaluate("document.activeElement.matches('.cm-content')"):
                keys.press("Escape")  # the next Tab leaves the code instead of indenting it
            keys.press(key)
            words = page.evaluate(
                "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
            )
            if (words or "").strip().startswith(label):
                return
        raise AssertionError(f"no way to {label}")

    def start(number: int, word: str) -> None:
        """Choose a kind by its place in the menu, and name the trait."""
        if number == 0:
            keys.press("Control+k")
            expect(page.get_by_label("Command", exact=True)).to_be_focused()
            keys.type("new trait")
            expect(page.get_by_role("menuitem", name="New trait…").last).to_be_visible()
        else:
            tab_to("add\nNew trait", "Shift+Tab")  # its icon is a word, too
        keys.press("Enter")
        expect(page.get_by_role("menuitem", name="A judge answers yes or no.")).to_be_focused()
        for _ in range(number):
            keys.press("ArrowDown")
        keys.press("Enter")
        expect(name).to_be_focused()
        keys.type(word)
        expect(name).to_have_value(word)

    def write(text: str) -> None:
        """As fast as a person types."""
        keys.type(text, delay=40)

    def kept() -> None:
        expect(page.get_by_text(KEPT)).to_be_visible()

    for number, word in enumerate(NAMES):
        start(number, word)
        if word == "tone":
            for label, text in (
                ("Name, class 1", "casual"), ("Applies when, class 1", "chatty"),
                ("Name, class 2", "formal"), ("Applies when, class 2", "stiff"),
            ):  # fmt: skip
                tab_to(label)
                write(text)
            kept()
            keys.press("Alt+ArrowUp")
            expect(sheet(page).get_by_label("Name, class 1")).to_have_value("formal")
        elif word == "facts":
            tab_to("Name, field 1")
            keys.type("sources")
            instructions, whole = (
                sheet(page).locator(place).bounding_box()
                for place in (".trait-row-below", ".trait-row:has(.trait-row-below)")
            )
            assert instructions and whole and instructions["width"] == whole["width"]
        elif word == "unit":
            tab_to("Pattern")
            keys.type("mg")
        elif word == "short":
            tab_to("Trait function")
            keys.press("Tab")  # from the frame into the text
            expect(sheet(page).get_by_role("textbox", name="Trait function")).to_be_focused()
            keys.press("Control+a")
            keys.insert_text(FUNCTION.replace("…", "mg"))
            tab_to("Sample answer")
            keys.type("400 mg")
            expect(page.get_by_text("Yes for this text")).to_be_visible()
        elif word == "effects":
            tab_to("Statement, statement 1")
            keys.type("nausea")
        kept()
    tab_to("Delete trait", "Shift+Tab")
    keys.press("Enter")
    expect(page.locator(".trait-line")).to_have_count(7)
    expect(page.get_by_role("listbox", name="Traits")).to_be_focused()
    page.keyboard.press("Home")
    keys.press("ArrowDown")
    expect(name).to_have_value("depth")
    keys.press("Alt+ArrowUp")
    expect(page.locator(".trait-name").first).to_have_text("depth")
    kept()

    page.reload()
    expect(page.locator(".trait-line .trait-name")).to_have_text(["depth", "cites", *NAMES[2:-1]])


def test_edits_of_two_windows_meet_in_one_rubric(new_page: Callable[..., Page], benchmark: Callable[[], str]) -> None:
    first, second = new_page(), new_page()
    first.goto(benchmark())
    first.get_by_role("button", name="Searches the answer").click()
    sheet(first).get_by_label("Name", exact=True).fill("unit")
    sheet(first).get_by_label("Pattern", exact=True).fill("mg")
    expect(first.get_by_text(KEPT)).to_be_visible()
    second.goto(first.url)
    expect(sheet(second).get_by_label("Pattern", exact=True)).to_have_value("mg")

    sheet(second).get_by_label("Pattern", exact=True).fill("mg(")  # incomplete: waits in its form
    expect(second.get_by_text("Runs use the last saved version")).to_be_visible()
    begin(first, "A judge answers yes or no.")
    sheet(first).get_by_label("Name", exact=True).fill("friendly")
    expect(second.get_by_role("option", name="friendly")).to_be_visible()
    expect(sheet(second).get_by_label("Pattern", exact=True)).to_have_value("mg(")

    first.get_by_role("option", name="unit").click()
    sheet(first).get_by_label("Pattern", exact=True).fill("kg")
    expect(first.get_by_text(KEPT)).to_be_visible()
    expect(second.get_by_text("changed in another window")).to_be_visible()
    expect(sheet(second).get_by_label("Pattern", exact=True)).to_have_value("mg(")
    assert violations(second) == []
    sheet(second).get_by_label("Pattern", exact=True).fill("mcg")
    expect(second.get_by_role("cell", name="mcg")).to_be_visible()
    second.get_by_role("button", name="Keep mine").click()
    expect(second.get_by_text(KEPT)).to_be_visible()
    expect(first.get_by_text("Leave this form to see the new version")).to_be_visible()
    first.get_by_role("listbox", name="Traits").focus()
    expect(sheet(first).get_by_label("Pattern", exact=True)).to_have_value("mcg")


@pytest.mark.thorough
def test_traits_are_used_again_in_other_rubrics(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    page.get_by_role("row", name=re.compile("gentamicin")).get_by_text(re.compile("gentamicin")).click()
    expect(page.get_by_role("heading", name="How is gentamicin eliminated")).to_be_visible()
    page.get_by_role("tab", name="Rubric").click()
    page.get_by_role("button", name="Add existing traits…").click()
    page.get_by_label("Search traits and questions").fill("professional")
    shown = page.get_by_role("dialog").get_by_role("checkbox")
    expect(shown).to_have_count(2)  # a click would miss while lines still go
    page.get_by_role("checkbox", name=re.compile("sends to a professional")).first.click()
    page.get_by_role("button", name="Add 1").click()
    expect(page.get_by_role("option", name="sends to a professional 2")).to_be_visible()
    page.get_by_role("button", name="Trait actions").click()
    page.get_by_role("menuitem", name="Copy to rubrics…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Search questions").hover()
    expect(page.locator(".q-tooltip")).to_have_count(0)
    assert violations(page) == []
    dialog.get_by_label("Search questions").fill("aspirin")
    expect(shown).to_have_count(1)
    dialog.get_by_role("checkbox", name=re.compile("aspirin")).first.click()
    dialog.get_by_role("button", name="Copy to 1").click()
    expect(page.get_by_text("to 1 rubric.")).to_be_visible()
    page.get_by_role("button", name="Delete trait").click()
    expect(page.get_by_text("No traits yet")).to_be_visible()
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("option", name="sends to a professional 2")).to_be_visible()
