"""Interface `replay`: replies of a recording, without a network. Equal requests get equal replies."""

from __future__ import annotations

from karenina_gui.adapters.exchange import played
from karenina_gui.adapters.ports import LLMRequest, LLMResponse, PortCapabilities
from karenina_gui.adapters.spec import AdapterSpec, Wiring
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.errors import RecordingMiss, RunCancelled
from karenina_gui.schemas.config import ModelConfig


class ReplayedLLM:
    """An `LLMPort` over `ModelConfig.recording`."""

    def __init__(self, model: ModelConfig, wiring: Wiring) -> None:
        self._model = model
        self._recording = wiring.recordings.of(model)
        self._cancelled = wiring.calls.cancelled

    def invoke(self, request: LLMRequest) -> LLMResponse:
        """Return the recorded reply. Raises `RecordingMiss`, or the recorded `ProviderError`."""
        if self._cancelled():
            raise RunCancelled("The run was cancelled; nothing further is played back.")
        exchange = self._recording.find(self._model, request)
        if exchange is None:
            raise RecordingMiss(self._missing(request))
        return played(exchange)

    def _missing(self, request: LLMRequest) -> str:
        name, label = self._model.model_name, self._recording.label
        if name not in self._recording.models:
            return (
                f"The recording '{label}' has no replies of {name}; it has those of "
                f"{', '.join(self._recording.models) or 'no model'}. Choose one of them, or a live model."
            )
        replicate = f", replicate {request.replicate}" if request.replicate is not None else ""
        tools = ", its tools or what they give back" if request.tools else ""
        return (
            f"The recording '{label}' has no reply of {name} to this request "
            f"({request.purpose.replace('_', ' ')}{replicate}). The question, the template's fields{tools} or the "
            "model's settings have changed since it was recorded: record the run again, or choose a live model."
        )


SPEC = AdapterSpec(
    name="replay",
    title="Recorded exchanges",
    description="Plays back what models replied in a recorded run, without a network and without cost.",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=ReplayedLLM,
    agent_factory=tool_loop(ReplayedLLM),
)
