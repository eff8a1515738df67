"""What is said about a template before any answer is verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.templates import CLASSIC, REGEX_ONLY, VERIFIED, errors, outline, verify, warnings_of


def recorded_templates(shared: Path) -> list[tuple[str, dict[str, Any]]]:
    file = json.loads((shared / "checkpoints/07_template_zoo.jsonld").read_text())
    zoo = {element["item"]["text"]: element["item"]["hasPart"]["text"] for element in file["dataFeedElement"]}
    cases = json.loads((shared / "vectors/templates.json").read_text())
    return [(case.get("code", zoo.get(f"zoo: {case['name']}")), case) for case in cases]


def test_every_recorded_template_is_read_the_same(shared: Path) -> None:
    cases = recorded_templates(shared)
    assert len(cases) >= 10
    for source, case in cases:
        found = outline(source)
        assert (case["name"], found.valid) == (case["name"], case["valid"])
        if case["error"]:
            assert case["error"] in errors(found)[0].message
        for name in ("class_name", "mode", "regex_only", "trace_only"):
            assert getattr(found, name) == case.get(name, getattr(found, name)), case["name"]
        if "parsing_schema" in case:
            # The base's own `id` is recorded, too, but no judge can know it, so none is asked.
            assert case["parsing_schema"]["properties"].pop("id")
            assert found.judge_schema == case["parsing_schema"]


def test_the_rest_of_the_zoo_behaves(shared: Path) -> None:
    file = json.loads((shared / "checkpoints/07_template_zoo.jsonld").read_text())
    zoo = {part["item"]["text"][5:]: part["item"]["hasPart"]["text"] for part in file["dataFeedElement"]}
    assert outline(zoo["trace_only"]).needs_judge is False
    assert outline(zoo["mixed_custom_name"]).class_name == "DrugAnswer"
    assert verify(zoo["mixed_custom_name"], {"name": "Venetoclax", "dose": 5}).field_verification_result is True
    assert verify(zoo["classic_old"], {"year": 1969, "city": "Rome"}).granular == 0.5
    assert "Answer and Other are answer classes" in errors(outline(zoo["two_leaves"]))[0].message
    verdict = verify(zoo["regex_only"], trace="Binds BCL2 [1] [2]. ANSWER: BCL2")
    assert verdict.regex.results == {"cites": True, "gene": True, "all": True, "exact": True}


def test_an_outline_tells_what_a_verified_template_declares() -> None:
    found = outline(VERIFIED)
    assert found.problems == []
    assert (found.mode, found.composition_strategy, found.has_granular) == ("verified", "all_of", True)
    assert found.ground_truth == {"target": "SECRET9", "dose": 400, "cites": True}
    target, dose, cites = found.fields
    assert (target.type, target.primitive, target.weight, target.extraction_hint) == (
        "str",
        "ExactMatch",
        3.0,
        "gene symbol",
    )
    assert dose.settings == {"tolerance": 5.0, "mode": "absolute"}
    assert cites.is_trace is True
    assert found.needs_judge is True


def test_the_judge_is_shown_no_ground_truth_and_no_trace_field() -> None:
    schema = outline(VERIFIED).judge_schema
    assert schema is not None
    assert schema["required"] == ["target", "dose"]
    assert not any(secret in json.dumps(schema) for secret in ("SECRET9", "400", "cites", "__verification__"))


def test_the_judge_is_shown_nothing_that_is_meant_for_people() -> None:
    source = (
        "from typing import Literal\n"
        "from pydantic import ConfigDict\n"
        'class Part(BaseModel):\n    """SECRET part."""\n    size: int = Field(description=\'Size\', ge=1)\n'
        'class Answer(BaseAnswer):\n    """The right answer is SECRET."""\n'
        "    model_config = ConfigDict(json_schema_extra={'x-truth': 'SECRET', 'examples': [{'kind': 'SECRET'}]})\n"
        "    kind: Literal['a', 'b'] = Field(description='Kind', json_schema_extra={'answer': 'SECRET'})\n"
        "    parts: list[Part] = Field(description='Parts', json_schema_extra={'$comment': 'SECRET'})\n"
        "    def verify(self):\n        return True\n"
    )
    schema = outline(source).judge_schema
    assert schema is not None
    assert "SECRET" not in json.dumps(schema)
    assert schema["properties"]["kind"] == {
        "description": "Kind",
        "enum": ["a", "b"],
        "title": "Kind",
        "type": "string",
    }
    assert schema["properties"]["parts"]["items"] == {"$ref": "#/$defs/Part"}
    assert schema["$defs"]["Part"]["properties"]["size"]["description"] == "Size"
    assert schema["required"] == ["kind", "parts"]


def test_a_field_called_id_is_asked_of_the_judge_only_where_the_author_declares_it() -> None:
    declared = CLASSIC.replace("city: str", "id: str").replace("self.city", "self.id").replace('"city"', '"id"')
    assert "id" not in (outline(CLASSIC).judge_schema or {})["properties"]
    assert "id" in (outline(declared).judge_schema or {})["properties"]
    assert sorted(field.name for field in outline(declared).fields) == ["id", "year"]
    assert verify(declared, {"year": 1969, "id": "Houston"}).parsed == {"year": 1969, "id": "Houston"}


def test_an_outline_tells_what_a_handwritten_template_declares() -> None:
    found = outline(CLASSIC)
    assert (found.valid, found.mode, found.has_granular, found.regex_only) == (True, "classic", False, False)
    assert [(field.name, field.type, field.primitive) for field in found.fields] == [
        ("year", "int", None),
        ("city", "str", None),
    ]
    assert found.ground_truth == {"year": 1969, "city": "Houston"}


def test_a_template_of_patterns_needs_no_judge() -> None:
    found = outline(REGEX_ONLY)
    assert (found.valid, found.regex_only, found.needs_judge) == (True, True, False)
    assert found.regex["final"]["expected"] == "1,969"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("x = 1\nclass Answer(BaseAnswer:\n    x: int\n", 2, "invalid syntax"),
        ("class Answer(BaseAnswer):\n    x: int\n    y: Nonsense\n", 3, "name 'Nonsense' is not defined"),
        ("x = 1\n\nimport nothing_of_that_name\n", 3, "module nothing_of_that_name is not available to templates"),
        ("from karenina.schemas import Benchmark\n", 1, "cannot import Benchmark from karenina.schemas"),
        ("from . import x\n", 1, "single file"),
        ("x = 1\nraise SystemExit(3)\n", 2, "tried to end the program"),
        ("raise KeyboardInterrupt\n", 1, "tried to end the program"),
        ("\nraise MemoryError\n", 2, "needs more memory than it may use"),
        ("def f():\n    f()\nf()\n", 2, "calls itself without end"),
        ("{}['x']\n", 1, "KeyError: 'x'"),
        ("x = '\0'\n", None, "null bytes"),
        ("class Answer(BaseAnswer):\n    x: int\n", 1, "Answer does not have a 'verify' method"),
        ("class Other:\n    pass\n", None, "No BaseAnswer subclass"),
        (CLASSIC.replace('{"year": 1969, "city": "Houston"}', "1969"), 6, "self.correct must be a dict"),
        (CLASSIC.replace("1969", "years"), 6, "name 'years' is not defined"),
        (REGEX_ONLY.replace('{"final"', '[{"final"').replace("}}", "}}]"), 3, "self.regex must be a dict"),
        (VERIFIED + "\n    class VerificationStrategy:\n        verify_strategy = all\n", 1, "FieldCheck, AllOf"),
        (VERIFIED.replace(r"\[\d", "(["), 8, "cites can never pass"),
        (
            REGEX_ONLY.replace(",]+)", ",]+"),
            3,
            "The pattern final can never hold: the pattern cannot be used: missing )",
        ),
        (REGEX_ONLY.replace('"exact"', '"equal"'), 3, "final can never hold: unknown match_type 'equal'"),
        (REGEX_ONLY.replace('"expected"', '"expect"'), 3, "final can never hold: it needs both"),
    ],
)
def test_a_problem_is_told_at_its_line(source: str, line: int | None, message: str) -> None:
    found = outline(source)
    (problem,) = errors(found)
    assert found.valid is False
    assert message in problem.message
    assert problem.line == line


def test_a_syntax_error_has_its_column() -> None:
    (problem,) = errors(outline("x = (1 +* 2)\n"))
    assert (problem.line, problem.column) == (1, 8)


def test_two_answer_classes_are_both_named_at_the_second() -> None:
    (problem,) = errors(outline(CLASSIC + CLASSIC.replace("Answer(", "Second(")))
    assert "Answer and Second are answer classes" in problem.message
    assert problem.line == 10


def test_a_class_may_inherit_from_another_answer_class() -> None:
    child = "class Final(Answer):\n    def ground_truth(self):\n        self.correct = {'year': 1, 'city': 'x'}\n"
    found = outline(CLASSIC + child)
    assert (found.valid, found.class_name) == (True, "Final")
    assert [field.type for field in found.fields] == ["int", "str"]


@pytest.mark.parametrize(
    "imports",
    [
        "from karenina.schemas.entities import BaseAnswer, VerifiedField",
        "from karenina_gui.schemas.primitives import TraceRegex, ComparisonPrimitive",
        "from karenina.schemas import entities",
        "from karenina.schemas.entities import BaseAnswer, Question",
        "from karenina.schemas.entities.question import Question",
        "from karenina.schemas.entities.rubric import LLMRubricTrait, Rubric",
        "from karenina.schemas.verification import VerificationConfig, VerificationResult",
        "import logging\nlogging.getLogger(__name__).warning('careful')",
        "from karenina.schemas.entities.answer import *",
        "import karenina.schemas.entities as entities\nBaseAnswer = entities.BaseAnswer",
        "import karenina\nBaseAnswer = karenina.schemas.BaseAnswer",
        "from __future__ import annotations",
        "from pydantic import BaseModel, Field, field_validator, EmailStr",
        "from typing import Annotated, Optional\nfrom collections import abc\nimport os.path",
        "import re, math, datetime, decimal, fractions, statistics, difflib, unicodedata, hashlib, calendar, uuid",
    ],
)
def test_imports_that_templates_use_are_resolved(imports: str) -> None:
    assert errors(outline(f"{imports}\n{VERIFIED}")) == []


def test_a_field_without_description_is_worth_a_warning() -> None:
    source = CLASSIC.replace('city: str = Field(description="City name")', "city: str")
    assert warnings_of(source) == [(3, "city has no description: the judge has only its name to go by.")]


def test_a_field_that_nothing_checks_is_worth_a_warning() -> None:
    ((line, message),) = warnings_of(VERIFIED + "    note: str = Field(description='Note')\n")
    assert line == 10
    assert "note is extracted but not checked" in message


def test_what_upstream_would_not_find_is_worth_a_warning() -> None:
    source = "import re, math\ndef tidy(s):\n    return s.lower()\n" + CLASSIC.replace(
        "self.city ==", "tidy(re.sub('x', '', self.city)) =="
    )
    ((first, _), (second, message)) = warnings_of(source)
    assert (first, second) == (1, 2)
    assert "Defined outside of the class: tidy." in message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            VERIFIED + "\n    class VerificationStrategy:\n        verify_strategy = FieldCheck(field='zzz')\n",
            "refers to zzz",
        ),
    ],
)
def test_a_comparison_that_cannot_work_is_worth_a_warning(source: str, message: str) -> None:
    assert any(message in text for _, text in warnings_of(source))


FIELD = """
class Answer(BaseAnswer):
    x: {type} = VerifiedField(description="The x.", ground_truth={expected}, verify_with={comparison})
"""


@pytest.mark.parametrize(
    ("type_name", "expected", "comparison", "message"),
    [
        ("bool", "'False'", "BooleanMatch()", "is not True or False"),
        ("str", "'aspirin'", "SetContainment(mode='exact')", "is a text, not a list"),
        ("float", "10", "NumericRange(min=20, max=30)", "fails an answer that gives the expected value 10"),
        (
            "bool",
            "True",
            "TraceLength(min=200, max=100)",
            "no answer has at least 200 and at most 100 characters",
        ),
        ("str", "'x'", "RegexMatch(pattern='y')", "fails an answer that gives the expected value “x”"),
        ("str", "'a'", "RegexMatch(pattern='')", "passes for an empty answer"),
        ("bool", "True", "TraceRegex(pattern='.*')", "passes for an empty answer"),
        (
            "str",
            "'by the kidneys, almost entirely unchanged, by filtration'",
            "ExactMatch()",
            "writes the same 8 words",
        ),
        (
            "str",
            "'Renal'",
            "ExactMatch(normalize=['lowercase', SynonymMap(mapping={'By Urine': 'renal'})])",
            "“By Urine” can’t match: answers are compared as “by urine”. Write “by urine”.",
        ),
        (
            "str",
            "'Renal'",
            "ExactMatch(normalize=['lowercase', SynonymMap(mapping={'by urine': 'Renal'})])",
            "“by urine” can’t match: it stands for “Renal”. Write “renal” instead.",
        ),
    ],
)
def test_an_expected_value_that_grades_wrongly_is_worth_a_warning(
    type_name: str, expected: str, comparison: str, message: str
) -> None:
    source = FIELD.format(type=type_name, expected=expected, comparison=comparison)
    assert any(message in text for _, text in warnings_of(source))


@pytest.mark.parametrize(
    ("type_name", "expected", "comparison", "message"),
    [
        (
            "float",
            "'4,64'",
            "NumericTolerance(tolerance=0.1)",
            "x can never pass, not even with its own",
        ),
        ("float", "'abc'", "NumericMinimum()", "could not convert string to float: 'abc'"),
        ("float", "None", "NumericExact()", "x can never pass"),
        ("float", "float('nan')", "NumericTolerance(tolerance=1)", "fails an answer that gives the expected value"),
        ("str", "'2021-03-03'", "DateRange(max='May 2021')", "the limit 'May 2021' cannot be read as a date"),
        ("str", "'2021-03-03'", "DateMatch(format='%d.%m.%y')", "'2021-03-03' is not in the format %d.%m.%y"),
        ("str", "'03/05/2024'", "DateMatch()", "the expected date '03/05/2024' cannot be read as a date"),
        ("str", "'2020-01-31'", "DateTolerance(tolerance=10**10)", "the tolerance of 10,000,000,000 days is too large"),
        (
            "str",
            "'2020-01-31'",
            "DateMatch(format='%Y-%m-%d %d')",
            "the format %Y-%m-%d %d contains a part of the date",
        ),
        ("list[str]", "['x', 'y']", "SetContainment(mode='overlap', min_overlap=9)", "the expected value “x” and “y”"),
        ("int", "3.7", "NumericExact()", "The expected value 3.7 of x is not a whole number."),
        ("int", "2.5", "NumericTolerance(tolerance=0)", "The expected value 2.5 of x is not a whole number."),
        ("bool", "'maybe'", "BooleanMatch()", "The expected value 'maybe' of x is not yes or no."),
        ("Literal['a', 'b']", "'c'", "LiteralMatch()", "The expected value 'c' of x is not among its choices."),
        ("list[str]", "'aspirin'", "SetContainment()", "The expected value 'aspirin' of x is not a list."),
        ("str", "['aspirin']", "LiteralMatch()", "The expected value ['aspirin'] of x does not fit its type."),
    ],
)
def test_an_expected_value_that_cannot_pass_is_an_error(
    type_name: str, expected: str, comparison: str, message: str
) -> None:
    for start in ("", "import enum\n"):  # as data, and run by Python
        found = outline(start + FIELD.format(type=type_name, expected=expected, comparison=comparison))
        assert (found.valid, len(errors(found))) == (False, 1)
        assert message in errors(found)[0].message


METHOD = """
class Answer(BaseAnswer):
    dose: {type} = Field(description="Dose in mg")

    def ground_truth(self):
        self.correct = {correct}

    def verify(self):
        return {verdict}
"""


@pytest.mark.parametrize(
    ("type_name", "correct", "verdict", "message"),
    [
        ("float", {"dose": "4,64"}, "self.dose == float(self.correct['dose'])", "could not convert string to float"),
        ("float", {"expected": "4,64"}, "abs(self.dose - self.correct['expected']) < 1", "unsupported operand type"),
        ("str", {"dose": "4,64"}, "float(self.dose) == 4.64", "could not convert string to float: '4,64'"),
        ("str", {"dose": "mg"}, "self.does == 'mg'", "AttributeError"),
        ("str", {"unit": "mg"}, "self.dose == unit", "verify() fails on every answer: NameError"),
        ("str", {"limit": 4}, "self.dose < self.correct['limit']", "verify() fails on every answer: TypeError"),
        ("str", {"dose": "4 mg"}, "self.dose.upper() == self.correct['dose']", "rejects the template’s own expected"),
        ("int", {"dose": 4}, "self.dose > self.correct['dose'] + 1", "rejects the template’s own expected values"),
    ],
)
def test_a_method_that_fails_its_own_expected_values_is_an_error(
    type_name: str, correct: Any, verdict: str, message: str
) -> None:
    found = outline(METHOD.format(type=type_name, correct=correct, verdict=verdict))
    assert (found.valid, len(errors(found))) == (False, 1)
    assert message in errors(found)[0].message


@pytest.mark.parametrize(
    ("type_name", "correct", "verdict"),
    [
        ("float", {"dose": 4.64}, "abs(self.dose - self.correct['dose']) < 1"),
        ("str", {"dose": ["4 mg", "0.004 g"]}, "self.dose in self.correct['dose']"),
        ("str", {"expected": "4"}, "float(self.dose) == float(self.correct['expected'])"),
        ("float", {"dose": "4.0"}, "str(self.dose) == self.correct['dose']"),
        ("int", {"least": 4}, "self.dose > self.correct['least']"),
        ("int", {}, "100 / (self.dose - 1) > 2"),
        ("str", {"limit": 4}, "int(self.dose.split('-')[1]) < self.correct['limit']"),
        ("str", {"dose": "4 mg"}, "self.dose == self._trace"),
    ],
)
def test_a_method_that_may_be_right_is_no_error(type_name: str, correct: Any, verdict: str) -> None:
    assert errors(outline(METHOD.format(type=type_name, correct=correct, verdict=verdict))) == []


@pytest.mark.parametrize(
    ("type_name", "expected", "comparison"),
    [
        ("bool", "False", "BooleanMatch()"),
        ("str", "42", "ExactMatch()"),
        ("str", "'x'", "NumericRange(min=1, max=2)"),
        ("float", "None", "NumericRangeGraded(min=1, max=2, margin=1)"),
        ("int", "4.5", "NumericTolerance(tolerance=1, mode='absolute')"),
        ("int", "4.5", "NumericMinimum()"),
        ("float", "25", "NumericRange(min=20, max=30)"),
        ("float", "70", "NumericMinimum(exclusive=True)"),
        ("str", "'A b'", "ExactMatch(normalize=['lowercase'])"),
        ("str", "'A'", "ExactMatch(normalize=['lowercase', SynonymMap(mapping={'b': 'a', 'c': 'd'})])"),
        ("str", "'A'", "ExactMatch(normalize=[SynonymMap(mapping={'B': 'A', 'C': 'a'}), 'lowercase'])"),
        ("str", "'tumor necrosis factor receptor superfamily member 1A'", "ExactMatch()"),
        ("str", "'by the kidneys, almost entirely unchanged, by filtration'", "ContainsAny(substrings=['filtration'])"),
        ("str", "'2020-01-01'", "DateMatch()"),
        ("bool", "True", "TraceRegex(pattern='mg')"),
        ("bool", "False", "TraceRegex(pattern='mg')"),
    ],
)
def test_an_expected_value_that_fits_is_worth_no_warning(type_name: str, expected: str, comparison: str) -> None:
    assert warnings_of(FIELD.format(type=type_name, expected=expected, comparison=comparison)) == []


@pytest.mark.parametrize("weight", ["1e999", "float('nan')", "-1"])
def test_a_weight_that_is_no_share_is_named(weight: str) -> None:
    source = VERIFIED.replace("weight=3", f"weight={weight}")
    assert "weight must be 0 or more." in str(outline(source).first_error)
