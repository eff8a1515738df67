"""Values as text, with the words of their forms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import karenina_gui
from karenina_gui.gui.kit.record_text import CHOICES, TITLES, record_text
from karenina_gui.gui.pages.models.fields import FIELDS
from karenina_gui.gui.pages.rubric.kinds import GROUPS, OUTCOMES
from karenina_gui.gui.pages.rubric.model_form import DEEP, MODES, SEES
from karenina_gui.gui.pages.templates.sample_row import KIND_TITLES

FORMS = Path(karenina_gui.__file__).parent / "gui" / "pages" / "rubric"


def test_traits_are_shown_as_in_their_forms() -> None:
    trait = {"name": "cites", "kind": "boolean", "case_sensitive": True, "invert_result": False, "classes": None}
    assert record_text({"regex_traits": [trait], "llm_traits": []}) == (
        "Patterns (regex):\n- Name: cites\n  Result: Yes or no\n  Case-sensitive: yes\n  Invert result: no"
    )


def test_a_model_is_shown_as_in_its_form() -> None:
    assert record_text({"id": "judge", "interface": "replay"}) == "Name: judge\nInterface: Recorded run"


def test_a_sample_answer_is_shown_as_in_its_form() -> None:
    sample = {"id": "921979b927ed", "kind": "correct", "text": "3 mg", "passes": True}
    assert record_text([sample]) == "- Kind of answer: Correct answer\n  Text: 3 mg\n  Should pass: yes"


def test_names_of_the_author_stay_as_they_are() -> None:
    assert record_text({"name": "x", "kind": "boolean"}, titled=False) == "name: x\nkind: boolean"
    sample = {"kind": "wrong", "values": {"name": "aspirin", "source": "a trial"}}
    assert record_text(sample) == "Result: Wrong answer\nExtracted values:\n  name: aspirin\n  source: a trial"
    assert record_text({"classes": {"text": "When it is text."}}) == "Classes:\n  text: When it is text."


def test_titles_are_those_of_the_forms() -> None:
    wrong = {name: title for name, title in _form_titles() if TITLES.get(name, title) != title}
    # The first two are choices in words of their own; the last is longer in the form than it need be in a record.
    assert wrong == {
        "invert_result": "Yes means",
        "higher_is_better": "Direction",
        "description": "Trait description",
    }
    assert {name: TITLES[name] for name in FIELDS if name in TITLES} == {
        name: field.title for name, field in FIELDS.items() if name in TITLES
    }
    assert {f"{kind}_traits": title for kind, title in GROUPS.items()}.items() <= TITLES.items()
    assert CHOICES["kind"] == OUTCOMES | KIND_TITLES
    assert (CHOICES["evaluation_mode"], CHOICES["context_mode"]) == (MODES, SEES)


def _form_titles() -> Iterator[tuple[str, str]]:
    """Names and titles in calls such as `form.tick("case_sensitive", "Case-sensitive", True)`."""
    for path in FORMS.glob("*form.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="tick" | "number" | "choice" | "text"),
                    args=[name, ast.Constant(value=str(title)), *_],
                ):
                    written = ast.unparse(name).replace("f'{DEEP}", f"'{DEEP}")
                    if written[:1] == "'":
                        yield ast.literal_eval(written), title
