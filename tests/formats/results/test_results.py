"""Results leave as upstream's JSON and CSV, and come back whole."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from karenina_gui.formats.results.csv_writer import plain_cell, safe_cell, write_results_csv
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.json_writer import write_results_json
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import (
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    StageRecord,
    VerificationResult,
)
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import FileChange, ResultWorkspace

CONFIG = VerificationConfig(
    answering_models=[
        ModelConfig.model_validate(
            {"model_name": "fake-answer", "interface": "openai_endpoint", "endpoint_api_key": "sk-secret-9"}
        )
    ],
    parsing_models=[ModelConfig(model_name="fake-judge", interface="openai_endpoint")],
)


def run(**changes: Any) -> RunInfo:
    return RunInfo(
        **{"job_id": "job-full", "run_name": "full", "config": CONFIG, "started": 1.0, "finished": 2.0} | changes
    )


def saved(path: Path) -> list[VerificationResult]:
    return [result for _, result in SavedResults(path).each()]


def results_json_bytes(results: list[VerificationResult], run: RunInfo) -> bytes:
    file = io.BytesIO()
    write_results_json(results, file, run=run)
    return file.getvalue()


def results_csv_bytes(results: list[VerificationResult], run: RunInfo) -> bytes:
    file = io.BytesIO()
    write_results_csv(results, file, run=run)
    return file.getvalue()


def result(**changes: Any) -> VerificationResult:
    model = ModelIdentity(interface="manual", model_name="m")
    metadata = ResultMetadata(question_id="q", template_id="t", answering=model, question_text="Why?")
    return VerificationResult(**{"metadata": metadata, "template": ResultTemplate(verify_result=True)} | changes)


def failed(category: str, group: str) -> VerificationResult:
    failure = Failure.model_validate(
        {"category": category, "stage": "GenerateAnswer", "reason": "no key", "group": group}
    )
    entry = result(error="The key is missing.", completed_without_errors=False)
    entry.metadata.failure = failure
    return entry


def table(results: list[VerificationResult], **changes: Any) -> list[dict[str, str]]:
    text = results_csv_bytes(results, run=run(**changes)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_upstreams_results_lose_nothing_on_the_way_through(shared: Path, tmp_path: Path) -> None:
    original = shared / "results/full.export-v2.2.json"
    theirs = json.loads(original.read_text())
    rubric = Rubric.model_validate(theirs["shared_data"]["rubric_definition"])
    path = export_results(saved(original), tmp_path / "r.json", run=run(rubric=rubric))
    ours = json.loads(path.read_text())
    assert list(ours) == list(theirs)
    for row, before in zip(ours["results"], theirs["results"], strict=True):
        assert {key: row[key] for key in before} == before
    assert ours["metadata"]["job_summary"] == theirs["metadata"]["job_summary"]
    assert ours["metadata"]["verification_config"] == theirs["metadata"]["verification_config"]
    assert list(ours["metadata"]) == list(theirs["metadata"])
    assert Rubric.model_validate(ours["shared_data"]["rubric_definition"]) == rubric


def test_our_own_results_come_back_equal(tmp_path: Path) -> None:
    results = [
        result(
            stages=[StageRecord(name="GenerateAnswer", status="ran", seconds=0.5)],
            sandbox_level="namespaces",
            recording_label="sample recording",
        ),
        failed("authentication", "provider"),
        failed("refusal", "abstained"),
        failed("timeout", "retry"),
    ]
    path = export_results(results, tmp_path / "new" / "r.json", run=run())
    assert saved(path) == results


def test_categories_that_upstream_does_not_know_become_its_nearest() -> None:
    rows = json.loads(results_json_bytes([failed("authentication", "provider")], run=run()))["results"]
    assert rows[0]["metadata"]["failure"]["category"] == "unexpected_error"
    assert rows[0]["metadata"]["failure"]["group"] == "system"
    assert rows[0]["failure_category"] == "authentication"
    assert not rows[0]["completed_without_errors"]


def test_an_infrastructure_failure_of_upstream_is_no_completed_result(tmp_path: Path) -> None:
    row = failed("connection", "retry").model_dump(mode="json")
    del row["completed_without_errors"]
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"results": [row]}))
    assert saved(path)[0].passed is None


def test_an_unfinished_run_says_so() -> None:
    summary = json.loads(results_json_bytes([result()], run=run(finished=None, total=3)))["metadata"]["job_summary"]
    assert summary == {
        "total_questions": 3, "successful_count": 1, "failed_count": 0, "start_time": 1.0, "end_time": None,
        "total_duration": None, "is_complete": False,
    }  # fmt: skip


def test_no_export_holds_a_key() -> None:
    for content in (results_json_bytes([result()], run=run()), results_csv_bytes([result()], run=run())):
        assert b"sk-secret-9" not in content


def test_what_an_author_calls_a_key_is_no_secret() -> None:
    template = ResultTemplate(parsed_llm_response={"api_key": "read"}, parsed_gt_response={"api_key": "true"})
    classes = {"api_key": "names the key", "none": "names nothing"}
    rubric = Rubric(llm_traits=[LLMRubricTrait(name="kind", kind="literal", classes=classes)])
    written = json.loads(results_json_bytes([result(template=template)], run=run(rubric=rubric)))
    assert written["results"][0]["template"]["parsed_llm_response"] == {"api_key": "read"}
    assert written["results"][0]["template"]["parsed_gt_response"] == {"api_key": "true"}
    assert written["shared_data"]["rubric_definition"]["llm_traits"][0]["classes"] == classes


def test_numbers_without_a_json_form_become_null(tmp_path: Path) -> None:
    template = ResultTemplate(parsed_llm_response={"ratio": float("nan"), "list": [1.5, float("inf")]})
    path = export_results([result(template=template)], tmp_path / "r.json", run=run())
    row = json.loads(path.read_text(), parse_constant=pytest.fail)["results"][0]
    assert row["template"]["parsed_llm_response"] == {"ratio": None, "list": [1.5, None]}


def test_the_table_has_upstreams_columns_first_and_its_cells(shared: Path) -> None:
    with (shared / "results/full.export.csv").open(newline="", encoding="utf-8") as file:
        theirs = list(csv.DictReader(file))
    results = saved(shared / "results/full.export-v2.2.json")
    ours = table(results)
    columns = list(theirs[0])
    assert list(ours[0])[: len(columns)] == columns
    written_otherwise = {"export_timestamp", "karenina_version", "raw_llm_response", "rubric_cov"}
    for row, before, source in zip(ours, theirs, results, strict=True):
        assert row["raw_llm_response"] == f"'{before['raw_llm_response']}"
        assert json.loads(row["rubric_cov"]) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
        for column in set(columns) - written_otherwise:
            if column == "verify_result" and source.passed is False:
                assert row[column] == "false"  # upstream leaves a False verdict empty
            elif column == "verify_result":
                assert row[column] == {True: "true", None: ""}[source.passed]
            else:
                assert row[column] == before[column], column


def test_our_own_columns_say_what_became_of_a_result() -> None:
    row = table([failed("authentication", "provider")])[0]
    assert row["error"] == "The key is missing."
    assert (row["success"], row["completed_without_errors"], row["outcome"]) == ("False", "False", "error")
    assert (row["failure_category"], row["failure_stage"]) == ("authentication", "GenerateAnswer")


def test_scores_by_agents_and_the_number_of_changed_files_have_their_cells() -> None:
    changes = [FileChange(path="a.py", kind="added"), FileChange(path="b.py", kind="deleted")]
    workspace = ResultWorkspace(changes=changes)
    rubric = ResultRubric(agentic_trait_scores={"careful": 4, "form.steps": 2}, trait_provenance={"careful": "global"})
    (with_agents, without) = table([result(workspace=workspace, rubric=rubric), result()])
    assert with_agents["rubric_careful"] == "4"
    assert json.loads(with_agents["question_specific_rubrics"]) == {"form.steps": 2}
    assert [row["workspace_files_changed"] for row in (with_agents, without)] == ["2", ""]


def test_trait_columns_are_there_even_without_a_score() -> None:
    row = table([result()], rubric=Rubric(regex_traits=[RegexRubricTrait(name="cites", pattern="x")]))[0]
    assert row["rubric_cites"] == ""


HIDDEN = [
    "\n=1+1",
    " =1+1",
    "\r\n=1",
    "\u200b=1",
    "\ufeff@x",
    "\xa0+1x",
    "\u3000-x",
    "\uff1d1+1",
    "\uff0b1x",
    "\uff20x",
    "\ufe661",
]
"""Formulas behind characters that a spreadsheet program passes over, or with signs that it reads as plain ones."""


@pytest.mark.parametrize(
    "cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "- a list", "=\n", *HIDDEN]
)
def test_a_cell_that_begins_like_a_formula_is_escaped(cell: str) -> None:
    entry = result(template=ResultTemplate(raw_llm_response=cell))
    assert table([entry])[0]["raw_llm_response"] == f"'{cell}"


@pytest.mark.parametrize("cell", ["-1", "+2.5", "-1e-05", "-.5", "text", "", "a=1", "1-2"])
def test_numbers_and_texts_stay_as_they_are(cell: str) -> None:
    assert safe_cell(cell) == cell


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "'=1", "''-x", "'", "''", "'quoted'", "-1", "'-1", "@", "\tx", "plain", "", "\n=1", "'\n=1", "\uff1d1"],
)
def test_every_escaped_cell_comes_back(cell: str) -> None:
    assert plain_cell(safe_cell(cell)) == cell


def test_a_table_is_written_completely(tmp_path: Path) -> None:
    entry = result(template=ResultTemplate(raw_llm_response='"quoted", with\nlines and \ud800'))
    path = export_results([entry], tmp_path / "r.csv", run=run())
    with path.open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["raw_llm_response"] == '"quoted", with\nlines and \\ud800'
    assert [p.name for p in tmp_path.iterdir()] == ["r.csv"]


def test_a_parquet_file_has_the_cells_of_the_table_with_types(tmp_path: Path) -> None:
    results = [
        result(rubric=ResultRubric(llm_trait_scores={"clear": 4}, trait_provenance={"clear": "global"})),
        result(rubric=ResultRubric(llm_trait_scores={"clear": None}, trait_provenance={"clear": "global"})),
        failed("content", "content"),
    ]
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    path = export_results(results, tmp_path / "r.parquet", run=run(exported=moment))
    read = pyarrow.parquet.read_table(path)
    rows = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in read.to_pylist()]
    assert rows == table(results, exported=moment)
    types = {field.name: str(field.type) for field in read.schema}
    assert (types["success"], types["execution_time"], types["rubric_clear"], types["error"]) == (
        *("bool", "double", "int64", "string"),
    )
