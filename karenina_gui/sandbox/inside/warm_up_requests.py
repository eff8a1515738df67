"""Requests that run once before a cell is locked, since nothing can be imported afterwards.

They cover every operation, every primitive, and the usual kinds of errors.
"""

from __future__ import annotations

from typing import Any

_VERIFIED = '''
import re, math, datetime, decimal, json, random, statistics, time, uuid
from typing import Annotated, Literal
from karenina.schemas.entities import BaseAnswer
from pydantic import ConfigDict, Field, field_validator, model_validator

class Part(BaseModel):
    name: str
    size: decimal.Decimal = decimal.Decimal("1")

class Answer(BaseAnswer):
    """A rehearsal."""
    b: bool = VerifiedField(description="b", ground_truth=True, verify_with=BooleanMatch())
    s: str = VerifiedField(description="s", ground_truth="a-b", verify_with=ExactMatch(normalize=[
        "lowercase", "strip", "remove_punctuation", "collapse_whitespace", SynonymMap(mapping={"x": "y"})]))
    some: str = VerifiedField(description="some", ground_truth="", verify_with=ContainsAny(substrings=["a"]))
    every: str = VerifiedField(description="every", ground_truth="", verify_with=ContainsAll(substrings=["a"]))
    like: str = VerifiedField(description="like", ground_truth="", verify_with=RegexMatch(pattern="a", flags=["I"]))
    near: str = VerifiedField(description="near", ground_truth="", verify_with=SemanticMatch())
    same: int = VerifiedField(description="same", ground_truth=1, verify_with=NumericExact())
    about: float = VerifiedField(description="about", ground_truth=1, verify_with=NumericTolerance(tolerance=1))
    within: float = VerifiedField(description="within", ground_truth=1, verify_with=NumericRange(min=0, max=2))
    least: float = VerifiedField(description="least", ground_truth=1, verify_with=NumericMinimum())
    most: float = VerifiedField(description="most", ground_truth=1, verify_with=NumericMaximum())
    graded: float = VerifiedField(description="graded", ground_truth=1, verify_with=NumericGraded(cutoff=1))
    ranged: float = VerifiedField(
        description="ranged", ground_truth=1, verify_with=NumericRangeGraded(min=0, max=1, margin=1))
    limited: float = VerifiedField(
        description="limited", ground_truth=1, verify_with=NumericThresholdGraded(direction="max", margin=1))
    items: list[str] = VerifiedField(description="items", ground_truth=["a"], verify_with=SetContainment())
    order: list[str] = VerifiedField(description="order", ground_truth=["a"], verify_with=OrderedMatch())
    kind: Literal["x", "y"] = VerifiedField(description="kind", ground_truth="x", verify_with=LiteralMatch())
    day: str = VerifiedField(description="day", ground_truth="1/2/2020", verify_with=DateMatch(format="%d/%m/%Y"))
    soon: str = VerifiedField(description="soon", ground_truth="2020-01-02", verify_with=DateTolerance(tolerance=1))
    era: str = VerifiedField(description="era", ground_truth="", verify_with=DateRange(min="2019-01-01"))
    found: bool = VerifiedField(description="found", ground_truth=True, verify_with=TraceRegex(pattern="a"))
    there: bool = VerifiedField(description="there", ground_truth=True, verify_with=TraceContains(substring="a"))
    short: bool = VerifiedField(description="short", ground_truth=True, verify_with=TraceLength(max=9))
    parts: list[Part] = Field(default=[], description="parts")
    when: datetime.date | None = Field(default=None, description="when")
    share: Annotated[float, Field(ge=0, le=1)] = Field(default=0.5, description="share")

    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[AllOf(conditions=[FieldCheck(field="b")]), AtLeastN(n=1, conditions=[])])

    @field_validator("s")
    @classmethod
    def _tidy(cls, value):
        return value.strip()

    @model_validator(mode="after")
    def _whole(self):
        return self

    def verify(self) -> bool:
        print(time.strftime("%Y", time.gmtime(0)), random.random(), uuid.uuid5(uuid.NAMESPACE_DNS, "x"), f"{0.5:.1%}")
        print(json.dumps(self.model_dump(mode="json")), statistics.mean([1, 2]), math.isclose(1, 1))
        return self._auto_verify()
'''

_CLASSIC = """
class Answer(BaseAnswer):
    year: int = Field(description="year", ge=1000)
    def ground_truth(self):
        self.correct = {"year": 1969}
        self.regex = {"digits": {"pattern": r"\\d+", "expected": 1, "match_type": "count"}}
    def verify(self):
        return self.year == self.correct["yaer"]
"""

_VALUES: dict[str, Any] = {
    **dict.fromkeys(("s", "some", "every", "like"), "a"),
    **dict.fromkeys(("same", "about", "within", "least", "most", "graded", "ranged", "limited"), 1),
    **dict.fromkeys(("soon", "era"), "2020-01-02"),
    "b": True,
    "near": None,
    "items": ["a"],
    "order": ["a"],
    "kind": "x",
    "day": "1/2/2020",
    "parts": [{"name": "x", "size": "1.5"}],
    "when": "2020-01-02",
}

_WRONG = {name: {"not": ["fitting"]} for name in _VALUES}

_SOURCES_WITH_ERRORS = (
    "class Answer(BaseAnswer:",
    "import no_such_module",
    "class Answer(BaseAnswer):\n    correct: int",
    "class Answer(BaseAnswer):\n    x: NoSuchType",
    "class Answer(BaseAnswer):\n    x: object = Field(description='x')\n    def verify(self): return True",
    "def endless(): endless()\nendless()",
    "raise SystemExit(1)",
)

REQUESTS: list[dict[str, Any]] = [
    {"op": "outline", "source": _VERIFIED},
    {"op": "validate", "source": _VERIFIED, "values": _VALUES},
    {"op": "validate", "source": _VERIFIED, "values": _WRONG},
    {"op": "validate", "source": _VERIFIED, "values": {}},
    {"op": "verify", "source": _VERIFIED, "items": [{"values": _VALUES, "trace": "a"}, {"values": _WRONG}]},
    {"op": "outline", "source": _CLASSIC},
    {"op": "validate", "source": _CLASSIC, "values": {"year": None}},
    {"op": "verify", "source": _CLASSIC, "items": [{"values": {"year": None}, "nulls": ["year"]}]},
    {
        "op": "verify",
        "source": _CLASSIC,
        "items": [{"values": {"year": 1969}, "trace": "1969"}, {"values": {"year": 1}}],
    },
    *({"op": "outline", "source": source} for source in _SOURCES_WITH_ERRORS),
    {"op": "trait", "source": "def short(text):\n    return len(text) < 9", "texts": ["short", "long enough"]},
    {"op": "trait", "source": "def broken(text):\n    return text.size", "texts": ["x"]},
    {"op": "examine", "source": "def short(text: str) -> bool:\n    return True"},
    {"op": "examine", "source": "def short(text, other):\n    return True"},
    {"op": "examine", "source": "def short(text:\n"},
    {"op": "regex", "text": "a b", "searches": [{"pattern": r"\w", "case_sensitive": False}]},
    {"op": "regex", "text": "a b", "searches": [{"pattern": "([", "case_sensitive": True}]},
]
