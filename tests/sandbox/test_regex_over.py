"""One pattern over many texts: outcomes in order, and one time limit for a pattern that runs for ever."""

from __future__ import annotations

from karenina_gui.sandbox import RegexSearch, Sandbox
from karenina_gui.sandbox.limits import Limits


def test_each_text_has_its_outcome(sandbox: Sandbox) -> None:
    texts = [f"{'x' * (number % 3)}y" for number in range(150)]
    outcomes = sandbox.regex_over(RegexSearch(pattern="X+", case_sensitive=False), texts)
    assert [outcome.spans for outcome in outcomes] == [[(0, n % 3)] if n % 3 else [] for n in range(150)]


def test_an_invalid_pattern_is_an_error_everywhere(sandbox: Sandbox) -> None:
    outcomes = sandbox.regex_over(RegexSearch(pattern="(", case_sensitive=True), ["a", "b"])
    assert all("cannot be used" in str(outcome.error) for outcome in outcomes)


def test_a_pattern_that_runs_for_ever_is_stopped_once() -> None:
    texts = [f"short {number}" for number in range(70)] + ["a" * 40 + "!"] * 200
    with Sandbox(limits=Limits(wall_s=0.5)) as sandbox:
        outcomes = sandbox.regex_over(RegexSearch(pattern="(a+)+$", case_sensitive=True), texts)
    assert len(outcomes) == 65, "the first batch was searched, the second was stopped as a whole"
    assert outcomes[-1].fault == "timeout"
    assert all(outcome.error is None for outcome in outcomes[:-1])


def test_matches_of_decomposed_accents_are_marked_in_the_text_itself(sandbox: Sandbox) -> None:
    text = "a e\u0301te\u0301, Été, e\u0301"
    (outcome,) = sandbox.regex_over(RegexSearch(pattern="ét.|^a", case_sensitive=True), [text])
    assert [text[begin:end] for begin, end in outcome.spans] == ["a", "e\u0301te\u0301"]
    (outcome,) = sandbox.regex([RegexSearch(pattern="e\u0301$", case_sensitive=True)], "été")
    assert outcome.spans == [(2, 3)]
