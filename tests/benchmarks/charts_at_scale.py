"""How charts of 10,000 jobs feel: `python tests/benchmarks/charts_at_scale.py [DATA_FOLDER [ROUNDS]]`.

Opens the run in Chromium, goes to its charts, shows each of them, uses each filter, shows each as a table. What is
measured is the time from the click until the figure or the table is painted. Without a data folder one is made.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from karenina_gui.gui.charts.charts import CHARTS  # noqa: E402
from karenina_gui.runs.expansion import Job, expand  # noqa: E402
from karenina_gui.schemas.benchmark import BenchmarkDocument  # noqa: E402
from karenina_gui.schemas.condition import Condition  # noqa: E402
from karenina_gui.schemas.model_config import ModelConfig  # noqa: E402
from karenina_gui.schemas.verification_config import VerificationConfig  # noqa: E402
from karenina_gui.store.library import Library  # noqa: E402
from karenina_gui.store.runs import PlannedJob, RunPlan  # noqa: E402
from tests.benchmarks.large_library import MODELS, entry, record  # noqa: E402
from tests.benchmarks.served import Figures, application, chromium, machine, window  # noqa: E402

QUESTIONS, CONDITIONS, REPLICATES, JUDGMENTS = 100, 5, 5, 2
"""With two models, ten thousand jobs."""

SHOWN = """() => {
  const view = document.querySelector(".chart-view"), seen = (each) => !!each && each.offsetParent !== null;
  const table = document.querySelector(".chart-table table"), counted = document.querySelector(".chart-counted");
  const title = document.querySelector(".chart-title")?.textContent;
  return [seen(view) ? view.dataset.drawn ?? 0 : counted ? title : 0,
          seen(table) ? table.rows.length + counted.textContent : ""].join();
}"""
"""What differs from one state of the page to another; it begins with 0 as long as there is nothing."""
PAINTED = f"""async (before) => {{
  const frame = () => new Promise(requestAnimationFrame), shown = {SHOWN};
  for (let tries = 0; tries < 1200; tries++) {{
    if (!shown().startsWith("0") && shown() !== before) {{
      await frame();
      return performance.now() - window.pressed;
    }}
    await frame();
  }}
  return NaN;
}}"""
"""Milliseconds from the press of a key or a button until the page shows another state, painted."""


def fill(
    folder: Path, *, questions: int = QUESTIONS, models: int = 2, conditions: int = CONDITIONS,
    replicates: int = REPLICATES, judgments: int = JUDGMENTS, name: str = "Ten thousand jobs",
) -> int:  # fmt: skip
    """Number of the run."""
    chance = random.Random(11)
    with Library.open(folder) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name=name))
        entries = [entry(chance, number) for number in range(questions)]
        library.questions.add_all(benchmark, entries)
        answering = [ModelConfig(id=each, model_name=each, interface="openai_endpoint") for each in MODELS[:models]]
        named = [Condition(name="baseline" if not number else f"context {number}") for number in range(conditions)]
        judge = ModelConfig(id="judge", model_name="judge", interface="openai_endpoint")
        config = VerificationConfig(
            answering_models=answering, parsing_models=[judge], conditions=named, replicate_count=replicates,
            judge_replicates=judgments,
        )  # fmt: skip
        jobs = [planned(job) for job in expand([each.question.id for each in entries], config)]
        run = library.runs.create(RunPlan(benchmark, name, config, jobs, "seccomp", "none"))
        with library._database.writing() as session:
            record(session, run, {each.question.id: each.question for each in entries}, chance)
        library.runs.finish(run, "completed")
    return run


def planned(job: Job) -> PlannedJob:
    return PlannedJob(
        job.key, job.question_id, job.answering_label, job.judge_label, job.replicate, job.condition_name,
        job.judge_replicate,
    )  # fmt: skip


def main(folder: Path, rounds: int) -> None:
    figures = Figures()
    print(machine())
    with application(folder) as (address, _), chromium() as browser:
        measure(browser, address, Figures())  # the first round fills what the server keeps
        for _ in range(rounds):
            measure(browser, address, figures)
    figures.show()
    print(machine())


def measure(browser: Browser, address: str, figures: Figures) -> None:
    page = window(browser)
    page.goto(f"{address}/runs/1")
    page.locator(".results-grid .ag-cell").first.wait_for()
    page.wait_for_timeout(7000)  # of reading: statistics are loaded meanwhile
    figures.add("from the run to its charts", timed(page, page.get_by_role("link", name="Charts").click))
    page.wait_for_timeout(800)
    for chart in CHARTS[1:] + CHARTS[:1]:
        link = page.get_by_role("navigation", name="Charts").get_by_role("link", name=chart.title)
        figures.add(f"{chart.name}: shown", timed(page, link.click))
        page.wait_for_timeout(500)
        clear = page.get_by_role("search").get_by_role("button", name="Clear filters")
        figures.add(f"{chart.name}: another metric", choose(page, "Metric", "clear"))
        choose(page, "Metric", "Pass rate")
        figures.add(f"{chart.name}: one keyword", choose(page, "Keyword", "keyword 7"))
        figures.add(f"{chart.name}: all keywords again", timed(page, clear.click))
        figures.add(f"{chart.name}: four conditions", some(page))
        figures.add(f"{chart.name}: all conditions again", timed(page, clear.click))
        figures.add(f"{chart.name}: as a table", timed(page, page.get_by_role("button", name="Table").click))
        figures.add(f"{chart.name}: as a figure", timed(page, page.get_by_role("button", name="Figure").click))
        page.wait_for_timeout(300)
    page.context.close()
    page = window(browser)
    for cache in ("empty", "full"):
        page.goto("about:blank")
        page.goto(f"{address}/runs/1/charts", wait_until="commit")
        figures.add(f"opened by its address, {cache} cache", float(page.evaluate(PAINTED, "")))
        page.wait_for_timeout(1500)  # in which the browser keeps what it has compiled
    page.context.close()


def choose(page: Page, title: str, option: str) -> float:
    page.get_by_role("combobox", name=title, exact=True).click()
    wanted = page.get_by_role("option", name=option, exact=True)
    wanted.wait_for()
    page.wait_for_timeout(400)
    taken = timed(page, wanted.click)
    page.wait_for_timeout(400)
    return taken


def some(page: Page) -> float:
    page.get_by_role("combobox", name="Conditions", exact=True).click()
    for number in range(4):
        page.locator(".q-menu").last.get_by_role("option").nth(number).click()
    page.wait_for_timeout(400)
    taken = timed(page, lambda: page.keyboard.press("Escape"))
    page.wait_for_timeout(400)
    return taken


def timed(page: Page, act: Callable[[], object]) -> float:
    """Milliseconds from the press of the key or button until what it leads to is painted."""
    before = page.evaluate(SHOWN)
    act()
    taken = float(page.evaluate(PAINTED, before))
    page.wait_for_timeout(300)
    return taken


if __name__ == "__main__":
    given, rounds = sys.argv[1:2], int((sys.argv[2:3] or ["3"])[0])
    with tempfile.TemporaryDirectory() as made:
        if not given:
            fill(Path(made))
        main(Path(given[0] if given else made), rounds)
