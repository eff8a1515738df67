"""Problems, and find and replace, at 10,000 questions: `python tests/benchmarks/problems_at_scale.py [DATA_FOLDER]`.

Half of the templates are data, half have a method. Processor time of the first index, of one edit, of a change of many
questions, of searches and a replacement; then, in Chromium, how long F8 takes and how long a keystroke waits while the
index is made. Without a data folder one is made, which takes a minute.
"""

from __future__ import annotations

import math
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page  # noqa: E402

from karenina_gui.app import Application, build  # noqa: E402
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry  # noqa: E402
from karenina_gui.schemas.question import Question  # noqa: E402
from karenina_gui.schemas.text_edits import TextSearch  # noqa: E402
from karenina_gui.settings import Settings  # noqa: E402
from karenina_gui.store.library import Library  # noqa: E402
from tests.benchmarks.served import Figures, answer, application, chromium, machine, window  # noqa: E402

QUESTIONS = 10_000
BEFORE, DURING = "keystroke in the search", "keystroke in the search while the index is made"
DATA = """class Answer(BaseAnswer):
    dose: int = VerifiedField(description="The dose in mg.", ground_truth={0}, verify_with=NumericExact())
"""
METHOD = """class Answer(BaseAnswer):
    dose: int = Field(description="The dose in mg.")

    def ground_truth(self):
        self.correct = {{"dose": {0}}}

    def verify(self):
        return self.dose == self.correct["dose"]
"""


def fill(folder: Path) -> None:
    """A benchmark in which every tenth question has a problem."""
    with Library.open(folder) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="Ten thousand questions"))
        entries = [
            BenchmarkEntry(
                question=Question(
                    question=f"Which dose of the compound is the colour number {number}?",
                    raw_answer="" if number % 10 == 0 else f"{number} mg",
                    answer_template=(METHOD if number % 2 else DATA).format(number),
                ),
                finished=True,
            )
            for number in range(1, QUESTIONS + 1)
        ]
        library.questions.add_all(benchmark, entries)


@contextmanager
def measured(what: str) -> Iterator[None]:
    processor, wall = time.process_time(), time.perf_counter()
    yield
    print(
        f"{what}: {time.process_time() - processor:.2f} s of processor, {time.perf_counter() - wall:.2f} s", flush=True
    )


def settle(opened: Application, benchmark: int, act: Callable[[], Any]) -> None:
    """Act, and wait until the index is complete again."""
    done = threading.Event()
    end = opened.problems.changed.subscribe(
        lambda _: done.set() if opened.problems.report(benchmark).complete else None
    )
    act()
    done.wait(600)
    end()


def measure_services(folder: Path) -> None:
    opened = build(Settings(data=folder))
    editor, benchmark = opened.editor, opened.library.benchmarks.numbers()[0]
    first = opened.library.questions.summaries(benchmark)[0].number
    try:
        with measured("first index"):
            settle(opened, benchmark, lambda: opened.problems.report(benchmark))
        print(f"{len(opened.problems.report(benchmark).problems):,} problems")
        with measured("index after one edit"):
            settle(opened, benchmark, lambda: editor.edit(benchmark, first, {"raw_answer": ""}))
        with measured("index after a change of many questions"):
            settle(opened, benchmark, lambda: editor.announce(benchmark, "replaced", []))
        for text, is_regex in (("colour", False), (r"\bcol(ou)r\b", True)):
            with measured(f"search for {text}"):
                search = TextSearch(text=text, replacement="color", is_regex=is_regex)
                found = editor.replacements.find(benchmark, search)
            print(f"{found.count:,} matches")
        with measured("check of the texts"):
            editor.replacements.check_texts(benchmark, found)
        with measured("replacement in all questions"):
            editor.replacements.replace(benchmark, found, found.ids)
        with measured("undo"):
            editor.history.undo_last(f"benchmark/{benchmark}", "")
        templates = editor.replacements.find(benchmark, TextSearch(text="dose in mg", replacement="dose in g"))
        with measured("check of all templates"):
            editor.replacements.check_templates(benchmark, templates)
    finally:
        opened.close()


def measure_window(folder: Path, figures: Figures) -> None:
    with application(folder) as (address, _), chromium() as browser:
        page = window(browser)
        page.goto(f"{address}/benchmarks/1/questions")
        page.locator(".list-grid .ag-row").first.wait_for()
        page.wait_for_timeout(2000)
        type_search(page, figures, BEFORE)
        page.keyboard.press("Control+Alt+p")
        page.get_by_text("Checking").first.wait_for()
        type_search(page, figures, DURING)
        page.get_by_text("Checking").first.wait_for(state="hidden", timeout=600_000)
        for _ in range(10):
            said = page.locator(".status-problem").inner_text()
            started = time.perf_counter()
            page.keyboard.press("F8")
            page.wait_for_function("was => document.querySelector('.status-problem').innerText !== was", arg=said)
            figures.add("F8 until it says where", (time.perf_counter() - started) * 1000)
            page.wait_for_timeout(500)


def type_search(page: Page, figures: Figures, name: str) -> None:
    page.get_by_label("Search questions", exact=True).click()
    for key in [*"9876", *["Backspace"] * 4, *"123", *["Backspace"] * 3]:
        page.wait_for_timeout(300)
        took = answer(page, partial(page.keyboard.press, key), ".list-grid", by_server=False)
        assert not math.isnan(took), f"{key} changed nothing in the list"
        figures.add(name, took)


def main(folder: Path) -> None:
    print(machine())
    measure_services(folder)
    figures = Figures()
    measure_window(folder, figures)
    figures.show()
    figures.ratio(DURING, BEFORE)
    print(machine())


if __name__ == "__main__":
    given = sys.argv[1:2]
    with tempfile.TemporaryDirectory() as made:
        if not given:
            fill(Path(made))
        main(Path(given[0] if given else made))
