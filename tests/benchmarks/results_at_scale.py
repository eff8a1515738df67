"""How a run of 100,000 results feels: `python tests/benchmarks/results_at_scale.py [DATA_FOLDER [ROUNDS]]`.

Opens the run in Chromium with an empty and with a filled cache, sorts by every column, uses every filter, opens ten
further windows; in turn with a bare table of as many rows. Without a data folder one is made, which takes a minute.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from tests.benchmarks.large_library import RESULTS, fill  # noqa: E402
from tests.benchmarks.served import (  # noqa: E402
    Figures,
    answer,
    application,
    bare,
    chromium,
    machine,
    memory,
    opening,
    window,
)

TABLE = ".results-grid"
COLUMNS = ("Question", "Outcome", "Why", "Model", "Replicate", "Time", "Tokens")
CHOICES = (("Model", "gpt"), ("Keyword", "keyword 7"), ("Trait", "clear: yes"), ("Replicate", "2"))
WINDOWS = 10


def main(folder: Path, rounds: int) -> None:
    figures = Figures()
    print(machine())
    with application(folder) as (ours, process), bare(RESULTS) as (plain, plain_process), chromium() as browser:
        measure(browser, ours, plain, Figures())  # the first round fills what the servers keep
        for _ in range(rounds):
            measure(browser, ours, plain, figures)
        figures.show()
        for what in ("open, empty cache", "open, filled cache"):
            figures.ratio(f"run: {what}", f"bare table: {what}")
        for column in COLUMNS:
            figures.ratio(f"sort by {column}", "bare table: sort")
        windows(browser, f"{ours}/runs/1/results", process, "run", TABLE)
        windows(browser, f"{plain}/table", plain_process, "bare table", "")
    print(machine())


def measure(browser: Browser, ours: str, plain: str, figures: Figures) -> None:
    page = window(browser)
    for cache in ("empty", "filled"):
        figures.add(f"run: open, {cache} cache", opening(page, f"{ours}/runs/1/results", TABLE))
    page.wait_for_timeout(1500)
    for column in COLUMNS:
        header = page.locator(TABLE).get_by_role("columnheader", name=column, exact=True)
        for _ in ("ascending", "descending"):
            timed(page, figures, f"sort by {column}", header.click)
    timed(page, figures, "scroll to the end", lambda: page.locator(TABLE).evaluate(TO_THE_END))
    timed(page, figures, "filter: outcome", page.get_by_role("button", name="Wrong").click)
    clear(page)
    for title, option in CHOICES:
        choose(page, figures, title, option)
    box = page.get_by_label("Search results", exact=True)
    for words in ("gene kinase", "qwen", "zzzz"):
        box.fill(words[:-1])
        page.wait_for_timeout(800)
        timed(page, figures, "filter: text", partial(box.press_sequentially, words[-1]))
        clear(page)
    page.context.close()
    page = window(browser)
    for cache in ("empty", "filled"):
        figures.add(f"bare table: open, {cache} cache", opening(page, f"{plain}/table"))
    page.wait_for_timeout(1000)
    header = page.get_by_role("columnheader", name="Seconds").locator(".ag-header-cell-label")
    for _ in ("ascending", "descending"):
        timed(page, figures, "bare table: sort", partial(header.evaluate, CLICK), grid="")
    page.context.close()


TO_THE_END = """grid => { window.pressed = performance.now();
    const view = grid.querySelector(".ag-body-viewport"); view.scrollTop = view.scrollHeight; }"""


CLICK = "header => { window.pressed = performance.now(); header.click(); }"


def choose(page: Page, figures: Figures, title: str, option: str) -> None:
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("combobox", name=title, exact=True).click()
    wanted = page.get_by_role("option", name=option, exact=True)
    wanted.wait_for()
    page.wait_for_timeout(400)
    timed(page, figures, f"filter: {title.lower()}", wanted.click)
    page.keyboard.press("Escape")
    clear(page)


def clear(page: Page) -> None:
    page.get_by_role("button", name="Clear filters").click()
    page.wait_for_timeout(900)


def timed(page: Page, figures: Figures, name: str, act: Callable[[], object], grid: str = TABLE) -> None:
    figures.add(name, answer(page, act, grid))
    page.wait_for_timeout(500)


def windows(browser: Browser, address: str, process: int, name: str, grid: str) -> None:
    """Memory of the server with one window, and with ten more, each of which has drawn its table."""
    first = window(browser)
    opening(first, address, grid)
    first.wait_for_timeout(5000)
    before = memory(process)
    more = []
    for _ in range(WINDOWS):
        more.append(window(browser))
        opening(more[-1], address, grid)
        more[-1].wait_for_timeout(1500)
    first.wait_for_timeout(5000)
    after = memory(process)
    figures = f"{before:.0f} MB with one window, {after:.0f} MB with {WINDOWS + 1}"
    print(f"{name}: server memory {figures}: {(after - before) / WINDOWS:.1f} MB for each further one")
    for page in (first, *more):
        page.context.close()


if __name__ == "__main__":
    given, rounds = sys.argv[1:2], int((sys.argv[2:3] or ["3"])[0])
    with tempfile.TemporaryDirectory() as made:
        if not given:
            fill(Path(made))
        main(Path(given[0] if given else made), rounds)
