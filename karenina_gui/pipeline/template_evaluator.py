"""A template made ready: its outline, and the way into the cell that runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import ParsedReply
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

    def check(self, data: dict[str, Any]) -> ParsedReply:
        """The template's own validation of a judge's reply.

        Errors: `SandboxError` when the cell was stopped, or the template's own code raised: what it says is for its
        author, and may name the ground truth, so it is no feedback for a judge.
        """
        reply = self.sandbox.validate(self.source, data, trust=self.trusted)
        if reply.fault is not None:
            raise SandboxError("; ".join(reply.errors) or f"The template was stopped ({reply.fault}).")
        return ParsedReply(values=reply.values, nulls=tuple(reply.nulls), errors=tuple(reply.errors))

    def verify(self, answer: ParsedAnswer, trace: str) -> TemplateVerdict:
        item = AnswerToVerify(values=answer.values, nulls=list(answer.nulls), trace=trace)
        return self.sandbox.verify(self.source, [item], trust=self.trusted)[0]


@dataclass(frozen=True)
class TemplateEvaluator:
    """A template and the judge that fills it."""

    template: PreparedTemplate
    judge: Judge

    def parse(self, messages: tuple[Message, ...]) -> ParsedReply:
        """Errors: those of `ParserPort.parse_to_pydantic`, and of `PreparedTemplate.check`."""
        return self.judge.parse("parsing", messages, self.template).reply
