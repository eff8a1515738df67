"""Conditions and repeated judgments travel in every kind of file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from openpyxl import load_workbook

from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.runs.results_import import ResultsImporter, questions_of
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.reproducibility import BenchmarkVersion, ConditionVersion, Reproducibility
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

BASELINE, GRAPH = "baseline", "with (graph) +[all]"
CONFIG = VerificationConfig(
    answering_models=[ModelConfig(id="ada", model_name="ada-1", interface="openai_endpoint")],
    conditions=[Condition(name=BASELINE), Condition(name=GRAPH)],
    judge_replicates=2,
)
INFO = RunInfo("7", "compared", CONFIG, started=1_790_000_000.0, finished=1_790_000_001.0)


def result(condition: str | None, judgment: int | None) -> VerificationResult:
    identity = ModelIdentity(
        interface="openai_endpoint",
        model_name="ada-1",
        config_id=f"ada · {condition}" if condition else "ada",
        tools=["graph"] if condition == GRAPH else [],
    )
    metadata = ResultMetadata(
        question_id="q1",
        template_id="t",
        answering=identity,
        question_text="Why?",
        result_id=f"{condition}{judgment}",
        timestamp="2026-01-01 00:00:00",
    )
    template = ResultTemplate(raw_llm_response="42", template_verification_performed=True, verify_result=True)
    return VerificationResult(metadata=metadata, template=template, condition=condition, judge_replicate=judgment)


RESULTS = [result(condition, judgment) for condition in (BASELINE, GRAPH) for judgment in (1, 2)]


@pytest.mark.parametrize("kind", ["json", "csv", "xlsx"])
def test_they_come_back_from_every_kind_of_file(kind: str, tmp_path: Path) -> None:
    read = [r for _, r in SavedResults(export_results(RESULTS, tmp_path / f"r.{kind}", run=INFO)).each()]
    assert [(r.condition, r.judge_replicate, r.metadata.answering) for r in read] == [
        (r.condition, r.judge_replicate, r.metadata.answering) for r in RESULTS
    ]


@pytest.mark.parametrize("kind", ["json", "csv", "xlsx"])
def test_an_opened_run_has_one_model_under_its_own_name_and_its_conditions(
    kind: str, tmp_path: Path, library: Library
) -> None:
    file = SavedResults(export_results(RESULTS, tmp_path / f"r.{kind}", run=INFO))
    found = file.look()
    benchmark = library.benchmarks.create(questions_of(found, "compared"))
    (number,) = ResultsImporter(library, lambda _: None).open(found, file.each(), benchmark)
    run = library.runs.summary(number)
    assert (run.answering, run.conditions, run.judge_replicates) == (("ada",), (BASELINE, GRAPH), 2)
    rows = library.results.page(number).rows
    assert [(row.answering, row.condition, row.judge_replicate) for row in rows] == [
        ("ada", BASELINE, 1), ("ada", BASELINE, 2), ("ada", GRAPH, 1), ("ada", GRAPH, 2),
    ]  # fmt: skip
    assert len({row.id for row in rows}) == 4


def test_what_a_condition_required_comes_back_with_the_record_of_its_run(tmp_path: Path, library: Library) -> None:
    required = ConditionVersion(name=GRAPH, description="Looks it up", require_mcp_tool_use=True)
    record = Reproducibility(
        started="2026-01-01", benchmark=BenchmarkVersion(sha256="a"), questions_sha256="b", conditions=[required]
    )
    file = SavedResults(export_results(RESULTS, tmp_path / "r.json", run=replace(INFO, reproducibility=record)))
    found = file.look()
    benchmark = library.benchmarks.create(questions_of(found, "compared"))
    (number,) = ResultsImporter(library, lambda _: None).open(found, file.each(), benchmark)
    assert library.runs.config(number).conditions == [
        Condition(name=BASELINE), Condition(name=GRAPH, description="Looks it up", require_mcp_tool_use=True),
    ]  # fmt: skip


def test_a_workbook_names_them_first_and_only_where_there_are_some(tmp_path: Path) -> None:
    book = load_workbook(export_results(RESULTS, tmp_path / "r.xlsx", run=INFO))
    head = [cell.value for cell in book["Results"][1]]
    assert head[2:7] == ["answering_model", "condition", "parsing_model", "replicate", "judge_replicate"]
    about = {name.value: said.value for name, said in book["About"].iter_rows()}
    assert (about["Conditions"], about["Judgments per answer"]) == (f"{BASELINE}, {GRAPH}", 2)
    plain = load_workbook(export_results([result(None, None)], tmp_path / "p.xlsx", run=INFO))
    assert not {"condition", "judge_replicate"} & {cell.value for cell in plain["Results"][1]}


@pytest.mark.parametrize(
    ("beside", "fault"),
    [
        ('"condition": "%s"' % ("x" * 101), "condition: "),
        ('"judge_replicate": 0', "judge_replicate: must be between 1 and"),
    ],
)
def test_what_no_run_can_have_is_refused_with_its_place(beside: str, fault: str, tmp_path: Path) -> None:
    good = RESULTS[0].model_dump_json()
    path = tmp_path / "r.json"
    path.write_text(f'[{good}, {{"metadata": {RESULTS[1].metadata.model_dump_json()}, {beside}}}]')
    (row,) = SavedResults(path).look().faults
    assert fault in row.reason
