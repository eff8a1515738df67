"""Interface `replay`: replies of a recording, without a network. Equal requests get equal replies."""

from __future__ import annotations

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.ports import LLMRequest, LLMResponse, PortCapabilities
from karenina_gui.adapters.recorded_exchange import replay_exchange
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.errors import RecordingMiss, RunCancelled
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import join_list

DRAFTS = {"template_draft": "draft of a template", "trait_draft": "suggestion of traits"}
"""Purposes of requests outside runs, in words."""


class ReplayedLLM:
    """An `LLMPort` over `ModelConfig.recording`."""

    def __init__(self, model: ModelConfig, dependencies: AdapterDependencies) -> None:
        self._model = model
        self._recording = dependencies.recordings.of(model)
        self._cancelled = dependencies.calls.cancelled

    def invoke(self, request: LLMRequest) -> LLMResponse:
        """Return the recorded reply. Raises `RecordingMiss`, or the recorded `ProviderError`."""
        if self._cancelled():
            raise RunCancelled("The run was stopped. Nothing more is replayed.")
        exchange = self._recording.find(self._model, request)
        if exchange is None:
            raise RecordingMiss(self._missing(request))
        return replay_exchange(exchange)

    def _missing(self, request: LLMRequest) -> str:
        name, label = self._model.model_name, self._recording.label
        if name not in self._recording.models:
            return (
                f"The recording “{label}” has no replies of {name}, only of "
                f"{join_list(self._recording.models) or 'no model'}. Choose one of these, or a model that is "
                "not a recording."
            )
        if draft := DRAFTS.get(request.purpose):
            return (
                f"The recording “{label}” has no {draft} for these questions as they are now. Choose a model that is "
                "not a recording."
            )
        replicate = f", replicate {request.replicate}" if request.replicate is not None else ""
        tools = ["tool results"] if request.tools else []
        causes = join_list(["the question", "the template’s fields", *tools, "model settings"], "or")
        purpose = PURPOSE_TITLES.get(request.purpose, request.purpose)
        return (
            f"The recording “{label}” has no reply of {name} to this request ({purpose}{replicate}). It was never "
            f"recorded, or {causes} changed since. Record the run again, or choose a model that is not a recording."
        )


SPEC = AdapterSpec(
    name="replay",
    title="Recorded run",
    description="Replays answers and judgments of an earlier run, offline and at no cost.",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=ReplayedLLM,
    agent_factory=tool_loop(ReplayedLLM),
    takes_addresses=False,
)
