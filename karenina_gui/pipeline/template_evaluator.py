"""Validated template, and the judge that fills it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import ParsedReply, Purpose
from karenina_gui.errors import SandboxError
from karenina_gui.judging.judge import Judge
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.template import AnswerToVerify, TemplateOutline, TemplateVerdict


@dataclass(frozen=True)
class ParsedAnswer:
    """Fields extracted by the judge. `nulls`: names of fields it left null. Empty if no judge is needed."""

    values: dict[str, Any] | None = None
    nulls: tuple[str, ...] = ()
    verdict: TemplateVerdict | None = None
    """Verdict returned together with the fields; None: not computed yet."""


@dataclass(frozen=True)
class PreparedTemplate:
    """Template source and outline. The source never runs in this process, only in a sandbox cell."""

    source: str
    outline: TemplateOutline
    sandbox: Sandbox = field(repr=False)
    trusted: bool = False

    @property
    def json_schema(self) -> dict[str, Any]:
        return self.outline.sent_schema

    def verify(self, answer: ParsedAnswer, trace: str) -> TemplateVerdict:
        """Verdict returned with the fields, which was computed on the same trace, or else computed now."""
        if answer.verdict is not None:
            return answer.verdict
        item = AnswerToVerify(values=answer.values, nulls=list(answer.nulls), trace=trace)
        return self.sandbox.verify(self.source, [item], trust=self.trusted)[0]


@dataclass
class ReplyChecker:
    """Checks a judge's replies for one answer, and caches the verdict of each."""

    template: PreparedTemplate
    trace: str
    _checked: list[tuple[ParsedReply, TemplateVerdict | None]] = field(default_factory=list, init=False)

    @property
    def json_schema(self) -> dict[str, Any]:
        return self.template.json_schema

    def check(self, data: dict[str, Any]) -> ParsedReply:
        """Validate a judge's reply by the template.

        Raises `SandboxError` if the cell was stopped or the template's own code raised an error. That message is for
        the template's author and may contain the ground truth, so the judge does not get it as feedback.
        """
        template = self.template
        reply = template.sandbox.validate(template.source, data, trace=self.trace, trust=template.trusted)
        if reply.fault is not None:
            raise SandboxError("; ".join(reply.errors) or f"The template was stopped ({reply.fault}).")
        parsed = ParsedReply(values=reply.values, nulls=tuple(reply.nulls), errors=tuple(reply.errors))
        self._checked.append((parsed, reply.verdict))
        return parsed

    def answer(self, reply: ParsedReply) -> ParsedAnswer:
        """Parsed answer of the accepted reply, which is not necessarily the last one checked."""
        verdict = next((verdict for parsed, verdict in self._checked if parsed is reply), None)
        return ParsedAnswer(reply.values, reply.nulls, verdict)


@dataclass(frozen=True)
class TemplateEvaluator:
    """Template, judge and trace of one answer."""

    template: PreparedTemplate
    judge: Judge
    trace: str = field(repr=False)

    def parse(self, messages: tuple[Message, ...], purpose: Purpose = "parsing") -> ParsedAnswer:
        """Let the judge fill the template. Raises errors of `ParserPort.parse_to_pydantic` and `ReplyChecker.check`."""
        checker = ReplyChecker(self.template, self.trace)
        return checker.answer(self.judge.parse(purpose, messages, checker).reply)
