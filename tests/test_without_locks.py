"""Equal verdicts on a computer without a sandbox for code, and on one that cannot fork."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from karenina_gui import Benchmark, ModelConfig, VerificationConfig
from karenina_gui.example import BENCHMARK, run_configuration
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.outcome import outcome_of
from tests.conftest import Said
from tests.test_published_verdicts import GSM8K_TEMPLATE, import_benchmark


@pytest.fixture(params=["no lock", "no lock and no fork"])
def unlocked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    if request.param == "no lock and no fork":
        monkeypatch.delattr(os, "fork", raising=False)
    with Sandbox(rung=5) as sandbox:
        yield sandbox


def test_the_example_runs_to_its_288_outcomes(unlocked: Sandbox, sandbox: Sandbox) -> None:
    def outcomes(place: Sandbox) -> list[tuple[str, str, bool | None]]:
        results = Benchmark.load(BENCHMARK).run_verification(run_configuration(), sandbox=place)
        found = [(each.metadata.result_id or "", outcome_of(each), each.template) for each in results]
        return sorted((key, str(outcome), template and template.verify_result) for key, outcome, template in found)

    found = [rest for _, *rest in outcomes(unlocked)]
    assert sorted(map(str, found)) == sorted(str(rest) for _, *rest in outcomes(sandbox))
    assert len(found) == 288


@pytest.mark.thorough
def test_all_1600_verdicts_on_gsm8k_are_the_published_ones(
    unlocked: Sandbox, here: Callable[..., Said], shared: Path, tmp_path: Path
) -> None:
    file = shared / "data" / "gsm8k.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    import_benchmark(here, tmp_path, file, GSM8K_TEMPLATE, "--question", "question", "--answer", "answer")
    benchmark = Benchmark.load(tmp_path / "benchmark.jsonld")
    ids = {benchmark.get_question(key).question: key for key in benchmark.get_question_ids()}
    models = [
        ModelConfig(
            id=model,
            interface="manual",
            manual_traces={ids[row["question"]]: row["responses"][model] for row in rows},
        )
        for model in rows[0]["responses"]
    ]
    results = benchmark.run_verification(VerificationConfig(answering_models=models), sandbox=unlocked)
    found = {
        (each.metadata.answering.model_name, each.metadata.question_text): each.template.verify_result
        for each in results
        if each.template is not None
    }
    assert found == {(model, row["question"]): row["is_correct"][model] for row in rows for model in row["responses"]}
    assert len(found) == 1600
    assert {each.template.template_execution for each in results if each.template is not None} == {"monty"}
