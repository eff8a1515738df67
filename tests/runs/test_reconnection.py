"""A resumed run uses today's connection settings and sends the same requests as before."""

from __future__ import annotations

from karenina_gui.gui.pages.models.agent_fields import DESCRIPTION_FIELD, FILTER_FIELD, LIMIT_FIELDS, SERVER_TIMES
from karenina_gui.gui.pages.runs.resume_panel import NAMES, missing_models, setting_sentences
from karenina_gui.runs.reconnection import SettingToday, reconnect, settings_today
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.twin import Asked, Reply, Twin

NONE = RetryBudget(max_attempts=0)
AT_ONCE = RetryPolicy(connection=NONE, timeout=NONE, rate_limit=NONE, server_error=NONE)
WRONG = "http://127.0.0.1:9/v1"


def model(**settings: object) -> ModelConfig:
    return ModelConfig.model_validate(
        {"id": "ada", "model_name": "ada-1", "interface": "openai_endpoint", "temperature": 0.1, **settings}
    )


def run_of(document: BenchmarkDocument, library: Library, service: RunService) -> int:
    """A run of a model with a mistyped URL: every job fails."""
    ada = model(endpoint_base_url=WRONG)
    library.models.save("ada", ada)
    config = VerificationConfig(answering_models=[ada], retry_policy=AT_ONCE)
    run = service.start(RunOrder(library.benchmarks.create(document), config))
    assert service.wait(run, 60)
    assert service.library.runs.summary(run).outcomes == {"error": 6}
    return run


def test_a_corrected_address_is_used_and_all_else_is_the_runs(
    document: BenchmarkDocument, library: Library, service: RunService
) -> None:
    run = run_of(document, library, service)
    asked: list[Asked] = []

    def script(one: Asked) -> Reply:
        asked.append(one)
        return Reply(text="It is 42.")

    with Twin(script) as twin:
        right = f"{twin.address}/v1"
        library.models.save("ada", model(endpoint_base_url=right, temperature=0.7, model_name="ada-2"))
        sentences = setting_sentences(service.remaining(run).settings)
        assert f"ada, base URL: {right}, as on the Models page (was {WRONG})." in sentences
        assert service.remaining(run).unknown == ()
        assert "ada, temperature: 0.1, as in this run (Models page: 0.7)." in sentences
        assert "ada, model name: ada-1, as in this run (Models page: ada-2)." in sentences
        service.resume(run)
        assert service.wait(run, 60)
    assert service.library.runs.summary(run).outcomes == {"passed": 6}
    assert service.remaining(run) == RemainingJobs()
    assert {(one.body["model"], one.body["temperature"]) for one in asked} == {("ada-1", 0.1)}
    record = service.library.runs.reproducibility(run)
    assert record is not None
    assert [each.address for each in record.connections] == [WRONG, right]


def test_the_runs_own_settings_serve_where_the_model_is_gone_or_another(
    document: BenchmarkDocument, library: Library, service: RunService
) -> None:
    run = run_of(document, library, service)
    for today in ({}, {"ada": model(interface="claude_tool", anthropic_base_url="http://127.0.0.1:8")}):
        config = service.library.runs.config(run)
        assert reconnect(config, today).answering_models == config.answering_models
    assert settings_today(config, {}) == []
    (saved,) = library.models.entries()
    library.models.rename(saved.number, "ada of last year")
    (missing,) = missing_models(service.remaining(run).unknown)
    assert missing.startswith("“ada” is no longer on the Models page (deleted or renamed): the run keeps its original")
    assert [each.taken for each in settings_today(config, today)] == [False]


def test_settings_are_named_as_in_the_form_of_a_model() -> None:
    titles = {field.name: field.title for field in (*LIMIT_FIELDS, *SERVER_TIMES, FILTER_FIELD, DESCRIPTION_FIELD)}
    named = ("agent_timeout", "mcp_http_timeout", "mcp_sse_read_timeout", "mcp_tool_filter", DESCRIPTION_FIELD.name)
    for name in named:
        assert NAMES[name] == titles[name][:1].lower() + titles[name][1:]
    config = VerificationConfig(answering_models=[model(mcp_tool_description_overrides={"find": "Finds papers."})])
    assert setting_sentences(settings_today(config, {"ada": model()})) == [
        "ada, tool description overrides: as in this run."
    ]
    assert setting_sentences(
        [
            SettingToday("ada", "mcp_tool_filter", ["find"], None, taken=False),
            SettingToday("ada", "agent_timeout", 60.0, 90.0, taken=True),
        ]
    ) == [
        "ada, allowed server tools: as in this run.",
        "ada, time limit (s): 90, as on the Models page (was 60).",
    ]


def test_servers_of_tools_are_reached_where_they_are_today() -> None:
    there = ToolServer(url="http://127.0.0.1:1/mcp", tools=["find"])
    program = ToolServer(type="stdio", command="graph")
    config = VerificationConfig(
        answering_models=[model(mcp_servers={"papers": there, "graph": program}, mcp_urls_dict={"old": there.url})]
    )
    moved = ToolServer(url="http://127.0.0.1:2/mcp", headers={"X-Team": "1"}, tools=["find", "delete"])
    today = model(
        mcp_servers={"papers": moved, "graph": ToolServer(type="stdio", command="other")},
        mcp_urls_dict={"old": moved.url, "new": moved.url},
    )
    (found,) = reconnect(config, {"ada": today}).answering_models
    assert found.mcp_servers == {
        "papers": there.model_copy(update={"url": moved.url, "headers": moved.headers}), "graph": program,
    }  # fmt: skip
    assert found.mcp_urls_dict == {"old": moved.url}
