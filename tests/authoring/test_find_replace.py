"""Find and replace: matches, reasons against them, and one command that replaces the chosen ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.find_replace import FindReplace
from karenina_gui.authoring.found_texts import REPLACE_PARTS, FoundTexts
from karenina_gui.errors import InputError
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.command import benchmark_scope, sentence
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.sample_answer import SampleAnswer, with_samples
from karenina_gui.schemas.text_edits import TextSearch
from tests.answered import answer
from tests.examples import examples
from tests.template_texts import NUMBER

TRAIT = {"name": "colour", "description": "Is the colour named?", "kind": "boolean"}


class Benchmark:
    """A benchmark with find and replace."""

    def __init__(self, editor: BenchmarkEditor) -> None:
        self.editor, self.service = editor, editor.replacements
        self.id = editor.create_benchmark("Replaced")

    def add(self, text: str, answer: str = "", **changes: Any) -> int:
        number = self.editor.add_question(self.id, text, answer).summary.number
        if changes:
            self.editor.edit(self.id, number, changes)
        return number

    def find(self, text: str, new: str = "", **options: Any) -> FoundTexts:
        return self.service.find(self.id, TextSearch(text=text, replacement=new, **options))

    def replace(self, text: str, new: str, **options: Any) -> list[str]:
        """Replace everything, and return why something stays."""
        found = self.find(text, new, **options)
        return self.service.replace(self.id, found, found.ids).refused

    def question(self, number: int) -> Any:
        return self.editor.library.questions.entry(self.id, number).question


@pytest.fixture
def hasty() -> Iterator[Sandbox]:
    """A sandbox that soon loses patience."""
    with Sandbox(limits=Limits(wall_s=0.5)) as sandbox:
        yield sandbox


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> Benchmark:
    return Benchmark(editor)


def test_text_is_found_in_every_part_and_replaced_as_one_command(benchmark: Benchmark) -> None:
    rubric = Rubric.model_validate({"llm_traits": [TRAIT]})
    benchmark.editor.edit_benchmark(benchmark.id, {"rubric": rubric})
    first = benchmark.add(
        "Which colour is it?",
        "The Colour is red.",
        answer_notes="Any colour word.",
        keywords=["colour", "optics"],
        answer_template=NUMBER.replace("The number.", "The colour."),
        question_rubric={"llm_traits": [{**TRAIT, "name": "tone"}]},
    )
    benchmark.add("Nothing here?")
    before = benchmark.question(first)
    found = benchmark.find("colour", "color")
    assert [(text.part, text.number) for text in found.texts] == [
        ("question_rubric", None),
        *((part, first) for part in REPLACE_PARTS),
    ]
    outcome = benchmark.service.replace(benchmark.id, found, found.ids)
    assert (outcome.matches, outcome.questions, outcome.benchmark, outcome.refused) == (7, [first], True, [])
    question = benchmark.question(first)
    assert (question.question, question.raw_answer) == ("Which color is it?", "The color is red.")
    assert (question.answer_notes, question.keywords) == ("Any color word.", ["color", "optics"])
    assert '"The color."' in question.answer_template
    assert question.question_rubric["llm_traits"][0]["description"] == "Is the color named?"
    own = benchmark.editor.library.benchmarks.frame(benchmark.id).rubric
    assert own is not None and own.llm_traits[0].description == "Is the color named?"
    undone = benchmark.editor.history.undo_last(benchmark_scope(benchmark.id), "")
    assert undone is not None and sentence(undone.command).startswith("Replaced text in ")
    assert benchmark.question(first).model_dump(exclude={"date_modified"}) == before.model_dump(
        exclude={"date_modified"}
    )
    own = benchmark.editor.library.benchmarks.frame(benchmark.id).rubric
    assert own is not None and own.llm_traits[0].description == TRAIT["description"]


def test_case_whole_words_and_groups(benchmark: Benchmark) -> None:
    benchmark.add("Cat, cat, concat, CAT?")
    assert benchmark.find("cat").count == 4
    assert benchmark.find("cat", match_case=True).count == 2
    assert benchmark.find("cat", whole_words=True).count == 3
    assert benchmark.find("c.t").count == 0
    found = benchmark.find(r"(\w)(?P<rest>at)\b", "${rest}$1$$$&", is_regex=True, match_case=True)
    assert [match.replaced for match in found.texts[0].matches] == ["atC$Cat", "atc$cat", "atc$cat"]
    assert benchmark.find("x*", is_regex=True).count == 0


def test_plain_text_is_replaced_by_plain_text(benchmark: Benchmark) -> None:
    number = benchmark.add("Costs (a+b)?")
    assert benchmark.replace("(a+b)", "$1\\1") == []
    assert benchmark.question(number).question == "Costs $1\\1?"


@pytest.mark.parametrize(
    ("text", "new", "message"),
    [
        (
            "(",
            "",
            "Invalid regular expression: the parenthesis opened at character 1 is never closed. Write \\ before",
        ),
        ("(a)", "$2", "The search has no group 2. Write $$ for a dollar sign."),
        ("(a)", "${b}", "The search has no group b. Write $$ for a dollar sign."),
    ],
)
def test_an_invalid_expression_is_named(benchmark: Benchmark, text: str, new: str, message: str) -> None:
    benchmark.add("A question?")
    with pytest.raises(InputError, match=re.escape(message)):
        benchmark.find(text, new, is_regex=True)


def test_an_expression_that_takes_too_long_is_stopped(editor: BenchmarkEditor, hasty: Sandbox) -> None:
    benchmark = Benchmark(editor)
    benchmark.add("a" * 60 + "!")
    search = TextSearch(text="(a+)+$", is_regex=True)
    with pytest.raises(InputError, match="The search was stopped after"):
        FindReplace(editor, hasty).find(benchmark.id, search)
    assert FindReplace(editor, hasty).find(benchmark.id, TextSearch(text="a+", is_regex=True)).count == 1


def test_only_chosen_matches_of_chosen_questions_are_replaced(benchmark: Benchmark) -> None:
    first, second = benchmark.add("one one?"), benchmark.add("one?")
    found = benchmark.service.find(benchmark.id, TextSearch(text="one", replacement="two"), numbers=[first])
    assert {text.number for text in found.texts} == {first}
    outcome = benchmark.service.replace(benchmark.id, found, [found.texts[0].matches[1].id])
    assert (outcome.matches, outcome.questions) == (1, [first])
    assert [benchmark.question(each).question for each in (first, second)] == ["one two?", "one?"]


def test_templates_that_would_break_have_a_reason_against_them(benchmark: Benchmark) -> None:
    broken = benchmark.add("First number?", answer_template=NUMBER)
    sample = SampleAnswer(text="42", passes=True, values={"number": 42})
    failing = benchmark.add("Second?", answer_template=NUMBER, custom_metadata=with_samples(None, [sample]))
    fine = benchmark.add("Third?", answer_template=NUMBER)

    def reasons(text: str, new: str) -> dict[int | None, str]:
        found = benchmark.find(text, new)
        given = benchmark.service.check_templates(benchmark.id, found)
        owners = {match.id: each.number for each in found.texts for match in each.matches}
        return {owners[match_id]: reason for match_id, reason in given.items()}

    assert reasons("42", "43") == {failing: "1 sample answer would have a wrong verdict."}
    assert reasons("NumericExact", "Nothing") == dict.fromkeys(
        (broken, failing, fine), "The template would have an error in line 2."
    )
    assert reasons("The number", "A number") == {}

    synonyms = "ExactMatch(normalize=['lowercase', SynonymMap(mapping={'by urine': 'renal'})])"
    route = benchmark.add(
        "Route?",
        answer_template=NUMBER.replace("NumericExact()", synonyms).replace("int", "str").replace("42", "'renal'"),
    )
    assert reasons("renal", "renal clearance") == {}
    assert reasons("renal", "Renal") == {
        route: "New warning: number: the accepted name “by urine” can’t match: it stands for “Renal”. "
        "Write “renal” instead."
    }


def test_two_questions_never_get_one_text(benchmark: Benchmark) -> None:
    first, second = benchmark.add("Is it red?"), benchmark.add("Is it blue?")
    found = benchmark.find("blue", "red")
    assert set(benchmark.service.check_texts(benchmark.id, found).values()) == {
        "Another question would have the same text."
    }
    outcome = benchmark.service.replace(benchmark.id, found, found.ids)
    assert outcome.questions == [] and outcome.matches == 0
    (refused,) = outcome.refused
    assert refused.startswith("Question 2: Question 1 (“Is it red?”) has the same text.")
    assert [benchmark.question(each).question for each in (first, second)] == ["Is it red?", "Is it blue?"]
    found = benchmark.find("Is it blue?", " ")
    assert set(benchmark.service.check_texts(benchmark.id, found).values()) == {"The question would be empty."}


def test_an_edited_text_keeps_the_id_that_results_refer_to(benchmark: Benchmark) -> None:
    answered, fresh = benchmark.add("Which colour?"), benchmark.add("What colour?")
    answer(benchmark.editor.library, benchmark.id, benchmark.question(answered).id)
    ids = [benchmark.question(number).id for number in (answered, fresh)]
    assert benchmark.replace("colour", "color") == []
    after = [benchmark.question(number).id for number in (answered, fresh)]
    assert after[0] == ids[0] and after[1] != ids[1]
    assert not benchmark.editor.question(benchmark.id, answered).undecided


def test_a_finished_question_needs_another_review_unless_only_notes_change(benchmark: Benchmark) -> None:
    first = benchmark.add("Which colour?", answer_notes="colour")
    second = benchmark.add("What?", answer_notes="colour")
    benchmark.editor.set_finished(benchmark.id, [first, second], True)
    found = benchmark.find("colour", "color")
    assert [text.number for text in found.reviewed_again(found.ids)] == [first]
    benchmark.service.replace(benchmark.id, found, found.ids)
    rows = benchmark.editor.library.questions.summaries(benchmark.id)
    assert [row.changed_since_review for row in rows] == [True, False]


def test_what_was_edited_or_deleted_meanwhile_stays(benchmark: Benchmark) -> None:
    first, second, third = (benchmark.add(f"{place} colour?") for place in ("First", "Second", "Third"))
    found = benchmark.find("colour", "color")
    benchmark.editor.edit(benchmark.id, first, {"question": "First colours?"})
    benchmark.editor.delete_questions(benchmark.id, [second])
    outcome = benchmark.service.replace(benchmark.id, found, found.ids)
    assert outcome.questions == [third]
    assert sorted(outcome.refused) == [
        "A question was deleted in the meantime.",
        "Question 1: It was edited in the meantime.",
    ]
    assert benchmark.question(first).question == "First colours?"


WORDS = st.text("ab $\\.", min_size=1, max_size=12)


@settings(max_examples=examples(15, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=WORDS, new=WORDS, answers=st.lists(WORDS, min_size=1, max_size=4), data=st.data())
def test_any_choice_is_what_a_replacement_by_hand_gives_and_undo_restores(
    benchmark: Benchmark, text: str, new: str, answers: list[str], data: st.DataObject
) -> None:
    benchmark.id = benchmark.editor.create_benchmark("Any")
    numbers = [benchmark.add(f"Question {place}?", answer) for place, answer in enumerate(answers)]
    search = TextSearch(text=text, replacement=new, match_case=True)
    found = benchmark.service.find(benchmark.id, search, ["raw_answer"])
    assert found.count == sum(answer.count(text) for answer in answers)
    chosen = data.draw(st.sets(st.sampled_from(sorted(found.ids)))) if found.count else set()
    expected = list(answers)
    for each in found.texts:
        at = numbers.index(each.number or 0)
        for match in reversed(each.matches):
            if match.id in chosen:
                expected[at] = expected[at][: match.start] + new + expected[at][match.end :]
    benchmark.service.replace(benchmark.id, found, chosen)
    assert [benchmark.question(number).raw_answer for number in numbers] == expected
    if expected != answers:
        benchmark.editor.history.undo_last(benchmark_scope(benchmark.id), "")
    assert [benchmark.question(number).raw_answer for number in numbers] == answers
