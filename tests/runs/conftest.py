"""Fixtures with a scripted interface: an in-memory model that replies as the test says and counts its calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.ports import LLMRequest, LLMResponse
from karenina_gui.adapters.recording import Recorder
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.runs.service import RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library
from tests.template_texts import FORTY_TWO


class ScriptedModel:
    """Replies with `say(request)`. `asked`: all requests received."""

    interface = "scripted"

    def __init__(self) -> None:
        self.say: Callable[[LLMRequest], str] = lambda request: "It is 42."
        self.asked: list[LLMRequest] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def reply(self, request: LLMRequest) -> LLMResponse:
        with self._lock:
            self.asked.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return LLMResponse(self.say(request))
        finally:
            with self._lock:
                self._at_once -= 1

    def open(self, _model: ModelConfig, dependencies: AdapterDependencies) -> ScriptedPort:
        return ScriptedPort(self, dependencies)

    def config(self, name: str = "ada") -> ModelConfig:
        return ModelConfig(id=name, model_name=name, interface=self.interface)


class ScriptedPort:
    def __init__(self, model: ScriptedModel, dependencies: AdapterDependencies) -> None:
        self._model = model
        self._calls = dependencies.calls

    def invoke(self, request: LLMRequest) -> LLMResponse:
        return self._calls.run(lambda: self._model.reply(request))[0]


@pytest.fixture
def model(interfaces: None) -> ScriptedModel:
    scripted = ScriptedModel()
    AdapterRegistry.register(AdapterSpec(ScriptedModel.interface, "Scripted", llm_factory=scripted.open))
    return scripted


@pytest.fixture
def service(library: Library, sandbox: Sandbox) -> Iterator[RunService]:
    """A service that does not wait for unavailable providers (see `test_outages.py`)."""

    def adapters(recorder: Recorder | None) -> AdapterFactory:
        return AdapterFactory(environment={}, recorder=recorder)

    service = RunService(library, sandbox, adapters, Patience(max_outage=0))
    yield service
    service.close()


def benchmark(count: int) -> BenchmarkDocument:
    """Questions `q0`, `q1` and so on, with the answer 42."""
    document = BenchmarkDocument(name="forty-two")
    for number in range(count):
        question = Question(question=f"Text {number}?", raw_answer="42", id=f"q{number}", answer_template=FORTY_TWO)
        document.add(question)
    return document


@pytest.fixture
def document() -> BenchmarkDocument:
    return benchmark(6)
