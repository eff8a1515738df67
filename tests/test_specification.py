"""`docs/specification.md` lists every statement of the specification, with a test or a deviation for each."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "specification.md").read_text(encoding="utf-8")

SECTIONS = {
    "Q": "0 1 1.1 1.2 1.3 1.4 2 2.3 3 3.1 3.2 3.2.1 4 5 5.1 5.2 5.3 6",
    "M": "1 2 3 4 5 6 7",
    "P": "0 1 2 3 3.1 3.2 3.3 3.4 4 4.1 4.2 4.3 4.4 4.5 4.6 5 6 7 8 8.1 9 10",
    "A": "1 2 3 4 5 6 7 8 9 10 11",
    "R": "1 2 2.1 3 3.1 4 5 6 7 8 9 10",
}
"""Sections by document. Section 0 precedes the first heading; headings without a number are counted."""
DOCUMENTS = {
    "Q": "questions.md",
    "M": "evaluation-methodology.md",
    "P": "verification-pipeline.md",
    "A": "agentic-evaluation.md",
    "R": "agentic-rubric-evaluation.md",
}
WITHOUT_STATEMENTS = {"Q-6", "M-4", "M-5", "P-10", "A-11", "R-10"}
"""Links, and headings with nothing below."""
OPEN: set[str] = set()
"""Statements that do not hold yet; each row starts with `open:` and the reason."""

_TEST = re.compile(r"`(tests/[\w/.]+\.py)::(test_\w+)`")
_DEVIATION = re.compile(r"deviates: see (D-\d+)")


@dataclass(frozen=True)
class Row:
    number: str
    cells: tuple[str, ...]

    @property
    def held(self) -> str:
        return self.cells[-1]

    @property
    def tests(self) -> list[tuple[str, str]]:
        return _TEST.findall(self.held)

    @property
    def deviations(self) -> list[str]:
        return _DEVIATION.findall(self.held)


def rows() -> list[Row]:
    """Rows of all tables with numbered rows."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "]
    return [Row(first, tuple(rest)) for first, *rest in lines if re.fullmatch(r"[A-Z]-[\d.]+(-\d+)?", first)]


STATEMENTS = [row for row in rows() if not row.number.startswith("D-")]
DEVIATIONS = [row for row in rows() if row.number.startswith("D-")]


@cache
def names_in(path: str) -> frozenset[str]:
    """Names of the tests in a file; none if the file does not exist."""
    file = ROOT / path
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    return frozenset(each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def test_all_documents_and_sections_are_there_in_their_order() -> None:
    found = re.findall(r"^### ([A-Z])-([\d.]+) \S", PAGE, re.MULTILINE)
    assert found == [(letter, section) for letter, sections in SECTIONS.items() for section in sections.split()]
    assert re.findall(r"^## .*\(`([\w-]+\.md)`\)$", PAGE, re.MULTILINE) == list(DOCUMENTS.values())


def test_every_section_has_statements_under_numbers_of_its_own() -> None:
    parts = re.split(r"^### ([A-Z]-[\d.]+) .*$", PAGE.partition("## Names and files")[0], flags=re.MULTILINE)[1:]
    for section, text in zip(parts[::2], parts[1::2], strict=True):
        numbers = re.findall(r"^\| ([A-Z]-[\d.]+-\d+) \|", text, re.MULTILINE)
        assert numbers == [f"{section}-{place}" for place in range(1, len(numbers) + 1)]
        assert (not numbers) is (section in WITHOUT_STATEMENTS), section
        assert numbers or text.strip().startswith("No statement.")


def test_numbers_are_unique_and_rows_have_all_cells() -> None:
    assert [number for number, times in Counter(row.number for row in rows()).items() if times > 1] == []
    assert {len(row.cells) for row in STATEMENTS} == {2}
    assert {len(row.cells) for row in DEVIATIONS} == {4}
    assert all(all(row.cells) or row in STATEMENTS for row in rows())
    assert len(STATEMENTS) > 220


def test_every_statement_is_held_by_tests_or_deviates() -> None:
    for row in STATEMENTS:
        said = row.held.split(", ")
        known = [part for part in said if _TEST.fullmatch(part) or _DEVIATION.fullmatch(part)]
        assert known or row.number in OPEN, row.number
        assert known == said or row.number in OPEN, row
        assert row.cells[0].endswith("."), row.number


def test_every_deviation_is_shown_by_a_test_and_belongs_to_a_statement() -> None:
    referred = {deviation for row in STATEMENTS for deviation in row.deviations}
    assert [row.number for row in DEVIATIONS if not row.tests] == []
    assert [row.number for row in DEVIATIONS if row.number not in referred] == []


def test_every_deviation_that_is_referred_to_exists() -> None:
    known = {row.number for row in DEVIATIONS}
    assert {deviation for row in STATEMENTS for deviation in row.deviations} <= known


def test_every_test_that_is_referred_to_exists() -> None:
    referred = {each for row in rows() for each in row.tests}
    assert sorted(f"{path}::{name}" for path, name in referred if name not in names_in(path)) == []


def test_open_statements_are_those_that_are_listed() -> None:
    assert {row.number for row in STATEMENTS if "open:" in row.held} == OPEN


def test_parts_lead_to_files_that_exist() -> None:
    paths = re.findall(r"\| `(karenina_gui/[\w/]+\.py)` \|$", PAGE, re.MULTILINE)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []
