"""Every beginning of a template is one that works."""

from __future__ import annotations

import re

import pytest

from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.gui.pages.templates.outline_view import expected_value
from karenina_gui.gui.pages.templates.starters import BY_TITLE, STARTERS, Starter, starter_for
from karenina_gui.gui.pages.templates.try_fields import fields_of, value_of
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.schemas.template_placeholders import NAME, OPEN, OPTIONS

ANSWERS = [
    "400 mg once a day",
    "",
    'No: it is "rare" (see 2001-05-10)',
    "isoniazid, rifampicin and ethambutol",
    "1,500.5",
    "By the kidneys, almost entirely unchanged, by glomerular filtration",
]


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.title)
@pytest.mark.parametrize("answer", ANSWERS)
def test_all_that_a_beginning_lacks_is_what_its_author_has_to_fill_in(
    starter: Starter, answer: str, sandbox: Sandbox
) -> None:
    source = starter.write(answer)
    problems = sandbox.outline(source).problems
    assert [problem for problem in problems if "“…”" not in problem.message] == []
    assert bool(problems) == ("…" in source)


@pytest.mark.parametrize("title", ["Number", "List", "Date", "Text", "Pattern only", "Custom code"])
def test_a_beginning_without_its_expected_value_cannot_be_used_yet(title: str, sandbox: Sandbox) -> None:
    (starter,) = [each for each in STARTERS if each.title == title]
    outline = sandbox.outline(starter.write(""))
    assert not outline.valid
    assert outline.first_error is not None
    assert "not entered yet" in outline.first_error.message


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.title)
def test_what_is_right_passes_and_nothing_does_not(starter: Starter, sandbox: Sandbox) -> None:
    answer = {"Number": "2001", "Date": "2001-05-10"}.get(starter.title, "rifampicin")
    source = starter.write(answer).replace(repr(OPEN), repr("first")).replace(OPTIONS[0], "first")
    source = source.replace(OPEN, "the drug")
    outline = sandbox.outline(source)
    playground = TemplatePlayground(sandbox)
    right = {field.name: value_of(field, field.expected) for field in fields_of(outline)}
    values = right if outline.needs_judge else None
    assert playground.try_answer(source, f"It is {answer}.", values).passed is True
    wrong = dict.fromkeys(right) if outline.needs_judge else None
    assert not playground.try_answer(source, "No idea.", wrong).passed


def test_the_reference_answer_is_filled_in_where_it_fits(sandbox: Sandbox) -> None:
    by_title = {starter.title: starter for starter in STARTERS}

    def truth(title: str, answer: str) -> object:
        outline = sandbox.outline(by_title[title].write(answer))
        return expected_value(outline, outline.fields[0])

    assert truth("Number", "350 mg (0.5 L/kg x 70 kg)") == 350
    assert truth("Number", "about 1,500.5 m") == 1500.5
    assert truth("Number", "3,50 mg") == 3.5
    assert truth("Number", "1.234,5 mg") == 1234.5
    assert truth("Number", "about 12 000,5 m") == 12000.5
    assert truth("Number", "1.234.567") == 1234567
    assert truth("Yes or no", "No, it does not.") is False
    for answer in ("Nein", "Nein, verjährt nicht.", "non", "Não."):
        assert truth("Yes or no", answer) is False
        assert starter_for(answer) is BY_TITLE["Yes or no"]
    assert starter_for("Ja.") is BY_TITLE["Yes or no"]
    for both in ("Ja,\nnein", "Yes, no", "yes / no"):
        assert starter_for(both) is not BY_TITLE["Yes or no"]
        assert "ground_truth='…'" in BY_TITLE["Yes or no"].write(both)
    assert starter_for("Non-small cell lung cancer") is BY_TITLE["Text"]
    assert truth("Text", "HMG-CoA reductase (an enzyme)") == "HMG-CoA reductase"
    assert truth("List", "Isoniazid, rifampicin and ethambutol.") == ["isoniazid", "rifampicin", "ethambutol"]
    assert truth("List", "A, D, E and K") == ["a", "d", "e", "k"]
    assert truth("List", "5-HT2A; 5-HT2C, weakly; 5-HT6") == ["5-ht2a", "5-ht2c, weakly", "5-ht6"]
    assert truth("Date", "On 2001-05-10") == "2001-05-10"
    assert truth("Date", "5. März 2024.") == "2024-03-05"
    assert truth("Text", "E. coli") == "E. coli"
    assert truth("Text", "11.02.2021") == "11.02.2021"
    assert truth("Text", "Aspirin. It inhibits COX-1.") == "Aspirin"
    assert truth("List", "-40 C, -5 C") == ["-40 c", "-5 c"]
    assert truth("Yes or no", "Yes. It does not matter when.") is True


@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("Number", "1,234 cells"),
        ("Number", "3,5,1"),
        ("Date", "05.03.2024"),
        ("Number", "many"),
        ("Number", "10^6 cells"),
        ("Number", "1.5 x 10^6 cells"),
        ("Number", "10-20 mg"),
        ("Number", "1/2"),
        ("Number", "2 to 3 hours"),
        ("Yes or no", "Metformin is not broken down by the liver."),
        ("Yes or no", "None of them does."),
        ("Choice", "the second one"),
        ("Text", "By the kidneys, almost entirely unchanged, by glomerular filtration"),
        ("List", "Statins inhibit HMG-CoA reductase, the rate-limiting enzyme, and lower LDL."),
        ("List", "It depends on the dose, which is low."),
    ],
)
def test_what_a_reference_answer_does_not_clearly_say_is_left_open(title: str, answer: str) -> None:
    (starter,) = [each for each in STARTERS if each.title == title]
    assert re.search(r"ground_truth=\[?'…'", starter.write(answer))


def test_a_choice_whose_options_are_not_entered_cannot_be_used_yet(sandbox: Sandbox) -> None:
    (starter,) = [each for each in STARTERS if each.title == "Choice"]
    described = starter.write("").replace("Which of … and …", "Which of both").replace(repr(OPEN), '"neither"')
    outline = sandbox.outline(described)
    assert [problem.message for problem in outline.problems] == [
        "The choices of choice are not entered yet: write yours in place of those with “…”."
    ]
    assert not outline.valid


def test_a_pattern_of_one_letter_is_not_found_inside_words(sandbox: Sandbox) -> None:
    (starter,) = [each for each in STARTERS if each.title == "Pattern only"]
    source, playground = starter.write("K"), TemplatePlayground(sandbox)
    assert playground.try_answer(source, "Vitamin K does.", None).passed is True
    assert not playground.try_answer(source, "I think it is unknown.", None).passed


@pytest.mark.parametrize("count", ["74", "1969", "1,500", "-3", "46.", "1.234.567", "12 000"])
def test_a_count_or_a_year_has_to_be_exact(count: str) -> None:
    assert "NumericExact()" in BY_TITLE["Number"].write(count)


@pytest.mark.parametrize("measured", ["400 mg", "7.4", "about 20,000", "~20000", "5%", "1e6"])
def test_a_measured_value_has_a_tolerance(measured: str) -> None:
    assert "NumericTolerance(tolerance=0.05" in BY_TITLE["Number"].write(measured)


@pytest.mark.parametrize("description", [f"{NAME}the element", f"Only this: {NAME}", NAME])
def test_a_sentence_that_was_typed_around_is_not_finished_yet(description: str, sandbox: Sandbox) -> None:
    source = BY_TITLE["Text"].write("tungsten").replace(repr(NAME), repr(description))
    assert "is not finished" in str(sandbox.outline(source).first_error)


def test_a_finished_sentence_may_be_followed_by_an_open_list(sandbox: Sandbox) -> None:
    description = f"{NAME.replace(OPEN, 'the element')} Such as iron, gold, {OPEN}"
    assert sandbox.outline(BY_TITLE["Text"].write("tungsten").replace(repr(NAME), repr(description))).valid


def test_only_a_measured_number_is_asked_for_with_its_unit() -> None:
    assert "in …" in BY_TITLE["Number"].write("400 mg")
    assert "in …" not in BY_TITLE["Number"].write("4")


def test_a_field_without_a_judge_lacks_a_note_by_the_name_of_the_form(sandbox: Sandbox) -> None:
    source = f"""class Answer(BaseAnswer):
    named: bool = VerifiedField(
        description="{NAME}", ground_truth=True, verify_with=TraceContains(substring="tungsten")
    )
"""
    assert sandbox.outline(source).first_error == TemplateProblem(
        message="“Description” of named is not finished: write a note for readers instead of each “…”.",
        line=2,
        unfinished=True,
    )
