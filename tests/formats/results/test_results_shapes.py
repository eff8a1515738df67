"""Files of results in every shape that the field has: told by what is in them, read without loss or invention."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_stream import JsonFault, JsonStream
from karenina_gui.formats.model_names import identity_named
from karenina_gui.formats.results.export_kinds import KINDS, export_results
from karenina_gui.formats.results.results_reader import SavedResults, holds_results
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.schemas.result import TraitScale, VerificationResult
from karenina_gui.schemas.results_file import FoundResults

SHAPES = {
    "full.export-v2.2.json": "export",
    "full.export.csv": "table",
    "full.facade-array.json": "array",
    "full.facade.csv": "facade_table",
}


def row(number: int = 1, **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "question_id": f"q{number}",
            "template_id": "t",
            "question_text": f"Text {number}?",
            "answering": {"interface": "manual", "model_name": "ada"},
            "timestamp": f"2026-01-01 00:00:{number:02}",
            "result_id": f"{number:016}",
            **metadata,
        },
        "template": {"raw_llm_response": "It is 42.", "template_verification_performed": True, "verify_result": True},
    }


def legacy(**changes: Any) -> dict[str, Any]:
    """As versions 2.0 and 2.1 wrote it."""
    metadata = {
        "question_id": "q",
        "template_id": "t",
        "completed_without_errors": True,
        "error": None,
        "question_text": "Synonyms?",
        "raw_answer": "Yes",
        "answering_model": "anthropic/claude-haiku-4-5",
        "parsing_model": "gpt-4o-mini",
        "answering_replicate": 3,
        "parsing_replicate": 3,
        "timestamp": "2025-12-12 18:06:17",
    }
    template = {"raw_llm_response": "Yes", "template_verification_performed": True, "verify_result": True}
    return {"metadata": {**metadata, **changes.pop("metadata", {})}, "template": {**template, **changes}}


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., SavedResults]:
    def saved(content: Any, name: str = "results.json") -> SavedResults:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return SavedResults(path)

    return saved


def read(file: SavedResults) -> list[VerificationResult]:
    return [result for _, result in file.each()]


def once_more(file: SavedResults, folder: Path, kind: str) -> SavedResults:
    """Exported and opened again."""
    info = RunInfo.of_files([file.look()], "again")
    return SavedResults(export_results((result for _, result in file.each()), folder / f"again.{kind}", run=info))


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_each_shape_is_told_by_its_content(shared: Path, tmp_path: Path, name: str, shape: str) -> None:
    elsewhere = tmp_path / "no-ending"
    elsewhere.write_bytes((shared / "results" / name).read_bytes())
    found = SavedResults(elsewhere).look()
    assert (found.shape, found.results, found.faulty) == (shape, 3, 0)
    (run,) = found.runs
    assert (run.name, run.total, run.complete) == ("full", 3, True)
    assert [model.label for model in run.answering.values()] == ["answerer-A"]
    assert [model.label for model in run.judges.values()] == ["judge-1"]
    assert len(run.questions) == 3
    assert run.outcomes["passed"] == run.outcomes["wrong"] == 1


def test_results_are_told_from_questions_checkpoints_and_presets(shared: Path, tmp_path: Path) -> None:
    questions, table = tmp_path / "questions.json", tmp_path / "questions.csv"
    questions.write_text('[{"question": "Why?", "answer": "So"}, 1, null]')
    table.write_text("question_id,question,answer\n1,Why?,So\n")
    others = [questions, table, shared / "results/preset-example.json", shared / "checkpoints/08_scenario.jsonld"]
    assert [holds_results(path) for path in others] == [False] * 4
    names = ("full.export-v2.2.json", "full.export.csv", "full.facade.csv", "full.facade-array.json")
    assert all(holds_results(shared / "results" / name) for name in names)


def test_a_list_of_results_says_the_same_as_the_export(shared: Path) -> None:
    folder = shared / "results"
    assert read(SavedResults(folder / "full.facade-array.json")) == read(SavedResults(folder / "full.export-v2.2.json"))


@pytest.mark.parametrize("name", ["full.export.csv", "full.facade.csv"])
def test_a_table_says_what_it_holds_and_nothing_else(shared: Path, name: str) -> None:
    whole = read(SavedResults(shared / "results/full.export-v2.2.json"))
    for ours, theirs in zip(read(SavedResults(shared / "results" / name)), whole, strict=True):
        assert ours.template is not None
        assert theirs.template is not None
        for field in ("question_id", "question_text", "answering", "parsing", "replicate", "timestamp", "run_name",
                      "execution_time", "answering_system_prompt"):  # fmt: skip
            assert getattr(ours.metadata, field) == getattr(theirs.metadata, field), field
        for field in ("raw_llm_response", "parsed_gt_response", "parsed_llm_response", "verify_granular_result"):
            assert getattr(ours.template, field) == getattr(theirs.template, field), field
        assert ours.template.trace_messages == []
        assert ours.template.field_results is None
        assert ours.metadata.raw_answer is None
        assert ours.metadata.result_id == ""
        assert ours.rubric is not None
        assert ours.rubric.llm_trait_scores is None
        assert ours.rubric.untyped_scores["depth"] == 4
        assert ours.rubric.metric_trait_scores == {"cov": {"precision": 0.5, "recall": 0.5, "f1": 0.5}}


def test_a_short_table_keeps_why_an_answer_failed(shared: Path) -> None:
    results = read(SavedResults(shared / "results/full.facade.csv"))
    failures = [result.metadata.failure for result in results]
    assert [failure and failure.category for failure in failures] == [None, "content", "abstention"]
    assert [result.passed for result in results] == [True, False, False]
    assert [result.error for result in results] == [None, None, None]


def test_an_empty_verdict_of_upstreams_table_is_false_only_where_something_was_compared(shared: Path) -> None:
    results = read(SavedResults(shared / "results/full.export.csv"))
    assert [result.passed for result in results] == [True, False, None]
    assert results[2].error == "fake reasoning"
    assert results[0].rubric is not None
    assert results[0].rubric.trait_provenance is not None
    assert results[0].rubric.trait_provenance["q_only"] == "question_specific"
    assert results[0].rubric.trait_provenance["clear"] == "global"


@pytest.mark.parametrize("name", SHAPES)
def test_what_was_opened_is_exported_as_json_equal(shared: Path, tmp_path: Path, name: str) -> None:
    file = SavedResults(shared / "results" / name)
    assert read(once_more(file, tmp_path, "json")) == read(file)


@pytest.mark.parametrize("name", ["full.export.csv", "full.facade.csv"])
def test_a_table_comes_back_from_our_table_as_it_was(shared: Path, tmp_path: Path, name: str) -> None:
    file = SavedResults(shared / "results" / name)
    assert read(once_more(file, tmp_path, "csv")) == read(file)


def test_our_table_keeps_texts_that_look_like_formulas_or_escapes(
    saved: Callable[..., SavedResults], tmp_path: Path
) -> None:
    texts = ["=1+1", "'=1", "-", "- a\n- list", "+49 30", "'quoted'", "\t=x", "-1"]
    rows = [row(n) | {"template": {"raw_llm_response": text, "verify_result": True}} for n, text in enumerate(texts, 1)]
    again = read(once_more(saved({"results": rows}), tmp_path, "csv"))
    assert [result.template and result.template.raw_llm_response for result in again] == texts


def test_a_table_of_ours_tells_traits_and_verdicts_apart(shared: Path, tmp_path: Path) -> None:
    file = SavedResults(shared / "results/full.export-v2.2.json")
    for ours, theirs in zip(read(once_more(file, tmp_path, "csv")), read(file), strict=True):
        assert ours.rubric is not None
        assert theirs.rubric is not None
        for kind in ("llm_trait_scores", "llm_trait_labels", "regex_trait_scores", "metric_trait_scores",
                     "metric_trait_confusion_lists", "trait_provenance"):  # fmt: skip
            assert getattr(ours.rubric, kind) == getattr(theirs.rubric, kind), kind
        assert (ours.passed, ours.error, ours.metadata.failure and ours.metadata.failure.category) == (
            theirs.passed, theirs.error, theirs.metadata.failure and theirs.metadata.failure.category,
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_what_a_score_means_travels_with_it(saved: Callable[..., SavedResults], tmp_path: Path, kind: str) -> None:
    scales = {"depth": {"kind": "score", "min_score": 0, "max_score": 4, "higher_is_better": False}}
    scored = {"rubric_evaluation_performed": True, "llm_trait_scores": {"depth": 0}, "trait_scales": scales}
    (again,) = read(once_more(saved({"results": [row(1) | {"rubric": scored}]}), tmp_path, kind))
    assert again.rubric is not None
    assert again.rubric.llm_trait_scores == {"depth": 0}
    assert again.rubric.trait_scales == {"depth": TraitScale.model_validate(scales["depth"])}


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_why_nothing_was_read_and_which_fields_matched_travel_in_tables(
    saved: Callable[..., SavedResults], tmp_path: Path, kind: str
) -> None:
    template = {
        "abstention_check_performed": True, "abstention_detected": False, "abstention_reasoning": "=It answers.",
        "sufficiency_check_performed": True, "sufficiency_detected": False, "sufficiency_override_applied": True,
        "sufficiency_reasoning": "No dose.", "field_results": {"dose": False, "unit": None},
        "field_scores": {"dose": 0.5, "unit": None}, "composition_strategy": "at_least_n(1)",
    }  # fmt: skip
    given = row(1, caveats=["partial_content"])
    (again,) = read(once_more(saved({"results": [given | {"template": template}]}), tmp_path, kind))
    assert again.template is not None
    assert again.template.model_dump(include=set(template)) == template
    assert again.metadata.caveats == ["partial_content"]


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman"])
def test_a_table_that_a_spreadsheet_has_saved_is_read(shared: Path, tmp_path: Path, encoding: str) -> None:
    text = (shared / "results/full.facade.csv").read_text(encoding="utf-8")
    import csv

    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=";")
    for cells in csv.reader(io.StringIO(text, newline="")):
        writer.writerow({"true": "TRUE", "false": "FALSE", "True": "TRUE"}.get(cell, cell) for cell in cells)
    path = tmp_path / "saved.csv"
    path.write_bytes(out.getvalue().replace("capital of France", "capital of Curaçao").encode(encoding))
    results = read(SavedResults(path))
    assert [result.passed for result in results] == [True, False, False]
    assert results[1].metadata.question_text == "Name the capital of Curaçao."


def test_a_second_row_of_one_replicate_is_named(saved: Callable[..., SavedResults]) -> None:
    once = saved([row(1), row(2), row(1, replicate=2, result_id="f" * 16)]).look()
    assert not any("replicate of an earlier one" in note for note in once.notes)
    twice = saved([row(1, replicate=2), row(2), row(1, replicate=2, result_id="f" * 16)]).look()
    note = "1 result repeats the question, model, judge, and replicate of an earlier one. Each of them counts."
    assert note in twice.notes


def test_a_file_of_several_runs_gives_each_of_them(saved: Callable[..., SavedResults]) -> None:
    found = saved({"runs": {"monday": [row(1), row(2)], "tuesday": [row(1)]}, "scenario_outcomes": [1]}).look()
    assert found.shape == "store"
    assert [(run.name, run.results) for run in found.runs] == [("monday", 2), ("tuesday", 1)]
    assert "Scenario outcomes" in " ".join(found.notes)


def test_rows_of_older_versions_lose_nothing(saved: Callable[..., SavedResults], tmp_path: Path) -> None:
    rows = [legacy(verify_granular_result_details={"a": 1}, metadata={"mcp_config": "[]"})]
    file = saved({"format_version": "2.0", "metadata": {"job_id": "j"}, "results": rows})
    assert file.look().shape == "legacy"
    (result,) = read(file)
    assert result.metadata.answering.display == "anthropic:claude-haiku-4-5"
    assert result.metadata.parsing is not None
    assert result.metadata.parsing.model_name == "gpt-4o-mini"
    assert (result.metadata.replicate, result.passed, result.completed_without_errors) == (3, True, True)
    export = json.loads(once_more(file, tmp_path, "json").path.read_text())
    (written,) = export["results"]
    assert written["metadata"]["mcp_config"] == "[]"
    assert written["template"]["verify_granular_result_details"] == {"a": 1}


def test_an_error_and_a_refusal_of_an_older_version_are_no_wrong_answers(saved: Callable[..., SavedResults]) -> None:
    broken = legacy(metadata={"completed_without_errors": False, "error": "no network"}, verify_result=None)
    refused = legacy(
        metadata={"timestamp": "2025-12-12 18:06:18"},
        verify_result=False,
        abstention_override_applied=True,
        abstention_reasoning="It declined.",
    )
    found = saved({"format_version": "2.1", "results": [broken, refused]}).look()
    assert found.runs[0].outcomes == {"error": 1, "abstained": 1}


def test_keys_that_nobody_knows_come_back_and_keys_of_providers_do_not(
    saved: Callable[..., SavedResults], tmp_path: Path
) -> None:
    known = row()
    known["cost"] = {"usd": 0.1, "api_key": "sk-secret"}
    known["metadata"]["region"] = "eu"
    known["metadata"]["endpoint_api_key"] = "sk-secret"
    known["metadata"]["answering"] |= {"quantised": True, "api_key": "sk-secret"}
    known["template"]["agent_metrics"] = {"turns": 2, "request": {"anthropic_api_key": "sk-secret"}}
    known["template"]["endpoint_api_key"] = "sk-secret"
    known["template"]["parsed_llm_response"] = {"api_key": "read from the answer"}
    file = saved({"results": [known]})
    (result,) = read(file)
    assert "sk-secret" not in result.model_dump_json()
    written = json.loads(once_more(file, tmp_path, "json").path.read_text())["results"][0]
    assert written["cost"] == {"usd": 0.1, "api_key": None}
    assert written["metadata"]["region"] == "eu"
    assert written["metadata"]["answering"]["quantised"] is True
    assert written["template"]["parsed_llm_response"] == {"api_key": "read from the answer"}


@pytest.mark.parametrize("seconds", ["1e999", "1e18", "-1e18"])
def test_a_time_that_nothing_took_is_refused(saved: Callable[..., SavedResults], seconds: str) -> None:
    text = json.dumps([row(1), row(2, execution_time=7.25)]).replace("7.25", seconds)
    found = saved(text).look()
    assert [fault.reason for fault in found.faults] == ["metadata.execution_time: must be a number of seconds"]


def test_a_date_beyond_the_calendar_is_no_time_of_the_run(saved: Callable[..., SavedResults]) -> None:
    found = saved([row(1, timestamp="9999-12-31 23:59:59", execution_time=9)]).look()
    assert (found.results, found.runs[0].started, found.runs[0].finished) == (1, None, None)


@pytest.mark.parametrize("depth", [300, 900])
def test_a_row_that_is_nested_too_deeply_costs_only_itself(saved: Callable[..., SavedResults], depth: int) -> None:
    deep = json.dumps(row(2))[:-1] + f', "more": {"[" * depth}{"]" * depth}}}'
    found = saved(f"[{json.dumps(row(1))}, {deep}, {json.dumps(row(3))}]").look()
    assert (found.results, [fault.reason for fault in found.faults]) == (2, ["it is nested too deeply"])


def test_a_number_of_endless_digits_is_told_with_its_line(saved: Callable[..., SavedResults]) -> None:
    found = saved(f"[{json.dumps(row(1))},\n{'9' * 5000}]").look()
    assert found.faults[0].reason == "the rest of the file is not valid JSON: A number is too long on line 2"


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_file_holds_a_secret_that_was_in_the_opened_one(
    saved: Callable[..., SavedResults], tmp_path: Path, kind: str
) -> None:
    model = {"name": "ada", "interface": "manual", "temperature": 0.1, "endpoint_api_key": "sk-secret"}
    head = {"verification_config": {"answering_models": [model]}}
    file = saved({"metadata": head, "results": [{**row(), "request": {"api_key": "sk-secret"}}]})
    content = once_more(file, tmp_path, kind).path.read_bytes()
    assert b"sk-secret" not in content


def test_judgments_of_one_answer_that_have_one_id_are_all_read(saved: Callable[..., SavedResults]) -> None:
    judged = [{**row(), "judge_replicate": number} for number in (1, 2, 2)]
    found = saved(judged).look()
    assert (found.results, [fault.row for fault in found.faults]) == (2, [3])


def test_a_row_that_cannot_be_read_is_told_by_its_number_and_the_others_come_in(
    saved: Callable[..., SavedResults],
) -> None:
    broken = row(2, answering={"interface": "manual"})
    found = saved([row(1), broken, "text", row(4), row(1)]).look()
    assert (found.results, found.faulty) == (2, 3)
    assert [(fault.row, fault.reason) for fault in found.faults] == [
        (2, "metadata.answering.model_name: missing"),
        (3, "it is not an object"),
        (5, "it duplicates result 1 (id 0000000000000001)"),
    ]


def test_a_cell_that_cannot_be_read_is_told_by_row_and_column(saved: Callable[..., SavedResults]) -> None:
    header = "question_id,answering_model,replicate,parsed_llm_response"
    table = f"{header}\nq,manual:ada,1,{{}}\nq,manual:ada,two,\nq,,,\nq,m:a,,{{\n"
    found = saved(table, "table.csv").look()
    assert found.results == 1
    assert [(fault.row, fault.reason) for fault in found.faults] == [
        (2, "column “replicate” contains “two”, which is not a whole number"),
        (3, "column “answering_model” is empty"),
        (4, "column “parsed_llm_response” contains “{”, which is not JSON"),
    ]


def test_a_file_that_breaks_off_gives_what_it_holds_and_says_so(saved: Callable[..., SavedResults]) -> None:
    text = json.dumps({"results": [row(1), row(2), row(3)]})
    found = saved(text[: text.index("Text 3") + 3]).look()
    assert (found.results, found.faulty) == (2, 1)
    assert "not valid JSON" in found.faults[0].reason
    assert not found.runs[0].complete


def test_a_part_of_a_run_says_of_how_many_it_is(saved: Callable[..., SavedResults]) -> None:
    summary = {"total_questions": 5, "is_complete": False}
    (run,) = saved({"metadata": {"job_summary": summary}, "results": [row()]}).look().runs
    assert (run.results, run.total, run.complete) == (1, 5, False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("{}", "neither 'results'"),
        ("[]", "contains no readable results"),
        ('{"results": 3}', "neither 'results'"),
        ("[{}]", "Result 1 lacks the entry “metadata” of results files."),
        ("{nonsense", "is not valid JSON"),
        ("[" * 100_000, "no readable results|not valid JSON"),
        ("a,b\n1,2\n", "no column “question_id”"),
        ("plain text", "no column “question_id”"),
    ],
)
def test_what_holds_no_results_is_refused_plainly(
    saved: Callable[..., SavedResults], content: str, message: str
) -> None:
    with pytest.raises(FileFormatError, match=message):
        saved(content).look()


def test_a_workbook_is_told_by_its_content_too(shared: Path, tmp_path: Path) -> None:
    book = once_more(SavedResults(shared / "results/full.export-v2.2.json"), tmp_path, "xlsx")
    renamed = tmp_path / "renamed.csv"
    renamed.write_bytes(book.path.read_bytes())
    assert SavedResults(renamed).look().shape == "workbook"


def test_bytes_that_are_no_file_of_results_are_refused_plainly(tmp_path: Path) -> None:
    for content in (b"PK\x03\x04 broken", b"\xff\xfe\x00", b"[\xff\xfe]", bytes(range(256))):
        path = tmp_path / "file"
        path.write_bytes(content)
        with pytest.raises(FileFormatError):
            SavedResults(path).look()


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 50, 1 << 20])
def test_json_is_read_alike_in_pieces_of_any_size(chunk: int) -> None:
    data = {"a": [1, 12.5e3, -7, 'é\\"😀', None, True, {}], "b": {"c": [[]]}, "d": 123456}
    text = json.dumps(data, indent=1)
    stream = JsonStream(io.StringIO(text), chunk)
    assert {name: stream.value() for name in stream.members()} == data


@pytest.mark.parametrize("text", ["[1 2]", "[1,]", "[1", '["a', "[truth]", "[", "[1}"])
def test_broken_json_is_told_with_its_line(text: str) -> None:
    stream = JsonStream(io.StringIO("\n" + text), 4)
    with pytest.raises(JsonFault, match="line 2"):
        for _ in stream.elements():
            stream.value()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai_endpoint:m (id1) +[b, a]", ("openai_endpoint", "m", "id1", ["b", "a"])),
        ("ollama:llama3:8b", ("ollama", "llama3:8b", None, [])),
        ("openai_endpoint:meta/llama", ("openai_endpoint", "meta/llama", None, [])),
        ("anthropic/claude", ("anthropic", "claude", None, [])),
        ("gpt-4", ("unknown", "gpt-4", None, [])),
    ],
)
def test_models_are_read_from_their_written_names(text: str, expected: tuple[Any, ...]) -> None:
    model = identity_named(text)
    assert (model.interface, model.model_name, model.config_id, model.tools) == expected


def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write('{"results":[')
        for number in range(3000):
            entry = row(number % 50, result_id=str(number))
            entry["template"]["raw_llm_response"] = f"{number} " + "word " * 1000
            file.write(("," if number else "") + json.dumps(entry))
        file.write("]}")
    assert path.stat().st_size > 15_000_000
    tracemalloc.start()
    found: FoundResults = SavedResults(path).look()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.results == 3000
    assert most < 10_000_000


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_traits_that_only_agents_scored_travel_too(
    saved: Callable[..., SavedResults], tmp_path: Path, kind: str
) -> None:
    scored = {"rubric_evaluation_performed": False, "agentic_trait_scores": {"clean": True, "form.bugs": 2}}
    (again,) = read(once_more(saved({"results": [row(1) | {"rubric": scored}]}), tmp_path, kind))
    assert again.rubric is not None
    assert again.rubric.agentic_trait_scores == {"clean": True, "form.bugs": 2}


def test_a_text_without_lines_is_no_table_of_results(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("x," * 600_000)
    with pytest.raises(FileFormatError, match="its first line is too long"):
        SavedResults(path).look()
