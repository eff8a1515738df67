"""Templates that are data: the same verdict as Python's own, and nothing of them is ever run."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui import example
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.sandbox import Limits, RegexSearch, Sandbox
from karenina_gui.sandbox.data_templates import is_data
from karenina_gui.sandbox.inside import verdicts
from karenina_gui.sandbox.inside.data_template import load_data
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.outline import outline
from karenina_gui.sandbox.inside.template_data import IsCode
from karenina_gui.sandbox.inside.template_source import load_template
from karenina_gui.schemas.template import AnswerToVerify
from tests.examples import examples
from tests.sandbox.generated_templates import TEMPTING, drawn_template, templates

GOOD = """
class Answer(BaseAnswer):
    dose: float = VerifiedField(
        description="Dose in mg", ground_truth=40.0, verify_with=NumericTolerance(tolerance=1, mode="absolute")
    )
"""
PATTERN = """
class Answer(BaseAnswer):
    gene: str = VerifiedField(
        description="The gene", ground_truth="BCL2", verify_with=RegexMatch(pattern=r"^({})$")
    )
"""
CODE = """
from pydantic import field_validator
class Answer(BaseAnswer):
    dose: float = Field(description="Dose in mg")

    def verify(self):
        return self.dose == 40
"""


def of_tests() -> Iterator[str]:
    """All templates in the texts of the tests."""
    for file in Path(__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "(BaseAnswer)" in node.value:
                yield node.value


def judged(loaded: LoadedTemplate, values: dict[str, Any], trace: str) -> list[Any]:
    nulls = [name for name, value in values.items() if value is None]
    items = [AnswerToVerify(values=values, trace=trace), AnswerToVerify(values=values, nulls=nulls, trace="")]
    return [
        verdicts.validate(loaded, values).model_dump(),
        *(verdicts.verify(loaded, item).model_dump() for item in items),
    ]


def expect_equality(source: str, values: dict[str, Any]) -> bool:
    """Whether it is data; if so, it is judged as Python itself would judge it."""
    try:
        _, read = load_data(source)
    except IsCode:
        return False
    run = load_template(source)
    assert outline(read).model_dump() == outline(run).model_dump(), source
    assert judged(read, values, "BCL2 bb 42 mg") == judged(run, values, "BCL2 bb 42 mg"), source
    return True


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(50, 2000), deadline=None)
@given(source=templates, data=st.data())
def test_a_template_that_is_data_is_judged_as_if_it_were_run(source, data):
    names = [node.target.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AnnAssign)]
    values = {name: data.draw(st.sampled_from(TEMPTING)) for name in names if data.draw(st.integers(0, 9))}
    expect_equality(source, values)


@pytest.mark.filterwarnings("ignore")
def test_most_of_the_drawn_templates_are_data_and_some_are_valid():
    random = Random(7)
    sources = [drawn_template(random) for _ in range(200)]
    data = [source for source in sources if is_data(source)]
    assert len(data) > 120
    assert sum(outline(load_data(source)[1]).valid for source in data) > 10


@pytest.mark.filterwarnings("ignore")
def test_every_template_of_the_tests_and_of_the_example_is_judged_as_if_it_were_run():
    document = load_checkpoint(example.BENCHMARK)
    of_example = [entry.question.answer_template or "" for entry in document.entries]
    found = [expect_equality(source, {}) for source in {*of_tests(), *of_example}]
    assert sum(found) > 60


@pytest.mark.parametrize(
    "source",
    [
        "import os\n" + GOOD,
        "from os import system\n" + GOOD,
        "from typing import Literal as L\n" + GOOD,
        "from karenina import os\n" + GOOD,
        "from .a import BaseAnswer\n" + GOOD,
        GOOD + "\nprint('x')\n",
        GOOD + "\nclass Other(BaseAnswer):\n    pass\n",
        GOOD.replace("40.0", "40.0 + 1"),
        GOOD.replace("40.0", "__import__('os').getpid()"),
        GOOD.replace("40.0", "f'{BaseAnswer}'"),
        GOOD.replace("40.0", "BaseAnswer.__subclasses__()"),
        GOOD.replace("40.0", "[x for x in (1, 2)]"),
        GOOD.replace("40.0", "(lambda: 1)"),
        GOOD.replace("40.0", "9**9**9"),
        GOOD.replace("40.0", "0x" + "f" * 5000),
        GOOD.replace("40.0", "b'x'"),
        GOOD.replace("40.0", "1j"),
        GOOD.replace("40.0", "{**{}}"),
        GOOD.replace("40.0", "[*[]]"),
        GOOD.replace("40.0", "NumericExact"),
        GOOD.replace("ground_truth=40.0", "**{'ground_truth': 1}"),
        GOOD.replace("VerifiedField", "VerifiedField.__class__"),
        GOOD.replace("VerifiedField", "type"),
        GOOD.replace("float", "type(1)"),
        GOOD.replace("float", "eval"),
        GOOD.replace("float", "'float'"),
        GOOD.replace("float", "list[__import__('os')]"),
        GOOD.replace("BaseAnswer", "BaseAnswer, metaclass=type"),
        GOOD.replace("BaseAnswer", "type"),
        GOOD.replace("class", "@print\nclass"),
        GOOD.replace("dose:", "Answer.dose:"),
        GOOD.replace("dose", "__doc__"),
        GOOD.replace("dose", "verify"),
        GOOD.replace("dose", "str"),
        GOOD + "    model_config = {}\n",
        GOOD + "    def verify(self):\n        return True\n",
        GOOD + "    def ground_truth(self):\n        self.correct = {'a': 1}\n        self.verify = None\n",
        GOOD + "    def ground_truth(self):\n        self.correct = {'a': print}\n",
        GOOD + "    def ground_truth(self, x=print()):\n        self.correct = {}\n",
        GOOD + "    @print\n    def ground_truth(self):\n        self.correct = {}\n",
        GOOD + "    def ground_truth(self) -> print():\n        self.correct = {}\n",
        GOOD + "    class VerificationStrategy:\n        verify_strategy = AnyOf(conditions=[print])\n",
        GOOD + "    class VerificationStrategy(type):\n        verify_strategy = AnyOf(conditions=[])\n",
        GOOD.replace("40.0", "[" * 60 + "]" * 60),
        "# " + "x" * 200_001 + GOOD,
        "(" * 150 + ")" * 150,
    ],
)
def test_whatever_is_more_than_fields_is_code(source):
    assert not is_data(source) or load_data(source)[1].answer is None


def test_settings_of_fields_that_take_code_are_code():
    for setting in ("default_factory=print", "json_schema_extra={}", "alias='x'", "validate_default=True"):
        assert not is_data(GOOD + f"    other: str = Field({setting})\n")


@pytest.fixture(params=["no lock", "no lock and no fork"])
def unlocked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """As on a computer that offers no lock for code."""
    if request.param == "no lock and no fork":
        monkeypatch.delattr(os, "fork")
    with Sandbox(rung=5, limits=Limits(wall_s=0.5)) as sandbox:
        yield sandbox


def test_data_is_judged_where_code_is_refused(unlocked):
    found = unlocked.outline(GOOD)
    assert (found.valid, found.execution) == (True, "data")
    assert unlocked.validate(GOOD, {"dose": "much"}).errors
    verdicts = unlocked.verify(GOOD, [AnswerToVerify(values={"dose": 41}), AnswerToVerify(values={"dose": 42})])
    assert [verdict.field_verification_result for verdict in verdicts] == [True, False]
    refused = unlocked.outline(CODE)
    assert (refused.valid, refused.fault, refused.execution) == (False, "refused", None)
    assert refused.first_error.line == 2
    assert refused.first_error.message.endswith("The reason is an import.")


def test_patterns_are_searched_where_code_is_refused(unlocked):
    source = PATTERN.format("BCL-?2")
    assert unlocked.outline(source).execution == "data"
    right, wrong = (AnswerToVerify(values={"gene": gene}) for gene in ("BCL-2", "TP53"))
    assert [each.field_verification_result for each in unlocked.verify(source, [right, wrong])] == [True, False]
    (found,) = unlocked.regex([RegexSearch(pattern="b+")], "abba")
    assert found.spans == [(1, 3)]


def test_a_pattern_that_never_ends_is_stopped_and_spoils_no_other(unlocked):
    endless = PATTERN.format("(a+)+b")
    right = AnswerToVerify(values={"gene": "ab"})
    hanging = AnswerToVerify(values={"gene": "a" * 60})
    found = unlocked.verify(endless, [right, hanging, right])
    assert [(each.field_verification_result, each.fault) for each in found] == [
        (True, None), (None, "timeout"), (True, None),
    ]  # fmt: skip
    assert "nested repetition" in str(found[1].error) or "(a+)+" in str(found[1].error)
    outcomes = unlocked.regex([RegexSearch(pattern="a"), RegexSearch(pattern="(a+)+b")], "a" * 60)
    assert [(each.found, each.fault) for each in outcomes] == [(True, None), (None, "timeout")]


@pytest.mark.skipif(os.name != "posix", reason="this system limits the memory of no process")
def test_a_pattern_that_needs_too_much_memory_is_stopped(unlocked):
    source = PATTERN.format("(a{1,65000}b?){1,65000}" * 40)
    (found,) = unlocked.verify(source, [AnswerToVerify(values={"gene": "a" * 1000})])
    assert found.fault in ("memory", "timeout", "crashed")
    (sound,) = unlocked.verify(PATTERN.format("a"), [AnswerToVerify(values={"gene": "a"})])
    assert sound.field_verification_result is True


def test_one_of_many_threads_never_gets_anothers_verdict(unlocked):
    from concurrent.futures import ThreadPoolExecutor

    def judge(number: int) -> bool | None:
        source = GOOD.replace("40.0", str(number // 2))
        (verdict,) = unlocked.verify(source, [AnswerToVerify(values={"dose": number})])
        return verdict.field_verification_result

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(judge, range(200)))
    assert found == [abs(number - number // 2) <= 1 for number in range(200)]


def test_no_process_is_started_for_data_without_patterns():
    with Sandbox() as sandbox:
        assert sandbox.verify(GOOD, [AnswerToVerify(values={"dose": 40})])[0].field_verification_result
        assert sandbox.zygotes == []
