"""When two templates are the same, and when there is none."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.template_identity import template_id
from tests.default_template import default_template


def test_recorded_identities_are_reproduced(shared: Path) -> None:
    cases = json.loads((shared / "vectors/ids.json").read_text())["template_id"]
    assert cases
    assert [template_id(case["template"]) for case in cases] == [case["id"] for case in cases]


def test_layout_does_not_change_the_identity_but_code_does() -> None:
    plain = "class Answer(BaseAnswer):\n    x: int\n"
    assert template_id("\r\n    class Answer(BaseAnswer):  \r\n        x: int\r\n") == template_id(plain)
    assert template_id(plain.replace("int", "str")) != template_id(plain)
    assert template_id(None) == template_id("  \n") == "no_template"


def test_the_default_template_is_what_files_hold(shared: Path) -> None:
    file = json.loads((shared / "checkpoints/01_minimal_default_template.jsonld").read_text())
    item = file["dataFeedElement"][0]["item"]
    assert default_template(item["text"]) == item["hasPart"]["text"]


@pytest.mark.parametrize("question", ["What is 6 x 7?", 'Say """hello"""\\', "Two\nlines", "long " * 30, ""])
def test_a_generated_template_is_valid_python_and_known_as_such(question: str) -> None:
    source = default_template(question)
    ast.parse(source)
    assert is_default_template(source)
    assert is_default_template(source.replace("\n", "\r\n"))


def test_a_written_template_is_not_taken_for_the_default() -> None:
    generated = default_template("What is 6 x 7?")
    assert not is_default_template(generated.replace("return False", "return self.response == '42'"))
    assert not is_default_template("class Answer(BaseAnswer):\n    x: int\n")
    assert is_default_template(None)
    assert is_default_template("\n")
