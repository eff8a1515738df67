"""Runs with several conditions and several judgments of each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import Benchmark
from karenina_gui.adapters.consents import Consents
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.commands.verify import read_configuration
from karenina_gui.errors import ConfigurationError, InputError, ProviderError
from karenina_gui.runs.agent_safety import StartedProgram, runs_commands, started_programs, unagreed_accesses
from karenina_gui.runs.preview import Preview
from karenina_gui.runs.problems import conditions
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.template_texts import NUMBER
from tests.twin import Asked, Reply, Twin

WAIT = 20
"""Time limit of a test, in seconds."""
AT_ONCE = RetryPolicy(connection=RetryBudget(max_attempts=0))
PLAIN, TOLD = Condition(name="plain"), Condition(name="told", system_prompt="Say 42.")
GRAPH = ToolServer(url="http://127.0.0.1:9/mcp", headers={"Authorization": "Bearer ${GRAPH_TOKEN}"})
PROGRAM = ToolServer(type="stdio", command="uvx", args=["graph mcp"])
LIVE = {"interface": "openai_endpoint", "endpoint_base_url": "http://127.0.0.1:9/v1", "endpoint_api_key": "x"}


def live(name: str, **fields: Any) -> ModelConfig:
    return ModelConfig.model_validate({"id": name, "model_name": name, **LIVE, **fields})


def does_as_it_is_told(asked: Asked) -> Reply:
    if asked.model == "judge":
        return Reply(data={"number": 42 if "It is 42" in asked.text else 41})
    return Reply(text="It is 42." if asked.system == "Say 42." else "It is 41.")


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin(does_as_it_is_told) as twin:
        yield twin


@pytest.fixture
def over_the_wire(twin: Twin) -> VerificationConfig:
    """Two conditions, two replicates, two judgments each."""
    twin.requests.clear()
    return VerificationConfig(
        answering_models=[live("ada", endpoint_base_url=twin.address)],
        parsing_models=[live("judge", endpoint_base_url=twin.address, temperature=0)],
        conditions=[PLAIN, TOLD],
        replicate_count=2,
        judge_replicates=2,
        retry_policy=AT_ONCE,
    )


def benchmark(count: int = 2) -> BenchmarkDocument:
    document = BenchmarkDocument(name="forty-two")
    for number in range(count):
        document.add(Question(question=f"Text {number}?", raw_answer="42", id=f"q{number}", answer_template=NUMBER))
    return document


def test_fixed_judges_are_asked_at_temperature_0_each_judgment_with_a_seed_of_its_own(
    twin: Twin, over_the_wire: VerificationConfig, sandbox: Sandbox
) -> None:
    ada, judge = over_the_wire.answering_models[0], over_the_wire.parsing_models[0]
    warm = {"answering_models": [ada.model_copy(update={"temperature": 0.9})]}
    warm |= {"parsing_models": [judge.model_copy(update={"temperature": 0.7})]}
    for fixed in (True, False):
        twin.requests.clear()
        config = over_the_wire.model_copy(update={**warm, "fixed_judges": fixed})
        Benchmark(benchmark(1)).run_verification(config, sandbox=sandbox)
        sent = {(each.model, each.body["temperature"], each.body.get("seed")) for each in twin.requests}
        judged = {("judge", 0.0, 1), ("judge", 0.0, 2)} if fixed else {("judge", 0.7, None)}
        assert sent == {("ada", 0.9, None), *judged}


def test_each_question_is_asked_under_each_condition_and_each_answer_judged_twice(
    twin: Twin, over_the_wire: VerificationConfig, sandbox: Sandbox
) -> None:
    results = Benchmark(benchmark()).run_verification(over_the_wire, sandbox=sandbox)
    asked = Counter((each.text, each.system) for each in twin.requests if each.model == "ada")
    assert asked == {(f"Text {n}?", system): 2 for n in range(2) for system in ("", "Say 42.")}
    assert sum(each.model == "judge" for each in twin.requests) == 2 * 2 * 2 * 2
    order = [
        (r.metadata.question_id, r.condition, r.metadata.replicate, r.judge_replicate, bool(r.template.verify_result))
        for r in results
        if r.template
    ]
    assert order == [
        (f"q{n}", condition, replicate, again, condition == "told")
        for n in range(2)
        for condition in ("plain", "told")
        for replicate in (1, 2)
        for again in (1, 2)
    ]


def test_a_cancelled_run_goes_on_with_the_answers_of_each_condition(
    service: RunService, library: Library, model: Any
) -> None:
    def cancelled_while_the_second_answer_is_judged(request: LLMRequest) -> str:
        if len(model.asked) == 4:
            service.cancel(*service.active())
            raise ProviderError("nobody there", category="connection")
        return '{"number": 42}' if request.json_schema else "It is 42."

    model.say = cancelled_while_the_second_answer_is_judged
    config = VerificationConfig(
        answering_models=[model.config()],
        parsing_models=[model.config("judge")],
        conditions=[PLAIN, TOLD],
        async_enabled=False,
        task_ordering="generation_order",
        retry_policy=AT_ONCE,
    )
    run = service.start(RunOrder(library.benchmarks.create(benchmark(1)), config))
    assert service.wait(run, WAIT)
    left = service.remaining(run)
    assert (left.jobs + left.again, left.answers) == (1, 1)
    service.resume(run)
    assert service.wait(run, WAIT)
    asked = Counter(len(request.messages) for request in model.asked if request.json_schema is None)
    assert asked == {1: 1, 2: 1}  # without and with the system prompt, none of them twice
    rows = service.library.results.page(run).rows
    assert [(row.condition, row.outcome) for row in rows] == [("plain", "passed"), ("told", "passed")]


def test_what_is_sent_is_shown_for_the_condition_that_is_chosen(service: RunService, library: Library) -> None:
    number = library.benchmarks.create(benchmark(1))
    config = VerificationConfig(
        answering_models=[live("ada")], parsing_models=[live("judge")], conditions=[PLAIN, TOLD]
    )

    def sent(condition: str) -> Preview:
        return service.preview(RunOrder(number, config), "q0", ("ada", "judge", condition), "It is 42.")

    for condition, system in (("plain", []), ("told", ["Say 42."])):
        answer = sent(condition).requests[0]
        assert [message.text for message in answer.messages if message.role == "system"] == system
    assert sent("told").requests[0].model == "ada · told"
    with pytest.raises(InputError, match="a judge and a condition"):
        sent(None)


REFUSED = [
    (
        {"answering_models": [ModelConfig(id="old", interface="manual", manual_traces={"q0": "42"})]},
        "old has recorded answers, which conditions can’t change. Remove it, or run it without conditions.",
    ),
    (
        {"conditions": [PLAIN, Condition(name="strict", require_mcp_tool_use=True)]},
        (
            "The condition “strict” requires an MCP tool call, but ada has no MCP server in it. Add a server, or turn "
            "off that rule."
        ),
    ),
    (
        {
            "answering_models": [live(name) for name in ("ada", "bob", "cy")],
            "conditions": [Condition(name="strict", require_mcp_tool_use=True)],
        },
        (
            "The condition “strict” requires an MCP tool call, but ada, bob, and cy have no MCP server in it. Add a "
            "server, or turn off that rule."
        ),
    ),
    (
        {"conditions": [Condition(name="baseline"), Condition(name="  Baseline "), Condition(name="base line")]},
        "The conditions “baseline” and “Baseline” differ only in capitals. Rename one.",
    ),
]


@pytest.mark.parametrize(("changes", "obstacle"), REFUSED)
def test_a_run_that_conditions_make_impossible_is_refused_before_it_is_planned(
    service: RunService, library: Library, sandbox: Sandbox, changes: dict[str, Any], obstacle: str
) -> None:
    config = VerificationConfig(**{"answering_models": [live("ada")], "conditions": [PLAIN, TOLD], **changes})
    number = library.benchmarks.create(benchmark(1))
    for start in (
        lambda: service.start(RunOrder(number, config)),
        lambda: Benchmark(benchmark(1)).run_verification(config, sandbox=sandbox),
    ):
        with pytest.raises(InputError) as refused:
            start()
        assert str(refused.value) == obstacle
    assert service.library.runs.all() == []


def test_what_has_names_that_differ_in_capitals_only_is_read_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("answering_models: [{id: ada, model_name: ada}]\nconditions: [{name: plain}, {name: Plain}]\n")
    assert [each.name for each in read_configuration(file).conditions] == ["plain", "Plain"]


def test_tools_of_a_condition_want_a_model_that_can_use_tools(model: Any) -> None:
    config = VerificationConfig(
        answering_models=[model.config(), live("ada")],
        conditions=[PLAIN, Condition(name="with graph", mcp_servers={"graph": GRAPH})],
    )
    (obstacle,) = conditions.obstacles(config)
    assert obstacle.startswith("ada under “with graph”: its interface can’t use tools.")
    assert conditions.obstacles(config.model_copy(update={"conditions": []})) == []


def test_models_are_asked_under_a_name_of_their_own_for_each_condition() -> None:
    config = VerificationConfig(answering_models=[live("ada"), live("ada")], conditions=[PLAIN, TOLD])
    assert {place: model.id for place, model in effective_models(config).items()} == {
        (0, 0): "ada · plain",
        (0, 1): "ada · told",
        (1, 0): "ada #2 · plain",
        (1, 1): "ada #2 · told",
    }


def test_what_conditions_start_and_allow_is_found_like_what_models_bring() -> None:
    with_graph = Condition(
        name="with graph", mcp_servers={"graph": PROGRAM}, settings=AnsweringSettings(workspace_tools=["run_command"])
    )
    bare = Condition(name="bare", mcp_servers={})
    own = live("own", mcp_servers={"papers": PROGRAM})
    config = VerificationConfig(answering_models=[live("ada"), own], conditions=[PLAIN, bare, with_graph])
    assert started_programs(config, {}) == [
        StartedProgram("graph", "uvx 'graph mcp'", "ada under “with graph”"),
        StartedProgram("graph", "uvx 'graph mcp'", "own under “with graph”"),
        StartedProgram("papers", "uvx 'graph mcp'", "own under “plain”"),
    ]
    assert list(runs_commands(config)) == ["ada under “with graph”", "own under “with graph”"]
    alone = VerificationConfig(answering_models=[own], conditions=[PLAIN, TOLD])
    assert started_programs(alone, {}) == [StartedProgram("papers", "uvx 'graph mcp'", "own")]


def test_an_address_that_a_condition_names_may_be_called_but_is_sent_no_key() -> None:
    there = ToolServer(url="https://graph.example/mcp")
    override = live("x", endpoint_base_url="https://graph.example/v1").model_dump(mode="json", exclude_defaults=True)
    trait = AgenticRubricTrait(name="t", kind="boolean", higher_is_better=True, model_override=override)
    condition = Condition(name="with graph", mcp_servers={"graph": there})
    plain = VerificationConfig(answering_models=[live("ada")])
    agreed = Consents.for_models_of(plain.model_copy(update={"conditions": [condition]}))
    missing = unagreed_accesses(plain, {"t": trait}, Consents.for_models_of(plain))
    assert [str(reach.access) for reach in missing] == ["send requests and OPENAI_API_KEY to https://graph.example"]
    # The condition's server is sent no key, so the trait's model would still be the first to do that.
    assert unagreed_accesses(plain, {"t": trait}, agreed) == missing


YAML = """
answering_models: [{id: ada, model_name: ada, interface: openai_endpoint}]
conditions:
  - {name: plain, mcp_servers: {}}
  - name: with graph
    system_prompt: Look everything up.
    mcp_servers: {graph: {url: "http://127.0.0.1:9/mcp", headers: {Authorization: "Bearer ${GRAPH_TOKEN}"}}}
    settings: {temperature: 0.7}
    require_mcp_tool_use: true
judge_replicates: 2
"""


def test_conditions_are_read_from_the_file_of_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(YAML)
    config = read_configuration(path)
    assert config.conditions[1].settings.explicit == {"temperature": 0.7}
    assert config.conditions[1].mcp_servers == {"graph": GRAPH}
    assert (config.judge_replicates, conditions.obstacles(config)) == (2, [])


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        (
            "system_prompt",
            "sytem_prompt",
            "conditions.1.sytem_prompt: unknown field; did you mean system_prompt?",
        ),
        ("name: with graph", "name: ' '", "conditions.1.name: A condition needs a name."),
        (
            "name: with graph",
            'name: "with\\u202Egraph"',
            "conditions.1.name: The condition’s name contains an invisible character",
        ),
        ("name: with graph", "name: plain", "conditions: Two conditions are named “plain”"),
        ("0.7", "3", "conditions.1.settings.temperature: must be at most 2.0"),
        ("Bearer ${GRAPH_TOKEN}", "Bearer abc", "'Authorization' looks like an API key."),
    ],
)
def test_a_mistake_in_a_condition_has_its_place(tmp_path: Path, right: str, wrong: str, sentence: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(YAML.replace(right, wrong))
    with pytest.raises(ConfigurationError) as refused:
        read_configuration(path)
    assert sentence in str(refused.value)
    assert "abc" not in str(refused.value)
