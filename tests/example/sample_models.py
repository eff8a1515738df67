"""The sample models as an interface of their own: they reply what `replies.py` says, and are recorded doing so."""

from __future__ import annotations

import json
from collections.abc import Mapping

from karenina_gui import AdapterRegistry, AdapterSpec, ModelConfig
from karenina_gui.adapters.ports import LLMRequest, LLMResponse, Usage
from karenina_gui.adapters.spec import Wiring
from tests.example.replies import JUDGE, REPLIES, Reply

INTERFACE = "sample"


class SampleModel:
    """An `LLMPort`; `names` finds a question's short name by its id."""

    def __init__(self, name: str, names: Mapping[str, str]) -> None:
        self._name = name
        self._names = names

    def invoke(self, request: LLMRequest) -> LLMResponse:
        replies = REPLIES[self._names[request.question_id or ""]]
        if self._name != JUDGE:
            return self._response(request, replies[self._name][(request.replicate or 1) - 1].text)
        return self._response(request, _judged(request, _answer_in(request, replies)))

    def _response(self, request: LLMRequest, text: str) -> LLMResponse:
        read = sum(len(message.text) for message in request.messages)
        usage = Usage(input_tokens=read // 4, output_tokens=max(1, len(text) // 4))
        return LLMResponse(content=text, model=self._name, usage=usage, stop_reason="stop")


def register(names: Mapping[str, str]) -> None:
    """Adds the interface `sample` to the registry."""

    def open_model(model: ModelConfig, _wiring: Wiring) -> SampleModel:
        return SampleModel(model.model_name or "", names)

    AdapterRegistry.register(AdapterSpec(name=INTERFACE, title="Sample models", llm_factory=open_model))


def _answer_in(request: LLMRequest, replies: Mapping[str, tuple[Reply, Reply, Reply]]) -> Reply:
    """The answer that the judge was shown; the longest, since a short one may be part of another."""
    shown = request.messages[1].text
    candidates = [reply for three in replies.values() for reply in three if reply.text in shown]
    return max(candidates, key=lambda reply: len(reply.text))


def _judged(request: LLMRequest, reply: Reply) -> str:
    if request.purpose == "abstention_check":
        reasoning = "It says that it cannot help." if reply.refuses else "It commits itself to an answer."
        return json.dumps({"reasoning": reasoning, "abstention_detected": reply.refuses})
    if request.purpose == "sufficiency_check":
        sufficient = None not in (reply.extracted or {}).values()
        reasoning = "Every field can be filled." if sufficient else "It does not say what the field asks for."
        return json.dumps({"reasoning": reasoning, "sufficient": sufficient})
    return reply.judge_says or json.dumps(reply.extracted)
