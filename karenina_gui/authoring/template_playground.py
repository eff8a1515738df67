"""Place to try a template before it judges anybody.

It is checked as it is typed, and run on the author's own answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.template import AnswerToVerify, TemplateOutline, TemplateVerdict
from karenina_gui.text.thoughts import split_thought


class TemplatePlayground:
    """Runs templates in the sandbox only; everything wrong with one is a value, with a message for its author."""

    def __init__(self, sandbox: Sandbox, trusted: Callable[[], bool] = lambda: False) -> None:
        """`trusted` says if their code may run on a computer that has no lock for it."""
        self._sandbox = sandbox
        self._trusted = trusted

    def check(self, source: str, *, from_file: bool = False) -> TemplateOutline:
        """The outline of the template, with its problems by line.

        `from_file`: the template is unchanged since it was read from a file, so everything that upstream ignores is
        only a warning.
        """
        outline = self._sandbox.outline(source, trust=self._trusted())
        if from_file or not any(problem.refused_here for problem in outline.problems):
            return outline
        problems = [
            problem.model_copy(update={"severity": "error"}) if problem.refused_here else problem
            for problem in outline.problems
        ]
        return outline.model_copy(update={"problems": problems, "valid": False})

    def try_answer(self, source: str, trace: str, values: dict[str, Any] | None = None) -> TemplateVerdict:
        """The verdict on an answer.

        `trace` is the answer's text, `values` the fields as a judge would extract them (None: the template asks no
        judge). Values are converted and refused by the template's own fields, as a judge's are.
        """
        # As in a run, where a thought before the answer is not judged.
        (verdict,) = self.try_answers(source, [AnswerToVerify(values=values, trace=split_thought(trace)[1])])
        return verdict

    def try_answers(self, source: str, answers: Sequence[AnswerToVerify]) -> list[TemplateVerdict]:
        """Verdicts on several answers in one request, in order; see `try_answer`."""
        verdicts = self._sandbox.verify(source, answers, trust=self._trusted())
        return [self._explain(source, *tested) for tested in zip(answers, verdicts, strict=True)]

    def _explain(self, source: str, answer: AnswerToVerify, verdict: TemplateVerdict) -> TemplateVerdict:
        """The same verdict, unless the values did not fit: then what a judge would be answered."""
        if verdict.error is None or verdict.fault is not None or answer.values is None:
            return verdict
        trust = self._trusted()
        reply = self._sandbox.validate(source, answer.values, trust=trust)
        if not reply.ok:
            return TemplateVerdict(error=" ".join(reply.errors), fault=reply.fault)
        checked = answer.model_copy(update={"values": reply.values, "nulls": reply.nulls})
        return self._sandbox.verify(source, [checked], trust=trust)[0]
