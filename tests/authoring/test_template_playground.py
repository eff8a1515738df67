from __future__ import annotations

from pathlib import Path

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.formats.checkpoints.checkpoint import save_checkpoint
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.store.library import Library

VERIFIED = """class Answer(BaseAnswer):
    target: str = VerifiedField(description="The target", ground_truth="BCL2", verify_with=ExactMatch())
    count: int = VerifiedField(description="How many", ground_truth=3, verify_with=NumericExact())
"""
REGEX = r"""class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"cites": {"pattern": r"\[\d+\]", "expected": "[1]", "match_type": "contains"}}
"""


def test_a_checked_template_says_what_it_declares(editor: BenchmarkEditor) -> None:
    outline = editor.templates(0).check(VERIFIED)
    assert outline.valid
    assert [(field.name, field.ground_truth) for field in outline.fields] == [("target", "BCL2"), ("count", 3)]


def test_a_problem_is_at_its_line(editor: BenchmarkEditor) -> None:
    problem = editor.templates(0).check("class Answer(BaseAnswer):\n    x: int = nothing_of_this_name").first_error
    assert problem is not None
    assert problem.line == 2


def test_fields_are_judged_one_by_one(editor: BenchmarkEditor) -> None:
    verdict = editor.templates(0).try_answer(VERIFIED, "BCL2, four times", {"target": "BCL2", "count": 4})
    assert verdict.field_verification_result is False
    assert verdict.field_results == {"target": True, "count": False}


def test_a_value_that_does_not_fit_its_field_is_explained(editor: BenchmarkEditor) -> None:
    verdict = editor.templates(0).try_answer(VERIFIED, "", {"target": "BCL2", "count": "several"})
    assert verdict.field_verification_result is None
    assert "count" in (verdict.error or "")


def test_an_answer_alone_is_enough_where_no_judge_is_asked(editor: BenchmarkEditor) -> None:
    assert editor.templates(0).try_answer(REGEX, "As shown [1].").regex.success
    assert not editor.templates(0).try_answer(REGEX, "As shown.").regex.success


def test_an_endless_template_ends_with_a_message() -> None:
    endless = REGEX + "    def verify(self):\n        while True: pass\n"
    with Sandbox(slots=1, limits=Limits(wall_s=0.5)) as sandbox:
        verdict = TemplatePlayground(sandbox).try_answer(endless, "anything", {})
    assert (verdict.field_verification_result, verdict.fault) in [(None, "timeout"), (None, "cpu")]
    assert verdict.error


ODD_FLAG = """class Answer(BaseAnswer):
    gene: str = VerifiedField(
        description="The gene", ground_truth="bcl2", verify_with=RegexMatch(pattern="bcl2", flags=["LOUD", "I"])
    )
"""


def test_a_flag_that_nobody_knows_is_refused_here_and_passed_over_in_a_file(
    editor: BenchmarkEditor, library: Library, tmp_path: Path
) -> None:
    mine = editor.create_benchmark("Mine")
    question = editor.add_question(mine, "Which gene?", "bcl2")
    editor.edit(mine, question.summary.number, {"answer_template": ODD_FLAG})
    written = editor.check_question(mine, question.summary.number)
    assert written is not None and written.first_error is not None and not written.valid
    assert "'LOUD'" in written.first_error.message and "IGNORECASE" in written.first_error.message

    file = save_checkpoint(library.benchmarks.document(mine), tmp_path / "theirs.jsonld")
    theirs = editor.files.import_benchmark(file).benchmark_id
    number = editor.library.questions.number_of(theirs, question_fingerprint("Which gene?"))
    read = editor.check_question(theirs, number)
    assert read is not None and read.valid
    assert [problem.severity for problem in read.problems] == ["warning"]
    assert editor.templates(0).try_answer(ODD_FLAG, "BCL2", {"gene": "BCL2"}).field_verification_result
    assert not editor.check_template(theirs, number, ODD_FLAG.replace("bcl2", "BCL2")).valid
