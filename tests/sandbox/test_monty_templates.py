"""Plain methods of templates in Monty: the verdict is Python's own, on every system, and nothing gets out."""

from __future__ import annotations

import os
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import Limits, Sandbox, template_code
from karenina_gui.sandbox.data_templates import Code, DataTemplates, SplitTemplate
from karenina_gui.sandbox.inside.template_data import read_template
from karenina_gui.schemas.template import AnswerToVerify, TemplateVerdict
from karenina_gui.text.surrogates import without_surrogates
from tests.examples import examples
from tests.sandbox.generated_templates import TEMPTING, drawn_code
from tests.sandbox.test_data_templates import of_tests

GOOD = """
import math

UNITS = {"g": 1000, "mg": 1}

def in_mg(dose, unit):
    return dose * UNITS[unit]

class Answer(BaseAnswer):
    dose: float = Field(description="The dose")
    unit: Literal["g", "mg"] = Field(description="Its unit")

    def ground_truth(self):
        self.correct = {"dose": 40}

    def verify(self) -> bool:
        print("looking at", self.dose)
        return math.isclose(in_mg(self.dose, self.unit), self.correct["dose"])

    def verify_granular(self) -> float:
        return 1.0 if self.verify() else 0.5
"""
RIGHT, WRONG = AnswerToVerify(values={"dose": 40, "unit": "mg"}), AnswerToVerify(values={"dose": 40, "unit": "g"})
_serial = count()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(limits=Limits(wall_s=1.5, memory_mb=256)) as confined:
        yield confined


@pytest.fixture(scope="module")
def strict() -> Iterator[Sandbox]:
    """As `unlocked`, with so little time that a test can wait for its end."""
    with Sandbox(limits=Limits(wall_s=0.3, memory_mb=256), rung=5) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def unlocked() -> Iterator[Sandbox]:
    """As on a computer that offers no lock for code."""
    with Sandbox(limits=Limits(wall_s=5, memory_mb=256), rung=5) as sandbox:
        yield sandbox


def read(source: str) -> Any:
    return DataTemplates().read(source)


def by_python(source: str, item: AnswerToVerify) -> dict[str, Any]:
    """Only for harmless templates."""
    request = {"op": "verify", "source": source, "items": [item.model_dump()]}
    found: dict[str, Any] = without_surrogates(template_code.execute(request)["items"][0])
    return found


def expect_equality(sandbox: Sandbox, source: str, values: dict[str, Any]) -> None:
    found = sandbox.outline(source).model_dump(mode="json")
    wanted = without_surrogates(template_code.execute({"op": "outline", "source": source}))
    assert {**found, "execution": None} == wanted, source
    nulls = [name for name, value in values.items() if value is None]
    for item in (
        AnswerToVerify(values=values, trace="BCL2 bb 42 mg"),
        AnswerToVerify(values=values, nulls=nulls, trace=""),
    ):
        (verdict,) = sandbox.verify(source, [item])
        assert {**verdict.model_dump(mode="json"), "fallback": None} == by_python(source, item), source


def test_a_template_with_methods_is_judged_where_there_is_no_lock(unlocked):
    outline = unlocked.outline(GOOD)
    assert (outline.valid, outline.execution, outline.has_granular) == (True, "monty", True)
    right, wrong = unlocked.verify(GOOD, [RIGHT, WRONG])
    assert (right.field_verification_result, right.granular, right.error) == (True, 1.0, None)
    assert (wrong.field_verification_result, wrong.granular, wrong.error) == (False, 0.5, None)
    assert right.stdout == "looking at 40.0\nlooking at 40.0\n"
    assert unlocked.zygotes == []


FAILS_ON_SEVEN = """
class Answer(BaseAnswer):
    value: int = Field(description="any")

    def verify(self):
        return 1 / (self.value - 7) > 0
"""


@pytest.mark.parametrize(("rung", "trust", "way"), [(None, False, "locked"), (5, True, "unlocked"), (5, False, None)])
def test_an_answer_over_which_it_failed_says_how_it_was_judged(rung, trust, way):
    with Sandbox(slots=1, rung=rung) as place:
        assert place.outline(FAILS_ON_SEVEN, trust=trust).execution == "monty"
        answers = [AnswerToVerify(values={"value": value}) for value in (8, 7)]
        passed, failed = (place.verify(FAILS_ON_SEVEN, [each], trust=trust)[0] for each in answers)
    assert (passed.field_verification_result, passed.fallback) == (True, None)
    assert "ZeroDivisionError" in str(failed.error)
    assert failed.fallback == way


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing to take away")
def test_it_needs_no_fork(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with Sandbox(rung=5) as sandbox:
        assert sandbox.verify(GOOD, [RIGHT])[0].field_verification_result is True


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(25, 2000), deadline=None)
@given(source=st.randoms(use_true_random=False).map(drawn_code), data=st.data())
def test_code_is_judged_as_python_judges_it(sandbox, source, data):
    values = {name: data.draw(st.sampled_from(TEMPTING)) for name in ("text", "number", "items", "truth")}
    expect_equality(sandbox, source, {name: value for name, value in values.items() if f" {name}:" in source})


@pytest.mark.filterwarnings("ignore")
def test_most_of_the_drawn_code_runs_in_monty():
    random = Random(7)
    sources = [drawn_code(random) for _ in range(100)]
    assert sum(isinstance(read(source), SplitTemplate) for source in sources) > 80


@pytest.mark.filterwarnings("ignore")
def test_every_template_of_the_tests_is_judged_as_python_judges_it(sandbox):
    found = sorted({source for source in of_tests() if isinstance(read(source), SplitTemplate)})
    random = Random(3)
    for source in found:
        names = [field.name for field in sandbox.outline(source).fields]
        for _ in range(3):
            expect_equality(sandbox, source, {name: random.choice(TEMPTING) for name in names})
    assert len(found) > 10


@pytest.mark.parametrize(
    "line",
    [
        "return round(0.15, 1) == 0.1",
        "return hasattr(self, 'model_dump')",
        "return getattr(self, 'x', True)",
        "return type(self).__name__ == 'Answer'",
        "return super().verify()",
        "return self.__class__ is None",
        "return self._trace is None",
        "import random",
        "global X",
        "return re.search('a$', 'a', re.M) is None",
        "return re.search(self.unit, 'a') is None",
        "return re.search('(?i)a', 'a') is None",
        "return bool(re.sub('a', lambda found: 'b', 'a'))",
        "f = re.search",
        "return '\\ud800' == self.unit",
        "try: return bool(missing())\n        except Exception: return False",
        "try: return bool(missing())\n        except: return False",
        "try: return bool(missing())\n        except (ValueError, TypeError): return False",
        "x: Nowhere = 1",
    ],
)
def test_what_monty_may_take_otherwise_goes_to_python(line):
    annotated = line.startswith("x: ")
    source = GOOD.replace('        print("looking at", self.dose)', f"        {line}").replace(
        "import math", "import math, re"
    )
    assert isinstance(read(source), SplitTemplate if annotated else Code)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def verify(self)", "@staticmethod\n    def verify(self)"),
        ("def verify(self) -> bool", "async def verify(self) -> bool"),
        ("def verify(self) -> bool", "def verify(self) -> Nowhere"),
        ("def in_mg", "@print\ndef in_mg"),
        ("import math", "import math as m"),
        ("import math", "import os"),
        ("def verify_granular", "def model_dump"),
        ("def verify_granular", "def _hidden"),
        ("def verify_granular", "def dose"),
        ("UNITS", "Field"),
        ("    dose: float", "    when: date | None = None\n    dose: float"),
        ("Field(description", "VerifiedField(ground_truth=1, verify_with=RegexMatch(pattern='x'), description"),
        ("UNITS = ", "X = 1; UNITS = "),
    ],
)  # fmt: skip
def test_templates_of_another_build_go_to_python(old, new):
    source = GOOD.replace(old, new)
    assert source != GOOD
    assert isinstance(read(source), Code)


def test_a_pattern_is_rewritten_in_its_own_line():
    source = GOOD.replace("import math", "import math, re").replace(
        'print("looking at", self.dose)', "assert re.search('ü$', 'ü') and re.search('m?g$', self.unit)"
    )
    template = read(source)
    assert isinstance(template, SplitTemplate)
    lines = zip(source.splitlines(), read_template(source, with_methods=True).code.splitlines(), strict=False)
    changed = [(old, new) for old, new in lines if new and old != new and not old.startswith("class ")]
    assert [old for old, _ in changed] == ["        assert re.search('ü$', 'ü') and re.search('m?g$', self.unit)"]


def test_an_error_is_told_by_python_where_it_runs_and_with_its_line_everywhere(sandbox, unlocked):
    source = GOOD.replace("UNITS[unit]", 'UNITS["kg"]')
    (locked,), (elsewhere,) = sandbox.verify(source, [RIGHT]), unlocked.verify(source, [RIGHT])
    for verdict in (locked, elsewhere):
        assert (verdict.error, verdict.error_line, verdict.fault) == ("KeyError: 'kg'", 7, "error")
        assert verdict.field_verification_result is False


UNREADABLE = GOOD.replace('        print("looking at", self.dose)', "        known = {1: 2}\n        del known[1]")
"""By Monty."""


def test_what_monty_does_not_know_runs_in_python(sandbox, unlocked):
    assert sandbox.verify(UNREADABLE, [RIGHT])[0].field_verification_result is True
    assert sandbox.outline(UNREADABLE).execution == "locked"
    assert unlocked.outline(UNREADABLE).valid is False


def test_what_a_trusted_check_finds_out_changes_nothing_for_who_does_not_trust_the_code():
    def untrusted(place):
        judged, (verdict,) = place.validate(UNREADABLE, RIGHT.values), place.verify(UNREADABLE, [RIGHT])
        return place.outline(UNREADABLE), judged, verdict

    with Sandbox(slots=1, rung=5) as fresh, Sandbox(slots=1, rung=5) as place:
        assert place.outline(UNREADABLE, trust=True).execution == "unlocked"
        assert untrusted(place) == untrusted(fresh)
        (verdict,) = place.verify(UNREADABLE, [RIGHT], trust=True)
    assert (verdict.field_verification_result, verdict.fallback) == (True, None)


def test_nothing_that_one_answer_changed_is_there_for_the_next(unlocked):
    source = """
SEEN = []
class Answer(BaseAnswer):
    dose: int = Field(description="d")
    def verify(self):
        SEEN.append(self.dose)
        return len(SEEN) == 1
"""
    items = [AnswerToVerify(values={"dose": number}) for number in range(5)]
    assert [each.field_verification_result for each in unlocked.verify(source, items)] == [True] * 5


@pytest.fixture
def attack(unlocked: Sandbox) -> Iterator[Callable[[str], TemplateVerdict]]:
    """Verify one answer by a template whose `verify()` has this body; a sound one must judge rightly afterwards."""

    attacked = {unlocked}

    def verify(body: str, sandbox: Sandbox = unlocked) -> TemplateVerdict:
        attacked.add(sandbox)
        head = GOOD.partition("        print(")[0].replace(
            "import math", "import math, re, json, collections, itertools"
        )
        source = f"# {next(_serial)}\n{head}" + textwrap.indent(textwrap.dedent(body).strip(), " " * 8) + "\n"
        assert isinstance(read(source), SplitTemplate), "it does not even get there"
        (verdict,) = sandbox.verify(source, [RIGHT])
        return verdict

    yield verify
    for sandbox in attacked:
        assert [each.field_verification_result for each in sandbox.verify(GOOD, [RIGHT, WRONG])] == [True, False]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("while True: pass", "timeout"),
        ("x = 'a' * 10\nwhile True: x = x + x", "memory"),
        ("return len([0] * 10**9) > 0", "memory"),
        ("for _ in itertools.count(): pass", "timeout"),
        ("return re.search('(a+)+b', 'a' * 5000) is not None", None),
        ("return 9 ** 9 ** 9 > 1", "memory"),
        ("return int('9' * 10**7) > 0", "error"),
        ("return json.loads('[' * 10**6) is not None", "error"),
        ("f = lambda f: f(f)\nreturn f(f)", "error"),
        ("return bool('x'.join(['y' * 10**6] * 10**6))", "memory"),
        ("for i in range(10**5): print('x' * 100)\nreturn True", None),
    ],
)
def test_code_that_never_ends_or_takes_too_much_is_stopped(attack, unlocked, strict, body, fault):
    began = time.monotonic()
    verdict = attack(body, strict if fault == "timeout" else unlocked)
    assert time.monotonic() - began < 15
    assert verdict.fault == fault
    assert len(verdict.stdout) <= 8192


@pytest.mark.parametrize(
    "body",
    [
        "return open('/etc/passwd').read() != ''",
        "return open('planted-by-a-test', 'w').write('x') == 1",
        "return bool(input())",
        "return bool(compile('1', '', 'eval'))",
        "return bool(breakpoint())",
        "return bool(memoryview(b'x'))",
        "return bool(exit())",
        "return bool('{0.__class__.__base__}'.format(self))",
        "return bool(f'{self!r:>10}'.index('object'))",
        "return bool(collections.abc.sys.modules)",
        "return bool(json.decoder.scanner.re)",
    ],
)
def test_nothing_of_this_computer_is_reached(attack, body):
    verdict = attack(body)
    assert verdict.field_verification_result is not True or "{0" in body or "!r" in body
    assert not Path("planted-by-a-test").exists()
    assert "karenina_gui" not in str(verdict)


def test_many_threads_share_few_processes(unlocked):
    def judge(number: int) -> bool | None:
        source = GOOD.replace("40}", f"{number // 2}}}")
        (verdict,) = unlocked.verify(source, [AnswerToVerify(values={"dose": number, "unit": "mg"})])
        return verdict.field_verification_result

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(judge, range(200))) == [number == number // 2 for number in range(200)]


def test_closing_ends_what_is_under_way():
    outcomes: list[object] = []
    sandbox = Sandbox(slots=2, rung=5, limits=Limits(wall_s=60))
    endless = GOOD.replace('        print("looking at", self.dose)', "        while True: pass")
    assert sandbox.outline(endless).execution == "monty"

    def verify() -> None:
        try:
            outcomes.append(sandbox.verify(endless, [RIGHT])[0].fault)
        except SandboxError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=verify) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    sandbox.close()
    for thread in threads:
        thread.join(10)
    assert outcomes == ["lost", "lost"]
    assert time.monotonic() - began < 5
    with pytest.raises(SandboxError, match="closed"):
        sandbox.verify(GOOD.replace("40}", "41}"), [RIGHT])


TRAIT = """
import re
LEAST = 3
def words(text):
    return len(re.findall(r"\\w+", text))
def evaluate(text):
    return words(text) >= LEAST
"""


def test_a_trait_that_is_a_plain_function_is_evaluated_where_there_is_no_lock(unlocked, sandbox):
    for each in (unlocked, sandbox):
        assert [outcome.value for outcome in each.trait(TRAIT, ["a b c", "a", ""])] == [True, False, False]
        assert [outcome.value for outcome in each.trait(TRAIT, ["a b c"], entry="words")] == [3]
        assert (each.examine_trait(TRAIT).function, each.examine_trait(TRAIT).problems) == ("evaluate", [])
    assert unlocked.zygotes == []


@pytest.mark.parametrize(
    ("old", "new", "error", "line"),
    [
        ("return words(text) >= LEAST", "return words(text) / 0", "ZeroDivisionError: division by zero", 7),
        ("return words(text) >= LEAST", "return [text]", "TypeError: the function must return true or false", None),
        ("LEAST = 3", "LEAST = 3 / 0", "ZeroDivisionError: division by zero", 3),
    ],
)
def test_errors_of_traits_are_told_alike(unlocked, sandbox, old, new, error, line):
    source = TRAIT.replace(old, new)
    for each in (unlocked, sandbox):
        (outcome,) = each.trait(source, ["a b"])
        assert (outcome.fault, outcome.line) == ("error", line)
        assert error in str(outcome.error)


def test_a_trait_that_never_ends_is_stopped(strict):
    (hanging,) = strict.trait(TRAIT.replace("return words(text) >= LEAST", "while True: pass"), ["a"])
    assert hanging.fault == "timeout"
    assert strict.trait(TRAIT, ["a b c"])[0].value is True


@pytest.mark.parametrize(
    "line", ["import os", "import re as r", "class A: pass", "print = 1\nround(0.15, 1)", "x = open"]
)
def test_traits_that_need_python_itself_are_refused_where_there_is_no_lock(unlocked, line):
    expected = "refused" if line != "x = open" else None
    assert unlocked.trait(f"{line}\n{TRAIT}", ["a b c"])[0].fault == expected
