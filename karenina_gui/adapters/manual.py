"""Interface `manual`: answers recorded elsewhere, found by question and replicate. No model is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.ports import AgentConfig, AgentResult, PortCapabilities
from karenina_gui.errors import ConfigurationError, RecordingMiss
from karenina_gui.schemas.messages import Message, final_answer, final_answer_of_text
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool
from karenina_gui.text import quantity
from karenina_gui.traces.dialogues import judged_part, judged_text
from karenina_gui.traces.provider_formats import is_message_list, replicates, to_messages


class RecordedAnswers:
    """An `AgentPort` over `ModelConfig.manual_traces`.

    For each question id: a text, a message list (OpenAI, Anthropic, Gemini or upstream format), or a list with one of
    these per replicate. A text or a message list serves every replicate. `traces.dialogues` says what is judged.
    """

    def __init__(self, model: ModelConfig, _dependencies: AdapterDependencies) -> None:
        self._name = model.id or "manual"
        self._model_name = model.model_name
        if model.manual_traces is None:
            raise ConfigurationError(f"“{self._name}” has no recorded answers. Import a file of answers.")
        self._traces = model.manual_traces

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        """Return the recorded answer. Raises `RecordingMiss` if there is none for this question or replicate."""
        trace = self._trace(config.question_id, config.replicate)
        if isinstance(trace, str):
            answer, _ = final_answer_of_text(trace)
            return AgentResult(final_response=answer or "", messages=(), raw_trace=trace, model=self._model_name)
        turns = tuple(to_messages(trace))
        part = judged_part(trace)
        judged = judged_text(turns, part)
        return AgentResult(
            final_response=judged or final_answer(turns)[0] or "",
            judged=judged,
            raw_trace=judged if part == "whole" else None,
            messages=turns,
            turns=sum(m.role == "assistant" for m in turns),
            model=self._model_name,
        )

    def _trace(self, question_id: str | None, replicate: int | None) -> Any:
        if question_id is None or question_id not in self._traces:
            raise RecordingMiss(
                f"“{self._name}” has no recorded answer to the question {question_id}. "
                "Add one, or exclude the question from the run."
            )
        recorded = self._traces[question_id]
        if isinstance(recorded, str | dict) or is_message_list(recorded):
            return recorded
        answers = replicates(recorded)
        number = replicate or 1
        if number > len(answers):
            raise RecordingMiss(
                f"“{self._name}” has {quantity(len(answers), 'recorded answer')} to the question {question_id}, "
                f"but the run needs replicate {number}. Run fewer replicates, or add answers."
            )
        if answers[number - 1] is None:
            raise RecordingMiss(
                f"“{self._name}” has no recorded answer for replicate {number} of the question {question_id}: "
                "it is missing from the file, or unreadable."
            )
        return answers[number - 1]


SPEC = AdapterSpec(
    name="manual",
    title="Recorded answers",
    description="Existing answers imported from a file. No model is called.",
    capabilities=PortCapabilities(judges=False),
    agent_factory=RecordedAnswers,
    takes_addresses=False,
)
