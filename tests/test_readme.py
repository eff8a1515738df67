"""The README shows existing files only, and all of them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_readme_shows_every_picture() -> None:
    shown = re.findall(r"static/pictures/(\w+)\.png", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(shown) == {file.stem for file in (ROOT / "static" / "pictures").iterdir()}


def test_each_picture_of_the_readme_can_be_taken_anew() -> None:
    journeys = (ROOT / "tests" / "browser" / "test_pictures.py").read_text(encoding="utf-8")
    taken = re.findall(r'picture\(\w+, "(\w+)"\)', journeys)
    assert sorted(taken) == sorted(file.stem for file in (ROOT / "static" / "pictures").iterdir())
