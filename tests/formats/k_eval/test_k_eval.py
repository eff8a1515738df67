"""Configurations and data sets of k-eval: read whole, wrong ones refused with everything that is wrong."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from karenina_gui.commands.k_eval import DETAILS
from karenina_gui.errors import ConfigurationError, FileFormatError
from karenina_gui.formats.k_eval.config_parts import Dataset
from karenina_gui.formats.k_eval.config_reader import KEvalFile, benchmark_of, is_k_eval, read_k_eval, translate
from karenina_gui.formats.k_eval.dataset_reader import read_dataset
from karenina_gui.schemas.rubric import methodology_judge

DATASET = Dataset(path="q.jsonl", question_key="question", answer_key="answer")


def content(**changes: Any) -> dict[str, Any]:
    return {
        "name": "demo",
        "version": "1",
        "dataset": {"path": "q.jsonl", "question_key": "question", "answer_key": "answer"},
        "agent": {"type": "claude_code_sdk", "model": "claude-sonnet-4-5"},
        "judge": {"model": "anthropic/claude-opus-4-5"},
        "mcp_servers": {
            "graph": {"type": "stdio", "command": "graph", "args": ["--port", "${PORT}"], "env": {"API_KEY": "${KEY}"}},
            "old": {"type": "sse", "url": "https://${HOST}/sse", "headers": {"Authorization": "Bearer ${KEY}"}},
            "new": {"type": "http", "url": "${ADDRESS}"},
        },
        "conditions": {
            "baseline": {"mcp_servers": [], "system_prompt": "Answer."},
            "tools": {"mcp_servers": ["graph", "old", "new"], "system_prompt": "Use ${WHAT}.",
                      "require_mcp_tool_use": True, "allowed_tools": ["Read", "ToolSearch"]},
        },
        "execution": {"num_repetitions": 4, "max_concurrent": 7,
                      "retry": {"max_attempts": 3, "initial_backoff_seconds": 2, "backoff_multiplier": 3}},
        **changes,
    }  # fmt: skip


ENVIRONMENT = {"PORT": "9", "KEY": "sk-very-secret", "HOST": "h.example", "ADDRESS": "http://a/mcp", "WHAT": "tools"}


@pytest.fixture
def read(tmp_path: Path):
    def read(environment: dict[str, str] | None = None, **changes: Any) -> KEvalFile:
        file = tmp_path / "config.yaml"
        file.write_text(yaml.safe_dump(content(**changes), sort_keys=False))
        return read_k_eval(file, ENVIRONMENT if environment is None else environment)

    return read


def test_the_example_of_the_help_is_a_configuration(tmp_path: Path) -> None:
    example = DETAILS.partition("has to be installed:")[2].partition("Unknown settings")[0]
    (tmp_path / "config.yaml").write_text(textwrap.dedent(example))
    config = read_k_eval(tmp_path / "config.yaml", {}).run()
    assert (config.answering_models[0].model_name, config.replicate_count) == ("claude-sonnet-5-5", 3)


def test_a_configuration_becomes_a_run(read) -> None:
    config = read().run()
    (model,), (judge,) = config.answering_models, config.parsing_models
    assert (model.id, model.interface, model.temperature) == ("claude-sonnet-4-5", "claude_agent_sdk", None)
    assert (judge.interface, judge.model_name, judge.temperature) == ("claude_tool", "claude-opus-4-5", 0)
    assert (config.replicate_count, config.async_max_workers) == (4, 7)
    assert config.fixed_judges
    assert (config.evaluation_mode, config.use_full_trace_for_rubric) == ("rubric_only", False)
    budget = config.retry_policy.rate_limit
    assert (budget.max_attempts, budget.backoff_min, budget.backoff_multiplier) == (2, 2, 3)
    baseline, tools = config.conditions
    assert (baseline.name, baseline.system_prompt, baseline.mcp_servers) == ("baseline", "Answer.", {})
    assert (tools.system_prompt, tools.require_mcp_tool_use, tools.require_mcp_tool_success) == (
        "Use ${WHAT}.", True, False,
    )  # fmt: skip
    assert {name: server.type for name, server in (tools.mcp_servers or {}).items()} == {
        "graph": "stdio", "old": "sse", "new": "http",
    }  # fmt: skip
    assert tools.settings.explicit == {"workspace_tools": ["read_file"]}


def test_what_servers_get_from_the_environment_stays_a_reference(read) -> None:
    written = read().run().model_dump_json()
    assert "sk-very-secret" not in written and "h.example" not in written
    assert "Bearer ${KEY}" in written and "${ADDRESS}" in written


def test_missing_variables_are_all_said_with_their_places(read) -> None:
    found = read(environment={"HOST": "h"})
    with pytest.raises(ConfigurationError) as refused:
        found.run()
    for line in (
        "mcp_servers.graph.args.1: the environment variable PORT is not set.",
        "mcp_servers.graph.env.API_KEY: the environment variable KEY is not set.",
        "mcp_servers.new.url: the environment variable ADDRESS is not set.",
    ):
        assert line in str(refused.value)


def test_values_of_variables_reach_no_text_that_is_saved_or_sent(read) -> None:
    environment = {**ENVIRONMENT, "GH_PAT": "value-of-it", "WHAT": "value-of-what"}
    (tools,) = [one for one in read(environment=environment).run().conditions if one.name == "tools"]
    assert tools.system_prompt == "Use ${WHAT}."
    found = read(environment=environment, name="x ${GH_PAT}", dataset={**content()["dataset"], "path": "${GH_PAT}"})
    with pytest.raises(ConfigurationError) as refused:
        found.run()
    for field in ("name", "dataset.path"):
        assert f"{field}: ${{GH_PAT}} can’t be used here" in str(refused.value)
    assert "value-of" not in str(found)


def test_unknown_keys_and_unknown_servers_are_all_said_at_once(read) -> None:
    execution = {**content()["execution"], "max_concurent": 3}
    conditions = {"a": {"system_prompt": "x", "mcp_servers": ["graf", "graph"]},
                  "b": {"system_prompt": "y", "mcp_servers": ["rag"]}}  # fmt: skip
    found = read(execution=execution, conditions=conditions, extra=1)
    assert found.unknown == [
        "execution.max_concurent: unknown setting. Did you mean max_concurrent?",
        "extra: unknown setting.",
    ]
    assert [problem.partition(" (")[0] for problem in found.problems] == [
        "conditions.a.mcp_servers: unknown MCP server “graf”",
        "conditions.b.mcp_servers: unknown MCP server “rag”",
    ]


def test_what_is_wrong_with_a_condition_s_name_is_said_with_its_place(read) -> None:
    found = read(conditions={name: {"system_prompt": "x"} for name in ("", "a", "x" * 101, "with\u202egraph")})
    assert found.config is None
    assert found.problems == [
        "conditions: A condition needs a name.",
        f"conditions.{'x' * 101}: Too long (maximum 100 characters).",
        "conditions.with?graph: The condition’s name contains an invisible character (U+202E). Remove it.",
    ]


def test_a_misspelt_setting_does_not_run_but_can_be_looked_at(read) -> None:
    found = read(judge={"model": "gpt-4o", "temprature": 0})
    assert found.config is not None and found.problems == []
    with pytest.raises(ConfigurationError, match=r"judge\.temprature.*Did you mean temperature"):
        found.run()


def test_wrong_values_are_all_said(read) -> None:
    found = read(agent={"type": "codex", "model": ""}, judge={"model": "gpt-4o", "temperature": -1})
    assert [problem.partition(":")[0] for problem in found.problems] == [
        "agent.type", "agent.model", "judge.temperature",
    ]  # fmt: skip
    assert found.config is None


def test_without_a_number_of_repetitions_it_is_that_of_the_methodology(read) -> None:
    found = read(execution={"max_concurrent": 1})
    assert found.run().replicate_count == 3
    assert any("default is used: 3" in note for note in found.notes)


def test_a_name_that_stands_twice_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("conditions:\n  same: {system_prompt: a}\n  same: {system_prompt: b}\n")
    with pytest.raises(ConfigurationError, match=r"duplicate name \(line 3, column 3\)"):
        read_k_eval(path, {})


def test_yaml_can_make_no_object_of_python(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("name: !!python/object/apply:os.system ['touch made']\n")
    with pytest.raises(ConfigurationError, match="cannot be read as YAML"):
        read_k_eval(file, {})


@pytest.mark.parametrize(
    ("name", "interface", "model", "provider"),
    [
        ("anthropic/claude-opus-4-5", "claude_tool", "claude-opus-4-5", None),
        ("claude-opus-4-5", "claude_tool", "claude-opus-4-5", None),
        ("openai/gpt-4o", "openai_endpoint", "gpt-4o", None),
        ("gpt-4o", "openai_endpoint", "gpt-4o", None),
        ("openrouter/meta/llama", "openrouter", "meta/llama", None),
        ("vertex_ai/claude-opus-4-5", "langchain", "claude-opus-4-5", "google_anthropic_vertex"),
        ("vertex_ai/gemini-2.5-pro", "langchain", "gemini-2.5-pro", "google_vertexai"),
        ("gemini/gemini-2.5-pro", "langchain", "gemini-2.5-pro", "google_genai"),
    ],
)
def test_names_of_litellm_lead_to_interfaces(name: str, interface: str, model: str, provider: str | None) -> None:
    found = translate(name, 0)
    assert (found.model.interface, found.model.model_name, found.model.model_provider) == (interface, model, provider)
    assert (found.note is not None) == (interface == "langchain")


def test_a_data_set_becomes_questions_with_reference_answers(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    lines = [{"question": "A?", "answer": "a"}, {"question": "A?", "answer": "b"}, {"question": "C?", "answer": "c"}]
    file.write_text("\ufeff" + "\n\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    questions = read_dataset(file, DATASET)
    assert [(each.question, each.raw_answer) for each in questions] == [("A?", "a"), ("A?", "b"), ("C?", "c")]
    assert len({each.id for each in questions}) == 3


def test_every_bad_line_of_a_data_set_is_named(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        '{"question": "A?", "answer": "a"}\n{oops\n{"question": "B?"}\n[1]\n{"question": "", "answer": 3}\n'
    )
    with pytest.raises(FileFormatError) as refused:
        read_dataset(file, DATASET)
    assert str(refused.value).splitlines()[1:] == [
        "  line 2: it is not valid JSON",
        "  line 3: it has no “answer” (its names: question)",
        "  line 4: it is not an object",
        "  line 5: “question” is empty",
    ]


@pytest.mark.parametrize("reviewed", [False, True])
def test_the_benchmark_has_the_judge_and_is_finished_only_where_a_person_says_so(
    read, tmp_path: Path, reviewed: bool
) -> None:
    data = tmp_path / "q.jsonl"
    data.write_text('{"question": "A?", "answer": "a"}\n')
    document = benchmark_of(read(), read_dataset(data, DATASET), data, reviewed=reviewed)
    assert document.name == "demo" and document.rubric is not None
    assert document.rubric.llm_traits == [methodology_judge()]
    assert [entry.finished for entry in document.entries] == [reviewed]


def test_a_configuration_is_told_from_other_yaml(read, tmp_path: Path) -> None:
    assert is_k_eval(read().path)
    other = tmp_path / "other.yaml"
    other.write_text("answering_models: []\n")
    assert not is_k_eval(other)


def test_the_published_configuration_opens_unchanged(shared: Path) -> None:
    found = read_k_eval(shared / "k-eval" / "config.yaml", {})
    assert found.dataset is not None
    assert (found.problems, found.unknown, found.unset) == ([], [], {})
    assert [condition.name for condition in found.run().conditions] == ["baseline", "with_graph"]
    assert len(read_dataset(found.dataset_path, found.dataset)) == 12
