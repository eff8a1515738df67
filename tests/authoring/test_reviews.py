"""Reviews of questions: the checklist, who may finish, returns, and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.review import waits_for
from karenina_gui.schemas.sample_answer import SampleAnswer, with_samples
from tests.template_texts import NUMBER

OPEN_PLACE = (
    NUMBER + '    name: str = VerifiedField(description="The name of ….", ground_truth="…", verify_with=ExactMatch())\n'
)
LENIENT = NUMBER + "\n    def verify(self) -> bool:\n        return True\n"


class Reviewed:
    """A benchmark with one question of Ada's."""

    def __init__(self, editor: BenchmarkEditor) -> None:
        self.editor, self.reviews = editor, editor.reviews
        self.benchmark = editor.create_benchmark("Reviewed")
        opened = editor.add_question(self.benchmark, "What is 6 x 7?", "42", author={"name": "Ada"})
        self.number = opened.summary.number

    @property
    def row(self) -> QuestionSummary:
        return self.editor.library.questions.summary(self.benchmark, self.number)

    def edit(self, **changes: object) -> None:
        self.editor.edit(self.benchmark, self.number, changes)

    def missing(self) -> list[str]:
        return self.editor.obstacles(self.benchmark, self.number)

    def advice(self) -> list[str]:
        items = self.reviews.checklist(self.benchmark, self.number)
        return [item.text for item in items if item.state == "advice"]


@pytest.fixture
def reviewed(editor: BenchmarkEditor) -> Reviewed:
    return Reviewed(editor)


def test_the_checklist_names_what_is_missing(reviewed: Reviewed) -> None:
    assert reviewed.missing() == [
        "No answer template. Choose a starter on the tab Template; until then, only the rubric can be evaluated."
    ]
    reviewed.edit(answer_template="class Answer(")
    assert reviewed.missing() == ["The answer template has an error."]
    reviewed.edit(answer_template=OPEN_PLACE)
    assert reviewed.missing() == ["The answer template is not finished."]
    reviewed.edit(answer_template=OPEN_PLACE.replace("NumericExact()", "NumericExact(of=1)"))
    assert reviewed.missing() == ["The answer template has an error."]
    reviewed.edit(answer_template=NUMBER, raw_answer=" ")
    assert reviewed.missing() == ["No reference answer."]
    assert reviewed.advice() == ["No sample answers test the template."]
    samples = [SampleAnswer(text="41", passes=True, values={"number": 41}), SampleAnswer(text="?")]
    reviewed.edit(raw_answer="42", custom_metadata=with_samples(None, samples))
    assert reviewed.missing() == ["1 sample answer with a wrong verdict."]
    reviewed.edit(custom_metadata=with_samples(None, samples[1:]))
    assert (reviewed.missing(), reviewed.advice()) == ([], ["1 sample answer not read yet."])
    reviewed.edit(answer_template=LENIENT)
    assert reviewed.advice() == ["1 sample answer not read yet.", "The template accepts wrong values."]


def test_a_reference_answer_without_the_expected_value_is_remarked(reviewed: Reviewed) -> None:
    reviewed.edit(answer_template=NUMBER, raw_answer="41")
    remark = "The reference answer doesn’t contain the expected value “42” of number."
    assert reviewed.advice() == [remark, "No sample answers test the template."]
    reviewed.edit(raw_answer="It is 42, as everybody knows.")
    assert remark not in reviewed.advice()


def test_a_workspace_has_to_be_there(reviewed: Reviewed, root: Path) -> None:
    reviewed.edit(answer_template=NUMBER, workspace_path="task_01")
    assert reviewed.missing() == ["No workspace root on this computer."]
    reviewed.editor.library.benchmarks.set_workspace_root(reviewed.benchmark, str(root))
    assert reviewed.missing() == []
    reviewed.edit(workspace_path="task_02")
    assert reviewed.missing() == ["The workspace folder “task_02” is missing."]


def test_a_finish_names_its_reviewer_until_the_mark_goes(reviewed: Reviewed) -> None:
    done = reviewed.reviews.finish(reviewed.benchmark, [reviewed.number], " Grace ")
    assert (done.changed, done.own) == (1, [])
    assert (reviewed.row.finished, reviewed.row.finished_by) == (True, "Grace")
    reviewed.editor.set_finished(reviewed.benchmark, [reviewed.number], False)
    assert (reviewed.row.finished, reviewed.row.finished_by) == (False, None)


def test_authors_cannot_finish_their_own_where_that_is_set(reviewed: Reviewed) -> None:
    own = reviewed.number
    other = reviewed.editor.add_question(reviewed.benchmark, "Another?", "x", author={"name": "Grace"}).summary.number
    reviewed.reviews.separate(reviewed.benchmark, True)
    with pytest.raises(InputError, match="Enter your name"):
        reviewed.reviews.finish(reviewed.benchmark, [own, other], "")
    done = reviewed.reviews.finish(reviewed.benchmark, [own, other], "ada ")
    assert (done.changed, [row.number for row in done.own]) == (1, [own])
    assert not reviewed.row.finished
    assert reviewed.reviews.finish(reviewed.benchmark, [own], "Grace").changed == 1
    reviewed.reviews.separate(reviewed.benchmark, False)
    reviewed.editor.set_finished(reviewed.benchmark, [own], False)
    assert reviewed.reviews.finish(reviewed.benchmark, [own], "Ada").changed == 1


def test_a_returned_question_waits_for_its_author_and_then_for_reviewers(reviewed: Reviewed) -> None:
    assert waits_for("Grace", reviewed.row)
    assert not waits_for("Ada", reviewed.row)
    reviewed.reviews.finish(reviewed.benchmark, [reviewed.number], "Grace")
    assert not waits_for("Grace", reviewed.row)
    with pytest.raises(InputError, match="Say what the author should change"):
        reviewed.reviews.return_to_author(reviewed.benchmark, reviewed.number, "Grace", "  ")
    reviewed.reviews.return_to_author(reviewed.benchmark, reviewed.number, "Grace", "Which unit?")
    assert not reviewed.row.finished
    assert (waits_for("Ada", reviewed.row), waits_for("Grace", reviewed.row)) == (True, False)
    (comment,) = reviewed.editor.library.comments.of(reviewed.number)
    assert (comment.kind, comment.author, comment.text) == ("returned", "Grace", "Which unit?")
    reviewed.reviews.ask_again(reviewed.benchmark, reviewed.number)
    assert (waits_for("Ada", reviewed.row), waits_for("Grace", reviewed.row)) == (False, True)
    assert waits_for("", reviewed.row)


def test_comments_are_kept_with_their_part_until_they_are_done(reviewed: Reviewed) -> None:
    reviews, library, place = reviewed.reviews, reviewed.editor.library, (reviewed.benchmark, reviewed.number)
    with pytest.raises(InputError, match="Write a comment"):
        reviews.comment(*place, "Grace", " ")
    with pytest.raises(InputError, match="at most 5,000"):
        reviews.comment(*place, "Grace", "x" * 5_001)
    reviews.comment(*place, "Grace", "Accept synonyms?", "field:number")
    reviews.comment(*place, "", "Nice.")
    first, second = library.comments.of(reviewed.number)
    assert (first.part, second.part, second.author) == ("field:number", None, "")
    assert "2 open comments." in reviewed.advice()
    reviews.set_done(reviewed.benchmark, first, True)
    assert "1 open comment." in reviewed.advice()
    reviews.delete_comment(reviewed.benchmark, second)
    with pytest.raises(NotFoundError, match="was deleted"):
        reviews.delete_comment(reviewed.benchmark, second)
    assert [each.done for each in library.comments.of(reviewed.number)] == [True]
    with pytest.raises(NotFoundError):
        library.comments.add(999, "Grace", "To nobody.")
