"""Judges' replies and answers meet their template."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.template_code import execute
from karenina_gui.schemas.template import AnswerToVerify
from tests.sandbox.templates import CLASSIC, REGEX_ONLY, VERIFIED, outline, validate, verify


def test_a_reply_that_fits_keeps_its_values_for_the_verdict() -> None:
    reply = validate(CLASSIC, {"year": "1969", "city": "Houston", "correct": {"year": 1}})
    assert (reply.ok, reply.errors) == (True, [])
    assert reply.values == {"year": "1969", "city": "Houston"}


def test_each_field_that_does_not_fit_is_one_sentence() -> None:
    reply = validate(CLASSIC, {"year": "soon"})
    assert reply.ok is False
    assert reply.fault is None
    first, second = reply.errors
    assert first.startswith("year: Input should be a valid integer")
    assert "'soon'" in first
    assert second == "city: Field required."


def test_null_for_a_verified_field_is_an_outcome_but_leaving_it_out_is_not() -> None:
    reply = validate(VERIFIED, {"target": None, "dose": 400, "cites": True})
    assert (reply.ok, reply.nulls) == (True, ["target"])
    assert reply.values == {"target": None, "dose": 400}
    assert validate(VERIFIED, {"dose": 400}).errors == ["target: Field required."]


def test_a_plain_field_keeps_the_authors_validators() -> None:
    source = (
        "from pydantic import field_validator\n"
        + CLASSIC
        + (
            "\n    @field_validator('city')\n    @classmethod\n    def known(cls, value):\n"
            "        if value == 'Atlantis':\n            raise ValueError('no such city')\n"
            "        return value.upper()\n"
        )
    )
    reply = validate(source, {"year": 1969, "city": "Atlantis"})
    assert reply.errors == ["city: The template's own check does not accept this value (given: 'Atlantis')."]
    assert reply.fault is None
    assert verify(source, {"year": 1969, "city": "Houston"}).parsed["city"] == "HOUSTON"


def test_a_validator_that_breaks_is_the_templates_fault() -> None:
    source = (
        "from pydantic import field_validator\n"
        + CLASSIC
        + ("\n    @field_validator('city')\n    @classmethod\n    def known(cls, value):\n        return value.size\n")
    )
    reply = validate(source, {"year": 1969, "city": "x"})
    assert (reply.ok, reply.fault) == (False, "error")
    assert "AttributeError" in reply.errors[0]


def test_a_reply_to_a_broken_template_names_its_problem() -> None:
    reply = validate("class Answer(BaseAnswer:", {})
    assert (reply.ok, reply.fault) == (False, "error")
    assert "invalid syntax" in reply.errors[0]


def test_a_verified_template_is_verified_field_by_field() -> None:
    verdict = verify(VERIFIED, {"target": " secret9 ", "dose": "410"}, trace="See [1].")
    assert verdict.error is None
    assert verdict.field_verification_result is False
    assert verdict.parsed == {"target": " secret9 ", "dose": 410.0, "cites": True}
    assert verdict.ground_truth == {"target": "SECRET9", "dose": 400, "cites": True}
    assert verdict.field_results == {"target": True, "dose": False, "cites": True}
    assert verdict.field_scores == {"target": 1.0, "dose": 0.0, "cites": 1.0}
    assert verdict.granular == pytest.approx(0.8)
    assert verdict.composition_strategy == "all_of"


def test_null_counts_as_failed_and_stays_null() -> None:
    verdict = verify(VERIFIED, {"dose": 400}, trace="[1]", nulls=["target"])
    assert verdict.field_verification_result is False
    assert verdict.field_results == {"target": None, "dose": True, "cites": True}
    assert verdict.parsed["target"] is None


def test_helpers_and_imports_around_the_class_are_seen_inside() -> None:
    source = "import re\ndef tidy(s):\n    return re.sub(' +', ' ', s)\n" + CLASSIC.replace(
        "self.city ==", "tidy(self.city) =="
    )
    assert verify(source, {"year": 1969, "city": "Houston"}).field_verification_result is True


def test_values_are_converted_once() -> None:
    source = (
        "from pydantic import field_validator\n"
        "class Answer(BaseAnswer):\n    mg: float = Field(description='Dose')\n"
        "    @field_validator('mg', mode='before')\n    @classmethod\n    def from_text(cls, value):\n"
        "        return float(value.removesuffix(' g')) * 1000\n"
        "    def verify(self):\n        return self.mg == 500\n"
    )
    reply = validate(source, {"mg": "0.5 g"})
    assert verify(source, reply.values).field_verification_result is True


def test_a_pattern_template_is_verified_without_a_judge() -> None:
    verdict = verify(REGEX_ONLY, trace="so #### 1,969")
    assert (verdict.field_verification_result, verdict.error) == (None, None)
    assert (verdict.regex.performed, verdict.regex.success) == (True, True)
    assert verdict.regex.extraction_results == {"final": ["1,969"]}
    assert verify(REGEX_ONLY, trace="so #### 7").regex.results == {"final": False}


def test_a_handwritten_search_of_the_trace_counts_too() -> None:
    source = (
        "class Answer(BaseAnswer):\n    def verify_regex(self, raw_llm_response):\n"
        "        found = raw_llm_response.replace(',', '').endswith('1969')\n"
        "        return {'success': found, 'results': {'number': found}, 'details': {}}\n"
    )
    assert outline(source).regex_only is True
    assert verify(source, trace="#### 1,969").regex.success is True
    assert verify(source, trace="#### 7").regex.results == {"number": False}


def test_a_search_that_returns_something_else_fails_with_a_reason() -> None:
    source = "class Answer(BaseAnswer):\n    def verify_regex(self, raw_llm_response):\n        return True\n"
    regex = verify(source, trace="x").regex
    assert (regex.performed, regex.success) == (True, False)
    assert "success, results and details" in (regex.error or "")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise SystemExit", "SystemExit: the code tried to end the program"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt: the code tried"),
        ("return self.verify()", "RecursionError: a function calls itself without end"),
        ("return 'yes'", "TypeError: verify() must return True or False, but it returned 'yes'"),
        ("self.year == 1", "but it returned None"),
        ("return self.correct['yaer']", "KeyError: 'yaer'"),
    ],
)
def test_a_verify_that_breaks_fails_with_its_line(body: str, error: str) -> None:
    source = CLASSIC[: CLASSIC.index("        return self.year")] + f"        {body}\n"
    verdict = verify(source, {"year": 1969, "city": "x"})
    assert verdict.field_verification_result is False
    assert error in (verdict.error or "")
    assert verdict.fault == "error"
    assert verdict.error_line == (None if "must return" in error or "returned None" in error else 9)


def test_a_number_that_is_none_fails_with_the_reason() -> None:
    source = VERIFIED.replace("dose: float", "dose: Any")
    verdict = verify(source, {"target": "SECRET9", "dose": "about 400 mg"}, trace="[1]")
    assert verdict.field_verification_result is False
    assert verdict.error == "ValueError: could not convert string to float: 'about 400 mg'"
    assert verdict.field_results == {"target": True, "dose": False, "cites": True}


def test_values_that_do_not_fit_cannot_be_verified() -> None:
    verdict = verify(CLASSIC, {"year": 7})
    assert verdict.field_verification_result is None
    assert "year: Input should be greater than or equal to 1000 (given: 7)." in (verdict.error or "")


def test_an_answer_to_a_broken_template_has_its_problem_and_line() -> None:
    verdict = verify("x = 1\nclass Answer(BaseAnswer:\n", {})
    assert verdict.field_verification_result is None
    assert "invalid syntax" in (verdict.error or "")
    assert verdict.error_line == 2


def test_a_broken_partial_score_spoils_no_verdict() -> None:
    source = CLASSIC + "    def verify_granular(self):\n        return 1 / 0\n"
    verdict = verify(source, {"year": 1969, "city": "Houston"})
    assert verdict.field_verification_result is True
    assert verdict.granular == {"error": "ZeroDivisionError: division by zero"}


def test_what_a_template_prints_is_kept_up_to_a_limit() -> None:
    source = CLASSIC.replace("        return self.year", "        print('x' * 9000)\n        return self.year")
    assert verify(source, {"year": 1969, "city": "Houston"}).stdout == "x" * 8192


def test_one_answer_leaves_nothing_behind_for_the_next() -> None:
    items = [{"values": {"year": year, "city": "Houston"}} for year in (1969, 1970, 1969)]
    reply = execute({"op": "verify", "source": CLASSIC, "items": items})
    assert [item["field_verification_result"] for item in reply["items"]] == [True, False, True]


def test_values_of_any_kind_come_back_as_json() -> None:
    source = (
        "import datetime, enum, decimal\n"
        "class Kind(enum.Enum):\n    A = 'a'\n"
        "class Part(BaseModel):\n    size: decimal.Decimal\n"
        "class Answer(BaseAnswer):\n"
        "    day: datetime.date = Field(description='d')\n    kind: Kind = Field(description='k')\n"
        "    part: Part = Field(description='p')\n    many: set[int] = Field(description='m')\n"
        "    share: Any = Field(description='s')\n"
        "    def ground_truth(self):\n        self.correct = {'huge': 10**5000, 'nan': float('nan'), 'deep': self}\n"
        "    def verify(self):\n        return True\n"
    )
    values = {"day": "2020-01-02", "kind": "a", "part": {"size": "1.50"}, "many": [1, 1], "share": "inf"}
    verdict = verify(source, values)
    assert verdict.error is None
    assert verdict.parsed == {"day": "2020-01-02", "kind": "a", "part": {"size": "1.50"}, "many": [1], "share": "inf"}
    assert verdict.ground_truth is not None
    assert verdict.ground_truth["huge"].startswith("<integer of")
    assert verdict.ground_truth["nan"] == "nan"


def test_a_comparison_of_the_authors_own_is_used() -> None:
    source = (
        "from karenina.schemas.primitives import ComparisonPrimitive\n"
        "class Within(ComparisonPrimitive):\n"
        "    def check(self, extracted, expected):\n        return expected in extracted\n"
        "class Answer(BaseAnswer):\n"
        "    x: str = VerifiedField(description='x', ground_truth='b', verify_with=Within())\n"
    )
    assert outline(source).fields[0].primitive == "Within"
    assert verify(source, {"x": "abc"}).field_verification_result is True
    assert verify(source, {"x": "a"}).field_verification_result is False


def test_a_verified_field_keeps_its_constraints_beside_null() -> None:
    source = (
        "from typing import Annotated\n"
        "class Answer(BaseAnswer):\n"
        "    n: Annotated[int, Field(ge=5)] = VerifiedField(\n"
        "        description='n', ground_truth=7, verify_with=NumericExact())\n"
    )
    assert verify(source, {"n": None}).field_results == {"n": None}
    assert "n: Input should be greater than or equal to 5" in (verify(source, {"n": 3}).error or "")


def test_null_for_a_plain_field_that_needs_a_value_is_a_wrong_answer() -> None:
    reply = validate(CLASSIC, {"year": 1969, "city": None})
    assert (reply.ok, reply.nulls, reply.errors) == (True, ["city"], [])
    verdict = verify(CLASSIC.replace("return self.year", "return 1 / 0 or self.year"), reply.values, nulls=reply.nulls)
    assert (verdict.field_verification_result, verdict.error, verdict.fault) == (False, None, None)
    assert verdict.field_results == {"city": None}
    assert verdict.parsed == {"year": 1969, "city": None}
    assert verdict.ground_truth == {"year": 1969, "city": "Houston"}


def test_null_beside_a_value_that_does_not_fit_asks_for_the_value_only() -> None:
    reply = validate(CLASSIC, {"year": "soon", "city": None})
    assert (reply.ok, reply.nulls) == (False, ["city"])
    (sentence,) = reply.errors
    assert sentence.startswith("year: Input should be a valid integer")


def test_null_is_taken_where_the_type_has_room_for_it() -> None:
    source = CLASSIC.replace("city: str", "city: str | None").replace(
        "self.city ==", "self.city is None or self.city =="
    )
    reply = validate(source, {"year": 1969, "city": None})
    assert (reply.ok, reply.nulls) == (True, [])
    assert verify(source, reply.values).field_verification_result is True


def test_null_is_taken_where_the_author_makes_something_of_it() -> None:
    source = (
        "from pydantic import field_validator\n"
        + CLASSIC
        + (
            "    @field_validator('city', mode='before')\n    @classmethod\n    def named(cls, value):\n"
            "        return value or 'Houston'\n"
        )
    )
    reply = validate(source, {"year": 1969, "city": None})
    assert (reply.ok, reply.nulls) == (True, [])
    assert verify(source, reply.values).field_verification_result is True


def test_a_validator_that_cannot_take_null_does_not_make_it_an_error() -> None:
    source = (
        "from pydantic import field_validator, model_validator\n"
        + CLASSIC
        + (
            "    @field_validator('city', mode='before')\n    @classmethod\n    def tidy(cls, value):\n"
            "        return value.strip()\n"
            "    @model_validator(mode='after')\n    def whole(self):\n        self.city.upper()\n        return self\n"
        )
    )
    reply = validate(source, {"year": 1969, "city": None})
    assert (reply.ok, reply.nulls, reply.fault) == (True, ["city"], None)
    verdict = verify(source, reply.values, nulls=reply.nulls)
    assert (verdict.field_verification_result, verdict.error) == (False, None)
    assert verdict.field_results == {"city": None}
    assert verdict.parsed == {"year": 1969, "city": None}


def test_a_plain_field_with_a_default_keeps_it_when_the_judge_says_null() -> None:
    source = CLASSIC.replace('description="City name"', 'default="Houston", description="City name"')
    reply = validate(source, {"year": 1969, "city": None})
    assert (reply.ok, reply.nulls, reply.values) == (True, [], {"year": 1969})
    assert verify(source, reply.values).field_verification_result is True


def test_null_for_a_field_that_nothing_compares_leaves_the_verdict_to_the_others() -> None:
    source = VERIFIED + "    note: str = Field(description='Note')\n"
    reply = validate(source, {"target": "SECRET9", "dose": 400, "note": None})
    verdict = verify(source, reply.values, trace="[1]", nulls=reply.nulls)
    assert (reply.nulls, verdict.field_verification_result) == (["note"], True)


@pytest.mark.parametrize(
    "check",
    [
        "    @model_validator(mode='after')\n    def whole(self):\n        raise ValueError('it must be Houston')\n",
        "    def model_post_init(self, context):\n        raise ValueError('it must be Houston')\n",
    ],
)
def test_what_the_author_raises_over_the_whole_answer_is_the_templates_fault(check: str) -> None:
    source = "from pydantic import model_validator\n" + CLASSIC + check
    reply = validate(source, {"year": 1969, "city": "Rome"})
    assert (reply.ok, reply.fault, reply.errors) == (False, "error", ["ValueError: it must be Houston"])
    verdict = verify(source, {"year": 1969, "city": "Rome"})
    assert (verdict.fault, verdict.error) == ("error", "ValueError: it must be Houston")
    assert verdict.error_line is not None


@pytest.mark.parametrize("value", ["NaN", "-inf", float("inf"), True, False])
@pytest.mark.parametrize("kind", ["float", "int", "float | None", "Annotated[int, Field(ge=0)]", "int | str"])
def test_what_is_no_number_does_not_fit_a_number(value: Any, kind: str) -> None:
    source = (
        "from typing import Annotated\nclass Answer(BaseAnswer):\n"
        f"    n: {kind} = VerifiedField('n', ground_truth=1, verify_with=NumericMaximum())\n"
    )
    if kind == "int | str" and isinstance(value, str):
        assert validate(source, {"n": value}).ok is True
    else:
        assert validate(source, {"n": value}).ok is False


def test_truth_values_fit_where_they_are_asked_for() -> None:
    for kind in ("bool", "bool | int", "Any"):
        source = f"class Answer(BaseAnswer):\n    n: {kind}\n    def verify(self):\n        return self.n is True\n"
        assert verify(source, {"n": True}).field_verification_result is True


def test_values_that_only_have_a_place_in_memory_are_told_by_their_type() -> None:
    source = (
        "class Score:\n    pass\n"
        + CLASSIC
        + "    def verify_granular(self):\n        return {'score': Score(), 'of': [Score, print], 'by': lambda: 1}\n"
    )
    first, second = (verify(source, {"year": 1969, "city": "Houston"}).granular for _ in range(2))
    assert first == second
    assert (first["score"], first["by"]) == ("<Score>", "<function>")


DATA = """
class Answer(BaseAnswer):
    drug: str = VerifiedField("Drug", ground_truth="aspirin", verify_with=ExactMatch())
    dose: float = VerifiedField("Dose", ground_truth=5, verify_with=NumericTolerance(tolerance=1))
    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="drug"), FieldCheck(field="dose")])
"""
PATTERN = """
class Answer(BaseAnswer):
    drug: str = VerifiedField("Drug", ground_truth="^a", verify_with=RegexMatch())
"""


@pytest.mark.parametrize("source", [DATA, PATTERN, CLASSIC, f"import enum\n{CLASSIC}", REGEX_ONLY, VERIFIED])
@pytest.mark.parametrize("values", [{"drug": "aspirin", "dose": 9}, {"year": 1969, "city": "x"}, {"year": "soon"}, {}])
def test_a_brief_verdict_decides_as_a_whole_one(sandbox: Sandbox, source: str, values: dict[str, Any]) -> None:
    asked = AnswerToVerify(values=values, trace="BCL2 in 1969")
    whole, brief = sandbox.verify(source, [asked, asked.model_copy(update={"brief": True})])
    assert (brief.parsed, brief.ground_truth, brief.field_scores, brief.granular) == ({}, None, None, None)
    explains = {"parsed", "ground_truth", "field_scores", "acceptance", "granular"}
    assert brief.model_dump(exclude=explains) == whole.model_dump(exclude=explains)


def test_an_error_of_one_comparison_is_one_of_the_verdict_although_another_field_passes(sandbox: Sandbox) -> None:
    source = DATA.replace("dose: float", "dose: str")
    (verdict,) = sandbox.verify(source, [AnswerToVerify(values={"drug": "aspirin", "dose": "little"})])
    assert verdict.field_results == {"drug": True, "dose": False}
    assert verdict.error == "ValueError: could not convert string to float: 'little'"
    assert verdict.field_verification_result is False


def test_brief_verdicts_of_many_answers_are_those_of_each(sandbox: Sandbox) -> None:
    drug, wrong = "aspirin", "another drug"
    rows = [(drug, "5"), (wrong, "5"), (drug, "little"), (wrong, "little"), (None, "9"), (wrong, "5"), (drug, None)]
    asked = [AnswerToVerify(values={"drug": name, "dose": dose}) for name, dose in rows]
    source = DATA.replace("dose: float", "dose: str")
    whole = [sandbox.verify(source, [each])[0] for each in asked]
    together = sandbox.verify(source, [each.model_copy(update={"brief": True}) for each in asked])
    decides = {"field_verification_result", "field_results", "composition_strategy", "error", "regex"}
    assert [each.model_dump(include=decides) for each in together] == [
        each.model_dump(include=decides) for each in whole
    ]
    assert {each.field_verification_result for each in together} == {True, False}
    assert [each.error is not None for each in together] == [dose == "little" for _, dose in rows]


AS_DATA = """
class Answer(BaseAnswer):
    count: float = VerifiedField(description="Count", ground_truth=9007199254740993, verify_with=NumericExact())
    größe: Literal["e\\u0301", "y"] = VerifiedField(
        description="Size", ground_truth="e\\u0301", verify_with=ExactMatch()
    )
"""
WAYS = {
    "data": AS_DATA,
    "monty": AS_DATA + "\n    def verify_granular(self):\n        return 1.0\n",
    "locked": "import enum\n" + AS_DATA,
}


@pytest.mark.parametrize("way", WAYS)
def test_digits_and_accents_mean_the_same_in_every_way_of_judging(sandbox: Sandbox, way: str) -> None:
    assert sandbox.outline(WAYS[way]).execution == way
    for count, size, passes in [(2**53 + 1, "é", True), (2**53 + 1, "e\u0301", True), (2**53, "é", False)]:
        reply = sandbox.validate(WAYS[way], {"count": count, "gro\u0308ße": size})
        assert (reply.ok, reply.errors) == (True, [])
        (verdict,) = sandbox.verify(WAYS[way], [AnswerToVerify(values=reply.values)])
        assert (verdict.field_verification_result, verdict.parsed["count"]) == (passes, count)


DATES = """
class Answer(BaseAnswer):
    approved: str = VerifiedField(description="Approval", ground_truth="2024-03-05", verify_with=DateMatch())
    filed: str | None = VerifiedField(
        description="Filing", ground_truth="05/03/2024", verify_with=DateMatch(format="%d/%m/%Y")
    )
    started: datetime = VerifiedField(
        description="Start", ground_truth="2024-03-05T10:00", verify_with=DateTolerance(tolerance=2, unit="hours")
    )
"""
DATES_IN_EACH_WAY = {
    "data": DATES.replace("datetime", "str"),
    "monty": DATES.replace("datetime", "str") + "\n    def verify_granular(self):\n        return 1.0\n",
    "locked": "from datetime import datetime\nimport enum\n" + DATES,
}


@pytest.mark.parametrize("way", DATES_IN_EACH_WAY)
def test_a_judge_is_told_the_notation_of_dates_and_asked_again_for_others(sandbox: Sandbox, way: str) -> None:
    source = DATES_IN_EACH_WAY[way]
    outline = sandbox.outline(source)
    assert outline.execution == way
    fields = outline.sent_schema["properties"]
    assert fields["approved"]["description"] == "Approval (Write it as YYYY-MM-DD.)"
    assert "%d/%m/%Y" in fields["filed"]["description"]
    assert "2020-01-31T14:30" in fields["started"]["description"] or "date-time" in str(fields["started"])

    good = {"approved": "5. März 2024", "filed": "05/03/2024", "started": "2024-03-05T11:00:00"}
    assert sandbox.validate(source, good).errors == []
    assert sandbox.validate(source, {**good, "filed": None}).nulls == ["filed"]
    assert sandbox.validate(source, {**good, "approved": " "}).errors == []  # says that none is stated
    (verdict,) = sandbox.verify(source, [AnswerToVerify(values=good)])
    assert verdict.field_verification_result is True
    for name, unclear in [("approved", "03/05/2024"), ("approved", "5-Mar-24"), ("filed", "2024-03-05")]:
        for rest in (good, {**good, "filed": None}):
            (error,) = sandbox.validate(source, {**rest, name: unclear}).errors
            assert error.startswith(f"{name}: This cannot be read, or in more than one way (given: '{unclear}'). Write")


def test_no_notation_is_added_to_a_description_that_has_it() -> None:
    source = DATES_IN_EACH_WAY["data"].replace('"Approval"', '"Approval, as YYYY-MM-DD."')
    fields = outline(source).sent_schema["properties"]
    assert fields["approved"]["description"] == "Approval, as YYYY-MM-DD."
