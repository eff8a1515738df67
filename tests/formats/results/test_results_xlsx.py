"""Results as an Excel workbook: typed, harmless, whole where Excel lets them be."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.results import xlsx_writer
from karenina_gui.formats.results.column_meanings import MEANINGS, column_meaning
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.table_writer import result_table
from karenina_gui.formats.results.xlsx_writer import CUT, LONGEST
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultRubric, ResultTemplate, VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig

CONFIG = VerificationConfig(
    answering_models=[
        ModelConfig.model_validate({"model_name": "ada", "interface": "manual", "endpoint_api_key": "sk-secret"})
    ]
)


def info(**changes: Any) -> RunInfo:
    about: dict[str, Any] = {"job_id": "7", "run_name": "First light", "config": CONFIG, "started": 1_790_000_000.0}
    return RunInfo(**about | changes)


def result(number: int, answer: str, **template: Any) -> VerificationResult:
    metadata = ResultMetadata(
        question_id=f"q{number}",
        template_id="t",
        answering=ModelIdentity(interface="manual", model_name="ada"),
        question_text=f"Text {number}?",
        execution_time=1.5,
        replicate=number,
    )
    return VerificationResult(
        metadata=metadata, template=ResultTemplate(**{"raw_llm_response": answer, "verify_result": True} | template)
    )


def sheets(results: list[VerificationResult], folder: Path, **changes: Any) -> tuple[Any, Any]:
    book = load_workbook(export_results(results, folder / "r.xlsx", run=info(**changes)))
    return book["Results"], book["About"]


def cells(sheet: Any, row: int = 2) -> dict[str, Any]:
    return {head.value: cell for head, cell in zip(sheet[1], sheet[row], strict=True)}


def test_cells_have_types_and_the_sheet_can_be_sorted_and_filtered(tmp_path: Path) -> None:
    sheet, _ = sheets([result(1, "42"), result(2, "x", verify_result=False)], tmp_path)
    first = cells(sheet)
    assert (first["replicate"].value, first["execution_time"].value) == (1, 1.5)
    assert first["verify_result"].value is True
    assert cells(sheet, 3)["verify_result"].value is False
    assert first["raw_llm_response"].value == "42"
    assert first["outcome"].value == "passed"
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref.startswith("A1:")
    assert sheet.auto_filter.ref.endswith("3")
    assert sheet["A1"].font.bold
    assert sheet["A1"].value == "question_text"
    assert sheet.column_dimensions["A"].width > 40


@pytest.mark.parametrize(
    "text", ["=cmd|' /C calc'!A0", "=1+1", "+49 30 1", "-", "@SUM(A1)", "- a list", "\n=1+1", " =1", "\uff1d1"]
)
def test_no_text_becomes_a_formula(text: str, tmp_path: Path) -> None:
    sheet, _ = sheets([result(1, text)], tmp_path)
    cell = cells(sheet)["raw_llm_response"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == (text, "s", True)


def test_a_name_of_a_run_becomes_no_formula_either(tmp_path: Path) -> None:
    _, about = sheets([result(1, "a")], tmp_path, run_name="=1+1")
    assert (about["B1"].value, about["B1"].data_type) == ("=1+1", "s")


def test_signs_that_excel_refuses_are_left_out(tmp_path: Path) -> None:
    sheet, _ = sheets([result(1, "a\x00b\x0bc\x1b[1md\ud800\nline\ttab 😀")], tmp_path)
    assert cells(sheet)["raw_llm_response"].value == "abc[1md\nline\ttab 😀"


def test_a_text_that_is_too_long_ends_early_and_says_so(tmp_path: Path) -> None:
    sheet, about = sheets([result(1, "x" * 40_000), result(2, "y" * LONGEST)], tmp_path)
    cut = cells(sheet)
    assert len(cut["raw_llm_response"].value) == LONGEST
    assert cut["raw_llm_response"].value.endswith(CUT)
    assert cut["cut_cells"].value == "raw_llm_response"
    assert cells(sheet, 3)["raw_llm_response"].value == "y" * LONGEST
    facts = {row[0].value: row[1].value for row in about.rows}
    assert facts["Truncated cells"].startswith("1. Excel’s limit")


def test_an_import_says_which_texts_were_cut(tmp_path: Path) -> None:
    long = result(1, "x" * 40_000, parsed_llm_response={"text": "z" * 40_000})
    results = [long, result(2, "y" * LONGEST), result(3, "short")]
    saved = SavedResults(export_results(results, tmp_path / "r.xlsx", run=info()))
    assert "1 result has texts that were cut at Excel’s limit of 32,767 characters per cell." in saved.look().notes
    cut, *others = [each for _, each in saved.each()]
    assert cut.metadata.warnings == [
        "Excel’s limit of 32,767 characters cut these columns: parsed_llm_response, raw_llm_response."
    ]
    assert cut.template is not None and (cut.template.raw_llm_response or "").endswith(CUT)
    assert [each.metadata.warnings for each in others] == [[], []]


def test_a_text_as_long_as_excels_limit_may_be_cut_where_a_table_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(f"question_id,answering_model,raw_llm_response\nq,a:m,{'x' * LONGEST}\n")
    ((_, read),) = SavedResults(tmp_path / "r.csv").each()
    assert read.metadata.warnings == ["Excel’s limit of 32,767 characters cut these columns: raw_llm_response."]


def test_a_sheet_says_what_the_results_are_of(tmp_path: Path) -> None:
    known = {
        "benchmark": "Drugs",
        "benchmark_hash": "ab" * 32,
        "status": "completed",
        "selection": "verdict Wrong",
        "origin": "r.json",
        "total": 72,
    }
    _, about = sheets([result(1, "a")], tmp_path, **known)
    facts = {row[0].value: row[1].value for row in about.rows}
    assert (facts["Run"], facts["Benchmark"], facts["Selection"]) == ("First light", "Drugs", "verdict Wrong")
    assert (facts["Results in this file"], facts["Jobs in the run"], facts["Imported from"]) == (1, 72, "r.json")
    assert facts["Answering models"] == "ada"
    assert facts["SHA-256 of the benchmark"] == "ab" * 32
    assert "SHA-256 of the data set" not in facts


@pytest.mark.parametrize(("kind", "carried"), [("json", True), ("xlsx", True), ("csv", False)])
def test_json_and_workbooks_carry_the_hash_of_the_data_set_and_csv_has_no_place_for_it(
    tmp_path: Path, kind: str, carried: bool
) -> None:
    path = export_results([result(1, "a")], tmp_path / f"r.{kind}", run=info(dataset_hash="cd" * 32))
    text = str([*load_workbook(path)["About"].values]) if kind == "xlsx" else path.read_text()
    assert ("cd" * 32 in text) is carried


def test_our_own_workbook_is_opened_again(shared: Path, tmp_path: Path) -> None:
    original = SavedResults(shared / "results/full.export-v2.2.json")
    results = [result for _, result in original.each()]
    path = export_results(results, tmp_path / "r.xlsx", run=RunInfo.of_files([original.look()], "r"))
    found = SavedResults(path).look()
    assert (found.shape, found.results, found.faulty) == ("workbook", 3, 0)
    for (_, ours), theirs in zip(SavedResults(path).each(), results, strict=True):
        assert ours.passed == theirs.passed
        assert ours.metadata.failure == theirs.metadata.failure
        assert ours.metadata.question_text == theirs.metadata.question_text
        assert ours.metadata.result_id == theirs.metadata.result_id
        assert ours.metadata.execution_time == pytest.approx(theirs.metadata.execution_time)
        assert ours.rubric is not None
        assert theirs.rubric is not None
        assert ours.rubric.llm_trait_scores == theirs.rubric.llm_trait_scores
        assert ours.rubric.regex_trait_scores == theirs.rubric.regex_trait_scores


def test_more_rows_than_a_sheet_takes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(xlsx_writer, "MOST_ROWS", 1)
    with pytest.raises(xlsx_writer.FileFormatError, match="Export them as CSV"):
        sheets([result(1, "a"), result(2, "b")], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_workbook_holds_a_key(tmp_path: Path) -> None:
    sheet, about = sheets([result(1, "a")], tmp_path)
    assert not any("sk-secret" in str(cell.value) for each in (sheet, about) for row in each.rows for cell in row)


def with_sheet(folder: Path, xml: str) -> Path:
    """A workbook with this as its only sheet."""
    whole, other = export_results([result(1, "42")], folder / "whole.xlsx", run=info()), folder / "other.xlsx"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, xml if name == "xl/worksheets/sheet1.xml" else old.read(name))
    return other


def row(number: int, *texts: str) -> str:
    cells = [f'<c r="{"AB"[i]}{number}" t="inlineStr"><is><t>{text}</t></is></c>' for i, text in enumerate(texts)]
    return f'<row r="{number}">{"".join(cells)}</row>'


SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
SLY = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
HEADER = row(1, "question_id", "answering_model")


def test_a_sheet_that_calls_itself_enormous_is_read_by_what_it_holds(tmp_path: Path) -> None:
    rows = HEADER + row(2, "q1", "ada") + row(1_000_000_000, "q2", "ada")
    path = with_sheet(tmp_path, f'{SHEET}<dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>')
    assert list(SavedResults(path).look().questions) == ["q1", "q2"]


@pytest.mark.parametrize(
    "sheet",
    [
        f"{SHEET}<sheetData>{HEADER}{row(2, 'q1', 'ada')}",
        f"{SLY}{SHEET}<sheetData>{HEADER}{row(2, '&a;', 'ada')}</sheetData></worksheet>",
    ],
    ids=["breaks off", "asks for another file"],
)
def test_a_damaged_or_sly_sheet_is_refused_in_plain_words(sheet: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be read as a workbook"):
        SavedResults(with_sheet(tmp_path, sheet)).look()


def test_a_workbook_of_results_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_writer, "LARGEST_UNPACKED", 1_000_000)
    path = with_sheet(tmp_path, f"{SHEET}<sheetData>{HEADER}{' ' * 1_000_000}</sheetData></worksheet>")
    with pytest.raises(FileFormatError, match="unpacks to more than"):
        list(SavedResults(path).rows())


def test_a_trait_whose_name_has_no_place_in_xml_keeps_its_column(tmp_path: Path) -> None:
    rated = result(1, "42")
    rated.rubric = ResultRubric(
        rubric_evaluation_performed=True, llm_trait_scores={"cl\x0bear": True}, trait_provenance={"cl\x0bear": "global"}
    )
    sheet, _ = sheets([rated], tmp_path)
    assert cells(sheet)["rubric_clear"].value is True


def test_each_column_has_a_meaning_and_the_workbook_explains_its_own(tmp_path: Path) -> None:
    rubric = ResultRubric(llm_trait_scores={"clarity": 4}, trait_provenance={"clarity": "global"})
    with result_table([result(1, "42").model_copy(update={"rubric": rubric})], info()) as table:
        assert [name for name in table.columns if name != "rubric_clarity"] == [*MEANINGS][:-1]
    results = [result(1, "42").model_copy(update={"rubric": rubric})]
    book = load_workbook(export_results(results, tmp_path / "r.xlsx", run=info()))
    explained = {name.value: said.value for name, said in book["Columns"].iter_rows()}
    assert [*explained] == [head.value for head in book["Results"][1]]
    assert explained["raw_answer"] == MEANINGS["raw_answer"]
    assert explained["rubric_clarity"] == "Score of the trait “clarity”, which belongs to the whole benchmark."
    with pytest.raises(KeyError):
        column_meaning("nonsense")
