"""Jobs with judging agents: a scripted peer that investigates with real tools in a real folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentResult, CallUsage, LLMRequest, LLMResponse, Ports
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.judging.investigation import JudgingView
from karenina_gui.pipeline.context import PipelineTools, VerificationContext
from karenina_gui.pipeline.orchestrator import StageOrchestrator
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.verify_job import effective_mode
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message, TextBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.tools import ToolOutput, ToolSpec
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.pipeline.any_job import RETRIES
from tests.pipeline.scripted_peer import AgentRun, Peer

REFERENCE, TRUTH = "reference-secret", "Zyxin-secret"
ANSWER = "I have fixed calc.py, and all tests pass."
REPORT = "target: BCL2 (calc.py, line 1). tests: they pass (pytest: 3 passed)."
TEMPLATE = f"""
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein that calc.py names", ground_truth="{TRUTH}",
                                verify_with=ExactMatch(), extraction_hint="a gene symbol")
    tests: bool = VerifiedField(description="Whether the tests pass", ground_truth=True, verify_with=BooleanMatch())
"""
RIGHT = {"target": TRUTH, "tests": True}
"""Values that the judge extracts from a report, unless a test says otherwise."""


@dataclass(frozen=True)
class ReadFile:
    """Reads files of one folder."""

    folder: Path
    spec: ToolSpec = field(default_factory=lambda: ToolSpec("read_file", "The text of a file."))

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        path = self.folder / str(arguments["path"]).removeprefix("/workspace/")
        return ToolOutput(path.read_text()) if path.is_file() else ToolOutput("There is no such file.", True)


def reports(text: str = REPORT, path: str = "calc.py") -> Callable[[AgentRun], AgentResult]:
    """An agent that reads a file, if it has a tool for that, and reports."""

    def run(given: AgentRun) -> AgentResult:
        return AgentResult(text, (*looked(given, path), Message.of("assistant", text)), CallUsage(100, 10), turns=2)

    return run


def looked(given: AgentRun, path: str = "calc.py") -> tuple[Message, ...]:
    """One turn that reads a file; no turn without a tool."""
    if not given.tools:
        return ()
    found = given.tools[0].call({"path": path})
    use = ToolUseBlock(id="1", name="read_file", input={"path": path})
    return (
        Message(role="assistant", content=(TextBlock(text="I look for myself."), use)),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content=found.text, is_error=found.is_error),)),
    )


class Furnish(Stage):
    """Sets the job's folder, as the preceding stage does in a run with workspaces."""

    name = "Furnish"

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def execute(self, context: VerificationContext) -> None:
        context.workspace_path = self.folder


@dataclass(frozen=True)
class Overheard:
    """Ports that note which of them are opened, and for which model."""

    ports: Ports
    opened: list[tuple[str, str | None]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        port = getattr(self.ports, name)
        if not callable(port):
            return port

        def call(model: ModelConfig, *rest: Any) -> Any:
            self.opened.append((name, model.id))
            return port(model, *rest)

        return call


def overheard_by(heard: list[Overheard]) -> Callable[[VerificationContext], None]:
    """A change of a job before its first stage: all that opens ports is noted."""

    def overhear(context: VerificationContext) -> None:
        heard.append(Overheard(context.world.ports))
        context.tools = replace(context.world, ports=cast(Ports, heard[-1]))

    return overhear


@dataclass
class Played:
    result: VerificationResult
    context: VerificationContext
    runs: list[AgentRun]
    """Requests of investigations."""
    asked: list[LLMRequest]
    """Requests for single replies, including those to the answering model."""

    @property
    def problems(self) -> str:
        return "\n".join(self.result.metadata.warnings)

    @property
    def statuses(self) -> dict[str, str]:
        return {stage.name: stage.reason or stage.status for stage in self.result.stages}

    def of(self, purpose: str) -> list[LLMRequest]:
        return [request for request in self.asked if request.purpose == purpose]

    @property
    def sent(self) -> str:
        """Texts of all requests."""
        single = [m.text for request in self.asked for m in request.messages]
        forms = [json.dumps(request.json_schema) for request in self.asked]
        return "\n".join([*single, *forms, *(run.text for run in self.runs)])


@dataclass
class Stagehand:
    """Plays one job after the other."""

    peer: Peer
    adapters: AdapterFactory
    sandbox: Sandbox
    workspace: Path
    values: dict[str, Any] = field(default_factory=lambda: dict(RIGHT))
    answer: str = ANSWER

    def play(
        self, *, template: str | None = TEMPLATE, rubric: Rubric | None = None, judge: ModelConfig | None = None,
        agent: Callable[[AgentRun], AgentResult] | None = None, values: dict[str, Any] | None = None,
        reply: Callable[[LLMRequest], LLMResponse] | None = None, workspace: bool = True, no_judge: bool = False,
        answering: dict[str, Any] | None = None, judging: dict[str, Any] | None = None, change: Any = None,
        **settings: Any,
    ) -> Played:  # fmt: skip
        """`change` is called with the context before the first stage."""
        self.peer.asked, self.peer.runs = [], []
        self.peer.investigate = agent or reports()
        given = self.values | (values or {})
        self.peer.reply = lambda model, request: (reply or self._reply(given))(request)
        answerer = self.peer.config("answerer", **(answering or {}))
        chosen = None if no_judge else judge or self.peer.config("judge", **(judging or {}))
        config = VerificationConfig(
            answering_models=[answerer], parsing_models=[chosen] if chosen else [], retry_policy=RETRIES,
            **{"agentic_parsing": template is not None, **settings},
        )  # fmt: skip
        context = VerificationContext(
            question_id="q_xyz", template_id="t", question_text="Mend calc.py.", template_code=template or "",
            answering_model=answerer, parsing_model=chosen, config=config, raw_answer=REFERENCE, rubric=rubric,
            tools=PipelineTools(
                RunPorts(self.adapters, CallPolicy(retry=RETRIES)), self.sandbox,
                judging_view=lambda folder: nullcontext(JudgingView(folder, [ReadFile(folder)])),
            ),
        )  # fmt: skip
        if change is not None:
            change(context)
        orchestrator = StageOrchestrator.from_config(
            "rubric_only" if template is None else effective_mode(config.evaluation_mode, rubric), rubric,
            config.abstention_enabled, config.sufficiency_enabled, config.deep_judgment_enabled,
            config.agentic_parsing,
        )  # fmt: skip
        names = [stage.name for stage in orchestrator.stages]
        orchestrator.stages.insert(names.index("GenerateAnswer") + 1, Furnish(self.workspace if workspace else None))
        result = orchestrator.execute(context)
        assert VerificationResult.model_validate_json(result.model_dump_json()) == result
        return Played(result, context, self.peer.runs, self.peer.asked)

    def _reply(self, values: dict[str, Any]) -> Callable[[LLMRequest], LLMResponse]:
        def reply(request: LLMRequest) -> LLMResponse:
            if request.json_schema is None:
                return LLMResponse(self.answer, usage=CallUsage(5, 5))
            named = request.json_schema["properties"]
            data = {name: values[name] for name in named if name in values}
            return LLMResponse(json.dumps(data), data, CallUsage(7, 3))

        return reply


@contextmanager
def stagehand(sandbox: Sandbox, workspace: Path) -> Iterator[Stagehand]:
    """Restores the table of interfaces."""
    workspace.mkdir(exist_ok=True)
    (workspace / "calc.py").write_text("TARGET = 'BCL2'\n")
    with AdapterRegistry.scope(), AdapterFactory(environment={}) as adapters:
        peer = Peer()
        peer.register()
        yield Stagehand(peer, adapters, sandbox, workspace)
