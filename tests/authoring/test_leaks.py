"""Expected values that a judge could read before it reads the answer."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.leaks import Leak, leaks
from karenina_gui.gui.pages.templates.tab import leak_problems
from karenina_gui.sandbox import Sandbox

TEXT = """class Answer(BaseAnswer):
    {name}: str = VerifiedField(
        description="{description}",
        ground_truth="TP53",
        verify_with=ExactMatch(),
        extraction_hint="{hint}",
    )
"""


def _text(name: str = "gene", description: str = "The gene that the answer names.", hint: str = "in capitals") -> str:
    return TEXT.format(name=name, description=description, hint=hint)


def _number(expected: str, description: str) -> str:
    return (
        "class Answer(BaseAnswer):\n"
        f"    value: float = VerifiedField(description={description!r}, ground_truth={expected}, "
        "verify_with=NumericExact())\n"
    )


def _choice(choices: str, description: str) -> str:
    return (
        "class Answer(BaseAnswer):\n"
        f"    kind: Literal[{choices}] = VerifiedField(description={description!r}, ground_truth='rises', "
        "verify_with=LiteralMatch())\n"
    )


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (_text(), []),
        (_text(description="The gene, which is tp53."), [Leak("gene", "description", "TP53")]),
        (_text(description="The gene, unlike TP53A or aTP53."), []),
        (_text(name="tp53_named"), [Leak("tp53_named", "name", "TP53")]),
        (_text(hint="such as TP53"), [Leak("gene", "hint", "TP53")]),
        (_number("350", "The dose; 350 is right."), [Leak("value", "description", "350")]),
        (_number("12", "The dose after 12 hours."), []),
        (_number("350.0", "The dose of 350 mg."), [Leak("value", "description", "350")]),
        (_choice("'rises', 'falls'", "Whether it rises or falls."), []),
        (_choice("'rises', 'falls'", "True if it rises."), [Leak("kind", "description", "rises")]),
        (_choice("'rises'", "The change."), [Leak("kind", "choices", "rises")]),
        (
            (
                "class Answer(BaseAnswer):\n    said: bool = VerifiedField(description='It names TP53.', "
                "ground_truth=True, verify_with=TraceContains(substring='TP53'))\n"
            ),
            [],
        ),
        (
            (
                "class Answer(BaseAnswer):\n    drug: str = VerifiedField(description='Such as aspirin.', "
                "ground_truth='acetylsalicylic acid', verify_with=ContainsAny(substrings=['aspirin']))\n"
            ),
            [Leak("drug", "description", "aspirin")],
        ),
    ],
)
def test_values_that_give_the_answer_away_are_found_where_they_stand(
    source: str, found: list[Leak], sandbox: Sandbox
) -> None:
    assert leaks(sandbox.outline(source)) == found


def test_a_leak_is_a_warning_at_the_line_of_its_field(sandbox: Sandbox) -> None:
    source = "# A comment\n" + _text(description="The gene TP53.")
    (problem,) = leak_problems(source, sandbox.outline(source))
    assert (problem.severity, problem.line) == ("warning", 3)
    assert "“TP53” in the description of “gene”" in problem.message


def test_a_template_with_errors_has_no_leaks_yet(sandbox: Sandbox) -> None:
    assert leak_problems("class Answer", sandbox.outline("class Answer")) == []
