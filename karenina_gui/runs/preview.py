"""Preview of the requests for one question: the real pipeline with models that only record their prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import (
    AgentConfig,
    AgentResult,
    LLMRequest,
    LLMResponse,
    ParsePortResult,
    ParseTarget,
    Purpose,
)
from karenina_gui.adapters.run_ports import is_agent_runtime, runs_agents, uses_agent
from karenina_gui.pipeline.verify_job import PipelineTools, VerificationTask, verify
from karenina_gui.pipeline.workspaces import JobWorkspaces
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import StageRecord
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool

NO = {"abstention_detected"}
"""Boolean fields that a simulated judge answers with False, so that the following stage runs too."""


@dataclass(frozen=True)
class Sent:
    """A request before its adapter converts it to the provider's format."""

    purpose: Purpose
    model: str
    messages: tuple[Message, ...]
    json_schema: dict[str, Any] | None = None
    """Response schema; None: free text."""
    tools: tuple[str, ...] = ()
    """Names of tools and MCP servers that the model may use."""


@dataclass(frozen=True)
class Preview:
    requests: tuple[Sent, ...]
    stages: tuple[StageRecord, ...]
    """Record of each stage, with the reason why it made no call."""
    error: str | None = None
    """Reason why later requests cannot be shown, such as a broken template; None: the list is complete."""


def preview(task: VerificationTask, sandbox: Sandbox, answer: str, *, embeds: bool = False) -> Preview:
    """Requests that the task would send. No model is called and no search is made.

    `answer`: placeholder for the answer. Judge replies are generated from their response schemas. `embeds`: the
    embedding check runs after a failed field check and finds the values similar, so that the judge's request is shown.
    """
    notes, config = _RecordingPorts(answer), task.config
    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands)
    workspaces = JobWorkspaces(box)  # provides the names of tools; no workspace is created
    world = PipelineTools(
        notes,
        sandbox,
        _search,
        _EqualEmbedder() if embeds else None,
        answering_tools=workspaces.tools,
        own_tools=workspaces.own_tools,
        judging_view=lambda folder: nullcontext(workspaces.view_without_copy(folder)),
    )
    result, _ = verify(task, world)
    return Preview(tuple(notes.sent), tuple(result.stages), result.error)


SEARCH_RESULTS = "(Search results go here.)"


def _search(queries: list[str]) -> list[str]:
    return [SEARCH_RESULTS] * len(queries)


class _EqualEmbedder:
    """`Embedder` that finds all texts equal."""

    name = "none"

    def similarity(self, one: str, other: str) -> float:
        return 1.0


@dataclass
class _RecordingPorts:
    """`Ports` whose models record their requests and reply with placeholders."""

    answer: str
    sent: list[Sent] = field(default_factory=list)

    def llm(self, model: ModelConfig) -> _RecordingModel:
        return _RecordingModel(self, model)

    def parser(self, model: ModelConfig) -> _RecordingModel:
        return _RecordingModel(self, model)

    def agent(self, model: ModelConfig) -> _RecordingModel:
        return _RecordingModel(self, model)

    def uses_agent(self, model: ModelConfig) -> bool:
        return uses_agent(model)

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        return is_agent_runtime(model)

    def runs_agents(self, model: ModelConfig) -> bool:
        return runs_agents(model)

    def recording_label(self, model: ModelConfig) -> str | None:
        return None


@dataclass(frozen=True)
class _RecordingModel:
    notes: _RecordingPorts
    model: ModelConfig

    def invoke(self, request: LLMRequest) -> LLMResponse:
        self._record(request.purpose, request.messages, request.json_schema)
        if request.json_schema is None:
            return LLMResponse(self.notes.answer)
        data = fitting(request.json_schema, self.notes.answer)
        return LLMResponse(json.dumps(data), data)

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult:
        self._record(request.purpose, request.messages, target.json_schema)
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
        self._record(config.purpose, tuple(messages), None, (*(tool.spec.name for tool in tools), *own, *mcp_servers))
        return AgentResult(self.notes.answer, (Message.of("assistant", self.notes.answer),))

    def _record(
        self,
        purpose: Purpose,
        messages: tuple[Message, ...],
        schema: dict[str, Any] | None,
        tools: tuple[str, ...] = (),
    ) -> None:
        self.notes.sent.append(Sent(purpose, self.model.id or str(self.model.model_name), messages, schema, tools))


def fitting(schema: dict[str, Any], text: str) -> Any:
    """Simplest value that fits a JSON Schema. Strings are `text`, so that quotes are found in the answer."""
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
    return _value_of_type(kind[0] if isinstance(kind, list) else kind, schema, text, definitions)


def _value_of_type(kind: str, schema: dict[str, Any], text: str, definitions: dict[str, Any]) -> Any:
    match kind:
        case "object":
            fields = schema.get("properties") or {}
            return {name: _field_value(name, field, text, definitions) for name, field in fields.items()}
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


def _field_value(name: str, schema: dict[str, Any], text: str, definitions: dict[str, Any]) -> Any:
    return name not in NO if schema.get("type") == "boolean" else _value(schema, text, definitions)
