"""Templates that are data, drawn at random, and values that tempt a judgment to go wrong."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

TEMPTING: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        42,
        41.99,
        2**53 + 1,
        1e308,
        -0.0,
        10**30,
        "",
        " ",
        "42",
        "BCL2",
        " bcl2 ",
        "BCL-2.",
        "ß",
        "İ",
    ),
    *(
        "2020-01-02",
        "Jan 2, 2020",
        "31/12/2020",
        "x" * 3000,
        "a\u0301",
        "á",
        "\ud800",
        [],
        ["a"],
        ["b", "a", "a"],
        [1, None],
    ),
    *({}, {"a": 1}, [["deep"]], "true", "NaN", "inf", "1,5", "nothing\x00"),
)

_TYPES = (
    *("str", "int", "float", "bool", "list[str]", "list[int]", "dict[str, int]", "set[str]", "Any", "str | None"),
    *("Optional[int]", "Literal['x', 'y']", "Literal[1, 'á', None]", "Union[int, str]", "tuple[int, str]", "List[str]"),
    *("Dict[str, float]", "date", "datetime", "Decimal", "Annotated[int, Field(ge=0, le=9)]", "date | None"),
)
_SIMPLE_TYPES = (
    *("str", "int", "float", "bool", "list[str]", "list[int]", "List[float]", "str | None", "Optional[float]"),
    *("Literal['x', 'a\u0301']", "Literal['x']"),
)
_TRUTHS = (
    *(
        "True",
        "False",
        "None",
        "0",
        "42",
        "-3",
        "1.5",
        "'BCL2'",
        "'bcl-2'",
        "'á'",
        "9007199254740993",
        "''",
        "'2020-01-02'",
        "'Jan 2, 2020'",
    ),
    *("['a', 'b']", "[]", "{'a': 1}", "{'a', 'b'}", "('a', 1)", "'x'", "…".join("''"), "1e400", "'öÄ'"),
    "ConditionalGroundTruth(source='s', cases={'c': 1}, default='BCL2')",
    "ConditionalGroundTruth(source='s', cases={}, default=GroundTruthCase(value=3, verify_with=NumericExact()))",
)
_PRIMITIVES = (
    *("BooleanMatch()", "ExactMatch()", "ExactMatch(normalize=['strip'])", "LiteralMatch()", "SemanticMatch()"),
    "ExactMatch(normalize=['lowercase', 'remove_punctuation', SynonymMap(mapping={'bcl2': 'b'})])",
    *("ContainsAny(substrings=['a', 'BCL'])", "ContainsAll(substrings=[])", "ContainsAll(substrings=['b', 'c'])"),
    *(
        "RegexMatch(pattern='^BCL-?2$', flags=['I'])",
        "RegexMatch(pattern=r'\\d+', flags=['none'])",
        "RegexMatch(pattern='(')",
    ),
    *("NumericExact()", "NumericTolerance(tolerance=0.1)", "NumericTolerance(tolerance=5, mode='absolute')"),
    *(
        "NumericRange(min=0, max=50, exclusive_max=True)",
        "NumericRange()",
        "NumericMinimum()",
        "NumericMaximum(exclusive=True)",
    ),
    *("NumericGraded(cutoff=0.5)", "NumericGraded(cutoff=10, full_credit=2, mode='absolute', decay='quadratic')"),
    *("NumericRangeGraded(min=0, max=10, margin=5)", "NumericThresholdGraded(direction='max', margin=0.2)"),
    *("SetContainment()", "SetContainment(mode='overlap', min_overlap=2)", "OrderedMatch()"),
    *("DateMatch()", "DateMatch(format='%d/%m/%Y')", "DateTolerance(tolerance=2)", "DateRange(min='2019-01-01')"),
    *("TraceRegex(pattern='b+')", "TraceContains(substring='mg')", "TraceLength(max=40, unit='words')"),
    *(
        "NumericTolerance(tolerance=-1)",
        "ExactMatch",
        "NumericExact(7)",
        "SetContainment(mode='odd')",
        "'no primitive'",
    ),
)
_STRATEGIES = (
    "", "", "AllOf(conditions=[{}])", "AnyOf(conditions=[{}, {}])", "FieldCheck(field='nowhere')",
    "AtLeastN(n=1, conditions=[{}, AllOf(conditions=[{}])])", "AtLeastN(n=-1, conditions=[])",
)  # fmt: skip
_NAMES = (
    "target",
    "dose",
    "unit",
    "trouvé",
    "größe",
    "x1",
    "correct",
    "regex",
    "id",
    "copy",
    "str",
    "_hidden",
    "model_x",
)
_IMPORTS = """from __future__ import annotations
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal, Optional
from karenina.schemas.entities import BaseAnswer, VerifiedField
"""


def drawn_template(random: Random) -> str:
    """A source; some are wrong, as authors are."""
    lines = _IMPORTS.splitlines()[random.choice((0, 1, 1)) :]
    lines += ["", "class Answer(BaseAnswer):"]
    if random.random() < 0.3:
        lines.append('    """About \\d doses."""' if random.random() < 0.2 else '    """About doses."""')
    common = random.random() < 0.8
    names = random.sample(_NAMES[:6] if common else _NAMES, random.randint(0 if not common else 1, 4))
    lines += [f"    {line}" for name in names for line in _field(random, name)]
    lines += _strategy(random, names) + _constants(random)
    if lines[-1].endswith("(BaseAnswer):"):
        lines.append("    pass")
    return "\n".join(lines) + "\n"


def drawn_simple_template(random: Random) -> str:
    """A source whose fields have simple types; some are wrong, or more than that."""
    names = random.sample(_NAMES[:6], random.randint(1, 3))
    lines = [*_IMPORTS.splitlines()[1:], "", "class Answer(BaseAnswer):"]
    lines += [f"    {line}" for name in names for line in _field(random, name, _SIMPLE_TYPES)]
    return "\n".join(lines + _strategy(random, names) + _constants(random)) + "\n"


def _field(random: Random, name: str, kinds: tuple[str, ...] = _TYPES) -> list[str]:
    kind = random.choice(kinds)
    way = random.random()
    if way < 0.75:
        description = random.choice(("'What it is.'", "'What it is.'", "'What it is.'", "'  '", "'The … of it.'"))
        more = random.choice(("", "", ", weight=2.5", ", weight=0", ", weight=-1", ", extraction_hint='Look well.'"))
        truth, primitive = random.choice(_TRUTHS), random.choice(_PRIMITIVES)
        return [
            f"{name}: {kind} = VerifiedField(",
            f"    description={description}, ground_truth={truth},",
            f"    verify_with={primitive}{more},",
            ")",
        ]
    plain = ("", " = Field(description='Plain.')", " = Field(default=None, description='Plain.')", " = 'x'", " = None")
    return [f"{name}: {kind}{random.choice((*plain, ' = Field(default_factory=list)', ' = Field(..., ge=1)'))}"]


def _strategy(random: Random, names: list[str]) -> list[str]:
    strategy = random.choice(_STRATEGIES)
    if not strategy or not names:
        return []
    checks = [f"FieldCheck(field='{random.choice(names)}')" for _ in range(strategy.count("{}"))]
    return ["    class VerificationStrategy:", f"        verify_strategy = {strategy.format(*checks)}"]


def _constants(random: Random) -> list[str]:
    if random.random() < 0.8:
        return []
    correct = random.choice(("{'target': 'BCL2'}", "{'n': [1, 2]}", "{}"))
    lines = ["    def ground_truth(self):", f"        self.correct = {correct}"]
    if random.random() < 0.5:
        expected = random.choice(("'expected': '42'", "'expected': 2, 'match_type': 'count'", "'match_type': 'all'"))
        lines.append(f"        self.regex = {{'digits': {{'pattern': r'\\d+', {expected}}}}}")
    return lines


templates = st.randoms(use_true_random=False).map(
    lambda random: random.choice((drawn_template, drawn_simple_template))(random)
)

_EXPRESSIONS = {
    "text": (
        *("self.text", "self.text.strip().lower()", "self.text.replace('-', '')", "self.text[::-1]",),
        *("self.text or 'x'", "' '.join(sorted(self.text.split()))", "f'{self.text!r:>12}'",),
        *("self.text.title()", "str(self.number)", "re.sub(r'\\s+', ' ', self.text)",),
        *("unicodedata.normalize('NFKD', self.text)", "'%s' % self.number", "helper(self.text)",),
        *("self.text.partition('2')[0]", "self.text.encode().hex()", "json.dumps(self.items)",),
    ),
    "number": (
        *("self.number", "abs(self.number)", "self.number // 7", "self.number % 5 - 1",),
        *("round(self.number / 3)", "len(self.text)", "int(self.number)", "float(self.text)",),
        *("sum(len(x) for x in self.items)", "max(self.number, 3)", "math.floor(self.number)",),
        *("math.sqrt(self.number)", "self.items.index('a')", "ord(self.text[0])", "2 ** 10",),
        *("collections.Counter(self.items).get('a', 0)", "self.text.count('a')", "-self.number",),
        *("divmod(self.number, 4)[1]",),
    ),
    "truth": (
        *("self.truth", "not self.truth", "bool(self.text)", "'a' in self.items", "self.text.isdigit()",),
        *("any(self.items)", "set(self.items) == {'a', 'b'}", "isinstance(self.number, int)",),
        *("self.text == self.correct['text']", "re.search(r'\\d+', self.text) is not None",),
        *("bool(re.fullmatch('[A-Z]+-?2', self.text, re.I))", "0 < self.number < 50",),
        *("len(set(self.items)) == len(self.items)", "self.text.casefold().startswith('b')",),
        *("math.isclose(self.number, 42)",),
    ),
}  # fmt: skip
_STATEMENTS = (
    "print({text}, {number}, sep='|')",
    "for item in self.items:\n    if item == {text}:\n        return True",
    "total = 0\nwhile total < 5:\n    total += 1\nif total > {number}:\n    return {truth}",
    "try:\n    value = float({text})\nexcept ValueError:\n    value = {number}",
    "first, *rest = [{text}, {number}, 'z']",
    "table = {{key: place for place, key in enumerate('abc')}}\nif table.get({text}):\n    return {truth}",
    "self.correct['seen'] = {text}",
    "self.note = {number}",
    "assert {truth}, {text}",
    "if {truth}:\n    raise ValueError({text})",
    "match_ = [x for x in self.items if x != {text}]",
    "key = sorted(self.items, key=lambda x: (len(x), x))",
    "found = re.findall(r'[a-z]+', self.text)\nif len(found) > {number}:\n    return {truth}",
    "del self.items[0]",
    "if re.search(r'\\d+[$2]$', self.text + '\\n'):\n    return {truth}",
    "self.regex = {{'n': {{'pattern': r'\\d' + str({number})[:1], 'expected': {text}, 'match_type': 'contains'}}}}",
    "pairs = list(zip(self.items, itertools.repeat({number}, 3)))",
)


def drawn_code(random: Random) -> str:
    """A classic template whose methods calculate at random."""

    def line(pattern: str) -> str:
        return pattern.format(**{kind: random.choice(some) for kind, some in _EXPRESSIONS.items()})

    lines = [
        "import collections, itertools, json, math, re, unicodedata",
        "def helper(text, times=2):",
        f"    return text * times if times > {random.randint(0, 3)} else text",
        "class Answer(BaseAnswer):",
        "    text: str = Field(description='A text.')",
        "    number: float = Field(description='A number.')",
        "    items: list[str] = Field(description='Some texts.')",
        "    truth: bool = Field(description='Whether it is.')",
        "    def ground_truth(self):",
        f"        self.correct = {{'text': {random.choice(('BCL2', '', '42'))!r}, 'more': [1, {{'a': None}}]}}",
        "    def verify(self) -> bool:",
        *(
            f"        {part}"
            for _ in range(random.randint(0, 4))
            for part in line(random.choice(_STATEMENTS)).split("\n")
        ),
        line("        return {truth}"),
    ]
    if random.random() < 0.5:
        lines += ["    def verify_granular(self) -> float:", line("        return {number} if {truth} else 0.5")]
    if random.random() < 0.3:
        lines += [
            "    def verify_regex(self, raw_llm_response: str):",
            line(
                "        return {{'success': 'mg' in raw_llm_response, 'results': {{'a': {truth}}}, 'details': {{}}}}"
            ),
        ]
    return "\n".join(lines) + "\n"
