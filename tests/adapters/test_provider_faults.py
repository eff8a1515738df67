"""Every fault of a provider, through both SDKs, ends in its documented outcome."""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from threading import Event, Semaphore, Timer

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.error_mapping import retry_after
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.errors import AuthenticationError, ProviderError, RunCancelled
from karenina_gui.schemas.messages import TextBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.tools import ToolSpec
from tests.adapters.conftest import CALLS, KEY, question
from tests.twin import Reply, Twin, in_turn

GOOD = Reply(text="It is 42.")
NESTED = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
"""More deeply than JSON can be read."""


def test_a_good_reply_brings_text_tokens_and_model(play, adapters, model_at):
    reply = adapters.llm(model_at(play(in_turn(GOOD))), CALLS).invoke(question())
    assert (reply.content, reply.model, reply.refusal, reply.retries) == ("It is 42.", "m", None, {})
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.total_tokens) == (11, 7, 18)


def test_the_request_carries_system_prompt_limits_key_and_extras(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    model = model_at(twin, temperature=0.5, max_tokens=99, extra_kwargs={"top_p": 0.9})
    adapters.llm(model, CALLS).invoke(question())
    (asked,) = twin.requests
    assert (asked.system, asked.text, asked.key) == ("Be brief.", "What is 6 x 7?", KEY)
    assert (asked.body["max_tokens"], asked.body["temperature"], asked.body["top_p"]) == (99, 0.5, 0.9)
    assert asked.path in ("/v1/chat/completions", "/v1/messages")


@pytest.mark.parametrize(
    ("address", "extra", "path"),
    [
        ("", {}, "/v1/chat/completions"),
        ("/v1/", {}, "/v1/chat/completions"),
        ("/proxy/api", {}, "/proxy/api/v1/chat/completions"),
        ("/proxy/api", {"endpoint_base_url_mode": "raw"}, "/proxy/api/chat/completions"),
    ],
)
def test_a_version_is_added_to_an_address_unless_it_is_raw(play, adapters, address, extra, path):
    twin = play(in_turn(GOOD))
    url = f"{twin.address}{address}"
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=url, extra_kwargs=extra)
    adapters.llm(model, CALLS).invoke(question())
    assert twin.requests[0].path == path
    assert "endpoint_base_url_mode" not in twin.requests[0].body


def test_an_address_may_come_from_the_environment(play):
    twin = play(in_turn(GOOD))
    environment = {"OPENAI_BASE_URL": twin.address, "ANTHROPIC_BASE_URL": twin.address}
    with AdapterFactory(environment) as adapters:
        for interface in ("openai_endpoint", "claude_tool"):
            adapters.llm(ModelConfig(model_name="m", interface=interface), CALLS).invoke(question())
    assert [asked.protocol for asked in twin.requests] == ["openai", "anthropic"]


def test_a_key_in_the_model_goes_before_the_environment(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    key = {"endpoint_api_key": "given", "anthropic_api_key": "given"}
    adapters.llm(model_at(twin, **key), CALLS).invoke(question())
    assert twin.requests[0].key == "given"


def test_no_temperature_is_sent_when_the_model_has_none(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    adapters.llm(model_at(twin, temperature=None), CALLS).invoke(question())
    assert "temperature" not in twin.requests[0].body


def test_parts_of_a_type_that_they_never_have_are_left_out(play, model_at):
    body = {
        "model": {"name": "m"},
        "choices": [
            {
                "finish_reason": 7,
                "message": {"content": "It is 42.", "refusal": {}, "reasoning_content": ["so"], "tool_calls": None},
            }
        ],
        "usage": {"prompt_tokens": "11", "completion_tokens": None, "prompt_tokens_details": {"cached_tokens": [1]}},
    }
    twin = play(in_turn(Reply(raw=json.dumps(body).encode())))
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    with AdapterFactory(environment={}) as adapters:
        reply = adapters.llm(model, CALLS).invoke(question())
    assert reply.content == "It is 42."
    assert (reply.model, reply.stop_reason, reply.refusal, reply.thinking) == (None, None, None, None)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.input_token_details) == (None, None, {})


def test_thinking_is_kept_apart_from_the_answer(play, adapters, model_at):
    twin = play(in_turn(Reply(text="It is 42.", thinking="6 x 7 ...")))
    reply = adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (reply.content, reply.thinking) == ("It is 42.", "6 x 7 ...")


def test_thinking_in_the_text_is_kept_apart_too(play, adapters, model_at):
    twin = play(in_turn(Reply(text="<think>6 x 7 ...</think>\n\nIt is 42.", thinking="Hm.")))
    llm = adapters.llm(model_at(twin), CALLS)
    for asked in (question(), question(tools=(ToolSpec("f", "", {"type": "object"}),))):
        reply = llm.invoke(asked)
        assert (reply.content, reply.thinking) == ("It is 42.", "Hm.\n\n6 x 7 ...")
        texts = [block.text for block in reply.blocks if isinstance(block, TextBlock)]
        assert texts == (["It is 42."] if asked.tools else [])


@pytest.mark.parametrize(
    ("fault", "category"),
    [
        (Reply(status=429, message="slow down"), "rate_limit"),
        (Reply(status=500, message="oops"), "server_error"),
        (Reply(status=503, raw=b"<html>busy</html>"), "server_error"),
        (Reply(status=529, message="overloaded"), "server_error"),
        (Reply(status=408, message="too slow"), "timeout"),
        (Reply(text="It is 42, and here is more.", cut=True), "connection"),
        (Reply(raw=b'{"choices": [{"mess'), "server_error"),
        (Reply(raw=b"{}"), "server_error"),
        (Reply(raw=NESTED), "server_error"),
        (Reply(raw=NESTED, status=500), "server_error"),
        (Reply(raw=b'{"error": {"code": 502, "message": "upstream broke"}}'), "server_error"),
        (Reply(text="It does not", stop="error"), "server_error"),
        (Reply(text="", stop="network_error"), "server_error"),
        (Reply(text="", stop="insufficient_system_resource"), "server_error"),
    ],
    ids=[
        *("429", "500", "503", "529", "408", "cut", "malformed", "empty", "nested", "nested, 500", "error inside 200"),
        *("error", "network error", "no resources"),
    ],
)
def test_a_passing_fault_is_tried_again_and_counted(play, adapters, model_at, fault, category):
    twin = play(in_turn(fault, GOOD))
    reply = adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (reply.content, reply.retries, len(twin.requests)) == ("It is 42.", {category: 1}, 2)


def in_choice(error, text="It does not", stop="error"):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stop}
    return Reply(raw=json.dumps({"choices": [{**choice, "error": error}]}).encode())


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
@pytest.mark.parametrize(
    ("fault", "category"),
    [
        (in_choice({"code": 502, "message": "Upstream is overloaded"}), "server_error"),
        (in_choice({"code": 502, "message": "Upstream is overloaded"}, None), "server_error"),
        (in_choice({"code": 429, "message": "Upstream is overloaded"}, stop="stop"), "rate_limit"),
        (in_choice("Upstream is overloaded", stop=None), "server_error"),
    ],
)
def test_an_error_in_a_choice_is_tried_again_and_then_told(play, adapters, model_at, fault, category):
    twin = play(in_turn(fault, GOOD))
    reply = adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (reply.content, reply.retries) == ("It is 42.", {category: 1})
    with pytest.raises(ProviderError, match="Upstream is overloaded"):
        adapters.llm(model_at(play(in_turn(fault))), CALLS).invoke(question())


@pytest.mark.parametrize("stop", ["content_filter", "network_error", "model_context_window_exceeded", "length"])
def test_half_an_answer_is_one(play, adapters, model_at, stop):
    reply = adapters.llm(model_at(play(in_turn(Reply(text="It is", stop=stop)))), CALLS).invoke(question())
    assert (reply.content, reply.stop_reason, reply.refusal, reply.retries) == ("It is", stop, None, {})


@pytest.mark.parametrize("status", [429, 500])
def test_a_lasting_fault_ends_when_the_budget_is_spent(play, adapters, model_at, status):
    twin = play(in_turn(Reply(status=status, message="still no")))
    with pytest.raises(ProviderError, match="still no") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert len(twin.requests) == 3
    assert caught.value.retries == {caught.value.category: 2}
    assert caught.value.status == status


def test_each_category_has_its_own_budget(play, adapters, model_at):
    busy, broken = Reply(status=429), Reply(status=500)
    twin = play(in_turn(busy, broken, busy, broken, GOOD))
    reply = adapters.llm(model_at(twin), CALLS).invoke(question())
    assert reply.retries == {"rate_limit": 2, "server_error": 2}


def test_a_models_own_budget_goes_before_the_runs(play, adapters, model_at):
    none = RetryPolicy(server_error=RetryBudget(max_attempts=0))
    twin = play(in_turn(Reply(status=500)))
    with pytest.raises(ProviderError):
        adapters.llm(model_at(twin, retry_policy=none), CALLS).invoke(question())
    assert len(twin.requests) == 1


def test_a_silent_provider_times_out(play, adapters, model_at):
    twin = play(in_turn(Reply(delay=0.6), GOOD))
    reply = adapters.llm(model_at(twin, request_timeout=0.2), CALLS).invoke(question())
    assert reply.retries == {"timeout": 1}


def test_a_provider_that_only_keeps_the_line_alive_times_out_too(play, adapters, model_at):
    twin = play(in_turn(Reply(text="late", drip=2.0), GOOD))
    reply = adapters.llm(model_at(twin, request_timeout=0.3), CALLS).invoke(question())
    assert (reply.content, reply.retries) == ("It is 42.", {"timeout": 1})


def test_nobody_at_the_address_is_a_connection_fault(play, adapters, model_at):
    with Twin(in_turn(GOOD)) as gone:
        model = model_at(gone)
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1") as caught:
        adapters.llm(model, CALLS).invoke(question())
    assert (caught.value.category, caught.value.retries) == ("connection", {"connection": 2})


def test_retry_after_is_honoured(play, adapters, model_at):
    twin = play(in_turn(Reply(status=429, headers={"retry-after": "1"}), GOOD))
    started = time.monotonic()
    adapters.llm(model_at(twin), CALLS).invoke(question())
    assert time.monotonic() - started >= 1.0


def test_a_pause_too_long_to_wait_ends_the_call_at_once(play, adapters, model_at):
    twin = play(in_turn(Reply(status=429, message="come back tomorrow", headers={"retry-after": "86400"}), GOOD))
    with pytest.raises(ProviderError, match="come back tomorrow") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (caught.value.retry_after, len(twin.requests)) == (86400, 1)


def test_retry_after_may_be_a_date_milliseconds_or_nonsense():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 28 <= (retry_after({"retry-after": soon}) or 0) <= 30
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_fails_at_once_and_says_which(play, adapters, model_at, status):
    twin = play(in_turn(Reply(status=status, message=f"Incorrect API key provided: {KEY}"), GOOD))
    with pytest.raises(AuthenticationError, match="TWIN_KEY") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert len(twin.requests) == 1
    assert KEY not in str(caught.value)
    assert "[key]. Check the key in TWIN_KEY." in str(caught.value)


@pytest.mark.parametrize("said", ["API key expired. Please renew the API key.", "API key not valid. Pass a valid one."])
def test_a_key_that_is_refused_with_status_400_is_told_like_any_other(play, adapters, model_at, said):
    twin = play(in_turn(Reply(status=400, message=said), GOOD))
    with pytest.raises(AuthenticationError, match="TWIN_KEY"):
        adapters.llm(model_at(twin), CALLS).invoke(question())


@pytest.mark.parametrize(
    ("interface", "variable"),
    [("openai_endpoint", "OPENAI_API_KEY"), ("openrouter", "OPENROUTER_API_KEY"), ("claude_tool", "ANTHROPIC_API_KEY")],
)
def test_a_missing_key_is_named_before_any_call(interface, variable):
    with (
        AdapterFactory(environment={}) as adapters,
        pytest.raises(AuthenticationError, match=f"environment variable {variable} and restart"),
    ):
        adapters.llm(ModelConfig(model_name="m", interface=interface))


def test_a_server_on_this_machine_needs_no_key_and_gets_none_of_the_providers(play, model_at):
    twin = play(in_turn(GOOD))
    usual = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    with AdapterFactory(environment=usual) as adapters:
        adapters.llm(model_at(twin, api_key_env=None), CALLS).invoke(question())
    assert twin.requests[0].key == "not-needed"


def test_a_refused_request_is_not_repeated_and_quotes_the_provider(play, adapters, model_at):
    twin = play(in_turn(Reply(status=400, message="context is too long")))
    with pytest.raises(ProviderError, match="context is too long") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (caught.value.category, caught.value.status, len(twin.requests)) == ("rejected", 400, 1)


def test_a_wrong_model_name_is_asked_for_once(play, adapters, model_at):
    twin = play(in_turn(Reply(status=404, message="no model called tool-schema-1")))
    with pytest.raises(ProviderError, match="tool-schema-1"):
        adapters.llm(model_at(twin), CALLS).invoke(question(json_schema={"type": "object"}))
    assert len(twin.requests) == 1


def test_an_exhausted_account_is_not_asked_again(play, adapters, model_at):
    body = b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'
    twin = play(in_turn(Reply(status=429, raw=body)))
    with pytest.raises(ProviderError, match="quota") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (caught.value.category, len(twin.requests)) == ("rejected", 1)


@pytest.mark.parametrize(
    "said",
    [
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
        "Billing hard limit has been reached",
    ],
)
def test_a_limit_that_the_account_has_set_itself_is_told_as_one_of_the_account(play, adapters, model_at, said):
    twin = play(in_turn(Reply(status=400, message=said)))
    with pytest.raises(ProviderError) as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert caught.value.account


def test_a_redirect_is_not_followed_with_the_key(play, adapters, model_at):
    elsewhere = play(in_turn(GOOD))
    twin = play(in_turn(Reply(status=307, headers={"location": f"{elsewhere.address}/v1/messages"})))
    with pytest.raises(ProviderError):
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert not elsewhere.requests


def test_a_refusal_is_a_reply_not_an_error(play, adapters, model_at):
    reply = adapters.llm(model_at(play(in_turn(Reply(refusal="I will not."))))).invoke(question())
    assert reply.refusal == "I will not."


def test_a_cancelled_run_makes_no_call(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    with pytest.raises(RunCancelled):
        adapters.llm(model_at(twin), CallPolicy(cancelled=lambda: True)).invoke(question())
    assert not twin.requests


def test_cancelling_ends_a_wait_long_before_it_is_over(play, adapters, model_at):
    """The run is looked at again and again within one wait of a minute, and no further request is sent after it."""
    looks = count(1)
    twin = play(in_turn(Reply(status=429, headers={"retry-after": "60"})))
    with pytest.raises(RunCancelled):
        adapters.llm(model_at(twin), CallPolicy(cancelled=lambda: next(looks) > 5)).invoke(question())
    assert len(twin.requests) == 1


def test_a_waiting_call_holds_no_permit(play, adapters, model_at):
    """One permit: while one model sits out its pause of a minute, another may call."""
    busy = Reply(status=429, headers={"retry-after": "60"})
    twin = play(lambda asked: busy if asked.model == "busy" and asked.number == 1 else GOOD)
    stop = Event()
    calls = CallPolicy(retry=CALLS.retry, permits=Semaphore(1), cancelled=stop.is_set)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(adapters.llm(model_at(twin, model_name="busy"), calls).invoke, question())
        while not twin.requests:
            time.sleep(0.01)
        adapters.llm(model_at(twin, model_name="idle"), calls).invoke(question())
        stop.set()
        with pytest.raises(RunCancelled):
            waiting.result()


def test_cancelling_ends_the_wait_for_a_permit(play, adapters, model_at):
    taken = Semaphore(0)
    stop = Event()
    timer = Timer(0.2, stop.set)
    timer.start()
    twin = play(in_turn(GOOD))
    with pytest.raises(RunCancelled):
        adapters.llm(model_at(twin), CallPolicy(permits=taken, cancelled=stop.is_set)).invoke(question())
    assert not twin.requests
    timer.join()


def test_sixteen_workers_share_one_client(play, adapters, model_at):
    twin = play(lambda asked: Reply(text=asked.text, delay=0.05))
    model = model_at(twin)

    def ask(number: int) -> str:
        return adapters.llm(model, CALLS).invoke(question(f"number {number}")).content

    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(ask, range(64)))
    assert replies == [f"number {number}" for number in range(64)]
    assert twin.connections <= 16


def test_no_key_shows_in_logs_errors_or_representations(play, model_at, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    twin = play(
        in_turn(
            Reply(status=500, message=f"bad {KEY}"),
            Reply(status=429, message=f"Bearer {KEY} is busy"),
            Reply(cut=True),
            Reply(status=400, message=f"what is {KEY}? and sk-proj-another0key"),
        )
    )
    model = model_at(twin)
    with AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters:
        llm = adapters.llm(model, CALLS)
        with pytest.raises(ProviderError) as caught:
            llm.invoke(question())
        error: BaseException | None = caught.value
        shown = [str(error), repr(error), repr(vars(error)), repr(model), repr(llm), repr(vars(llm)), repr(adapters)]
    assert "what is [key]" in shown[0]
    assert (error.__cause__, error.__context__) == (None, None)
    assert len(twin.requests) == 4
    assert caplog.records
    logged = [repr(vars(record)) + record.getMessage() for record in caplog.records]
    for text in (*shown, *logged, model.model_dump_json()):
        assert KEY not in text
        assert "another0key" not in text


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://bob:hunter2@127.0.0.1:1/v1", "No server responds at 127.0.0.1:1. Check that it is running."),
        ("http://bob:hunter2@example.com/v1", "No API key for example.com."),
        ("http://bob:hun/ter2@127.0.0.1:1/v1", "“127.0.0.1:1"),
        ("bob:hunter2@example.com/v1", "“example.com"),
        ("http://bob:hunter2@[::1/v1", "is not a server URL"),
    ],
)
@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool"])
def test_a_password_in_an_address_is_not_shown(interface, address, says, caplog):
    caplog.set_level(logging.INFO)
    variable = "OPENAI_BASE_URL" if interface == "openai_endpoint" else "ANTHROPIC_BASE_URL"
    with AdapterFactory(environment={variable: address}) as adapters:
        report = adapters.check(ModelConfig(model_name="m", interface=interface))
    shown = "".join([report.message, *(record.getMessage() for record in caplog.records)])
    assert says in report.message
    assert "ter2" not in shown
    assert "bob" not in shown


def test_a_password_in_an_error_that_quotes_the_address_is_not_shown(play, adapters, model_at):
    twin = play(in_turn(Reply(status=404, message="Nothing at https://bob:hunter2@example.com/v1.")))
    with pytest.raises(ProviderError, match=r"Nothing at https://example\.com/v1"):
        adapters.llm(model_at(twin), CALLS).invoke(question())
