"""Workbooks are read as a person sees them, and those that cannot be read say what to do."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook as Book
from openpyxl.worksheet.worksheet import Worksheet

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables import workbook
from karenina_gui.formats.tables.question_import import ImportPlan, import_questions
from karenina_gui.formats.tables.rows import BadCell
from karenina_gui.formats.tables.table_reader import TableFile, read_table

PLAN = ImportPlan(question="Question", raw_answer="Answer")


def saved(folder: Path, rows: Sequence[Sequence[Any]], change: Callable[[Worksheet], None] | None = None) -> Path:
    book = Book()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    for row in rows:
        sheet.append(list(row))
    if change:
        change(sheet)
    path = folder / "q.xlsx"
    book.save(path)
    return path


def changed(path: Path, part: str, pattern: str, replacement: str) -> Path:
    """The same workbook with a text inside one of its parts replaced."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    text, count = re.subn(pattern, replacement, parts[part].decode())
    assert count
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, text if name == part else content)
    return path


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("value", "number_format", "seen"),
    [
        (42.0, "General", "42"),
        (0.1 + 0.2, "General", "0.3"),
        (4006381333931, "General", "4006381333931"),
        (123456789012345, "0", "123456789012345"),
        (6.022e23, "General", "6.022E+23"),
        (0.00002, "General", "0.00002"),
        (0.125, "0.0%", "12.5%"),
        (0.5, "0%", "50%"),
        (1234567.891, "#,##0.00", "1234567.89"),
        (3.1, "0.00", "3.10"),
        (2.675, "0.00", "2.68"),
        (3.5, "0.##", "3.5"),
        (42, "00000", "00042"),
        (5, '0.0" mg"', "5.0 mg"),
        (-12.5, '"$"#,##0.00;[Red]("$"#,##0.00)', "-$12.50"),
        (7, "[$€-407] 0.00", "€ 7.00"),
        (1500, "0.00E+00", "1500"),
        (True, "General", "TRUE"),
        (date(2024, 3, 5), "dd/mm/yyyy", "2024-03-05"),
        (datetime(2024, 3, 5, 14, 30), "dd/mm/yyyy hh:mm", "2024-03-05 14:30"),
        (datetime(2024, 3, 5, 14, 30), "d. mmmm yyyy", "2024-03-05"),
        (datetime(2024, 3, 1), "mmm yyyy", "2024-03"),
        (time(9, 5), "hh:mm", "09:05"),
        (timedelta(hours=26, minutes=30), "[h]:mm:ss", "26:30:00"),
        ("007", "General", "007"),
        ("two\nlines", "General", "two\nlines"),
    ],
)
def test_a_cell_becomes_the_text_that_a_person_sees(value: Any, number_format: str, seen: str, tmp_path: Path) -> None:
    def form(sheet: Worksheet) -> None:
        sheet["B2"].number_format = number_format

    path = saved(tmp_path, [["Question", "Answer"], ["Why?", value]], form)
    assert import_questions(path, PLAN).questions[0].raw_answer == seen


def test_rows_are_counted_as_at_the_edge_of_the_sheet_and_empty_ones_are_ignored(tmp_path: Path) -> None:
    rows = [["Question", "Answer", None], ["Why?", "a"], [None, None], ["", "b"], ["How?", None], ["Who?", "c"]]

    def trail(sheet: Worksheet) -> None:
        sheet["F400"].number_format = "0.00"  # a formatted cell far below is no row

    path = saved(tmp_path, rows, trail)
    table = read_table(path)
    assert table.headers == ["Question", "Answer"]
    report = import_questions(path, PLAN)
    assert [found.row for found in report.imported] == [2, 6]
    assert [refused.row for refused in report.refused] == [4, 5]


def test_an_error_or_a_formula_without_a_result_refuses_its_row_only_where_it_is_needed(tmp_path: Path) -> None:
    rows = [["Question", "Answer", "Spare"], ["Why?", "#N/A", 1], ["How?", "=1+1", 1], ["Who?", "c", "#DIV/0!"]]
    report = import_questions(saved(tmp_path, rows), PLAN)
    assert [q.question for q in report.questions] == ["Who?"]
    assert [refused.row for refused in report.refused] == [2, 3]
    assert report.refused[0].reason == "cell B2 contains #N/A; correct it in the sheet"
    assert report.refused[1].reason.startswith("cell B3 contains a formula without a result; open the file")


def test_a_formulas_last_result_counts_also_when_it_is_an_empty_text(tmp_path: Path) -> None:
    path = saved(tmp_path, [["Question", "Answer"], ["Why?", "=1+1"], ["How?", '=""']])
    changed(path, SHEET, r"<f>1\+1</f><v ?/?>(</v>)?", "<f>1+1</f><v>2</v>")
    changed(path, SHEET, r'<c r="B3"[^>]*><f>""</f><v ?/?>(</v>)?', '<c r="B3" t="str"><f>""</f><v></v>')
    report = import_questions(path, PLAN)
    assert [q.raw_answer for q in report.questions] == ["2"]
    assert report.refused[0].reason == "column “Answer” has no reference answer"


def test_a_merged_cell_counts_for_all_its_rows_and_a_merged_title_is_no_header(tmp_path: Path) -> None:
    rows = [["My questions", None, None], ["Question", "Answer", "Tags"], ["Why?", "a", "x"], ["How?", "b"]]

    def merge(sheet: Worksheet) -> None:
        sheet.merge_cells("A1:C1")
        sheet.merge_cells("C3:C4")

    table = read_table(saved(tmp_path, rows, merge))
    assert (table.header_row, table.headers) == (2, ["Question", "Answer", "Tags"])
    assert [row.values["Tags"] for row in table.rows] == ["x", "x"]
    assert table.remarks == ["1 merged cell: the value is used for every row it spans."]


def test_hidden_rows_are_read_and_told(tmp_path: Path) -> None:
    def hide(sheet: Worksheet) -> None:
        sheet.row_dimensions[3].hidden = True

    table = read_table(saved(tmp_path, [["Question", "Answer"], ["Why?", "a"], ["How?", "b"]], hide))
    assert len(table.rows) == 2
    assert table.remarks == ["1 hidden row: included in the import."]


def test_sheets_are_listed_with_their_rows_and_the_one_with_questions_is_the_likeliest(tmp_path: Path) -> None:
    book = Book()
    notes = book.active
    assert isinstance(notes, Worksheet)
    notes.title = "Read me"
    notes.append(["Written by Ada"])
    for name, rows in (("Old", 1), ("Items", 2), ("Empty", 0)):
        sheet = book.create_sheet(name)
        for row in [["Question", "Answer"], ["Why?", "a"], ["How?", "b"]][: rows + 1 if rows else 0]:
            sheet.append(row)
    book["Old"].sheet_state = "hidden"
    path = tmp_path / "q.xlsx"
    book.save(path)
    file = TableFile(path)
    assert [(s.name, s.rows, s.hidden) for s in file.sheets] == [
        ("Read me", 1, False), ("Old", 2, True), ("Items", 3, False), ("Empty", 0, False),
    ]  # fmt: skip
    assert file.likely_sheet() == "Items"
    assert len(file.table("Old").rows) == 1
    with pytest.raises(FileFormatError, match=r"The sheet “Empty” of q\.xlsx is empty"):
        file.table("Empty")
    with pytest.raises(FileFormatError, match=r"no sheet “Itens”.* “Read me”, “Old”"):
        file.table("Itens")


def test_control_characters_of_the_file_format_become_what_they_stand_for(tmp_path: Path) -> None:
    path = saved(tmp_path, [["Question", "Answer"], ["Why_x000D_\nnot?", "_x0041_B"]])
    question = import_questions(path, PLAN).questions[0]
    assert (question.question, question.raw_answer) == ("Why\nnot?", "AB")


def test_a_cell_at_the_far_right_costs_no_more_than_its_column(tmp_path: Path) -> None:
    def far(sheet: Worksheet) -> None:
        sheet["XFD2"] = "there"

    table = read_table(saved(tmp_path, [["Question", "Answer"], ["Why?", "a"]], far))
    assert table.headers == ["Question", "Answer", "Column 16384"]


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "LARGEST_UNPACKED", 1_000_000)
    path = saved(tmp_path, [["Question", "Answer"], ["Why?", "a" * 30_000], *[["x" * 30_000, i] for i in range(40)]])
    bomb = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("xl/media/image1.bin", b"\0" * 2_000_000)
    with pytest.raises(FileFormatError, match=r"unpacks to more than .* Save the sheet .* as CSV"):
        workbook.Workbook(bomb)


def test_entities_that_multiply_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, [["Question", "Answer"], ["Why?", "a"]])
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 9))
    changed(path, SHEET, "^", f'<!DOCTYPE x [<!ENTITY e0 "laughs">{names}]>')
    changed(path, SHEET, "</sheetData>", "<row r='9'><c t='str'><v>&e8;</v></c></row></sheetData>")
    with pytest.raises(FileFormatError, match="is damaged"):
        read_table(path)


def archive(**parts: bytes) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as file:
        for name, content in parts.items():
            file.writestr(name.replace("__", "/"), content)
    return raw.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


@pytest.mark.parametrize(
    ("raw", "name", "message"),
    [
        (b"", "q.xlsx", "q.xlsx is empty"),
        (b"Question,Answer\n", "q.xlsx", "is not an Excel workbook, although its name ends in .xlsx"),
        (OLE, "q.xls", r"an old Excel workbook \(.xls\).*save it as.*\.xlsx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "q.xlsx", "protected with a password.*remove the password"),
        (archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"), "q.ods", "an OpenDocument file"),
        (archive(**{"xl__workbook.bin": b""}), "q.xlsb", "a binary Excel workbook"),
        (archive(**{"Index__Document.iwa": b""}), "q.numbers", "a Numbers document"),
        (archive(**{"word__document.xml": b""}), "q.xlsx", "a document without sheets"),
        (archive(**{"notes.txt": b""}), "q.xlsx", "is an archive \\(ZIP\\), not a table"),
        (
            archive(**{"_journal__start.json": b"{}", "header.json": b"{}"}),
            "run.eval",
            "is a log of Inspect, not a table",
        ),
        (archive(**{"[Content_Types].xml": b"<oops"}), "q.xlsx", "is damaged"),
        (b"PK\x03\x04\x00\x00", "q.csv", "is damaged: its end is missing"),
    ],
)
def test_a_file_of_another_kind_says_what_to_do(raw: bytes, name: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match=message):
        read_table(path)


def test_a_workbook_that_was_cut_off_or_lost_a_part_is_refused_plainly(tmp_path: Path) -> None:
    path = saved(tmp_path, [["Question", "Answer"], ["Why?", "a"]])
    whole = path.read_bytes()
    for cut in (len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:cut])
        with pytest.raises(FileFormatError, match="is damaged"):
            read_table(path)
    path.write_bytes(whole)
    changed(path, SHEET, "<row ", '<row x="<" ')
    with pytest.raises(FileFormatError, match=r"is damaged.*save it as \.xlsx, and import it again"):
        read_table(path)


def test_a_damaged_sheet_keeps_no_other_one_from_being_read(tmp_path: Path) -> None:
    book = Book()
    for name in ("Sheet", "Items"):
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        sheet.append(["Question", "Answer"])
        sheet.append(["Why?", "a"])
    path = tmp_path / "q.xlsx"
    book.save(path)
    changed(path, SHEET, "</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:?"/></mergeCells>')
    file = TableFile(path)
    assert file.likely_sheet() == "Items"
    with pytest.raises(FileFormatError, match="is damaged"):
        file.table("Sheet")
    changed(
        path, "xl/worksheets/sheet2.xml", "</sheetData>", '</sheetData><mergeCells><mergeCell ref="?"/></mergeCells>'
    )
    assert TableFile(path).likely_sheet() == "Sheet"


def test_a_bad_cell_in_the_header_is_a_column_without_a_name(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, [["Question", "Answer", "#REF!"], ["Why?", "a", "#N/A"]]))
    assert table.headers == ["Question", "Answer", "Column 3"]
    assert isinstance(table.rows[0].values["Column 3"], BadCell)
