"""Everything by keyboard: what Tab reaches, how that looks and is called, menus, dialogs, tables, panes, shortcuts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.gui.shell.commands import BY_ID, COMMANDS
from tests.browser.template_views import open_code
from tests.examples import cases

pytestmark = pytest.mark.browser

PLACES = {
    "/benchmarks/1/questions/1?tab=question": ".ag-row",
    "/benchmarks/1/questions/2?tab=template": ".form-card",
    "/benchmarks/1/questions/2?tab=rubric": ".trait-line",
    "/benchmarks/1/details": ".form",
    "/benchmarks/1/rubric": ".trait-line",
    "/benchmarks/1/calibration?trait=clarity&question=1": ".empty",
    "/benchmarks": "table",
    "/benchmarks/1/run": ".run-form-start button:not([disabled])",
    "/runs": ".ag-row",
    "/runs/1": "#page:has(.result-grid .ag-row):has(.overview-counts) .run-said button",
    "/runs/1/results": ".results-grid .ag-row",
    "/runs/1/results/1": ".trace-message",
    "/models": ".model-list",
    "/keys": ".keys-list > *",
    "/prices": ".empty",
    "/settings": ".form",
    "/guide": ".guide h1",
}
MOST_STOPS = 80
SKIPPED = ".ag-root-wrapper *, .trace-list *, .q-radio, .q-tab, [role=treeitem], .cm-scroller *"
"""Inside these, arrows lead on from what Tab reached."""


@pytest.fixture(scope="module")
def names() -> dict[str, str]:
    return {command.id: command.shortcut for command in COMMANDS if command.shortcut}


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES)
def test_tab_reaches_everything_and_shows_where_it_is(page: Page, address: str, place: str) -> None:
    open_at(page, address + place, PLACES[place])
    if place != "/guide":  # there from the top of the window on, elsewhere from the page on
        page.locator("#page").focus()
    stops: list[dict[str, Any]] = []
    while len(stops) < MOST_STOPS:
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or (place != "/guide" and not stop["inside"]):
            break
        if stop["text"]:
            page.keyboard.press("Escape")  # the next Tab leaves the text
        stops.append(stop)
    assert 0 < len(stops) < MOST_STOPS, "Tab does not come out again"
    assert [stop["html"] for stop in stops if not stop["name"]] == []
    assert [stop["html"] for stop in stops if not stop["seen"]] == []
    assert page.evaluate(MISSED, SKIPPED) == []
    assert page.evaluate(UNMARKED) == []


def test_menus_open_act_and_close_by_arrows_enter_and_escape(page: Page, address: str) -> None:
    open_at(page, f"{address}/guide", ".guide h1")
    page.get_by_role("menuitem", name="File").focus()
    keys = page.keyboard
    keys.press("ArrowRight")
    expect(page.get_by_role("menuitem", name="Edit")).to_be_focused()
    keys.press("ArrowDown")
    edit = page.locator(".q-menu[data-menu=Edit]")
    expect(edit).to_be_visible()
    keys.press("Escape")
    expect(edit).to_have_count(0)
    expect(page.get_by_role("menuitem", name="Edit")).to_be_focused()
    keys.press("ArrowLeft")
    expect(page.get_by_role("menuitem", name="File")).to_be_focused()
    keys.press("ArrowLeft")
    expect(page.get_by_role("menuitem", name="Help")).to_be_focused()
    keys.press("ArrowDown")
    expect(page.locator(".q-menu[data-menu=Help]")).to_be_focused()
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Keyboard shortcuts")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("menuitem", name="Help")).to_be_focused()
    for _ in range(4):
        keys.press("ArrowLeft")
    keys.press("Enter")
    expect(edit).to_be_focused()
    keys.press("ArrowDown")
    off = page.get_by_role("menuitem", name="Undo")
    expect(off).to_be_focused()
    expect(off).to_have_attribute("aria-disabled", "true")
    expect(off).to_have_attribute("aria-description", re.compile("^Open a benchmark first"))
    keys.press("Enter")
    expect(page.locator(".toast")).to_have_text(re.compile("Open a benchmark first"))


@pytest.mark.thorough
def test_a_menu_that_is_opened_before_the_page_stands_has_its_entries(page: Page, address: str) -> None:
    page.goto(f"{address}/guide", wait_until="commit")
    page.get_by_role("menuitem", name="File").press("ArrowDown")
    expect(page.locator(".q-menu[data-menu=File]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="New benchmark…")).to_be_focused()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "opener"),
    cases(
        [
            ("/benchmarks", "New benchmark"),
            ("/benchmarks/1/questions/1", "Import questions"),
            ("/guide", "Find a command"),
        ],
        [
            ("/benchmarks", "Import benchmark file…"),
            ("/runs", "Import results…"),
            ("/keys", "Add key…"),
            ("/benchmarks/1/run", "Save as preset…"),
            ("/presets", "Import preset…"),
        ],
    ),
)
def test_a_dialog_keeps_the_focus_and_gives_it_back(page: Page, address: str, place: str, opener: str) -> None:
    open_at(page, address + place, "[role=heading], .guide")
    button = page.get_by_role("button", name=opener).first
    button.focus()
    page.keyboard.press("Enter")
    shown = page.get_by_role("dialog")
    expect(shown).to_be_visible()
    expect(shown.locator(":focus").or_(page.locator("[role=dialog]:focus"))).to_have_count(1)
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('#page, header, nav, footer')") is None
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(button).to_be_focused()


def test_a_table_is_walked_by_arrows_and_left_by_tab(page: Page, address: str) -> None:
    open_at(page, f"{address}/benchmarks/1/questions/1", ".ag-row")
    keys = page.keyboard
    page.get_by_role("button", name="Saved filters").focus()
    keys.press("Tab")
    expect(page.locator(".ag-header-cell:focus")).to_have_count(1)
    keys.press("Tab")
    keys.press("ArrowDown")
    keys.press("ArrowRight")
    focused = page.locator(".ag-cell:focus")
    expect(focused).to_have_attribute("col-id", "finished")
    keys.press("Enter")
    expect(page).to_have_url(re.compile(r"/questions/2(\?|#|$)"))
    expect(focused).to_have_count(1)
    keys.press("ArrowLeft")
    keys.press(" ")
    expect(page.get_by_role("toolbar", name="Selected questions")).to_be_visible()
    keys.press(" ")
    keys.press("Shift+Tab")
    expect(page.locator(".ag-header-cell:focus")).to_have_count(1)
    keys.press("Tab")
    expect(focused).to_have_count(1)
    keys.press("Tab")
    handle = page.get_by_role("separator", name="Size of the panes").first
    expect(handle).to_be_focused()
    place, whole = handle.bounding_box(), page.locator(".q-splitter").first.bounding_box()
    assert place and whole and (place["y"], place["height"]) == (whole["y"], whole["height"])
    before = int(handle.get_attribute("aria-valuenow") or 0)
    keys.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuenow", str(before + 2))
    keys.press("ArrowLeft")
    expect(handle).to_have_attribute("aria-valuenow", str(before))
    keys.press("j")
    expect(page).to_have_url(re.compile(r"/questions/3(\?|#|$)"))


@pytest.mark.thorough
def test_f6_goes_from_part_to_part_and_back_to_where_one_was(page: Page, address: str) -> None:
    open_at(page, f"{address}/benchmarks/1/questions/1?tab=question", ".ag-row")
    notes = page.get_by_label("Notes")
    notes.focus()
    part = "document.activeElement.closest('.menus, .nav, section.pane, .status')?.ariaLabel ?? 'status'"
    at_once = f"""() => {{
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {{ key: "F6", bubbles: true }}));
        return {part};
    }}"""
    seen = [page.evaluate(at_once) for _ in range(5)]
    assert seen == ["status", "Main menu", "Pages", "Question list", "Question editor"]
    expect(notes).to_be_focused()
    page.keyboard.press("Shift+F6")
    expect(page.locator("section[aria-label='Question list'] :focus")).to_have_count(1)


@pytest.mark.thorough
def test_letters_are_letters_wherever_something_is_typed_or_chosen(page: Page, address: str) -> None:
    place = f"{address}/benchmarks/1/questions/2?tab=template"
    open_at(page, place, ".form-card")
    open_code(page)
    page.evaluate("""() => { window.sent = []; const emit = window.emitEvent;
        window.emitEvent = (...all) => { window.sent.push(all[1]); emit(...all); }; }""")
    page.evaluate("""() => { const own = document.createElement("p"); own.id = "own";
        own.contentEditable = "plaintext-only"; document.querySelector("#page").append(own); }""")
    fields = [".question-search input", ".cm-content", "#own", "[aria-label='Keyword filter']"]
    for field in fields:
        page.locator(field).first.focus()
        for key in ("j", "k", "/", "?"):
            page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.locator("#page").focus()
    page.evaluate("""() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        { key: "@", code: "KeyQ", ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true }))""")
    assert page.evaluate("window.sent") == []
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Control+Alt+n")
    assert page.evaluate("window.sent") == [BY_ID["view.palette"].id]


def test_what_is_typed_on_after_a_new_question_goes_to_the_new_one(page: Page, address: str) -> None:
    open_at(page, f"{address}/benchmarks/1/questions/2?tab=question", ".ag-row")
    question = page.get_by_label("Question", exact=True)
    before = question.input_value()
    question.focus()
    page.keyboard.press("Control+Alt+n")
    page.keyboard.type("typed on")  # faster than the new form comes
    expect(page).not_to_have_url(re.compile("/questions/2"))
    expect(question).to_have_value("typed on")
    page.go_back()
    expect(page).to_have_url(re.compile("/questions/2"))
    expect(question).to_have_value(before)


@pytest.mark.thorough
def test_what_is_typed_on_after_a_shortcut_goes_to_its_field_and_nowhere_else(page: Page, address: str) -> None:
    open_at(page, f"{address}/benchmarks/1/questions/2?tab=question", ".ag-row")
    notes = page.get_by_label("Notes")
    notes.fill("Kept.")
    page.keyboard.press("Control+k")
    page.keyboard.type("all runs")  # faster than the palette comes
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs$"))
    page.go_back()
    expect(notes).to_have_value("Kept.")
    page.locator("#page").focus()
    page.keyboard.press("/")
    page.keyboard.type("kj")
    expect(page.get_by_label("Search questions")).to_have_value("kj")
    expect(page).to_have_url(re.compile("/questions/2"))
    page.keyboard.press("Control+k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Command")).to_be_focused()  # nothing was asked for yet


@pytest.mark.thorough
def test_help_opens_the_chapter_about_the_open_tab(page: Page, address: str) -> None:
    open_at(page, f"{address}/benchmarks/1/questions/2?tab=question", ".ag-row")
    opened = page.get_by_role("complementary", name="Help")
    for tab, chapter in {"Template": "Answer templates", "Rubric": "Rubrics"}.items():
        page.get_by_role("tab", name=tab).click()
        page.keyboard.press("F1")
        expect(opened.get_by_role("heading", level=1)).to_contain_text(chapter)
        page.keyboard.press("F1")
        expect(opened).to_be_hidden()


@pytest.mark.thorough
def test_every_shortcut_does_its_command(page: Page, address: str, names: dict[str, str]) -> None:
    open_at(page, f"{address}/guide", ".guide h1")
    names = dict(names)
    results = {
        "view.palette": page.get_by_role("textbox", name="Command"),
        "help.shortcuts": page.get_by_text("Single letters work"),
    }
    for command, shown in results.items():
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(shown).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    help_panel = page.get_by_role("complementary", name="Help")
    page.keyboard.press(as_pressed(names["help.guide"]))
    expect(help_panel.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press(as_pressed(names.pop("help.guide")))
    expect(help_panel).to_be_hidden()
    for command, url in {
        "edit.settings": "/settings$", "benchmark.open": "/benchmarks$",
        "run.configure": r"/benchmarks/\d+/run$", "go.questions": r"/benchmarks/\d+/questions(/\d+)?$",
    }.items():  # fmt: skip
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(page).to_have_url(re.compile(url))
    open_at(page, f"{address}/benchmarks/1/questions/2?tab=question", ".ag-row")
    for command, number in {"question.next": 3, "question.previous": 2}.items():
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(page).to_have_url(re.compile(rf"/questions/{number}(\?|#|$)"))
    navigation = page.get_by_role("navigation", name="Pages")
    page.keyboard.press(as_pressed(names["view.navigation"]))
    expect(navigation).to_be_hidden()
    page.keyboard.press(as_pressed(names.pop("view.navigation")))
    expect(navigation).to_be_visible()
    page.keyboard.press(as_pressed(names.pop("questions.search")))
    expect(page.get_by_label("Search questions")).to_be_focused()
    chosen = page.get_by_role("toolbar", name="Selected questions")
    page.keyboard.press(as_pressed(names.pop("questions.select")))
    expect(chosen).to_be_visible()
    page.get_by_role("button", name="Clear selection").click()
    for _ in range(2):
        page.get_by_label("Notes").focus()
        page.keyboard.press(as_pressed(names["question.finish"]))
        expect(page.locator(".toast").last).to_have_text(re.compile("Marked"))
    names.pop("question.finish")
    for command in ("view.part", "view.part_before"):  # played above
        names.pop(command)
    for command in ("trait.up", "trait.down"):  # where no trait is open they say so
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(page.locator(".toast", has_text="Select a trait")).not_to_have_count(0)
    page.locator("#page").focus()
    for command in ("review.finish", "review.return", "review.next", "review.key", "result.keep"):
        page.keyboard.press(as_pressed(names.pop(command)))  # where there is nothing to review or keep they say so
        first = "a result" if command == "result.keep" else "a question’s Review tab"
        expect(page.locator(".toast", has_text=f"Open {first}")).not_to_have_count(0)
    page.keyboard.press(as_pressed(names.pop("question.new")))
    expect(page.get_by_role("heading", level=1, name="Untitled question")).to_be_visible()
    page.get_by_role("button", name="Delete question").click()
    expect(page.locator(".toast", has_text="Deleted an untitled question")).to_be_visible()
    for command, word in {"edit.undo": "Undone", "edit.redo": "Redone"}.items():
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(page.locator(".toast", has_text=f"{word}: Deleted an untitled question")).to_be_visible()
    said = page.locator(".status-problem")
    for command in ("problems.next", "problems.previous"):
        before = said.inner_text()
        page.keyboard.press(as_pressed(names.pop(command)))
        expect(said).to_have_text(re.compile(r"\d+ of \d+: "))
        expect(said).not_to_have_text(before)
    panel = page.get_by_role("region", name="Problems")
    page.keyboard.press(as_pressed(names["view.problems"]))
    expect(panel).to_be_visible()
    page.keyboard.press(as_pressed(names.pop("view.problems")))
    expect(panel).to_be_hidden()
    page.keyboard.press(as_pressed(names.pop("questions.replace")))
    expect(page).to_have_url(re.compile(r"/benchmarks/\d+/replace$"))
    assert names == {}, "play these as well"


def open_at(page: Page, url: str, ready: str) -> None:
    page.goto(url)
    page.locator(ready).first.wait_for()
    page.wait_for_function("window.did_handshake")


def as_pressed(shortcut: str) -> str:
    return shortcut.replace("Ctrl", "Control").lower() if len(shortcut) == 1 else shortcut.replace("Ctrl", "Control")


LOOK = """(each) => {
  const lines = [];
  for (let at = each, up = 0; at && up < 5; at = at.parentElement, up++)
    for (const part of [null, "::before", "::after"]) {
      const s = getComputedStyle(at, part);
      const ring = s.outlineStyle === "none" ? "" : s.outlineStyle + s.outlineWidth + s.outlineColor;
      lines.push([ring, s.boxShadow, s.borderColor, s.borderWidth, s.backgroundColor, s.transform].join());
    }
  return lines.join("|");
}"""

STOP = f"""async () => {{
  const soon = document.activeElement?.closest(".ag-root-wrapper") ? 80 : 0; // tables mark their cells a moment later
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, soon)));
  const look = {LOOK}, now = document.activeElement;
  if (!now || now === document.body) return null;
  const label = (each) => [...(each.labels || [])].map((label) => label.textContent).join(" ");
  const named = (each) => each?.getAttribute("aria-label") || (each ? label(each) : "");
  const other = document.getElementById(now.getAttribute("aria-labelledby"))?.textContent;
  const inside = () => now.innerText?.trim() || named(now.querySelector("[aria-label]")) || now.title || "";
  const name = named(now) || other || inside();
  const shown = () => {{
    const box = now.getBoundingClientRect();
    const across = box.width > 0 && box.right > 0 && box.left < innerWidth;
    return across && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  }};
  for (let frames = 0; frames < 20 && !shown(); frames++) await new Promise(requestAnimationFrame);
  (window.walked ??= []).push({{ now, look: look(now) }});
  const text = now.matches(".cm-content");
  const inside_page = !!now.closest("#page"), html = now.outerHTML.slice(0, 200);
  return {{ name: name.trim(), seen: shown(), text, inside: inside_page, html }};
}}"""

UNMARKED = f"""async () => {{
  document.activeElement?.blur();
  const turning = () => document.getAnimations().map((each) => each.finished.catch(() => null));
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  await Promise.race([Promise.all(turning()), new Promise((late) => setTimeout(late, 500))]);
  const look = {LOOK};
  const left = window.walked.filter((each) => each.now.isConnected && each.now !== document.activeElement);
  return left.filter((each) => look(each.now) === each.look).map((each) => each.now.outerHTML.slice(0, 200));
}}"""

MISSED = """(skipped) => {
  const kinds = "a[href], button, input, textarea, select, summary, [tabindex='0'], [contenteditable=true]";
  const reached = new Set(window.walked.map((each) => each.now));
  const stop = (each) => !each.disabled && each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true });
  return [...document.querySelectorAll(`#page :is(${kinds})`)]
    .filter((each) => stop(each) && !each.matches(skipped) && !reached.has(each))
    .map((each) => each.outerHTML.slice(0, 200));
}"""
