"""Wrong values that templates accept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import (
    AcceptsEverything,
    AcceptsWrongValues,
    MutationCase,
    RefusesExpected,
    mutation_cases,
    passes,
    plan_mutations,
)
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.authoring.wrong_values import field_values
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.primitives import PRIMITIVES
from karenina_gui.schemas.template import AnswerToVerify

COMPARISONS = {
    "BooleanMatch": ("bool", "True", "BooleanMatch()"),
    "ContainsAll": ("str", "'BCL2 and TP53'", "ContainsAll(substrings=['BCL2', 'TP53'])"),
    "ContainsAny": ("str", "None", "ContainsAny(substrings=['BCL2', 'TP53'])"),
    "DateMatch": ("str", "'Jan 2, 2020'", "DateMatch()"),
    "DateMatch with a format": ("str", "'02/01/2020'", "DateMatch(format='%d/%m/%Y')"),
    "DateMatch of a date": ("date", "'2020-01-02'", "DateMatch()"),
    "DateRange": ("str", "'2020-01-02'", "DateRange(min='2019-01-01')"),
    "DateTolerance": ("str", "'2020-01-02'", "DateTolerance(tolerance=2)"),
    "ExactMatch": ("str", "'quixotic jukebox'", "ExactMatch()"),
    "LiteralMatch": ("Literal['x', 'y', 'z']", "'y'", "LiteralMatch()"),
    "LiteralMatch of a number": ("int | None", "3", "LiteralMatch()"),
    "NumericExact": ("int", "42", "NumericExact()"),
    "NumericGraded": ("float", "0", "NumericGraded(cutoff=10, full_credit=2, mode='absolute')"),
    "NumericMaximum": ("float", "70", "NumericMaximum(exclusive=True)"),
    "NumericMinimum": ("int", "-3", "NumericMinimum()"),
    "NumericRange": ("float", "None", "NumericRange(min=0, max=50, exclusive_max=True)"),
    "NumericRangeGraded": ("float", "5", "NumericRangeGraded(min=0, max=10, margin=5)"),
    "NumericThresholdGraded": ("float", "8", "NumericThresholdGraded(direction='max', margin=0.2, exclusive=True)"),
    "NumericTolerance": ("float", "1e12", "NumericTolerance(tolerance=0.05)"),
    "OrderedMatch": ("list[str]", "['a', 'b']", "OrderedMatch()"),
    "RegexMatch": ("str", "'BCL-2'", "RegexMatch(pattern='^BCL-?2$')"),
    "SetContainment": ("list[int]", "[1, 2]", "SetContainment()"),
    "SetContainment of a subset": ("list[str]", "['a', 'b']", "SetContainment(mode='subset')"),
    "SetContainment of an overlap": ("list[str]", "['a', 'b']", "SetContainment(mode='overlap', min_overlap=1)"),
}


@pytest.fixture
def playground(sandbox: Sandbox) -> TemplatePlayground:
    return TemplatePlayground(sandbox)


def field(kind: str, expected: str, comparison: str, name: str = "value", weight: float = 1) -> str:
    return (
        f"    {name}: {kind} = VerifiedField(description='The value.', ground_truth={expected}, "
        f"verify_with={comparison}, weight={weight})\n"
    )


def template(*fields: str) -> str:
    return "class Answer(BaseAnswer):\n" + "".join(fields)


def cases_of(source: str, playground: TemplatePlayground, reference: str = "") -> list[MutationCase]:
    outline = playground.check(source)
    assert outline.valid, outline.problems
    return mutation_cases(source, outline, playground, reference)


TEXT = field("str", "'BCL2'", "ExactMatch()", "gene")
ANYTHING = field("str", "'BCL2'", "RegexMatch(pattern='.*')", "anything")


@pytest.mark.parametrize("limits", ["min=''", "max=''", "min='soon', max='2021-01-01'", "min='', max=''"])
def test_a_period_whose_limits_are_no_dates_accepts_nothing(playground: TemplatePlayground, limits: str) -> None:
    outline = playground.check(template(field("str", "'2020-01-02'", f"DateRange({limits})")))
    assert not outline.valid
    assert "value can never pass" in outline.problems[0].message
    assert plan_mutations(outline).answers == []


def test_a_period_that_is_not_entered_yet_is_said_to_be_open(playground: TemplatePlayground) -> None:
    outline = playground.check(template(field("str", "'2020-01-02'", "DateRange(min='2019-01-01', max='…')")))
    assert [each.message for each in outline.problems if each.unfinished] == [
        "The period of value is not entered yet: write it in the place of “…”."
    ]
    assert not outline.valid


def test_every_comparison_is_tried() -> None:
    tried = {comparison.split("(")[0] for _, _, comparison in COMPARISONS.values()}
    assert tried == {name for name in PRIMITIVES if not name.startswith("Trace")} - {"SemanticMatch"}


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_accepts_its_value_and_refuses_others(name: str, playground: TemplatePlayground) -> None:
    source = "from datetime import date\n\n" + template(field(*COMPARISONS[name]))
    outline = playground.check(source)
    assert outline.valid, outline.problems
    values = field_values(outline.fields[0], outline)
    stated = [wrong.value for wrong in values.wrong if wrong.kind != "null"]
    assert values.right is not None and stated
    tried = [AnswerToVerify(values={"value": value}) for value in [values.right, *stated, None]]
    *verdicts, of_null = playground.try_answers(source, tried)
    assert [each.error for each in verdicts] == [None] * len(verdicts)
    assert [each.field_verification_result for each in verdicts] == [True] + [False] * len(stated)
    assert not passes(of_null)
    assert cases_of(source, playground) == []


@pytest.mark.parametrize(
    "source",
    [
        template(ANYTHING),
        template(field("float", "3", "NumericRange()")),
        template(field("str", "'2020-01-02'", "DateRange()")),
        template(field("list[str]", "['a']", "SetContainment(mode='overlap', min_overlap=0)")),
        template(TEXT, ANYTHING) + "    class VerificationStrategy:\n"
        "        verify_strategy = AnyOf(conditions=[FieldCheck(field='gene'), FieldCheck(field='anything')])\n",
        template("    gene: str = Field(description='The gene')\n    mutated: bool = Field(description='Is it?')\n")
        + "    def verify(self):\n        return True\n",
        template("    found: bool = Field(description='Is it?')\n")
        + "    def ground_truth(self):\n        self.correct = {'found': True}\n"
        + "    def verify(self):\n        return self.found is not None\n",
        template("    def ground_truth(self):\n        self.regex = {'any': {'pattern': '.*', 'expected': 0, "
                 "'match_type': 'contains'}}\n").replace("'expected': 0", "'expected': ''"),
    ],
)  # fmt: skip
def test_a_template_that_accepts_everything_is_found(source: str, playground: TemplatePlayground) -> None:
    assert cases_of(source, playground) == [AcceptsEverything()]
    assert "every field wrong" in mutation_sentence(AcceptsEverything())


def test_a_single_field_that_accepts_anything_is_named(playground: TemplatePlayground) -> None:
    (case,) = cases_of(template(TEXT, ANYTHING), playground)
    assert case == AcceptsWrongValues("anything", ("text", "empty text"))
    assert mutation_sentence(case) == "Accepts wrong values of anything: “another text” and “an empty text” pass."


def test_a_field_that_may_be_wrong_by_design_is_only_remarked(playground: TemplatePlayground) -> None:
    any_of = (
        "    class VerificationStrategy:\n        verify_strategy = AtLeastN(n=2, conditions=["
        "FieldCheck(field='gene'), FieldCheck(field='anything'), FieldCheck(field='other')])\n"
    )
    other = field("str", "'TP53'", "ExactMatch()", "other")
    assert cases_of(template(TEXT, ANYTHING, other) + any_of, playground) == [
        AcceptsWrongValues("anything", ("text", "empty text"), remark=True)
    ]
    light = field("str", "'BCL2'", "RegexMatch(pattern='.*')", "anything", weight=0)
    (case,) = cases_of(template(TEXT, light), playground)
    assert isinstance(case, AcceptsWrongValues) and case.remark
    assert "may be intended" in mutation_sentence(case)


def test_a_method_has_the_last_word(playground: TemplatePlayground) -> None:
    classic = template("    gene: str = Field(description='The gene')\n    year: int = Field(description='The year')\n")
    truth = "    def ground_truth(self):\n        self.correct = {'gene': 'BCL2', 'year': 1984}\n"
    both = "    def verify(self):\n        return self.gene == self.correct['gene'] and self.year == 1984\n"
    one = "    def verify(self):\n        return self.gene == self.correct['gene']\n"
    assert cases_of(classic + truth + both, playground) == []
    assert cases_of(classic + truth + one, playground) == [AcceptsWrongValues("year", ("high", "low"), remark=True)]
    strict = template(TEXT, ANYTHING) + "    def verify(self):\n        return self.gene == self.anything == 'BCL2'\n"
    assert cases_of(strict, playground) == []


def test_a_comparison_that_refuses_an_expected_value_without_part_in_it_is_found(
    playground: TemplatePlayground,
) -> None:
    (case,) = cases_of(template(field("str", "'BCL-2'", "RegexMatch(pattern='^bcl2$')")), playground)
    assert case == RefusesExpected(("value",))
    assert mutation_sentence(case).startswith("Rejects its own expected values")


def test_fields_of_the_trace_are_searched_in_the_reference_answer(playground: TemplatePlayground) -> None:
    cited = field("bool", "True", "TraceRegex(pattern=r'\\[\\d\\]')", "cited")
    assert cases_of(template(TEXT, cited), playground, "BCL2 [1]") == []
    assert cases_of(template(TEXT, cited), playground, "BCL2") == []
    assert cases_of(template(ANYTHING, cited), playground, "BCL2") == [
        AcceptsWrongValues("anything", ("text", "empty text"))
    ]
    assert cases_of(template(cited), playground, "BCL2") == []


def test_the_zoo_shows_what_is_wrong_with_it(shared: Path, playground: TemplatePlayground) -> None:
    file = json.loads((shared / "checkpoints/07_template_zoo.jsonld").read_text())
    found = {}
    for part in file["dataFeedElement"]:
        source = part["item"]["hasPart"]["text"]
        outline = playground.check(source, from_file=True)
        if outline.valid:
            found[part["item"]["text"][5:]] = mutation_cases(source, outline, playground)
    assert len(found) >= 6
    assert {name: cases for name, cases in found.items() if cases} == {
        # Their comparisons ignore an expected value that they would refuse.
        "all_primitives": [RefusesExpected(("ca", "cl", "r"))],
        # Its method compares the year alone.
        "classic_old": [AcceptsWrongValues("city", ("text", "empty text"), remark=True)],
    }


def test_a_value_that_does_not_fit_is_explained_among_others(playground: TemplatePlayground) -> None:
    source = template(field("int", "3", "NumericExact()"))
    answers = [AnswerToVerify(values={"value": value}) for value in (3, "several", None, 4)]
    verdicts = playground.try_answers(source, answers)
    assert [each.field_verification_result for each in verdicts] == [True, None, False, False]
    assert "value" in (verdicts[1].error or "")


def test_the_expected_values_are_tried_before_wrong_ones(playground: TemplatePlayground) -> None:
    """Code that is stopped by wrong values a few times in a row is not run on the rest."""
    source = template(TEXT, field("int", "3", "NumericExact()", "count"))
    plan = plan_mutations(playground.check(source))
    assert plan.answers[0].values == {"gene": "BCL2", "count": 3}
    assert plan.cases(playground.try_answers(source, plan.answers)) == []


STRATEGIES = (
    "",
    "AnyOf(conditions=[FieldCheck(field='value'), FieldCheck(field='again')])",
    "AtLeastN(n=2, conditions=[FieldCheck(field='value'), FieldCheck(field='again')])",
    "FieldCheck(field='absent')",
)


@pytest.mark.parametrize("name", COMPARISONS)
def test_brief_verdicts_decide_as_whole_ones(name: str, sandbox: Sandbox) -> None:
    plain = "from datetime import date\n" + template(*(field(*COMPARISONS[name], each) for each in ("value", "again")))
    right, *others = plan_mutations(sandbox.outline(plain)).answers
    # Some of another type, which a comparison may refuse with an error.
    strange = [right.model_copy(update={"values": {**(right.values or {}), "again": value}}) for value in (7, "7", [])]
    asked = [right, *others, *strange]
    explains = {"parsed", "ground_truth", "field_scores", "acceptance", "granular"}
    for strategy in STRATEGIES:
        source = plain + f"    class VerificationStrategy:\n        verify_strategy = {strategy}\n" * bool(strategy)
        whole = sandbox.verify(source, asked)
        brief = sandbox.verify(source, [each.model_copy(update={"brief": True}) for each in asked])
        for one, other in zip(brief, whole, strict=True):
            assert one.model_dump(exclude=explains) == other.model_dump(exclude=explains)
