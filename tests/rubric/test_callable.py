"""Callable traits, in the sandbox."""

from __future__ import annotations

import base64
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.schemas.rubric import CallableRubricTrait, RegexRubricTrait
from tests.rubric.conftest import Rate

CITES = RegexRubricTrait(name="cites", pattern=r"\[\d+\]")


def code(body: str, **changes: Any) -> CallableRubricTrait:
    return CallableRubricTrait(**{"name": "own", "kind": "boolean", "source": f"def f(text):\n    {body}\n", **changes})


@pytest.mark.parametrize(
    ("trait", "score"),
    [
        (code("return 'BCL2' in text"), True),
        (code("return 'BCL2' in text", invert_result=True), False),
        (code("return len(text.split())", kind="score", min_score=0, max_score=10), 3),
        (code("return 0", kind="score", min_score=0, max_score=1), 0),
        (code("return 0.25", kind="score"), 0.25),
        (code("return 'long'", kind="literal", classes={"short": "s", "long": "l"}), 1),
        (code("return 0", kind="literal", classes={"short": "s", "long": "l"}), 0),
        (code("return 5", kind="score", invert_result=True), 5),
    ],
)
def test_what_the_function_returns_is_the_score(rate: Rate, trait: CallableRubricTrait, score: Any) -> None:
    rated = rate(trait)
    assert rated.rubric.callable_trait_scores == {"own": score}
    assert type(rated.rubric.callable_trait_scores["own"]) is type(score)
    assert rated.problems == ""


@pytest.mark.parametrize(
    ("trait", "words"),
    [
        (code("return 1"), "must return True or False"),
        (code("return None"), "nothing (None)"),
        (code("return True", kind="score"), "must return a number"),
        (code("return 11", kind="score", max_score=10), "above the maximum score, 10"),
        (code("return -1", kind="score", min_score=0), "below the minimum score, 0"),
        (code("return 'tall'", kind="literal", classes={"short": "s", "long": "l"}), "neither a class"),
        (code("return 2", kind="literal", classes={"short": "s", "long": "l"}), "neither a class"),
        (code("return 1 / 0"), "line 2 of its function stopped with ZeroDivisionError"),
        (code("return [text]"), "must return true or false"),
        (code("while True: pass"), "was stopped after"),
        (code("return open('/etc/passwd').read() == ''"), "line 2"),
        (code("pass", source="x = 1"), "defines no function"),
    ],
)
def test_what_is_no_score_of_the_trait_is_named_and_costs_no_other_trait(
    rate: Rate, trait: CallableRubricTrait, words: str
) -> None:
    rated = rate(trait, code("return True", name="fine"), CITES, text="BCL2 [1]")
    assert rated.rubric.callable_trait_scores == {"fine": True}
    assert rated.rubric.regex_trait_scores == {"cites": True}
    assert "'own' has no score" in rated.problems
    assert words in rated.problems
    assert rated.result.completed_without_errors


def test_the_function_runs_in_another_process(rate: Rate) -> None:
    rated = rate(code(f"return __import__('os').getpid() == {os.getpid()}"))
    assert rated.rubric.callable_trait_scores == {"own": False}


class Opened:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.write_text, (self.path, "opened"))


def test_a_compiled_function_is_never_opened_and_says_how_to_rewrite_it(rate: Rate, tmp_path: Path) -> None:
    pickled = base64.b64encode(pickle.dumps(Opened(tmp_path / "trap"))).decode()
    rated = rate(CallableRubricTrait(name="own", kind="boolean", callable_code=pickled))
    assert not (tmp_path / "trap").exists()
    assert rated.rubric.callable_trait_scores is None
    assert "'own' has no score: its function was saved in a compiled form" in rated.problems
    assert "write the function as Python source" in rated.problems
