"""Checklist of a question: everything that should hold before it is finished, from what is known about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from karenina_gui.authoring.expected_parts import ExpectedPart, expected_parts, missing_remarks
from karenina_gui.authoring.leaks import leak_sentence, leaks, line_of_field
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.review import CheckItem
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem
from karenina_gui.text import quantity


@dataclass(frozen=True, slots=True)
class CheckedTemplate:
    """Problems of a template. An outline has more, but is too large to be kept for every question."""

    problems: tuple[TemplateProblem, ...] = ()
    """Errors and warnings of the check, then places that give the answer away."""
    valid: bool = True
    expected: tuple[ExpectedPart, ...] = ()
    """Texts and numbers that the reference answer should contain."""

    @classmethod
    def of(cls, source: str, outline: TemplateOutline) -> Self:
        problems = list(outline.problems)
        if outline.valid:
            for leak in leaks(outline):
                line = line_of_field(leak.field, source)
                problems.append(TemplateProblem(message=leak_sentence(leak), severity="warning", line=line))
        return cls(tuple(problems), outline.valid, expected_parts(outline) if outline.valid else ())

    @property
    def first_error(self) -> TemplateProblem | None:
        return next((problem for problem in self.problems if problem.severity == "error"), None)

    @property
    def unfinished(self) -> bool:
        """True if placeholders of a starter are its only errors."""
        return all(problem.unfinished for problem in self.problems if problem.severity == "error")


def checklist(
    question: Question,
    summary: QuestionSummary,
    template: CheckedTemplate | None,
    *,
    root: Path | None,
    open_comments: int,
) -> list[CheckItem]:
    """Items of a question in the order of its tabs.

    `summary`: with the results of the template's tests. `template` None: it has none. `root`: of the workspaces.
    """
    return [
        _text_item(question),
        *_answer_items(question, template),
        *_template_items(template),
        *_test_items(summary, template),
        *_workspace_items(question, root),
        *_comment_items(open_comments),
    ]


def _text_item(question: Question) -> CheckItem:
    if question.id:
        return CheckItem("done", "Question text.", "question")
    lacks = "No question text." if not question.question.strip() else "An unedited copy: edit the text, or set an ID."
    return CheckItem("missing", lacks, "question", "question")


def _answer_items(question: Question, template: CheckedTemplate | None) -> Iterator[CheckItem]:
    if not question.raw_answer.strip():
        yield CheckItem("missing", "No reference answer.", "question", "raw_answer")
        return
    yield CheckItem("done", "Reference answer.", "question")
    for remark in missing_remarks(template.expected if template else (), question.raw_answer):
        yield CheckItem("advice", remark, "question", "raw_answer", minor=True)


def _template_items(template: CheckedTemplate | None) -> Iterator[CheckItem]:
    if template is None:
        text = "No answer template. Choose a starter on the tab Template; until then, only the rubric can be evaluated."
        yield CheckItem("missing", text, "template")
        return
    if problem := template.first_error:
        text = "The answer template is not finished." if template.unfinished else "The answer template has an error."
        yield CheckItem("missing", text, "template", _line(problem), problem.message)
        return
    yield CheckItem("done", "Answer template without errors.", "template")
    for problem in template.problems:
        yield CheckItem("advice", problem.message, "template", _line(problem))


def _line(problem: TemplateProblem) -> str:
    return "" if problem.line is None else f"line:{problem.line}"


def _test_items(summary: QuestionSummary, template: CheckedTemplate | None) -> list[CheckItem]:
    if template is None or not template.valid:
        return []
    mutation = {
        "accepts_wrong": CheckItem("advice", "The template accepts wrong values.", "template"),
        "refuses_expected": CheckItem("missing", "The template rejects its own expected values.", "template"),
    }.get(summary.mutation or "")
    return [_sample_item(summary), mutation or CheckItem("done", "The template rejects wrong values.", "template")]


def _sample_item(summary: QuestionSummary) -> CheckItem:
    if summary.samples_wrong:
        wrong = f"{quantity(summary.samples_wrong, 'sample answer')} with a wrong verdict."
        return CheckItem("missing", wrong, "template", "samples")
    if summary.samples_unread:
        unread = f"{quantity(summary.samples_unread, 'sample answer')} not read yet."
        return CheckItem("advice", unread, "template", "samples", minor=True)
    if summary.samples:
        return CheckItem("done", f"{quantity(summary.samples, 'sample answer')} as expected.", "template", "samples")
    return CheckItem("advice", "No sample answers test the template.", "template", "samples", minor=True)


def _workspace_items(question: Question, root: Path | None) -> list[CheckItem]:
    if not question.workspace_path:
        return []
    if root is None:
        return [CheckItem("missing", "No workspace root on this computer.", "workspace")]
    if not (root / question.workspace_path).is_dir():
        return [CheckItem("missing", f"The workspace folder “{question.workspace_path}” is missing.", "workspace")]
    return [CheckItem("done", "Workspace is there.", "workspace")]


def _comment_items(open_comments: int) -> list[CheckItem]:
    if not open_comments:
        return []
    return [CheckItem("advice", f"{quantity(open_comments, 'open comment')}.", "review", minor=True)]
