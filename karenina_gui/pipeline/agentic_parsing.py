"""Stage 7b: a judging agent investigates, and the template is filled from its report.

`agentic-evaluation.md`, section 3. A job has either this stage or stage 7a (`ParseTemplate`).
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from karenina_gui.judging.investigation import Findings, InvestigationSpec, answer_sections, investigate
from karenina_gui.judging.judge import Judge
from karenina_gui.judging.trace_file import TraceFile
from karenina_gui.pipeline.answer_trace import trace_file
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.evaluation_input import ONLY_THOUGHT
from karenina_gui.pipeline.prompts import extraction_messages, investigation_messages
from karenina_gui.pipeline.template_evaluator import ParsedAnswer, TemplateEvaluator
from karenina_gui.pipeline.template_path import WITHOUT_JUDGE, SkipsUnreadable, fail_without_answer, read_reply
from karenina_gui.schemas.model_config import ModelConfig

WITHOUT_WORKSPACE = (
    "Agentic judging needs a workspace, but the question has none. Set the workspace root in Benchmark details, or "
    "Agent context to Trace only (agentic_judge_context: trace_only)."
)


class AgenticParseTemplate(SkipsUnreadable):
    """Let an agent investigate, then let the judge extract the template's fields from its report.

    An investigation without a report is an error of the job, because it says nothing about the answer.
    """

    name = "AgenticParseTemplate"
    requires = [A.RAW_ANSWER, A.ANSWER, A.RAW_LLM_RESPONSE]
    produces = [A.PARSED_ANSWER, A.PARSING_MODEL_STR, A.INVESTIGATION_TRACE, A.AGENTIC_PARSING_PERFORMED]
    overrides = [A.VERIFY_RESULT, A.TEMPLATE_EVALUATOR, A.DEEP_JUDGMENT_PERFORMED]

    def rule(self, context: VerificationContext) -> str | None:
        return super().rule(context) if context.agentic_parsing else "agentic field extraction is turned off"

    def execute(self, context: VerificationContext) -> None:
        context[A.TEMPLATE_EVALUATOR] = None
        context[A.DEEP_JUDGMENT_PERFORMED] = False
        context[A.PARSING_MODEL_STR] = None
        context[A.INVESTIGATION_TRACE] = None
        context[A.AGENTIC_PARSING_PERFORMED] = False
        if context.only_thought and not shows_workspace(context):
            fail_without_answer(context, ONLY_THOUGHT)
        elif not context[A.ANSWER].outline.needs_judge:
            context[A.PARSED_ANSWER] = ParsedAnswer()
        elif context.parsing_model is None:
            context.mark_error(WITHOUT_JUDGE, "parsing")
        elif (problem := without_agent(context, context.parsing_model)) is not None:
            context.mark_error(problem, "rejected")
        elif shows_workspace(context) and context.workspace_path is None:
            context.mark_error(WITHOUT_WORKSPACE, "rejected")
        elif not shows_workspace(context) and not context[A.RAW_LLM_RESPONSE].strip():
            fail_without_answer(context)
        else:
            self._parse(context, context.parsing_model)

    def _parse(self, context: VerificationContext, model: ModelConfig) -> None:
        context[A.PARSING_MODEL_STR] = f"{model.interface}:{model.model_name}"
        if context.config.deep_judgment_enabled:
            context.warnings.append("Deep judgment was not performed: an agent investigates instead.")
        judge = context.judge(model)
        findings = self._investigate(context, judge)
        context[A.INVESTIGATION_TRACE] = findings.trace
        # Also after a failure: the log shows what the agent did until then.
        context.keep_investigation(findings.record(model.id, "template", []))
        if findings.error is not None:
            context.mark_port_error(findings.error, model)
        elif findings.problem is not None:
            context.mark_error(findings.problem + _advice(findings), findings.category)
        else:
            context[A.AGENTIC_PARSING_PERFORMED] = self._extract(context, judge, findings.trace or "")

    def _investigate(self, context: VerificationContext, judge: Judge) -> Findings:
        config = context.config
        with ExitStack() as stack:
            file = None
            if shows_trace(context) and config.agentic_parsing_materialize_trace:
                file = stack.enter_context(
                    trace_file(context, context[A.RAW_LLM_RESPONSE], keep=config.agentic_parsing_persist_trace)
                )
            view = _view(context, file)
            messages = investigation_messages(
                context.question_text,
                schema=context[A.ANSWER].json_schema,
                answer=answer_sections(view.trace, view.file, view.workspace),
                judge=judge.model.system_prompt,
                instructions=config.prompt_config.agentic_parsing if config.prompt_config else None,
            )
            context.set_result_field("evaluation_input", view.trace)
            context.set_result_field("used_full_trace", shows_trace(context))
            seconds, turns = context.agentic_parsing_timeout, context.agentic_parsing_max_turns
            assignment = InvestigationSpec("agentic_parsing_investigation", messages, turns, seconds)
            if view.folder is not None:
                opened = stack.enter_context(context.judging_view(view.folder))
                assignment = replace(assignment, folder=opened.folder, tools=opened.tools)
            return investigate(judge, assignment)

    def _extract(self, context: VerificationContext, judge: Judge, report: str) -> bool:
        template, prompts = context[A.ANSWER], context.config.prompt_config
        messages = extraction_messages(
            context.question_text,
            report,
            fields=template.outline.fields,
            hints=context.config.include_extraction_hints,
            judge=judge.model.system_prompt,
            instructions=prompts.agentic_parsing if prompts else None,
        )
        evaluator = TemplateEvaluator(template, judge, context[A.RAW_LLM_RESPONSE])
        return read_reply(context, judge.model, lambda: evaluator.parse(messages, "agentic_parsing_extraction"))


@dataclass(frozen=True)
class _View:
    """Material shown to the agent."""

    trace: str | None
    """Trace as part of the prompt; None: not in the prompt."""
    file: str | None
    """Path of the trace as the agent's tools see it; None: not in a file."""
    folder: Path | None
    """Folder of its tools; None: it has no tools."""
    workspace: bool
    """True if that folder is the workspace."""


def shows_trace(context: VerificationContext) -> bool:
    return context.agentic_judge_context != "workspace_only"


def shows_workspace(context: VerificationContext) -> bool:
    return context.agentic_judge_context != "trace_only"


def without_agent(context: VerificationContext, model: ModelConfig) -> str | None:
    """Reason why this judge cannot investigate, with a remedy, as text for users; None: it can."""
    if context.world.ports.runs_agents(model):
        return None
    return (
        f"{model.id} can’t be used as an agent, so this judge can’t investigate. Select another judge, or turn off "
        "agentic judging."
    )


def _view(context: VerificationContext, file: TraceFile | None) -> _View:
    trace = context[A.RAW_LLM_RESPONSE] if shows_trace(context) and file is None else None
    folder = context.workspace_path if shows_workspace(context) else file.path.parent if file else None
    path = file.seen_from(folder) if file is not None and folder is not None else None
    return _View(trace, path, folder, shows_workspace(context))


def _advice(findings: Findings) -> str:
    if findings.category == "timeout":
        return " Increase Agent time limit (agentic_parsing_timeout), or choose a faster judge."
    advice = " Increase Agent turn limit (agentic_parsing_max_turns), or the limits of the judge on the Models page."
    return advice if findings.limit else ""
