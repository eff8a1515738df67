"""What exactly a run would send for a question: the pipeline itself, with models that only note what they are asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from karenina_gui.adapters.bound import is_agent_runtime, runs_agents, uses_agent
from karenina_gui.adapters.ports import (
    AgentConfig,
    AgentResult,
    LLMRequest,
    LLMResponse,
    ParsePortResult,
    ParseTarget,
    Purpose,
)
from karenina_gui.pipeline.verification import PipelineTools, VerificationTask, verify
from karenina_gui.pipeline.workspaces import Workspaces
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.config import ModelConfig, ToolServer
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import StageRecord
from karenina_gui.schemas.tools import Tool

NO = {"abstention_detected"}
"""What a judge says no to, so that the next step is asked for as well."""


@dataclass(frozen=True)
class Sent:
    """One request, as every interface gets it; how it goes over the wire is the interface's own matter."""

    purpose: Purpose
    model: str
    messages: tuple[Message, ...]
    json_schema: dict[str, Any] | None = None
    """The form that the reply must have; None: free text."""
    tools: tuple[str, ...] = ()
    """What the model may use: tools by name, and tool servers."""


@dataclass(frozen=True)
class Preview:
    requests: tuple[Sent, ...]
    stages: tuple[StageRecord, ...]
    """What each stage did; those that asked nobody say why."""
    error: str | None = None
    """Why no further request can be shown, as a template that cannot be used; None: these are all."""


def preview(task: VerificationTask, sandbox: Sandbox, answer: str, *, embeds: bool = False) -> Preview:
    """No model is called and nothing is searched for. `answer` stands in for what the answering model would say.

    A judge's reply is made up to fit its form; what a later step quotes from it is a stand-in as well. `embeds`:
    meanings are compared after a failed field check; they count as alike, so that the judge's request is shown.
    """
    notes, config = _Notes(answer), task.config
    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands)
    workspaces = Workspaces(box)  # for the names of its tools: no workspace is made
    world = PipelineTools(
        notes,
        sandbox,
        _found,
        _Alike() if embeds else None,
        answering_tools=workspaces.tools,
        own_tools=workspaces.own_tools,
        judging_tools=workspaces.judging_tools,
    )
    # Nothing is started or sent here, so that what needs to be agreed to is shown as well.
    allowed = config.model_copy(update={"allow_programs": True})
    result, _ = verify(replace(task, config=allowed), world)
    return Preview(tuple(notes.sent), tuple(result.stages), result.error)


FOUND = "(Here stands what a search finds.)"


def _found(queries: list[str]) -> list[str]:
    return [FOUND] * len(queries)


class _Alike:
    """An `Embedder` to which everything is the same."""

    name = "none"

    def similarity(self, one: str, other: str) -> float:
        return 1.0


@dataclass
class _Notes:
    """`Ports` of models that are never reached."""

    answer: str
    sent: list[Sent] = field(default_factory=list)

    def llm(self, model: ModelConfig) -> _Noting:
        return _Noting(self, model)

    def parser(self, model: ModelConfig) -> _Noting:
        return _Noting(self, model)

    def agent(self, model: ModelConfig) -> _Noting:
        return _Noting(self, model)

    def uses_agent(self, model: ModelConfig) -> bool:
        return uses_agent(model)

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        return is_agent_runtime(model)

    def runs_agents(self, model: ModelConfig) -> bool:
        return runs_agents(model)

    def recording_label(self, model: ModelConfig) -> str | None:
        return None


@dataclass(frozen=True)
class _Noting:
    notes: _Notes
    model: ModelConfig

    def invoke(self, request: LLMRequest) -> LLMResponse:
        self._note(request.purpose, request.messages, request.json_schema)
        if request.json_schema is None:
            return LLMResponse(self.notes.answer)
        data = fitting(request.json_schema, self.notes.answer)
        return LLMResponse(json.dumps(data), data)

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult:
        self._note(request.purpose, request.messages, target.json_schema)
        data = fitting(target.json_schema, self.notes.answer)
        return ParsePortResult(target.check(data), raw_response=json.dumps(data))

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        own = config.own_tools.names if config.own_tools else ()
        self._note(config.purpose, tuple(messages), None, (*(tool.spec.name for tool in tools), *own, *mcp_servers))
        return AgentResult(self.notes.answer, (Message.of("assistant", self.notes.answer),))

    def _note(
        self,
        purpose: Purpose,
        messages: tuple[Message, ...],
        schema: dict[str, Any] | None,
        tools: tuple[str, ...] = (),
    ) -> None:
        self.notes.sent.append(Sent(purpose, self.model.id or str(self.model.model_name), messages, schema, tools))


def fitting(schema: dict[str, Any], text: str) -> Any:
    """The plainest value that fits a JSON Schema; texts are `text`, so that what must be quoted from it is."""
    return _value(schema, text, schema.get("$defs") or {})


def _value(schema: dict[str, Any], text: str, definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _value(definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1], {}), text, definitions)
    for name in ("anyOf", "oneOf", "allOf"):
        if options := schema.get(name):
            return _value(options[0], text, definitions)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            fields = schema.get("properties") or {}
            return {name: name not in NO if _is_bool(each) else _value(each, text, definitions)
                    for name, each in fields.items()}  # fmt: skip
        case "array":
            return [_value(schema.get("items") or {}, text, definitions)]
        case "integer":
            return int(schema.get("minimum", 0))
        case "number":
            return float(schema.get("minimum", 0))
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return text


def _is_bool(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "boolean"
