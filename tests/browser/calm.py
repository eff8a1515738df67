"""How much the most used pages say: words, controls and colored notes, and what a page says twice.

`python -m tests.browser.calm [WORD…]` prints a table for pages that are empty, begun and full at 1280 × 800, then the
sentences that one page says twice or nearly; with words, only of pages whose names contain one of them.
It measures another tree, too: `PYTHONPATH=TREE TREE/.venv/bin/python tests/browser/calm.py`.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from karenina_gui.app import Application, build
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from tests.answered import answer
from tests.browser.conftest import ARGUMENTS, BROWSERS, SIZE, served
from tests.example.plain_run import plain_run
from tests.saved_models import save_model, start_run

State = Literal["empty", "begun", "full"]
STATES: tuple[State, ...] = ("empty", "begun", "full")
QUESTION = "Which enzyme does grapefruit juice inhibit in the wall of the gut, and by how much?"
QUIET = 1_000
"""Milliseconds without a change after which a page is drawn."""
LIKENESS = 0.8
"""Ratio from which two sentences are nearly equal."""
NUMBER = re.compile(r"\d+")
TIME = re.compile(r"\b\d\d:\d\d\b")
"""Time of a date: two things can happen in the same minute."""
SHORTEST = 3
"""Words that a sentence needs to state a fact."""


@dataclass(frozen=True)
class Screen:
    """A page and its addresses. A page without an address in a state is not there."""

    name: str
    address: str
    states: Sequence[State] = STATES
    alone: bool = False
    """True if it is empty in a library that has nothing at all, not even a benchmark."""
    first: str = ""
    """Text of the starter that begins a template."""


SCREENS = (
    Screen("Benchmarks", "/benchmarks", alone=True),
    Screen("Benchmark", "/benchmarks/1/details"),
    Screen("Benchmark rubric", "/benchmarks/1/rubric"),
    Screen("Question", "/benchmarks/1/questions?tab=question", ("empty",)),
    Screen("Question", "/benchmarks/1/questions/1?tab=question", ("begun", "full")),
    Screen("Template", "/benchmarks/1/questions/1?tab=template", ("empty",)),
    Screen("Template", "/benchmarks/1/questions/1?tab=template", ("begun",), first="Text"),
    Screen("Template", "/benchmarks/1/questions/2?tab=template", ("full",)),
    Screen("Rubric", "/benchmarks/1/questions/1?tab=rubric", ("begun", "full")),
    Screen("New run", "/benchmarks/1/run"),
    Screen("Runs", "/runs", alone=True),
    Screen("Run", "/runs/1", ("begun", "full")),
    Screen("Result", "/runs/1/results/1", ("begun", "full")),
    Screen("Charts", "/runs/1/charts", ("begun", "full")),
    Screen("Models", "/models", alone=True),
    Screen("Settings", "/settings"),
)


def begin(application: Application) -> None:
    """A benchmark with a question, a trait of its own and a model without a key, and a run with one result."""
    editor = application.editor
    benchmark = editor.create_benchmark("Drugs and vitamins")
    added = editor.add_question(benchmark, QUESTION, "CYP3A4, by about a half in most people who were tested for it.")
    trait = {"name": "cites", "description": "Are sources named?", "kind": "boolean"}
    editor.edit(benchmark, added.summary.number, {"question_rubric": {"llm_traits": [trait]}, "finished": True})
    model = ModelConfig(model_name="gpt-5-mini", interface="openai_endpoint", api_key_env="CALM_KEY")
    save_model(application, "new model", model)
    answer(application.library, benchmark, added.entry.id)


def fill(application: Application) -> None:
    """The examples, and a run of the first one."""
    run = start_run(application, RunOrder(1, plain_run(), name="First run"))
    assert application.runs.wait(run, 300), "the example’s run does not end"


def libraries(folder: Path) -> Mapping[str, Path]:
    """Make the data folders: nothing at all, a benchmark without questions, one question, and the examples."""
    folders = {name: folder / name for name in ("nothing", *STATES)}
    for name, data in folders.items():
        if name != "full":
            Library.open(data).close()
        if name == "nothing":
            continue
        application = build(Settings(data=data))
        try:
            if name == "empty":
                application.editor.create_benchmark("Drugs and vitamins")
            else:
                (begin if name == "begun" else fill)(application)
        finally:
            application.close()
    return folders


def measure(page: Page, address: str, screen: Screen) -> dict[str, Any] | None:
    """What a page says and offers; None: there is no such page."""
    page.goto(address + screen.address)
    page.wait_for_function("window.did_handshake")
    page.evaluate(DRAWN, QUIET)
    if screen.first:
        page.locator(".starter", has_text=screen.first).first.click()
        page.evaluate(DRAWN, QUIET)
    if page.get_by_text("Page not found").count():
        return None
    found: dict[str, Any] = page.evaluate(COUNTED)
    return found


DRAWN = """(quiet) => new Promise((done) => {
  let timer = setTimeout(finish, quiet);
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  const late = setTimeout(finish, 15000);
  function finish() { observer.disconnect(); clearTimeout(timer); clearTimeout(late); done(); }
})"""

COUNTED = """() => {
  const CONTROLS = "a[href], button, input, textarea, select, summary, [role=button], [role=tab], [role=checkbox]," +
    " [role=radio], [role=switch], [role=combobox], [role=slider], .cm-content";
  const NO_SENTENCES = "a, button, h1, h2, [role=heading], [role=option], [role=tab], [role=menu], [class*=-name]," +
    " .chart-kind, .q-field__native, .rate, tbody, .ag-root-wrapper, .diff, .trace-body";
  const NOT_TEXT = ".q-icon, .material-icons, .sr-only, [aria-hidden=true], script, style, .ag-root, .cm-editor," +
    " .js-plotly-plot, textarea, .q-tooltip";
  const page = document.querySelector("#page");
  const isSeen = (each) => {
    if (!each.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false;
    const { width, height } = each.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  const isOnScreen = (each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  };
  const wordsOf = (text) => (text.match(/[\\p{L}\\p{N}][^\\s]*/gu) ?? []).length;

  let words = 0, first = 0;
  const blocks = new Map();
  const blockOf = (node) => {
    let at = node.parentElement;
    while (at.parentElement && /^inline/.test(getComputedStyle(at).display)) at = at.parentElement;
    return at;
  };
  const walk = (root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (node.data.trim() && !parent.closest(NOT_TEXT) && isSeen(parent)) found.push(node);
    }
    return found;
  };
  const nodes = walk(page);
  for (const node of nodes) {
    words += wordsOf(node.data);
    if (isOnScreen(node.parentElement)) first += wordsOf(node.data);
  }
  for (const node of walk(document.body)) {
    const block = blockOf(node);
    if (block.closest(NO_SENTENCES)) continue;
    blocks.set(block, `${blocks.get(block) ?? ""} ${node.data}`);
  }
  for (const each of page.querySelectorAll("input, textarea"))
    if (!each.value && each.placeholder && isSeen(each)) words += wordsOf(each.placeholder);

  const isControl = (each) => isSeen(each) && !each.closest(".ag-root, [aria-hidden=true]") &&
    !each.parentElement.closest(CONTROLS);
  const controls = [...page.querySelectorAll(CONTROLS)].filter(isControl);
  const colored = new Set();
  for (const node of nodes) {
    const parent = node.parentElement;
    const box = parent.closest(".note-warn, .note-bad, .chip-warn, .chip-bad, [role=alert]");
    const [r, g, b] = getComputedStyle(parent).color.match(/[\\d.]+/g).map(Number);
    const high = Math.max(r, g, b), low = Math.min(r, g, b);
    // Red to amber: strong, with red as the highest part and blue as the lowest or about as low as green.
    const warm = r === high && high - low > 70 && b <= g + 30;
    if (box || warm) colored.add(box ?? blockOf(node));
  }
  return { words, first, controls: controls.length, colored: [...colored].map((each) => each.innerText.trim()),
    blocks: [...blocks.values()] };
}"""
"""JavaScript function that counts what is seen on the page, without its frame.

Names, rows of tables, and the record of a conversation count as words, not as sentences: a name stands in a list and
over what it names, two rows can have the same figure, and a record contains what the page reports about it.
"""


def sentences(blocks: Sequence[str]) -> list[str]:
    """The sentences of texts, each as often as it is on the page."""
    found = []
    for block in blocks:
        text = " ".join(block.split())
        for mark in (". ", "? ", "! ", ": ", "; ", " · "):
            text = text.replace(mark, mark.strip() + "\n")
        found += [line.strip(" .:;!?·") for line in text.split("\n")]
    return [sentence for sentence in found if len(sentence.split()) >= SHORTEST and not TIME.search(sentence)]


def said_twice(blocks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of equal and nearly equal sentences."""
    found = sentences(blocks)
    pairs = set()
    for one, other in combinations(found, 2):
        pair = (one, other)
        if pair not in pairs and is_alike(one.lower(), other.lower()):
            pairs.add(pair)
            yield pair


def is_alike(one: str, other: str) -> bool:
    """True for sentences that state one fact; other numbers are other facts."""
    if one == other:
        return True
    if NUMBER.sub("", one) == NUMBER.sub("", other):
        return False
    here, there = set(one.split()), set(other.split())
    if len(here & there) < 0.6 * min(len(here), len(there)):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= LIKENESS


@contextmanager
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def main(words: Sequence[str]) -> None:
    repeated = []
    print(f"{'page':18}{'state':7}{'words':>7}{'first':>7}{'controls':>10}{'colored':>9}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        addresses = {name: stack.enter_context(served(data)) for name, data in libraries(folder).items()}
        browser = stack.enter_context(chromium())
        for screen in SCREENS:
            if words and not any(word.lower() in screen.name.lower() for word in words):
                continue
            for state in screen.states:
                page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
                library = "nothing" if screen.alone and state == "empty" else state
                found = measure(page, addresses[library], screen)
                page.close()
                if found is None:
                    continue
                numbers = f"{found['words']:7}{found['first']:7}{found['controls']:10}{len(found['colored']):9}"
                print(f"{screen.name:18}{state:7}{numbers}", flush=True)
                repeated.append((f"{screen.name}, {state}", found))
    print("\nColored notes")
    for name, found in repeated:
        for text in found["colored"]:
            print(f"  {name}: {' '.join(text.split())}")
    print("\nSaid twice or nearly")
    for name, found in repeated:
        for one, other in said_twice(found["blocks"]):
            print(f"  {name}: {one}" + (f"\n    {other}" if one != other else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
