"""Prices, and token totals computed in SQL."""

from __future__ import annotations

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.prices import ModelTokens, Price, Spending
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan

JOBS = [Job(f"q/{replicate}", "q", "gpt", None, replicate) for replicate in (1, 2, 3)]


def test_a_price_is_kept_replaced_and_forgotten(library: Library) -> None:
    first = Price(model="openai:gpt", input=2, output=8)
    second = Price(model="openai:gpt", input=1, output=4, cache_read=0)
    library.prices.save(first)
    library.prices.save(second)
    assert library.prices.all() == {"openai:gpt": second}
    library.prices.delete("openai:gpt")
    library.prices.delete("openai:gpt")
    assert library.prices.all() == {}


def test_tokens_of_a_run_are_added_by_model(library: Library) -> None:
    run, other = new_run(library), new_run(library)
    library.runs.record(run, JOBS[0].key, result(10, 1))
    library.runs.record(run, JOBS[1].key, result(20, 2, untold=True))
    library.runs.record(other, JOBS[0].key, result(1000, 1000))
    assert library.results.spending(run) == Spending((ModelTokens("openai:gpt", 30, 3, 6),), untold=1, results=2)
    assert library.prices.used() == ["openai:gpt"]


def test_tokens_are_kept_by_the_length_of_their_requests(library: Library) -> None:
    run, long = new_run(library), {"input_tokens": 300_000, "output_tokens": 4}
    agents = result(301_000, 5)
    agents.template.usage_metadata["answer_generation"]["long_requests"] = {"272000": long}  # type: ignore[union-attr, index]
    library.runs.record(run, JOBS[0].key, agents)
    library.runs.record(run, JOBS[1].key, result(900, 1))
    library.runs.record(run, JOBS[2].key, result(90_000, 1))
    parts = {part.length: part for part in library.results.spending(run).tokens[0].parts}
    assert {length: (part.input, part.output) for length, part in parts.items()} == {
        272_000: (300_000, 4), 0: (1900, 2), None: (90_000, 1),
    }  # fmt: skip


def test_a_job_that_is_done_anew_is_counted_once(library: Library) -> None:
    run = new_run(library)
    library.runs.record(run, JOBS[0].key, result(10, 1, untold=True))
    library.runs.record(run, JOBS[0].key, result(7, 2))
    assert library.results.spending(run) == Spending((ModelTokens("openai:gpt", 7, 2, 3),), results=1)


def test_a_deleted_run_leaves_no_tokens(library: Library) -> None:
    run = new_run(library)
    library.runs.record(run, JOBS[0].key, result(10, 1))
    library.runs.finish(run, "cancelled")
    library.runs.erase(run)
    assert library.prices.used() == []


def new_run(library: Library) -> int:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    return library.runs.create(RunPlan(benchmark, "r", VerificationConfig(), JOBS, "seccomp", "hash"))


def result(read: int, written: int, *, untold: bool = False) -> VerificationResult:
    identity = ModelIdentity(interface="openai", model_name="gpt")
    usage = {
        "answer_generation": {
            "model": "openai:gpt",
            "input_tokens": read,
            "output_tokens": written,
            "input_token_details": {"cached_tokens": 3},
        },
        "total": {"total_tokens": read + written},
    }
    return VerificationResult(
        metadata=ResultMetadata(question_id="q", template_id="t", answering=identity),
        template=ResultTemplate(usage_metadata=usage, usage_unavailable=untold),
    )
