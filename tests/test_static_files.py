"""Scripts and style sheets: rules for their source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from karenina_gui.gui.shell.serving import SCRIPTS, STYLES, module_names
from karenina_gui.static_files import static_folder

ROOT = Path(__file__).parents[1]
LONGEST = 120
FOREIGN = ("ag-", "cm-", "material", "nicegui", "q-", "codehilite", "nsewdrag")
"""Beginnings of classes of NiceGUI and its libraries."""
SHORT = {"h1", "h2", "h3", "k", "on", "sr"}
"""Beginnings of one or two letters that need no explanation."""


def test_no_line_is_too_long() -> None:
    lines = [
        (file.name, number, line)
        for file in (*_files(".js"), *_files(".css"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
    ]
    assert len(lines) > 1000
    assert [(name, number) for name, number, line in lines if len(line) > LONGEST] == []


def test_types_of_every_script_are_checked() -> None:
    assert [file.name for file in _files(".js") if not file.read_text("utf-8").startswith("// @ts-check\n")] == []


def test_every_script_and_style_sheet_is_served() -> None:
    assert sorted(STYLES) == [file.stem for file in _files(".css")]
    assert all((static_folder() / script).is_file() for script in SCRIPTS)
    imported = {name for file in _files(".js") for name in _imported(file)}
    assert sorted(imported) == module_names()


def test_every_class_of_a_style_sheet_is_used() -> None:
    sources = [*(ROOT / "karenina_gui").rglob("*.py"), *_files(".js")]
    words = set(re.findall(r"(?<![\w-])[a-z][\w-]*", "\n".join(file.read_text("utf-8") for file in sources)))
    composed = tuple(word for word in words if word.endswith("-"))
    assert {name for name in _classes() - words if not name.startswith((*FOREIGN, *composed))} == set()


def test_tables_have_one_definition() -> None:
    gui = ROOT / "karenina_gui" / "gui"
    makers = [file.relative_to(gui) for file in gui.rglob("*.py") if "ui.aggrid" in file.read_text("utf-8")]
    assert makers == [Path("kit/grid.py")]


def test_prefixes_of_classes_are_written_out() -> None:
    beginnings = {name.partition("-")[0] for name in _classes() if not name.startswith(FOREIGN)}
    assert {each for each in beginnings if len(each) < 3} <= SHORT


def _files(suffix: str) -> Iterator[Path]:
    return iter(sorted(static_folder().rglob(f"*{suffix}")))


def _imported(file: Path) -> list[str]:
    """Names of the modules that a script or module imports."""
    return re.findall(r'^import [^"]*"(?:karenina|\.)/(\w+)\.js";$', file.read_text("utf-8"), re.MULTILINE)


def _classes() -> set[str]:
    styles = "\n".join(file.read_text("utf-8") for file in _files(".css"))
    selectors = "\n".join(re.findall(r"([^{}]*)\{", re.sub(r"/\*.*?\*/", "", styles, flags=re.DOTALL)))
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors))
