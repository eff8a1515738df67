"""The sample models as an interface of their own: they reply what `replies.py` says, and are recorded doing so."""

from __future__ import annotations

import json
from collections.abc import Mapping

from karenina_gui import AdapterRegistry, AdapterSpec, ModelConfig
from karenina_gui.adapters.adapter_spec import AdapterDependencies
from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.example import JUDGES, WORDINGS
from tests.example.drafts import PURPOSES, draft_reply
from tests.example.in_one_sentence import IN_ONE_SENTENCE
from tests.example.replies import REPLIES, Reply

INTERFACE = "sample"


class SampleModel:
    """An `LLMPort`; `names` finds a question's short name by its id."""

    def __init__(self, name: str, names: Mapping[str, str]) -> None:
        self._name = name
        self._names = names

    def invoke(self, request: LLMRequest) -> LLMResponse:
        if request.purpose in PURPOSES:
            return self._response(request, draft_reply(request))
        name = self._names[request.question_id or ""]
        if self._name in JUDGES:
            reply = _answer_in(request, name).as_read_by(self._name)
            if request.purpose == "rubric_evaluation":
                value = (
                    reply.reasons() if WORDINGS["clarity"] in request.messages[1].text else reply.clarity(self._name)
                )
                return self._response(request, json.dumps({"clarity": value}))
            return self._response(request, _judged(request, reply))
        briefly = request.messages[0].role == "system"
        replies = (IN_ONE_SENTENCE if briefly else REPLIES)[name][self._name]
        return self._response(request, replies[(request.replicate or 1) - 1].text)

    def _response(self, request: LLMRequest, text: str) -> LLMResponse:
        read = sum(len(message.text) for message in request.messages)
        usage = CallUsage(input_tokens=read // 4, output_tokens=max(1, len(text) // 4))
        return LLMResponse(content=text, model=self._name, usage=usage, stop_reason="stop")


def register(names: Mapping[str, str]) -> None:
    """Adds the interface `sample` to the registry."""

    def open_model(model: ModelConfig, _wiring: AdapterDependencies) -> SampleModel:
        return SampleModel(model.model_name or "", names)

    AdapterRegistry.register(AdapterSpec(name=INTERFACE, title="Sample models", llm_factory=open_model))


def _answer_in(request: LLMRequest, name: str) -> Reply:
    """The answer that the judge was shown; the longest, since a short one may be part of another."""
    shown = request.messages[1].text
    said = (reply for replies in (REPLIES, IN_ONE_SENTENCE) for three in replies[name].values() for reply in three)
    return max((reply for reply in said if reply.text in shown), key=lambda reply: len(reply.text))


def _judged(request: LLMRequest, reply: Reply) -> str:
    if request.purpose == "abstention_check":
        reasoning = "It says that it cannot help." if reply.refuses else "It commits itself to an answer."
        return json.dumps({"reasoning": reasoning, "abstention_detected": reply.refuses})
    if request.purpose == "sufficiency_check":
        sufficient = None not in (reply.extracted or {}).values()
        reasoning = "Every field can be filled." if sufficient else "It does not say what the field asks for."
        return json.dumps({"reasoning": reasoning, "sufficient": sufficient})
    return reply.judge_says or json.dumps(reply.extracted)
