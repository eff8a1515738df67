"""What a run has cost: unknown until its models have prices, then known everywhere at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan

pytestmark = pytest.mark.browser

TOKENS = {"answer_generation": ("openai:our-gpt", 3000, 200), "parsing": ("anthropic:our-claude", 5000, 100)}
"""Of each of two results."""


@pytest.fixture(scope="module")
def data(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a run, the second one, whose tokens are counted."""
    folder = tmp_path_factory.mktemp("data") / "data"
    shutil.copytree(first_data, folder)
    with Library.open(folder) as library:
        jobs = [Job(f"q/{replicate}", "q", "our-gpt", None, replicate) for replicate in (1, 2)]
        run = library.runs.create(RunPlan(1, "Counted", VerificationConfig(), jobs, "seccomp", "hash"))
        for job in jobs:
            library.runs.record(run, job.key, counted())
        library.runs.finish(run, "completed")
    return folder


def test_prices_make_the_cost_of_a_run_known_in_every_window(
    page: Page, new_page: Callable[..., Page], address: str
) -> None:
    page.goto(f"{address}/runs/2")
    cost = page.get_by_role("table", name="Cost by model")
    expect(cost).to_contain_text("unknown")
    page.get_by_role("link", name="Enter prices").click()
    rows = page.get_by_role("table", name="Prices by model")
    expect(rows.get_by_text("Unknown", exact=True)).to_have_count(2)

    other = new_page()
    other.goto(f"{address}/prices")
    enter(page, "our-gpt", "1", "10")
    expect(other.get_by_label("Output: our-gpt", exact=True)).to_have_value("10")
    expect(rows.get_by_text("Unknown", exact=True)).to_have_count(1)
    other.goto(f"{address}/runs/2")
    expect(other.locator(".overview-cost")).to_have_text("at least $0.0100")
    enter(page, "our-claude", "3", "15")
    expect(other.locator(".overview-cost")).to_have_text("$0.0430 · $0.0215 per result")

    other.get_by_role("link", name="Results", exact=True).click()
    expect(other).to_have_url(re.compile(r"/results$"))
    other.locator(".results-grid .ag-row", has_text="Which?").first.click()
    expect(other.get_by_role("table", name="Tokens and cost")).to_contain_text("$0.0165")  # what the judge took
    expect(other.get_by_role("table", name="Tokens and cost").get_by_role("row").last).to_contain_text("$0.0215")


def enter(page: Page, model: str, read: str, written: str) -> None:
    page.get_by_label(f"Input: {model}", exact=True).fill(read)
    page.get_by_label(f"Output: {model}", exact=True).fill(written)


def counted() -> VerificationResult:
    usage = {
        step: {"model": model, "input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        for step, (model, read, written) in TOKENS.items()
    }
    total = {name: sum(entry[name] for entry in usage.values()) for name in ("input_tokens", "output_tokens")}
    identity = ModelIdentity(interface="openai", model_name="our-gpt")
    return VerificationResult(
        metadata=ResultMetadata(question_id="q", template_id="t", question_text="Which?", answering=identity),
        template=ResultTemplate(verify_result=True, usage_metadata={**usage, "total": total}),
    )
