"""What is entered under Try it, as values; and the verdict as it is shown."""

from __future__ import annotations

from html import escape

import pytest

from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.gui.pages.templates.outline_view import comparison, comparison_text, fields_table, judge_view
from karenina_gui.gui.pages.templates.starters import BY_TITLE
from karenina_gui.gui.pages.templates.try_fields import Kind, TryField, fields_of, value_of
from karenina_gui.gui.pages.templates.verdict_view import verdict_view
from karenina_gui.sandbox import Sandbox

MANY = """
class Answer(BaseAnswer):
    yes: bool = VerifiedField(description="d1", ground_truth=True, verify_with=BooleanMatch())
    amount: float = VerifiedField(description="d2", ground_truth=1.5, verify_with=NumericExact())
    count: Optional[int] = VerifiedField(description="d3", ground_truth=3, verify_with=NumericExact())
    names: list[str] = VerifiedField(
        description="d4", ground_truth=["a", "b"], verify_with=SetContainment(mode="exact")
    )
    kind: Literal["x", "y"] = VerifiedField(description="d5", ground_truth="x", verify_with=LiteralMatch())
    text: str = VerifiedField(description="SECRET-FREE", ground_truth="SECRET", verify_with=ExactMatch())
    said: bool = VerifiedField(description="d7", ground_truth=True, verify_with=TraceContains(substring="word"))
"""


@pytest.fixture
def playground(sandbox: Sandbox) -> TemplatePlayground:
    return TemplatePlayground(sandbox)


def test_each_type_has_its_control_and_fields_of_the_trace_have_none(playground: TemplatePlayground) -> None:
    found = {field.name: field.kind for field in fields_of(playground.check(MANY))}
    assert found == {
        "yes": "yes_no", "amount": "number", "count": "whole_number", "names": "list", "kind": "choice", "text": "text",
    }  # fmt: skip


def test_what_is_right_can_be_typed_and_passes(playground: TemplatePlayground) -> None:
    fields = fields_of(playground.check(MANY))
    values = {field.name: value_of(field, field.expected) for field in fields}
    verdict = playground.try_answer(MANY, "a word", values)
    assert verdict.field_verification_result is True


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("number", " 1,500.5 ", 1500.5),
        ("number", "1,234,567", 1234567),
        ("number", "0.5", 0.5),
        ("number", "-1.5e-3", -0.0015),
        ("whole_number", "3.0", 3),
        ("list", "a\n\n b ", ["a", "b"]),
        ("yes_no", "no", False),
        ("json", '{"a": [1]}', {"a": [1]}),
        ("text", "007", "007"),
        ("number", "", None),
    ],
)
def test_typed_text_becomes_a_value(kind: Kind, text: str, value: object) -> None:
    assert value_of(TryField("f", kind), text) == value


@pytest.mark.parametrize("text", ["many", "true", '"3"'])
def test_words_are_no_number_and_the_message_names_the_field(text: str) -> None:
    with pytest.raises(ValueError, match=r"amount.*is not a number"):
        value_of(TryField("amount", "number"), text)


@pytest.mark.parametrize("text", ["1,234", "1,23,456", "-3,500", "12.34,5"])
def test_a_comma_that_may_be_a_decimal_sign_is_asked_about(text: str) -> None:
    with pytest.raises(ValueError, match="Use a decimal point and no commas"):
        value_of(TryField("amount", "number"), text)


def test_a_number_beyond_all_bounds_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="amount: “1e400” is too large"):
        value_of(TryField("amount", "number"), "1e400")


def test_half_a_thing_is_no_whole_number() -> None:
    with pytest.raises(ValueError, match="not a whole number"):
        value_of(TryField("count", "whole_number"), "2.5")


def test_the_judge_sees_descriptions_and_nothing_of_what_is_right(playground: TemplatePlayground) -> None:
    seen = judge_view(playground.check(MANY))
    assert "SECRET-FREE" in seen
    assert "SECRET<" not in seen.replace("SECRET-FREE", "")
    assert "said" not in seen


def test_the_table_of_fields_shows_truth_and_comparison(playground: TemplatePlayground) -> None:
    outline = playground.check(MANY)
    table = fields_table(outline)
    assert table is not None
    assert "SECRET" in table
    assert comparison(outline.fields[3]) == 'SetContainment(mode="exact", min_overlap=1)'
    assert ">Same items, any order</td>" in table
    assert escape(comparison(outline.fields[3])) not in table, "code is for the code view"


def test_fields_are_shown_in_the_words_of_the_form(playground: TemplatePlayground) -> None:
    source = (
        "class Answer(BaseAnswer):\n"
        '    dose: float = VerifiedField(description="D", ground_truth=4, '
        "verify_with=NumericTolerance(tolerance=0.05))\n"
        '    right: bool | None = VerifiedField(description="R", ground_truth=True, verify_with=BooleanMatch())\n'
        '    name: str = VerifiedField(description="N", ground_truth="a", '
        "verify_with=ExactMatch(normalize=['lowercase', 'strip']))\n"
        '    other: str = VerifiedField(description="O", ground_truth="acetaminophen", '
        "verify_with=ExactMatch(normalize=['strip', SynonymMap(mapping={'paracetamol': 'acetaminophen'})]))\n"
    )
    outline = playground.check(source)
    assert [comparison_text(field) for field in outline.fields] == [
        "Within a tolerance; tolerance: 5%",
        "Same value",
        "Same text; ignore: case and surrounding spaces",
        "Same text; ignore: surrounding spaces; also accept: paracetamol",
    ]
    shown = str(judge_view(outline))
    assert all(f">{title}</span>" in shown for title in ("Number", "Yes or no", "Text"))


def test_a_verdict_shows_found_and_expected_escaped(playground: TemplatePlayground) -> None:
    field = 'VerifiedField(description="d", ground_truth="a", verify_with=ExactMatch())'
    source = f"class Answer(BaseAnswer):\n    t: str = {field}\n"
    shown = verdict_view(playground.try_answer(source, "", {"t": "<img src=x>"}), playground.check(source))
    assert "&lt;img src=x&gt;" in shown
    assert "Fails" in shown


def test_code_that_stops_shows_its_message_and_line(playground: TemplatePlayground) -> None:
    source = (
        "class Answer(BaseAnswer):\n"
        '    t: str = Field(description="d")\n'
        "    def verify(self) -> bool:\n"
        "        print('looking')\n"
        "        return 1 / (len(self.t) - 3) > 0\n"
    )
    verdict = playground.try_answer(source, "", {"t": "abc"})
    shown = verdict_view(verdict, playground.check(source))
    assert "division by zero" in shown
    assert "(line 5)" in shown
    assert "looking" in shown


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (["Guanine", "Adenine"], "differs only in case"),
        (["guanine"], ">missing: adenine<"),
        (["guanine", "Adenine", "uracil"], ">too much: uracil; only case differs: Adenine<"),
        (["guanine", "adenine"], "matches"),
    ],
)
def test_a_list_that_differs_only_in_case_says_so(playground: TemplatePlayground, found: list[str], said: str) -> None:
    source = BY_TITLE["List"].write("adenine and guanine")
    assert said in str(verdict_view(playground.try_answer(source, "", {"items": found}), playground.check(source)))


def test_a_list_in_another_order_does_not_differ_only_in_case(playground: TemplatePlayground) -> None:
    field = 'VerifiedField(description="d", ground_truth=["G1", "S"], verify_with=OrderedMatch())'
    source = f"class Answer(BaseAnswer):\n    phases: list[str] = {field}\n"
    shown = str(verdict_view(playground.try_answer(source, "", {"phases": ["s", "g1"]}), playground.check(source)))
    assert ">in another order<" in shown


def test_what_the_judge_sees_has_the_notation_of_dates_and_null(playground: TemplatePlayground) -> None:
    source = (
        "class Answer(BaseAnswer):\n    day: str = VerifiedField(description='Day of approval.', "
        "ground_truth='2024-03-05', verify_with=DateMatch())\n"
    )
    seen = str(judge_view(playground.check(source)))
    assert seen.count("Day of approval. (Write it as YYYY-MM-DD.)") == 2
    assert "null" in seen
