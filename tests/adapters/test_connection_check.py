"""Testing a model says what is wrong with it, and what to do: over both SDKs, against every fault of the twin."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from karenina_gui.adapters.connection_check import ConnectionReport, nearest
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import PortCapabilities
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from tests.adapters.conftest import KEY
from tests.twin import Asked, Reply, Twin, in_turn

OK = Reply(text="OK")
MARBLES = Reply(data={"count": 3, "color": "red"})


def good(asked: Asked) -> Reply:
    return MARBLES if asked.schema is not None else OK


def states(report: ConnectionReport) -> dict[str, str]:
    return {step.part: step.state for step in report.steps}


def words(report: ConnectionReport, title: str) -> str:
    return next(step.message for step in report.steps if step.part == title)


def failed_at(report: ConnectionReport) -> str:
    """The one part that failed; the parts after it were not reached."""
    (title,) = [step.part for step in report.steps if step.state == "failed"]
    assert not report.ok
    assert report.message == words(report, title)
    assert KEY not in repr(report)
    return title


def test_a_model_that_answers_and_keeps_to_a_schema_has_nothing_against_it(play, adapters, model_at):
    twin = play(good)
    report = adapters.check(model_at(twin))
    assert report.ok
    assert set(states(report).values()) == {"ok"}
    assert (words(report, "model"), words(report, "key")) == ("m", "TWIN_KEY was accepted.")
    assert report.message == "m replied."
    assert len(twin.requests) == 2


def test_a_server_on_this_computer_needs_no_key(play, model_at):
    usual = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    with AdapterFactory(environment=usual) as adapters:
        report = adapters.check(model_at(play(good), api_key_env=None))
    assert (report.ok, words(report, "key")) == (True, "No key needed.")


def test_a_name_that_nobody_knows(adapters, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    model = ModelConfig(model_name="m", interface="openai_endpoint", api_key_env="TWIN_KEY")
    report = adapters.check(model.model_copy(update={"endpoint_base_url": "http://no-such-host.invalid:99/v1"}))
    assert failed_at(report) == "address"
    assert "Couldn’t find the host no-such-host.invalid." in report.message
    assert states(report)["key"] == states(report)["answer"] == "open"


def test_nobody_at_the_address(adapters, model_at):
    with Twin(good) as gone:
        model = model_at(gone)
    report = adapters.check(model)
    assert failed_at(report) == "address"
    assert "Check that it is running." in report.message


def test_an_address_that_is_none(adapters, model_at):
    with Twin(good) as twin:
        model = model_at(twin)
    address = "endpoint_base_url" if model.endpoint_base_url else "anthropic_base_url"
    report = adapters.check(model.model_copy(update={address: "localhost:8000"}))
    assert failed_at(report) == "address"
    assert "not a server URL" in report.message


def test_https_where_the_server_has_none(play, adapters, model_at):
    model = model_at(play(good))
    address = "endpoint_base_url" if model.endpoint_base_url else "anthropic_base_url"
    secure = str(getattr(model, address)).replace("http://", "https://")
    report = adapters.check(model.model_copy(update={address: secure}))
    assert failed_at(report) == "address"
    assert "doesn’t support HTTPS" in report.message


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=404, raw=b"<html>Nothing here</html>"),
        Reply(status=405, raw=b"no"),
        Reply(status=501, raw=b"<html>Unsupported method</html>"),
        Reply(status=307, headers={"location": "https://example.org"}),
        Reply(raw=b"<html>Welcome to my page</html>", headers={"content-type": "text/html"}),
    ],
    ids=["404", "405", "501", "redirect", "a page"],
)
def test_a_path_at_which_there_is_no_api(play, adapters, model_at, reply):
    report = adapters.check(model_at(play(in_turn(reply))))
    assert failed_at(report) == "address"
    assert "not as a model API" in report.message


def test_a_key_that_is_missing_is_named_before_any_call(play, model_at):
    twin = play(good)
    with AdapterFactory(environment={}) as adapters:
        report = adapters.check(model_at(twin))
    assert failed_at(report) == "key"
    assert "TWIN_KEY" in report.message
    assert not twin.requests


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_named(play, adapters, model_at, status):
    report = adapters.check(model_at(play(in_turn(Reply(status=status, message=f"Incorrect key {KEY}")))))
    assert failed_at(report) == "key"
    assert "TWIN_KEY" in report.message
    assert states(report)["address"] == "ok"


def test_a_mistyped_model_gets_the_nearest_names(adapters, model_at):
    missing = Reply(status=404, message="The model does not exist")
    with Twin(in_turn(missing), models=["whale-large", "gpt-5-mini", "gpt5-mini-2"]) as twin:
        report = adapters.check(model_at(twin, model_name="gpt5-mini"))
    assert failed_at(report) == "model"
    assert "Did you mean gpt-5-mini or gpt5-mini-2?" in report.message
    assert states(report)["address"] == states(report)["key"] == "ok"


def test_a_model_that_is_refused_with_400_is_a_wrong_name_too(adapters, model_at):
    with Twin(in_turn(Reply(status=400, message="m is not a valid model ID")), models=["whale", "dolphin"]) as twin:
        report = adapters.check(model_at(twin))
    assert failed_at(report) == "model"
    assert "Available: whale and dolphin." in report.message


def test_without_a_list_the_servers_words_tell_a_wrong_name_from_a_wrong_path(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(Reply(status=404, message="no such model: m")))))
    assert failed_at(report) == "model"
    assert "Look up the exact name" in report.message


def test_a_busy_provider_is_told_apart_from_a_wrong_setting(play, adapters, model_at):
    busy = Reply(status=429, message="slow down", headers={"retry-after": "7"})
    report = adapters.check(model_at(play(in_turn(busy))))
    assert failed_at(report) == "answer"
    assert "Wait 7 s, then test again" in report.message
    assert states(report)["key"] == "ok"


def test_an_empty_account_is_called_that(play, adapters, model_at):
    body = b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'
    report = adapters.check(model_at(play(in_turn(Reply(status=429, raw=body)))))
    assert failed_at(report) == "answer"
    assert "no credit left" in report.message


def test_a_silent_server_is_waited_for_once(play, adapters, model_at):
    twin = play(in_turn(Reply(delay=1.0)))
    report = adapters.check(model_at(twin), timeout=0.2)
    assert failed_at(report) == "answer"
    assert "didn’t reply within" in report.message
    assert (states(report)["address"], states(report)["key"], len(twin.requests)) == ("ok", "open", 1)


def test_a_broken_provider_is_nobodys_fault_here(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(Reply(status=500, message="oops")))))
    assert failed_at(report) == "answer"
    assert "Test again later" in report.message


def test_a_refused_setting_is_quoted(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(Reply(status=400, message="top_p must be below 1")))))
    assert failed_at(report) == "answer"
    assert "top_p must be below 1" in report.message


def test_a_reply_cut_off_before_it_began_asks_for_more_tokens(play, adapters, model_at):
    cut = Reply(text="", thinking="Let me think", stop="max_tokens")
    report = adapters.check(model_at(play(lambda asked: cut if asked.number == 1 else good(asked))))
    assert states(report)["answer"] == "doubt"
    assert "Increase the maximum output tokens" in words(report, "answer")


def test_a_model_without_json_can_answer_but_not_judge(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(Reply(text="Three marbles, and they are red.")))))
    assert failed_at(report) == "schema"
    assert "can answer questions, but not judge reliably" in report.message
    assert states(report)["answer"] == "ok"


def test_a_server_that_refuses_schemas_is_asked_in_words_and_says_so(play, adapters, model_at):
    def script(asked: Asked) -> Reply:
        if asked.schema is not None or asked.body.get("response_format"):
            return Reply(status=400, message="response_format, output_config and tool are not supported")
        return Reply(text='{"count": 3, "color": "red"}' if "JSON Schema" in asked.text else "OK")

    report = adapters.check(model_at(play(script)))
    assert (report.ok, states(report)["schema"]) == (True, "doubt")
    assert "The reply fits the schema." in report.message
    assert "doesn’t enforce schemas, so the schema is sent in the prompt" in report.message


def test_a_server_that_knows_json_mode_alone_says_so(play, adapters, model_at):
    def script(asked: Asked) -> Reply:
        if asked.schema is not None:
            return Reply(status=400, message="response_format of type json_schema is not supported, nor are tools")
        return Reply(text='{"count": 3, "color": "red"}' if "JSON Schema" in asked.text else "OK")

    model = model_at(play(script))
    report = adapters.check(model)
    assert states(report)["schema"] == "doubt"
    assert ("only supports JSON mode" in report.message) == (model.interface == "openai_endpoint")


def test_a_judge_that_needs_a_second_try_is_noted(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(OK, Reply(data={"count": "three"}), MARBLES))))
    assert states(report)["schema"] == "doubt"
    assert "needed a retry" in report.message


def test_what_cannot_be_tested_is_not_called_a_failure(play, adapters, model_at):
    report = adapters.check(model_at(play(in_turn(OK, Reply(status=429, message="slow down")))))
    assert (report.ok, states(report)["schema"]) == (True, "doubt")
    assert "couldn’t be tested" in report.message


def test_an_interface_that_knows_no_schemas_is_not_asked_for_one(play, adapters, model_at):
    twin = play(good)
    model = model_at(twin)
    spec = AdapterRegistry.require(model.interface)
    AdapterRegistry.register(replace(spec, capabilities=PortCapabilities(structured_output=False)))
    try:
        report = adapters.check(model)
    finally:
        AdapterRegistry.register(spec)
    assert "doesn’t support structured output" in report.message
    assert len(twin.requests) == 1


def test_what_a_check_has_learned_is_forgotten_with_it(play, adapters, model_at):
    """The server may have been set right since."""
    replies = iter([OK, Reply(text="No."), Reply(text="No.")])
    twin = play(lambda asked: next(replies, None) or good(asked))
    assert not adapters.check(model_at(twin)).ok
    assert set(states(adapters.check(model_at(twin))).values()) == {"ok"}


def test_recorded_models_are_not_called(adapters):
    report = adapters.check(ModelConfig(id="a", interface="manual", manual_traces={"q": "42"}))
    assert (report.ok, report.message) == (True, "Uses recorded answers. No model is called.")
    report = adapters.check(ModelConfig(model_name="r", interface="replay", recording="/nowhere.json"))
    assert failed_at(report) == "recording"


def test_the_nearest_names_come_first():
    names = ["claude-sonnet-4-5-20250929", "claude-haiku-4-5", "claude-opus-4-1", "gpt-5"]
    assert nearest("claude-sonnet-4-5", names)[0] == "claude-sonnet-4-5-20250929"
    assert nearest("GPT-5", names) == ["gpt-5"]
    assert nearest("llama", names) == []


def test_each_mcp_server_is_tried_and_its_tools_are_named(adapters, monkeypatch):
    monkeypatch.delenv("PAPERS_TOKEN", raising=False)
    clock = ToolServer(command=str(Path(sys.executable).parent / "mcp-server-time"), args=["--local-timezone", "UTC"])
    servers = {
        "clock": clock,
        "some": clock.model_copy(update={"tools": ["get_current_time", "get_moon", "get_sun"]}),
        "gone": ToolServer(command="/nowhere/papers-mcp"),
        "closed": ToolServer(type="http", url="http://127.0.0.1:9/mcp"),
        "keyless": ToolServer(command="papers-mcp", env={"TOKEN": "${PAPERS_TOKEN}"}),
    }
    with Twin(good) as twin:
        model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        report = adapters.check(model.model_copy(update={"mcp_servers": servers}))
    found = {step.server: (step.state, step.message) for step in report.steps[-5:]}
    assert found["clock"] == ("ok", "2 tools: get_current_time and convert_time.")
    assert found["some"] == ("doubt", "The server has no tools named get_moon or get_sun. 1 tool: get_current_time.")
    assert [found[name][0] for name in ("gone", "closed", "keyless")] == ["failed"] * 3
    assert "PAPERS_TOKEN" in found["keyless"][1]
    assert (report.ok, report.message) == (False, found["gone"][1])
    assert "“gone”" in report.message


def test_servers_of_a_model_that_is_not_reached_are_tried_all_the_same(adapters):
    server = {"gone": ToolServer(command="/nowhere/papers-mcp")}
    model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url="http://127.0.0.1:9/v1")
    titles = {
        step.server or step.part: step.state
        for step in adapters.check(model.model_copy(update={"mcp_servers": server})).steps
    }
    assert (titles["address"], titles["gone"]) == ("failed", "failed")
