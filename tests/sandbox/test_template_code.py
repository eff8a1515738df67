"""What a cell answers about author-written code. The sources here are harmless and run in this very process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.sandbox.template_code import execute
from karenina_gui.schemas.template import JudgeReply, TemplateOutline, TemplateProblem, TemplateVerdict

CLASSIC = """\
class Answer(BaseAnswer):
    year: int = Field(description="Year as a four digit integer", ge=1000)
    city: str = Field(description="City name")

    def ground_truth(self):
        self.correct = {"year": 1969, "city": "Houston"}

    def verify(self) -> bool:
        return self.year == self.correct["year"] and self.city == self.correct["city"]
"""

VERIFIED = """\
class Answer(BaseAnswer):
    target: str = VerifiedField(
        description="Target protein", ground_truth="SECRET9", verify_with=ExactMatch(), weight=3,
        extraction_hint="gene symbol",
    )
    dose: float = VerifiedField(
        description="Dose in mg", ground_truth=400, verify_with=NumericTolerance(tolerance=5, mode="absolute"))
    cites: bool = VerifiedField(
        description="Cites", ground_truth=True, verify_with=TraceRegex(pattern=r"\\[\\d+\\]"))
"""

REGEX_ONLY = """\
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"final": {"pattern": r"#### ([\\d,]+)", "expected": "1,969", "match_type": "exact"}}
"""


def outline(source: str) -> TemplateOutline:
    return TemplateOutline.model_validate(through_json(execute({"op": "outline", "source": source})))


def validate(source: str, values: Any) -> JudgeReply:
    return JudgeReply.model_validate(through_json(execute({"op": "validate", "source": source, "values": values})))


def verify(source: str, values: dict[str, Any] | None = None, trace: str = "", **item: Any) -> TemplateVerdict:
    items = [{"values": values, "trace": trace, **item}]
    reply = through_json(execute({"op": "verify", "source": source, "items": items}))
    (verdict,) = reply["items"]
    return TemplateVerdict.model_validate(verdict)


def traits(source: str, *texts: str, entry: str | None = None) -> list[dict[str, Any]]:
    return through_json(execute({"op": "trait", "source": source, "entry": entry, "texts": texts}))["items"]


def through_json(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply as it arrives on the other side: strict JSON."""
    received: dict[str, Any] = json.loads(json.dumps(reply, allow_nan=False))
    return received


def errors(found: TemplateOutline) -> list[TemplateProblem]:
    return [problem for problem in found.problems if problem.severity == "error"]


def warnings_of(source: str) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in outline(source).problems if problem.severity == "warning"]


# ---- recorded outcomes


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


# ---- outlines


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
        (VERIFIED.replace("ground_truth=400", "ground_truth='much'"), "dose can never pass"),
        (VERIFIED.replace(r"\[\d", "(["), "cites can never pass"),
        (REGEX_ONLY.replace(",]+)", ",]+"), "The pattern final can never match"),
        (
            VERIFIED + "\n    class VerificationStrategy:\n        verify_strategy = FieldCheck(field='zzz')\n",
            "looks at zzz",
        ),
    ],
)
def test_a_comparison_that_cannot_work_is_worth_a_warning(source: str, message: str) -> None:
    assert any(message in text for _, text in warnings_of(source))


# ---- a judge's reply


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
    assert "city: Value error, no such city" in validate(source, {"year": 1969, "city": "Atlantis"}).errors[0]
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


# ---- verdicts


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
        "    share: float = Field(description='s')\n"
        "    def ground_truth(self):\n        self.correct = {'huge': 10**5000, 'nan': float('nan'), 'deep': self}\n"
        "    def verify(self):\n        return True\n"
    )
    values = {"day": "2020-01-02", "kind": "a", "part": {"size": "1.50"}, "many": [1, 1], "share": "inf"}
    verdict = verify(source, values)
    assert verdict.parsed == {"day": "2020-01-02", "kind": "a", "part": {"size": "1.50"}, "many": [1], "share": "inf"}
    assert verdict.ground_truth is not None
    assert verdict.ground_truth["huge"].startswith("<integer of")
    assert verdict.ground_truth["nan"] == "nan"


# ---- traits and patterns


def test_a_trait_is_the_last_function_of_its_source() -> None:
    source = "def words(text):\n    return len(text.split())\ndef short(text):\n    return words(text) < 3\n"
    assert traits(source, "a b", "a b c") == [{"value": True}, {"value": False}]
    assert traits(source, "a b c", entry="words") == [{"value": 3}]


@pytest.mark.parametrize(
    ("source", "entry", "item"),
    [
        ("def f(text):\n    return text.size\n", None, {"error": "AttributeError", "line": 2}),
        ("def f(text):\n    return [text]\n", None, {"error": "TypeError", "line": None}),
        ("def f(text):\n    leave()\n", None, {"error": "NameError", "line": 2}),
        ("def f(text:\n", None, {"error": "SyntaxError", "line": 1}),
        ("x = 1\n", None, {"error": "NameError", "line": None}),
        ("def f(text):\n    return 1\n", "g", {"error": "NameError", "line": None}),
    ],
)
def test_a_trait_that_breaks_says_where(source: str, entry: str | None, item: dict[str, Any]) -> None:
    (found,) = traits(source, "x", entry=entry)
    assert {key: found[key] for key in item} == item
    assert found["message"]


def test_patterns_are_found_with_their_places() -> None:
    searches = [
        {"pattern": "BCL", "case_sensitive": True},
        {"pattern": "BCL", "case_sensitive": False},
        {"pattern": "([", "case_sensitive": True},
        {"pattern": "", "case_sensitive": True},
    ]
    sensitive, insensitive, broken, empty = execute({"op": "regex", "searches": searches, "text": "bcl" * 300})["items"]
    assert sensitive == {"found": False, "spans": []}
    assert insensitive["spans"][:2] == [[0, 3], [3, 6]]
    assert "unterminated character set" in broken["error"]
    assert len(empty["spans"]) == 200


# ---- the lock


AFTER_THE_LOCK = """
import json, sys
from karenina_gui.sandbox.template_code import execute, warm_up
warm_up()
touched = []
sys.addaudithook(lambda event, arguments: touched.append(arguments[0]) if event in ("open", "import") else None)
for request in json.loads(sys.stdin.read()):
    execute(request)
print(json.dumps([str(item) for item in touched]))
"""


def test_nothing_is_opened_or_imported_once_the_cell_is_warm() -> None:
    unusual = (
        "import calendar, csv, difflib, fractions, heapq, hashlib, html, textwrap, unicodedata\n"
        "from pydantic import AnyUrl, ConfigDict, HttpUrl, IPvAnyAddress, SecretStr, computed_field\n"
        "from typing import Annotated\n"
        "import datetime, uuid, warnings\n"
        "class Answer(BaseAnswer):\n"
        "    when: datetime.datetime = Field(description='w')\n    url: HttpUrl | None = None\n"
        "    key: uuid.UUID | None = None\n    secret: SecretStr = SecretStr('x')\n"
        "    span: datetime.timedelta = None\n"
        "    many: Annotated[list[int], Field(min_length=1)] = Field(default_factory=lambda: [1])\n"
        "    def verify(self):\n"
        "        warnings.warn('careful')\n"
        "        return datetime.datetime.strptime('2020', '%Y').strftime('%a') == '' or self.nothing\n"
    )
    values = {"when": "2020-01-02T03:04:05Z", "url": "https://example.org", "key": "0" * 32, "span": "PT1H"}
    requests = [
        *({"op": "outline", "source": source} for source in (CLASSIC, VERIFIED, REGEX_ONLY, unusual, "1 +", "{}[1]")),
        {"op": "validate", "source": unusual, "values": {"when": "never", "url": "x", "key": "y", "span": []}},
        {"op": "verify", "source": unusual, "items": [{"values": values}]},
        {"op": "verify", "source": VERIFIED, "items": [{"values": {"target": "x", "dose": 1}, "trace": "x"}]},
        {"op": "trait", "source": "def f(text):\n    return text.upper().encode('idna').decode()", "texts": ["é"]},
    ]
    done = subprocess.run(
        [sys.executable, "-c", AFTER_THE_LOCK], input=json.dumps(requests), capture_output=True, text=True, check=True
    )
    # Python itself looks for the line of a syntax error in a file of this name, and does without.
    assert set(json.loads(done.stdout)) <= {"<string>"}
