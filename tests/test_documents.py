"""Tables in `docs/` against the code: rooms of the architecture, and the tests that hold the threat model."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.test_architecture import GROUND, STAIRS

ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
THREATS = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")


def test_the_rooms_of_the_architecture_are_those_that_the_test_of_imports_knows() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", ARCHITECTURE, re.MULTILINE)
    listed = {room: {*re.findall(r"`([\w.]+)`", imports)} for room, _, imports in rows}
    assert listed == {room: below - GROUND for room, below in STAIRS.items() if room not in GROUND}
    assert all(len(purpose.split()) > 2 for _, purpose, _ in rows)


def test_the_rooms_on_the_ground_floor_are_listed() -> None:
    (line,) = re.findall(
        r"^Ground floor, which imports no other room: (.*?)\n\n", ARCHITECTURE, re.MULTILINE | re.DOTALL
    )
    assert {*re.findall(r"`(\w+)`", line)} == GROUND


def test_every_file_and_folder_that_the_documents_name_is_there() -> None:
    folders = "|".join(("tests", "static", "docs", *STAIRS))
    for text in (ARCHITECTURE, THREATS):
        for path in re.findall(rf"`((?:{folders})/[\w/.]*)[`:]", text):
            assert (ROOT / path).exists() or (ROOT / "karenina_gui" / path).exists(), path


def test_every_name_of_the_glossary_is_in_the_code_and_has_one_meaning() -> None:
    rows = [row.strip("|").split("|") for row in GLOSSARY.splitlines() if row.startswith("| ") and "`" in row]
    concepts = [row[0].strip() for row in rows]
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]
    # Read by lines: parsing all files would take seconds.
    texts = (path.read_text("utf-8") for path in (ROOT / "karenina_gui").rglob("*.py"))
    defined = {name for text in texts for name in re.findall(r"^(?:class|def|async def) (\w+)", text, re.MULTILINE)}
    assert len(rows) > 30
    assert set(names) <= defined
    assert len(set(concepts)) == len(concepts)
    assert len(set(names)) == len(names)


def test_every_threat_names_tests_that_exist() -> None:
    rows = [row for row in THREATS.splitlines() if row.startswith("| ") and not row.startswith(("| Threat", "|---"))]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        for path, name in named:
            defined = {
                each.name
                for each in ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert name in defined, (path, name)
