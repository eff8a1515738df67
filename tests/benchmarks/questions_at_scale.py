"""How a benchmark of 10,000 questions feels: `python tests/benchmarks/questions_at_scale.py [DATA_FOLDER [ROUNDS]]`.

Opens the list in Chromium with an empty and with a filled cache, types into its search, marks all questions, opens the
Run page; in turn with a bare table of as many rows. Without a data folder one is made, which takes a minute.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from tests.benchmarks.large_library import QUESTIONS, fill  # noqa: E402
from tests.benchmarks.served import Figures, answer, application, bare, chromium, machine, opening, window  # noqa: E402

TYPED = "9876"
LIST, SEARCH = ".list-grid", "Search questions"


def main(folder: Path, rounds: int) -> None:
    figures = Figures()
    print(machine())
    with application(folder) as (ours, _), bare(QUESTIONS) as (plain, _), chromium() as browser:
        measure(browser, ours, plain, figures=Figures())  # the first round fills what the servers keep
        for _ in range(rounds):
            measure(browser, ours, plain, figures)
    figures.show()
    for what in ("open, empty cache", "open, filled cache", "keystroke in the search"):
        figures.ratio(f"list: {what}", f"bare table: {what}")
    print(machine())


def measure(browser: Browser, ours: str, plain: str, figures: Figures) -> None:
    for name, address, grid, search in (
        ("list", f"{ours}/benchmarks/1/questions", LIST, SEARCH),
        ("bare table", f"{plain}/list", "", "Search"),
    ):
        page = window(browser)
        figures.add(f"{name}: open, empty cache", usable(page, address, grid, search))
        figures.add(f"{name}: open, filled cache", usable(page, address, grid, search))
        page.wait_for_timeout(1500)
        box = page.get_by_label(search, exact=True)
        box.click()
        for key in [*TYPED, *["Backspace"] * len(TYPED)]:
            page.wait_for_timeout(300)
            took = answer(page, partial(page.keyboard.press, key), grid, by_server=False)
            figures.add(f"{name}: keystroke in the search", took)
        if name == "list":
            mark_all(page, figures)
            figures.add("run page: open until its plan is made", planned(page, f"{ours}/benchmarks/1/run"))
        page.context.close()


def usable(page: Page, address: str, grid: str, search: str) -> float:
    """Until rows are drawn and what is typed into the search is there."""
    took = opening(page, address, grid)
    started = time.perf_counter()
    page.get_by_label(search, exact=True).wait_for()
    return took + (time.perf_counter() - started) * 1000


def mark_all(page: Page, figures: Figures) -> None:
    box = page.locator(f"{LIST} .ag-header-select-all input").first
    started = time.perf_counter()
    box.click(force=True)
    page.get_by_text(f"{QUESTIONS:,} selected").wait_for()
    figures.add("list: all questions selected", (time.perf_counter() - started) * 1000)
    started = time.perf_counter()
    page.get_by_role("button", name="Mark finished").click()
    page.get_by_text("as finished").first.wait_for(timeout=60_000)
    figures.add("list: all marked as finished", (time.perf_counter() - started) * 1000)
    page.get_by_role("button", name="Undo").first.click()
    page.wait_for_timeout(2500)


def planned(page: Page, address: str) -> float:
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_text("will run").first.wait_for(timeout=60_000)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    given, rounds = sys.argv[1:2], int((sys.argv[2:3] or ["5"])[0])
    with tempfile.TemporaryDirectory() as made:
        if not given:
            fill(Path(made))
        main(Path(given[0] if given else made), rounds)
