"""A trait type, a stage and an interface from outside the package: exactly the files that the guide shows."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from karenina_gui.pipeline import orchestrator
from karenina_gui.rubric import EVALUATORS
from karenina_gui.schemas.rubric import OtherRubricTrait, other

_FILE = re.compile(r"^`(\w+\.py)`\n\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)

SHORT = {"type_name": "word_count", "name": "short", "most": 3}
"""A trait of the guide's type, as it is written down."""


def shown_files() -> dict[str, str]:
    """{file name: what the guide shows as its content}"""
    return dict(_FILE.findall(CHAPTERS["extend"].markdown))


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, interfaces: None) -> Iterator[None]:
    """As they were, afterwards."""
    evaluators = list(EVALUATORS)
    monkeypatch.setattr(orchestrator, "PROGRAM", list(orchestrator.PROGRAM))
    monkeypatch.setattr(other, "_TYPES", dict(other._TYPES))
    yield
    EVALUATORS[:] = evaluators


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Holds the files."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name, content in shown_files().items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def bring(tables: None, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports one of the files."""
    monkeypatch.syspath_prepend(folder)
    yield importlib.import_module
    for name in shown_files():
        sys.modules.pop(name.removesuffix(".py"), None)


@pytest.fixture
def word_count(bring: Callable[[str], ModuleType]) -> Callable[..., OtherRubricTrait]:
    """The trait type, registered; makes one."""
    kind: type[OtherRubricTrait] = bring("word_count").WordCount

    def make(name: str = "short", **settings: Any) -> OtherRubricTrait:
        return kind(name=name, **settings)

    return make
