"""A template made ready: its outline, and the way into the cell that runs it."""

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
    """Fields as the judge read them; `nulls` are those it left null. Empty for templates that need no judge."""

    values: dict[str, Any] | None = None
    nulls: tuple[str, ...] = ()
    verdict: TemplateVerdict | None = None
    """Verdict of the template, if it was returned together with the fields; None: not asked for yet."""


@dataclass(frozen=True)
class PreparedTemplate:
    """Author-written code that never runs here: every question to it goes into a sandbox cell."""

    source: str
    outline: TemplateOutline
    sandbox: Sandbox = field(repr=False)
    trusted: bool = False

    @property
    def json_schema(self) -> dict[str, Any]:
        return self.outline.sent_schema

    def verify(self, answer: ParsedAnswer, trace: str) -> TemplateVerdict:
        """The verdict that came along with the fields, which was on the same trace, or else the template's now."""
        if answer.verdict is not None:
            return answer.verdict
        item = AnswerToVerify(values=answer.values, nulls=list(answer.nulls), trace=trace)
        return self.sandbox.verify(self.source, [item], trust=self.trusted)[0]


@dataclass
class ReplyChecker:
    """Checks a judge's replies for one answer, and keeps the verdict of each."""

    template: PreparedTemplate
    trace: str
    _checked: list[tuple[ParsedReply, TemplateVerdict | None]] = field(default_factory=list, init=False)

    @property
    def json_schema(self) -> dict[str, Any]:
        return self.template.json_schema

    def check(self, data: dict[str, Any]) -> ParsedReply:
        """The template's own validation of a judge's reply.

        Errors: `SandboxError` when the cell was stopped, or the template's own code raised: what it says is for its
        author, and may name the ground truth, so it is no feedback for a judge.
        """
        template = self.template
        reply = template.sandbox.validate(template.source, data, trace=self.trace, trust=template.trusted)
        if reply.fault is not None:
            raise SandboxError("; ".join(reply.errors) or f"The template was stopped ({reply.fault}).")
        parsed = ParsedReply(values=reply.values, nulls=tuple(reply.nulls), errors=tuple(reply.errors))
        self._checked.append((parsed, reply.verdict))
        return parsed

    def answer(self, reply: ParsedReply) -> ParsedAnswer:
        """The parsed answer for the accepted reply, which is not always the last one checked."""
        verdict = next((verdict for parsed, verdict in self._checked if parsed is reply), None)
        return ParsedAnswer(reply.values, reply.nulls, verdict)


@dataclass(frozen=True)
class TemplateEvaluator:
    """A template, the judge that fills it, and the answer's trace."""

    template: PreparedTemplate
    judge: Judge
    trace: str = field(repr=False)

    def parse(self, messages: tuple[Message, ...], purpose: Purpose = "parsing") -> ParsedAnswer:
        """Errors: those of `ParserPort.parse_to_pydantic`, and of `ReplyChecker.check`."""
        checker = ReplyChecker(self.template, self.trace)
        return checker.answer(self.judge.parse(purpose, messages, checker).reply)
