"""Stage 2: generate the answer, or reuse an existing one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from karenina_gui import work_clock
from karenina_gui.adapters.ports import AgentConfig, LLMRequest, OwnTools
from karenina_gui.errors import InputError, PortError
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, GenerationFailure, trace_text
from karenina_gui.pipeline.prompts import IN_WORKSPACE, generation_messages
from karenina_gui.pipeline.rubric_path import selected_rubric
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.workspaces import ALL_TOOLS, JobWorkspace, WorkspaceOrder
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.messages import Message, TextBlock, ThinkingBlock, render_trace, to_stored
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.stop_reasons import CUT_OFF, early_end
from karenina_gui.schemas.tools import Tool
from karenina_gui.schemas.workspace import ResultWorkspace
from karenina_gui.traces.metrics import trace_metrics
from karenina_gui.traces.tool_pairs import tool_pairs

IMAGINED = Path("/workspace")
"""Workspace path shown to a job if no workspace is created."""


class GenerateAnswer(Stage):
    """Get the answer: one generated for another judge, an agent's, or a direct call's."""

    name = "GenerateAnswer"
    produces = [A.RAW_LLM_RESPONSE, A.RECURSION_LIMIT_REACHED, A.ANSWERING_MODEL_STR, A.ANSWERING_MCP_SERVERS]
    # `produces` is printed in the specification, and the workspace is not part of it.
    overrides = [A.VERIFY_RESULT, A.WORKSPACE_PATH]

    def execute(self, context: VerificationContext) -> None:
        model = context.answering_model
        workspace = self._resolve_workspace(context)
        context.generation = context.cached_answer_data or self._generate(context, workspace)
        if isinstance(context.generation, GenerationFailure):
            if context.cached_answer_data is None:
                context.count_failed(context.generation.error, model, "answer_generation")
            _record_failure(context, context.generation)
            context.mark_port_error(context.generation.error, model)
            return
        answer = context.generation
        context[A.RAW_LLM_RESPONSE] = answer.text
        context[A.RECURSION_LIMIT_REACHED] = answer.limit_reached
        context[A.ANSWERING_MODEL_STR] = f"{model.interface}:{model.model_name}"
        context[A.ANSWERING_MCP_SERVERS] = sorted(model.tool_servers) or None
        self._record(context, answer)
        if answer.timeout_reached:
            limit = f"{model.agent_seconds:g} seconds"
            context.mark_error(f"{model.id}: the agent ran out of time ({limit}) without an answer.", "timeout")
        elif lack := without_tools(context.condition, answer.messages):
            context.mark_error(lack.message, lack.category)
        elif answer.refusal is not None:
            context[A.VERIFY_RESULT] = False
            context.mark_failure("refusal", "The provider blocked the request.", answer.refusal or None)

    def _resolve_workspace(self, context: VerificationContext) -> JobWorkspace | None:
        """Folder for this job's agents; None: no agent works in one.

        Raises `WorkspaceError` (a `RuntimeError`) if the workspace root or the question's folder in it is missing.
        """
        context[A.WORKSPACE_PATH] = None
        if not needs_workspace(context):
            return None
        workspaces = context.world.workspaces
        if workspaces is None:
            context.workspace_path = context[A.WORKSPACE_PATH] = IMAGINED
            return None
        workspace = workspaces.open(_order(context))
        context.workspace_path = context[A.WORKSPACE_PATH] = workspace.path
        context.workspace_is_copy = workspace.is_copy
        cached = context.cached_answer_data
        if isinstance(cached, GeneratedAnswer) and cached.left is not None and workspace.is_copy:
            workspaces.put_back(workspace, cached.left)
        return workspace

    def _generate(self, context: VerificationContext, workspace: JobWorkspace | None) -> Generation:
        sent: tuple[Message, ...] = ()
        started = work_clock.seconds_worked()
        own: OwnTools | None = None
        try:
            agent = context.world.ports.uses_agent(context.answering_model)
            tools = _tools(context) if agent else ()
            own = _own_tools(context) if agent else None
            sent = _messages(context, in_workspace=_has_use_of_folder(context, tools or own))
            answer = _ask_agent(context, sent, tools, own) if agent else _ask(context, sent)
        except (PortError, InputError) as error:
            was_sent = _sends_request(context.answering_model) and isinstance(error, PortError)
            work = _with_own_tools(own, workspace.compare().result, context) if workspace else None
            return GenerationFailure(error, sent if was_sent else (), work)
        if not _sends_request(context.answering_model):
            answer = replace(answer, sent=())
        if workspace is not None:
            outcome = workspace.compare()
            answer = replace(answer, workspace=_with_own_tools(own, outcome.result, context), left=outcome.left)
        answer = replace(answer, seconds=work_clock.seconds_worked() - started)
        if context.on_answer is not None:
            context.on_answer(answer)
        return answer

    def _record(self, context: VerificationContext, answer: GeneratedAnswer) -> None:
        messages = answer.messages or (Message.of("assistant", answer.text),)
        # Several results share an answer, and its tokens must be counted once.
        if not context.answer_counted:
            context.count("answer_generation", context.answering_model, (answer.usage,), answer.retries)
            context.note_dollars("answer_generation", answer.dollars)
            # A reused answer took time in another process, which this job's clock did not measure.
            if context.cached_answer_data is not None:
                work_clock.add(answer.seconds)
        if answer.cut_off:
            context.caveats.append("partial_content")
            context.warnings.append(f"{CUT_OFF} {early_end(answer.stop_reason)}.")
        if answer.workspace is not None and answer.workspace.claude_code_tools == []:
            named = ", ".join(context.answering_model.claude_code_tools or ())
            context.warnings.append(f"Claude Code’s own tools ({named}) were off: they couldn’t be sandboxed.")
        context.set_result_field("template.trace_messages", to_stored(messages))
        context.set_result_field("template.conversation_context", to_stored(answer.sent))
        context.set_result_field("template.response_timeout_partial", answer.timeout_reached)
        context.set_result_field("answered_by", answer.model)
        context.set_result_field("workspace", answer.workspace)
        if answer.agent:
            metrics = trace_metrics(messages, limit_reached=answer.limit_reached)
            ended = {"limit": answer.limit} if answer.limit else {}
            context.set_result_field("template.agent_metrics", metrics | ended)


def needs_workspace(context: VerificationContext) -> bool:
    """True if an agent of this job works in a folder or inspects one.

    An agent runtime works in the question's folder, if there is one, even without built-in tools.
    """
    model = context.answering_model
    for_runtime = bool(model.claude_code_tools) or context.question_workspace_path is not None
    return (
        context.agentic_parsing
        or bool(model.workspace_tools)
        or (for_runtime and context.world.ports.is_agent_runtime(model))
        or _inspects_workspace(context)
    )


def _has_use_of_folder(context: VerificationContext, tools: object) -> bool:
    """True if the workspace has files, or somebody looks at what is left there: only then is the model told of it."""
    has_use = context.question_workspace_path is not None or context.agentic_parsing or _inspects_workspace(context)
    return bool(tools) and has_use


def _inspects_workspace(context: VerificationContext) -> bool:
    """True if a selected agent trait looks at more than the trace."""
    if context.rubric is None:
        return False
    return any(trait.context_mode != "trace_only" for trait in selected_rubric(context).agentic_traits)


def _order(context: VerificationContext) -> WorkspaceOrder:
    return WorkspaceOrder(
        question_id=context.question_id,
        path=context.question_workspace_path,
        root=context.workspace_root,
        replicate=context.replicate,
        in_place=not context.workspace_copy,
        compared=context.cached_answer_data is None,
        needs_root=context.agentic_parsing,
    )


def _record_failure(context: VerificationContext, failure: GenerationFailure) -> None:
    """Record the messages sent, and the partial trace of an agent that failed."""
    context.set_result_field("workspace", failure.workspace)
    context.set_result_field("template.conversation_context", to_stored(failure.sent))
    messages = failure.error.messages if isinstance(failure.error, PortError) else ()
    if messages:
        context.set_result_field("template.trace_messages", to_stored(messages))
        context.set_result_field("template.raw_llm_response", render_trace(messages))
        context.set_result_field("template.agent_metrics", trace_metrics(messages))


def _sends_request(model: ModelConfig) -> bool:
    """True if a request is sent. Recorded answers are only looked up."""
    return model.interface != "manual"


def _messages(context: VerificationContext, *, in_workspace: bool) -> tuple[Message, ...]:
    prompts = context.config.prompt_config
    parts = [prompts.generation if prompts else None, IN_WORKSPACE if in_workspace else None]
    return generation_messages(
        context.examples.before(context.question_text),
        system_prompt=context.answering_model.system_prompt,
        instructions="\n\n".join(part for part in parts if part) or None,
    )


def _tools(context: VerificationContext) -> Sequence[Tool]:
    """Built-in tools of the answering model in the job's workspace. Raises `WorkspaceError`."""
    model, world = context.answering_model, context.world
    names: Sequence[str] | None = model.workspace_tools
    # Own tools of a runtime serve the same purposes as the built-in ones.
    if names is None and world.ports.is_agent_runtime(model):
        names = () if model.claude_code_tools else ALL_TOOLS
    if not names or context.workspace_path is None:
        return ()
    return world.answering_tools(context.workspace_path, names)


def _own_tools(context: VerificationContext) -> OwnTools | None:
    """Enabled own tools of the answering model's runtime; None: it has none, or they must stay off."""
    model, world = context.answering_model, context.world
    if context.workspace_path is None or not world.ports.is_agent_runtime(model):
        return None
    return world.own_tools(model.claude_code_tools)


def _with_own_tools(own: OwnTools | None, workspace: ResultWorkspace, context: VerificationContext) -> ResultWorkspace:
    """The workspace record with the runtime's own tools that were enabled."""
    if own is not None:
        return workspace.model_copy(
            update={"claude_code_tools": list(own.names), "claude_code_sandboxed": own.box is not None}
        )
    model = context.answering_model
    if model.claude_code_tools and context.world.ports.is_agent_runtime(model):
        return workspace.model_copy(update={"claude_code_tools": []})
    return workspace


def _ask(context: VerificationContext, sent: tuple[Message, ...]) -> GeneratedAnswer:
    request = LLMRequest(sent, replicate=context.replicate, question_id=context.question_id)
    response = context.world.ports.llm(context.answering_model).invoke(request)
    text = response.content or response.refusal or ""
    return GeneratedAnswer(
        text=text,
        messages=(_assistant(text, response.thinking),),
        sent=sent,
        usage=response.usage,
        retries=response.retries,
        refusal=response.refusal,
        stop_reason=response.stop_reason,
        model=response.model,
    )


def _ask_agent(
    context: VerificationContext, sent: tuple[Message, ...], tools: Sequence[Tool], own: OwnTools | None
) -> GeneratedAnswer:
    model = context.answering_model
    config = AgentConfig(
        max_turns=model.max_turns,
        timeout=model.agent_seconds,
        workspace_path=context.workspace_path,
        question_id=context.question_id,
        replicate=context.replicate,
        max_tokens=model.max_agent_tokens,
        max_tool_calls=model.max_tool_calls,
        own_tools=own,
        on_turn=context.turn,
    )
    result = context.world.ports.agent(model).run(sent, tools, model.tool_servers, config)
    return GeneratedAnswer(
        text=result.raw_trace or trace_text(result.messages) or result.final_response,
        messages=result.messages,
        sent=sent,
        usage=result.usage,
        dollars=result.dollars,
        retries=result.retries,
        limit_reached=result.limit_reached,
        limit=result.limit,
        timeout_reached=result.timeout_reached,
        refusal=result.refusal,
        stop_reason=result.stop_reason,
        judged=result.judged,
        agent=True,
        model=result.model,
    )


def _assistant(text: str, thinking: str | None) -> Message:
    blocks = [ThinkingBlock(thinking=thinking)] if thinking else []
    return Message(role="assistant", content=(*blocks, *([TextBlock(text=text)] if text else [])))


@dataclass(frozen=True)
class MissingToolFailure:
    """Reason why an answer is not scored."""

    category: FailureCategory
    message: str


def without_tools(condition: Condition | None, messages: Sequence[Message]) -> MissingToolFailure | None:
    """Violated tool requirement of the condition; None: nothing is required, or the trace fulfills it.

    Only tools of MCP servers count; built-in workspace tools do not. An answer without them is not scored, and not
    retried either: scoring only the answers that happened to use tools would measure the model when it uses them, not
    the model under the condition.
    """
    if condition is None:
        return None
    failures = _call_failures(messages)
    if condition.require_mcp_tool_use and not failures:
        return MissingToolFailure(
            "tools_unused",
            f"The condition “{condition.name}” requires an MCP tool call, but the model made none. "
            "The answer is not scored.",
        )
    if condition.require_mcp_tool_success and failures and all(failures):
        many = f"all {len(failures)} calls" if len(failures) > 1 else "the only call"
        return MissingToolFailure(
            "tools_failed",
            f"The condition “{condition.name}” requires a successful MCP tool call, but {many} failed. "
            "The answer is not scored.",
        )
    return None


def _call_failures(messages: Sequence[Message]) -> list[bool]:
    """Executed calls to tools of MCP servers: True if the call failed."""
    pairs = [pair for pair in tool_pairs(messages) if pair.call and pair.call.server is not None]
    return [bool(pair.result and pair.result.is_error) for pair in pairs if pair.call and not pair.call.dropped]
