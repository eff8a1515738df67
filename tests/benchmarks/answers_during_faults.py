"""Time that a window needs for an answer while another one types into a full disk or a locked library.

    python -m tests.benchmarks.answers_during_faults [SECONDS]

Prints milliseconds (median, slowest) of opening another question and of switching a tab in the second window, without
a fault and during each, and the ratio of the medians. Needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from karenina_gui.app import build
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.settings import Settings
from tests.browser.accidents import Server
from tests.browser.conftest import ARGUMENTS, BROWSERS, SIZE

SECONDS = 20.0
TEXTS = ("What is a cell?", "What is a nucleus?", "What is a ribosome?")
CLICKED = """([selector, text, shown]) => new Promise((done) => {
  const begun = performance.now();
  [...document.querySelectorAll(selector)].find((each) => each.textContent.includes(text)).click();
  const look = () => document.querySelector(shown)?.textContent.includes(text)
    ? done(performance.now() - begun)
    : requestAnimationFrame(look);
  look();
})"""


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    with windows() as (server, typing, other):
        faults: dict[str, Callable[[], AbstractContextManager[None]]] = {
            "no fault": nullcontext,
            "disk full": server.full,
            "library locked": server.locked,
        }
        usual: list[float] = []
        for name, fault in faults.items():
            with fault():
                found = answers(typing, other, seconds)
            medians = [median(each) for each in found]
            usual = usual or medians
            for of, each, before in zip(("question", "tab"), found, usual, strict=True):
                print(
                    f"{name:>14}, {of:8}: median {median(each):4.0f} ms, slowest {max(each):4.0f} ms of {len(each)}, "
                    f"{median(each) / before:.2f} times"
                )


@contextmanager
def windows() -> Iterator[tuple[Server, Page, Page]]:
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        application = build(Settings(data=Path(folder)))
        document = BenchmarkDocument(name="Cells")
        for text in TEXTS:
            document.add(Question(question=text, raw_answer="See the book."))
        number = application.library.benchmarks.create(document)
        application.close()
        server = Server(Path(folder))
        server.start()
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS))), args=ARGUMENTS
        )
        typing, other = (browser.new_context(viewport=SIZE).new_page() for _ in range(2))
        for page in (typing, other):
            page.goto(f"{server.address}/benchmarks/{number}/questions")
            page.locator(".ag-row", has_text=TEXTS[2]).click()
            page.get_by_role("heading", level=1, name=TEXTS[2]).wait_for()
        yield server, typing, other
        browser.close()
        server.kill()


def answers(typing: Page, other: Page, seconds: float) -> tuple[list[float], list[float]]:
    """Milliseconds of each question that was opened and of each tab that was switched in the other window."""
    opened, switched = [], []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        typing.get_by_role("textbox", name="Notes").press_sequentially("A sentence that is typed. ", delay=5)
        for text in TEXTS[:2]:
            opened.append(other.evaluate(CLICKED, [".ag-center-cols-container .ag-row", text, "h1, [aria-level='1']"]))
        for tab in ("Template", "Question"):
            switched.append(other.evaluate(CLICKED, ["[role=tab]", tab, "[role=tab][aria-selected=true]"]))
    return opened, switched


if __name__ == "__main__":
    main()
