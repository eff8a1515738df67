"""The private parts of openpyxl that we use still are and do what we need, and one file alone uses them."""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet import _reader
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS

import karenina_gui
from karenina_gui.formats.tables import openpyxl_internals
from karenina_gui.formats.tables.openpyxl_internals import SheetParser

PACKAGE = Path(karenina_gui.__file__).parent
MODULE = Path(openpyxl_internals.__file__)

ATTRIBUTES = {"_archive", "_worksheet_path", "_shared_strings", "_date_formats", "_timedelta_formats"}
"""Private attributes of workbooks and sheets; each has a test below."""
NAMES = {"FORMULA_TAG", "VALUE_TAG", "WorkSheetParser"}
"""Names in the private module `openpyxl.worksheet._reader`; each has a test below."""


def opened(folder: Path, fill: Callable[[Worksheet], None]) -> tuple[Any, Any]:
    """A workbook and its sheet, in the mode that reads row by row."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    fill(sheet)
    book.save(folder / "book.xlsx")
    read = load_workbook(folder / "book.xlsx", read_only=True, data_only=True)
    return read, read.worksheets[0]


def library_parser(book: Any, sheet: Any, part: Any) -> Any:
    return _reader.WorkSheetParser(
        part,
        sheet._shared_strings,
        data_only=True,
        epoch=book.epoch,
        date_formats=book._date_formats,
        timedelta_formats=book._timedelta_formats,
    )


def test_archive_and_worksheet_path_lead_to_the_xml_of_the_sheet(tmp_path: Path) -> None:
    book, sheet = opened(tmp_path, lambda sheet: sheet.append(["Question"]))
    with book._archive.open(sheet._worksheet_path) as part:
        assert b"<sheetData>" in part.read()


def test_shared_strings_hold_the_texts_of_cells_by_their_numbers(tmp_path: Path) -> None:
    opened(tmp_path, lambda sheet: sheet.append(["Question"]))
    # Other programs write texts into a part of their own; openpyxl writes them into the cells.
    shared = f'<sst xmlns="{SHEET_MAIN_NS}"><si><t>Why?</t></si><si><t>How?</t></si></sst>'
    cells = f'<worksheet xmlns="{SHEET_MAIN_NS}"><sheetData><row><c t="s"><v>1</v></c></row></sheetData></worksheet>'
    kind = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHARED_STRINGS}"/></Types>'
    with zipfile.ZipFile(tmp_path / "book.xlsx") as old, zipfile.ZipFile(tmp_path / "shared.xlsx", "w") as new:
        parts = {name: old.read(name).decode() for name in old.namelist()}
        parts |= {"xl/sharedStrings.xml": shared, "xl/worksheets/sheet1.xml": cells}
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", kind)
        for name, content in parts.items():
            new.writestr(name, content)
    book: Any = load_workbook(tmp_path / "shared.xlsx", read_only=True, data_only=True)
    sheet = book.worksheets[0]
    assert list(sheet._shared_strings) == ["Why?", "How?"]
    with book._archive.open(sheet._worksheet_path) as part:
        ((_, (cell,)),) = library_parser(book, sheet, part).parse()
    assert cell["value"] == "How?"


def test_date_and_timedelta_formats_turn_numbers_into_moments(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append([datetime(2024, 3, 5, 14, 30), timedelta(hours=26), 7])
        sheet["B1"].number_format = "[h]:mm:ss"

    book, sheet = opened(tmp_path, fill)
    with book._archive.open(sheet._worksheet_path) as part:
        ((_, cells),) = library_parser(book, sheet, part).parse()
    moment, duration, number = cells
    assert (moment["value"], duration["value"], number["value"]) == (
        datetime(2024, 3, 5, 14, 30),
        timedelta(hours=26),
        7,
    )
    assert moment["style_id"] in book._date_formats
    assert duration["style_id"] in book._timedelta_formats


def test_formula_tag_and_value_tag_are_the_elements_of_a_cell() -> None:
    cell = fromstring(f'<c xmlns="{SHEET_MAIN_NS}"><f>1+1</f><v>2</v></c>')
    assert cell.findtext(_reader.FORMULA_TAG) == "1+1"
    assert cell.findtext(_reader.VALUE_TAG) == "2"


def test_worksheet_parser_gives_rows_of_cells_with_the_facts_that_we_read(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["Why?", None, 0.5])
        sheet["C1"].number_format = "0%"

    book, sheet = opened(tmp_path, fill)
    with book._archive.open(sheet._worksheet_path) as part:
        ((number, cells),) = library_parser(book, sheet, part).parse()
    assert number == 1
    assert [(cell["row"], cell["column"], cell["value"], cell["data_type"]) for cell in cells] == [
        (1, 1, "Why?", "s"),
        (1, 3, 0.5, "n"),
    ]
    assert openpyxl_internals.ParsedCell.__annotations__.keys() == cells[0].keys()
    assert ReadOnlyCell(sheet, **cells[1]).number_format == "0%"


def test_worksheet_parser_gives_each_cell_to_the_method_that_we_override(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["#N/A", "=1+1"])

    book, sheet = opened(tmp_path, fill)
    ((_, cells),) = SheetParser(book, sheet).rows()
    assert [cell["data_type"] for cell in cells] == ["e", "f"]


def test_worksheet_parser_has_merged_cells_and_hidden_rows_after_the_rows(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["Question"])
        sheet.append(["Why?"])
        sheet.merge_cells("A1:B2")
        sheet.row_dimensions[2].hidden = True

    book, sheet = opened(tmp_path, fill)
    with book._archive.open(sheet._worksheet_path) as part:
        parser = library_parser(book, sheet, part)
        list(parser.parse())
    (area,) = parser.merged_cells.mergeCell
    assert (area.min_row, area.max_row, area.min_col) == (1, 2, 1)
    assert parser.row_dimensions["2"]["hidden"] == "1"


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("parse_extensions", "extLst"),
        ("parse_formatting", "conditionalFormatting"),
        ("parse_sheet_protection", "sheetProtection"),
        ("parse_column_dimensions", "col"),
    ],
)
def test_worksheet_parser_leaves_to_a_method_each_part_that_we_skip(
    name: str, element: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book, sheet = opened(tmp_path, lambda sheet: sheet.append(["Question"]))
    seen: list[str] = []

    def note(_: Any, part: Element) -> None:
        seen.append(part.tag)

    monkeypatch.setattr(SheetParser, name, note)
    (tmp_path / "sheet.xml").write_text(f'<worksheet xmlns="{SHEET_MAIN_NS}"><{element}/></worksheet>')
    parser = SheetParser(book, sheet)
    with (tmp_path / "sheet.xml").open("rb") as part:
        parser.source = part
        assert list(parser.parse()) == []
    parser._part.close()
    assert seen == [f"{{{SHEET_MAIN_NS}}}{element}"]


def test_each_private_name_in_use_has_a_test_here() -> None:
    tree = ast.parse(MODULE.read_text("utf-8"))
    assert private_attributes(tree) == ATTRIBUTES
    assert private_imports(tree) == NAMES


def test_no_other_file_uses_private_parts_of_openpyxl() -> None:
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text("utf-8")
        if path != MODULE and "openpyxl" in source:
            tree = ast.parse(source)
            assert not private_imports(tree), path
            assert not private_attributes(tree) & ATTRIBUTES, path


def private_imports(tree: ast.Module) -> set[str]:
    """Names out of private modules of openpyxl."""
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("openpyxl.")
        for alias in node.names
        if "._" in f"{node.module}.{alias.name}"
    }


def private_attributes(tree: ast.Module) -> set[str]:
    """Private attributes of others than `self`."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if ast.unparse(node.value) not in ("self", "super()")
    }
