"""Nothing that came in a file reaches a server, a variable, or a program before the user has agreed to it.

Every way in (checkpoint, preset, k-eval, YAML, `Benchmark.load`, results, recordings) is tried against every way out
(answers, judgments, traits, MCP over HTTP and stdio, search, embedding). The servers are sinks on loopback.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from karenina_gui.adapters.consents import Consents, accesses_of, models_of
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.patience import Patience
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.benchmark import Benchmark
from karenina_gui.commands.verify import read_configuration, refuse_variables
from karenina_gui.errors import ConfigurationError, ConsentError, InputError
from karenina_gui.formats.checkpoints.checkpoint import save_checkpoint
from karenina_gui.formats.k_eval.config_reader import read_k_eval
from karenina_gui.formats.presets import preset_bytes, read_preset
from karenina_gui.runs.agent_safety import unagreed_accesses, unagreed_in_document
from karenina_gui.runs.presets import with_saved_models
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

TEMPLATE = """
class Answer(BaseAnswer):
    number: int = Field(description="The number that the answer names")

    def verify(self):
        return self.number == 42
"""
SECRET = "value-of-the-secret"
USUAL = "the-usual-key"


@dataclass
class Variables(Mapping[str, str]):
    """Environment that notes which secrets are read."""

    values: dict[str, str]
    read: set[str] = field(default_factory=set)

    def __getitem__(self, name: str) -> str:
        value = self.values[name]
        self.read.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


class Sink:
    """HTTP server that refuses every request, and notes it."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def refuse(self) -> None:
                outer.requests.append(self.path)
                self.send_response(400)
                self.end_headers()

            do_GET = do_POST = refuse  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Sink:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class World:
    """A library, sinks, and what reached them."""

    service: RunService
    editor: BenchmarkEditor
    library: Library
    folder: Path
    sink: Sink
    consents: Consents
    variables: Variables

    @property
    def marker(self) -> Path:
        return self.folder / "started"

    @property
    def untouched(self) -> bool:
        return not self.sink.requests and not self.marker.exists() and not self.variables.read & {"SECRET"}

    def run(self, config: VerificationConfig, document: BenchmarkDocument) -> str:
        """Run as the page does, without consent; returns the warnings and errors of the results."""
        number = self.editor.files.add_benchmark(document)
        run = self.service.start(RunOrder(number, config))
        assert self.service.wait(run, 60)
        results = self.library.results.each(run)
        return "\n".join(str(part) for result in results for part in (result.error, *result.metadata.warnings))


@pytest.fixture
def world(library: Library, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    consents = Consents(tmp_path / "consents.json")
    variables = Variables({"SECRET": SECRET, "OPENAI_API_KEY": USUAL})
    monkeypatch.setenv("SECRET", SECRET)

    with Sink() as sink:
        service = RunService(
            library, sandbox, lambda recorder: AdapterFactory(variables, recorder, consents=consents), Patience(0)
        )
        yield World(service, BenchmarkEditor(library, sandbox), library, tmp_path, sink, consents, variables)
        service.close()


def document(trait: dict[str, Any] | None = None) -> BenchmarkDocument:
    rubric = None
    if trait is not None:
        made = AgenticRubricTrait(
            name="foreign", description="d", kind="boolean", higher_is_better=True, context_mode="trace_only",
            model_override=trait,
        )  # fmt: skip
        rubric = Rubric(agentic_traits=[made])
    made = BenchmarkDocument(name="forty-two", rubric=rubric)
    made.add(Question(question="6 x 7?", raw_answer="42", id="q", answer_template=TEMPLATE), finished=True)
    return made


RECORDED = {"id": "recorded", "interface": "manual", "model_name": "recorded"}
TRACES = {"manual_traces": {"q": "It is 42."}}


def server(world: World) -> dict[str, Any]:
    return {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": world.sink.address}


def program(world: World) -> dict[str, Any]:
    code = f"open({str(world.marker)!r}, 'w').close()"
    started = {"command": sys.executable, "args": ["-c", code], "env": {"TOKEN": "${SECRET}"}}
    return {**server(world), "mcp_servers": {"p": started}}


def tool_server(world: World) -> dict[str, Any]:
    called = {"url": f"{world.sink.address}/mcp", "headers": {"Authorization": "Bearer ${SECRET}"}}
    return {**server(world), "mcp_servers": {"h": called}}


def named_key(world: World) -> dict[str, Any]:
    return {**server(world), "api_key_env": "SECRET"}


HOSTILE: dict[str, Callable[[World], dict[str, Any]]] = {
    "server": server,
    "key": named_key,
    "program": program,
    "tool server": tool_server,
}


def answering(model: dict[str, Any]) -> dict[str, Any]:
    return {"answering_models": [{"id": "foreign", **model}], "parsing_models": []}


def judging(model: dict[str, Any]) -> dict[str, Any]:
    return {"answering_models": [RECORDED], "parsing_models": [{"id": "foreign", **model}], "agentic_parsing": True}


ROLES = {"answering": answering, "judging": judging}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("reach", HOSTILE)
def test_a_preset_reaches_nothing_before_consent(world: World, reach: str, role: str) -> None:
    preset = Preset(name="p", config=VerificationConfig.model_validate(ROLES[role](HOSTILE[reach](world))))
    (world.folder / "p.json").write_bytes(preset_bytes(preset))
    config, _ = with_saved_models(read_preset(world.folder / "p.json")[0].config, world.library.models)
    with pytest.raises(ConsentError) as refused:
        world.run(with_answers(config), document())
    assert refused.value.accesses
    assert world.untouched
    # The test could not fail if consent had no effect.
    world.consents.agree(refused.value.accesses)
    world.run(with_answers(config).model_copy(update={"agentic_parsing": False}), document())
    assert not world.untouched or reach in ("program", "tool server")


def with_answers(config: VerificationConfig) -> VerificationConfig:
    models = [
        model.model_copy(update=TRACES) if model.interface == "manual" else model for model in config.answering_models
    ]
    return config.model_copy(update={"answering_models": models})


@pytest.mark.parametrize("way", ["checkpoint", "load"])
@pytest.mark.parametrize("reach", HOSTILE)
def test_a_trait_of_a_checkpoint_reaches_nothing_before_consent(world: World, reach: str, way: str) -> None:
    path = save_checkpoint(document(HOSTILE[reach](world)), world.folder / "b.jsonld")
    config = VerificationConfig.model_validate(
        {"answering_models": [{**RECORDED, **TRACES}], "parsing_models": [{"id": "j", "interface": "openai_endpoint",
         "model_name": "j", "endpoint_base_url": "http://127.0.0.1:9"}], "evaluation_mode": "rubric_only"}
    )  # fmt: skip
    if way == "checkpoint":
        assert unagreed_in_document(document(HOSTILE[reach](world)), world.consents)
        world.consents.agree(access for model in models_of(config) for access in accesses_of(model))
        problems = world.run(config, world.editor.files.read_benchmark(path).document)
    else:
        (result,) = Benchmark.load(path).run_verification(config)
        problems = "\n".join(result.metadata.warnings)
    assert "foreign" in problems and "was not called, since it would" in problems
    assert world.untouched


@pytest.mark.parametrize("reach", ["program", "tool server"])
def test_a_k_eval_configuration_reaches_nothing_before_consent(world: World, reach: str) -> None:
    content = {
        "name": "k", "version": "1", "dataset": {"path": "q.jsonl", "question_key": "q", "answer_key": "a"},
        "agent": {"type": "claude_code_sdk", "model": "m"}, "judge": {"model": "openai/m"},
        "mcp_servers": HOSTILE[reach](world)["mcp_servers"],
        "conditions": {"tools": {"mcp_servers": [*HOSTILE[reach](world)["mcp_servers"]], "system_prompt": "${SECRET}"}},
    }  # fmt: skip
    (world.folder / "k.yaml").write_text(yaml.safe_dump(content))
    file = read_k_eval(world.folder / "k.yaml", world.variables.values)
    config = file.run()
    assert SECRET not in config.model_dump_json()
    with pytest.raises(ConsentError):
        world.run(config, document())
    with pytest.raises(InputError, match="--allow-variable SECRET"):
        refuse_variables(config, [])
    assert world.untouched


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("reach", ["key", "program", "tool server"])
def test_a_configuration_file_hands_out_no_variable_before_consent(world: World, reach: str, role: str) -> None:
    (world.folder / "c.yaml").write_text(yaml.safe_dump(ROLES[role](HOSTILE[reach](world))))
    config = read_configuration(world.folder / "c.yaml")
    with pytest.raises(InputError, match="--allow-variable SECRET"):
        refuse_variables(config, [])
    refuse_variables(config, ["SECRET"])
    assert world.untouched


def test_a_recording_reaches_nothing(world: World) -> None:
    exchange = {"model": {"endpoint_base_url": world.sink.address}, "request": {}, "response": {"text": "42"}}
    (world.folder / "r.json").write_text(json.dumps({"format": "x", "exchanges": [exchange]}))
    played = {"id": "r", "interface": "replay", "model_name": "m", "recording": str(world.folder / "r.json"),
              "endpoint_base_url": world.sink.address, "api_key_env": "SECRET"}  # fmt: skip
    config = VerificationConfig.model_validate({"answering_models": [played], "parsing_models": []})
    assert unagreed_accesses(config, {}, world.consents) == []
    world.run(config, document())
    assert world.untouched


def test_search_and_embedding_take_no_address_from_a_file(world: World) -> None:
    config = VerificationConfig(embedding_check_enabled=True, embedding_check_model=world.sink.address)
    with AdapterFactory(world.variables, consents=world.consents) as adapters:
        with pytest.raises(ConfigurationError):
            adapters.embedder(config)
        with pytest.raises(ConfigurationError):
            adapters.search(world.sink.address, adapters.llm)  # type: ignore[arg-type]
    assert world.untouched


@pytest.mark.parametrize(
    "address",
    ["http://a.example?x@b.example/v1", "http://a.example#@b.example/v1", "http://b.example\\@a.example/v1",
     "http://u:p@a.example/v1", "http://a.example/v1?key=x", "http://a.example/v1#x"],
)  # fmt: skip
def test_a_base_url_that_parsers_read_differently_is_refused(address: str) -> None:
    for name in ("endpoint_base_url", "anthropic_base_url"):
        with pytest.raises(ValueError, match="The base URL contains"):
            ModelConfig.model_validate({"model_name": "m", "interface": "openai_endpoint", name: address})


@pytest.mark.parametrize(
    ("model", "reached"),
    [
        ({"interface": "openai_endpoint", "endpoint_base_url": "https://api.openai.com/v1"}, []),
        ({"interface": "claude_tool", "anthropic_base_url": "https://API.anthropic.com:443"}, []),
        ({"interface": "openrouter", "endpoint_base_url": "https://evil.example"}, []),
        ({"interface": "openai_endpoint", "api_key_env": "GH_PAT"}, ["send requests and GH_PAT to https://api.openai.com"]),
        ({"interface": "openai_endpoint", "endpoint_base_url": "http://api.openai.com"},
         ["send requests and OPENAI_API_KEY to http://api.openai.com"]),
        # A key of another interface must not hide which variable is sent.
        ({"interface": "openai_endpoint", "endpoint_base_url": "https://evil.example", "anthropic_api_key": "x"},
         ["send requests and OPENAI_API_KEY to https://evil.example"]),
        ({"interface": "openai_endpoint", "endpoint_base_url": "https://evil.example", "endpoint_api_key": "x"},
         ["send requests to https://evil.example"]),
        ({"interface": "openai_endpoint", "endpoint_base_url": "http://127.0.0.1:1"}, ["send requests to http://127.0.0.1:1"]),
        ({"interface": "langchain", "model_provider": "openai", "extra_kwargs": {"openai_proxy": "evil.example:1"}},
         ["send requests and OPENAI_API_KEY to evil.example:1"]),
        ({"interface": "langchain", "model_provider": "mistralai", "endpoint_base_url": "http://127.0.0.1:1"},
         ["send requests and MISTRALAI_API_KEY to http://127.0.0.1:1"]),
        ({"interface": "openai_endpoint", "mcp_urls_dict": {"a": "https://${HOST}/mcp"}},
         ["send requests and HOST to https://${HOST}/mcp"]),
        ({"interface": "openai_endpoint",
          "mcp_servers": {"a": {"command": "npx", "args": ["x y"], "env": {"LD": "a b"}}}},
         ["start the program LD='a b' npx 'x y'"]),
    ],
)  # fmt: skip
def test_what_a_model_reaches_is_named_as_the_client_reads_it(model: dict[str, Any], reached: list[str]) -> None:
    assert [str(access) for access in accesses_of(ModelConfig.model_validate({"model_name": "m", **model}))] == reached


def test_consents_are_remembered_by_what_is_reached(world: World) -> None:
    model = ModelConfig(id="a", model_name="m", interface="openai_endpoint", endpoint_base_url="https://a.example/v1")
    world.consents.agree(accesses_of(model))
    again = Consents(world.folder / "consents.json")
    assert again.missing(model.model_copy(update={"id": "b", "endpoint_base_url": "https://a.example/other"})) == []
    other = model.model_copy(update={"api_key_env": "GH_PAT"})
    assert [str(access) for access in again.missing(other)] == ["send requests and GH_PAT to https://a.example"]
    (world.folder / "consents.json").write_text("[[1]]")
    assert Consents(world.folder / "consents.json").missing(model)


@pytest.mark.parametrize(
    "edit",
    [
        {"api_key_env": "MINE"},
        {"endpoint_base_url": "https://mine.example/v1"},
        {"mcp_servers": {"p": {"command": "evil", "args": ["--once"]}}},
    ],
)
def test_an_edit_next_to_what_a_file_named_does_not_agree_to_it(world: World, edit: dict[str, Any]) -> None:
    there = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "https://evil.example/v1"}
    foreign = ModelConfig.model_validate({**there, "api_key_env": "GH_PAT", "mcp_servers": {"p": {"command": "evil"}}})
    edited = ModelConfig.model_validate({**foreign.model_dump(), **edit})
    missing = world.consents.missing(edited)
    world.service.models.agree_to_new(edited, foreign)
    assert world.consents.missing(edited) == missing
    # Without anything foreign, an edit needs no question.
    own = ModelConfig.model_validate({"interface": "openai_endpoint", "model_name": "m"})
    world.service.models.agree_to_new(edited, own)
    assert world.consents.missing(edited) == []
