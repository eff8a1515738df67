"""A model works with tools, turn after turn, in both protocols."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig, CallUsage, LLMResponse
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.tool_calls import convert_call
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.errors import ProviderError, RunCancelled, ToolServerError
from karenina_gui.schemas.messages import Message, ThinkingBlock, final_answer
from karenina_gui.schemas.model_config import ModelConfig
from tests.adapters.conftest import CALLS, question
from tests.adapters.tools import Worked, multiply
from tests.twin import Call, Reply, in_turn

ASKED = question().messages
TWICE = Reply(text="First, ", calls=[Call("multiply", {"a": 6, "b": 7}), Call("multiply", {"a": 2, "b": 3})])
ONCE = Reply(calls=[Call("multiply", {"a": 6, "b": 7})])
DONE = Reply(text="It is 42.")
NO_LIMITS = AgentConfig()


@pytest.fixture
def run(play, model_at, adapters):
    """Plays the script to an agent with these tools."""

    def run(script, *tools, config=NO_LIMITS, calls=CALLS, **settings):
        twin = play(script)
        result = adapters.agent(model_at(twin, **settings), calls).run(ASKED, tools, {}, config)
        return result, twin.requests

    return run


def test_tools_work_until_the_model_answers(run):
    tool = multiply()
    result, requests = run(in_turn(TWICE, ONCE, DONE), tool)
    assert tool.given == [{"a": 6, "b": 7}, {"a": 2, "b": 3}, {"a": 6, "b": 7}]
    assert (result.final_response, result.turns, result.limit_reached, result.timeout_reached) == (
        "It is 42.", 3, False, False,
    )  # fmt: skip
    assert [message.role for message in result.messages] == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert final_answer(result.messages) == ("It is 42.", None)
    assert result.messages[0].text == "First, "
    assert [r.content for r in result.messages[1].tool_results] == ["42", "6"]
    assert [r.tool_use_id for r in result.messages[1].tool_results] == [u.id for u in result.messages[0].tool_uses]
    assert requests[0].tools["multiply"] == tool.spec.input_schema
    assert requests[0].results == []
    assert requests[2].results == [("call_1_0", "42"), ("call_1_1", "6"), ("call_2_0", "42")]
    assert requests[2].tools == requests[0].tools


def test_every_turn_says_when_it_was_and_what_it_cost(run):
    result, _ = run(in_turn(ONCE, DONE), multiply())
    asked, worked, answered = result.messages
    assert asked.usage_metadata == answered.usage_metadata
    assert asked.usage_metadata == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    assert worked.usage_metadata is None
    times = [datetime.fromisoformat(message.timestamp) for message in result.messages]
    assert times == sorted(times)
    assert all(moment.utcoffset() == timedelta(0) for moment in times)
    assert result.usage == CallUsage(22, 14)
    assert result.usage.requests == (CallUsage(11, 7),) * 2
    assert result.model == "m"


def test_calls_of_one_reply_run_at_the_same_time_and_answer_in_order(run):
    both = threading.Barrier(2)

    def work(given):
        both.wait(5)
        return str(given["a"])

    tool = Worked("multiply", work)
    result, _ = run(in_turn(TWICE, DONE), tool)
    assert len(tool.threads) == 2
    assert [r.content for r in result.messages[1].tool_results] == ["6", "2"]


def test_an_agent_without_tools_answers_in_one_turn(run):
    result, requests = run(in_turn(DONE))
    assert (result.final_response, result.turns) == ("It is 42.", 1)
    assert "tools" not in requests[0].body


def test_the_instructions_of_the_loop_go_first_unless_there_are_some(play, model_at, adapters):
    twin = play(in_turn(DONE))
    agent = adapters.agent(model_at(twin), CALLS)
    agent.run([Message.of("user", "Hi")], [], {}, AgentConfig(system_prompt="Look around."))
    agent.run(ASKED, [], {}, AgentConfig(system_prompt="Look around."))
    assert [asked.system for asked in twin.requests] == ["Look around.", "Be brief."]


def test_an_unknown_tool_is_an_error_that_the_model_can_read(run):
    result, requests = run(in_turn(Reply(calls=[Call("divide", {"a": 1})]), DONE), multiply())
    (told,) = result.messages[1].tool_results
    assert told.is_error
    assert told.content == "There is no tool 'divide'. There are: multiply."
    assert requests[1].results == [("call_1_0", told.content)]
    assert result.final_response == "It is 42."


def test_a_tool_that_breaks_is_an_error_that_the_model_can_read(run):
    def work(given):
        raise ZeroDivisionError("no such number")

    result, _ = run(in_turn(TWICE, DONE), Worked("multiply", work))
    assert [(r.is_error, r.content) for r in result.messages[1].tool_results] == [
        (True, "multiply failed (ZeroDivisionError): no such number")
    ] * 2


def test_half_a_character_from_a_tool_does_not_break_the_next_turn(run):
    result, _ = run(in_turn(ONCE, DONE), Worked("multiply", lambda given: "\ud800 is no character"))
    assert result.final_response == "It is 42."


def test_turns_are_limited(run):
    tool = multiply()
    result, requests = run(lambda asked: ONCE, tool, config=AgentConfig(max_turns=3))
    assert (result.limit_reached, result.limit, result.turns, len(requests)) == (True, "3 turns", 3, 3)
    assert len(tool.given) == 2  # nobody would read what the last turn asks for


def test_an_answer_in_the_last_turn_reaches_no_limit(run):
    config = AgentConfig(max_turns=2, max_tool_calls=1, max_tokens=1000)
    result, _ = run(in_turn(ONCE, DONE), multiply(), config=config)
    assert (result.limit_reached, result.limit, result.final_response) == (False, None, "It is 42.")


def test_tokens_are_limited(run):
    result, _ = run(lambda asked: ONCE, multiply(), config=AgentConfig(max_tokens=36))
    assert (result.limit_reached, result.limit, result.turns) == (True, "36 tokens", 2)


def test_tool_calls_are_limited(run):
    tool = multiply()
    result, _ = run(lambda asked: TWICE, tool, config=AgentConfig(max_tool_calls=3))
    assert (result.limit_reached, result.limit, result.turns) == (True, "3 tool calls", 2)
    assert len(tool.given) == 2


def test_time_is_limited_while_the_model_thinks(run):
    result, _ = run(in_turn(ONCE, Reply(text="late", delay=3)), multiply(), config=AgentConfig(timeout=0.7))
    assert (result.timeout_reached, result.limit_reached, result.turns) == (True, False, 1)
    assert [message.role for message in result.messages] == ["assistant", "tool"]
    assert result.usage == CallUsage(11, 7)


def test_time_is_limited_while_a_tool_works_and_the_tool_knows_how_much_is_left(run):
    tool = Worked("multiply", lambda given: time.sleep(tool.seconds[-1]) or "slow")
    result, requests = run(lambda asked: ONCE, tool, config=AgentConfig(timeout=0.7))
    assert result.timeout_reached
    assert len(requests) == 1
    assert 0 < tool.seconds[0] <= 0.7


def test_no_pause_after_a_fault_outlasts_the_time(run):
    busy = Reply(status=429, headers={"retry-after": "30"}, message="busy")
    with pytest.raises(ProviderError) as raised:
        run(in_turn(ONCE, busy), multiply(), config=AgentConfig(timeout=20))
    assert raised.value.category == "rate_limit"  # at once; after a pause there would be no time left


def test_a_call_cut_off_at_the_token_limit_is_shown_and_not_run(run):
    tool = multiply()
    half = [Call("multiply", {"a": 6})]
    stop = {"openai": "length", "anthropic": "max_tokens"}
    result, _ = run(lambda asked: Reply(text="I shall", calls=half, stop=stop[asked.protocol]), tool)
    assert tool.given == []
    assert (result.final_response, result.turns, result.limit_reached) == ("I shall", 1, False)
    assert result.stop_reason in ("length", "max_tokens")
    (shown,) = result.messages[-1].tool_uses
    assert (shown.name, shown.input, shown.cut_off) == ("multiply", {"a": 6}, True)


@pytest.mark.parametrize("stop", ["MAX_TOKENS", "max_output_tokens", "model_length", "model_context_window_exceeded"])
def test_every_providers_word_for_a_reply_that_was_cut_off_is_known(run, stop):
    tool = multiply()
    result, _ = run(in_turn(replace(ONCE, stop=stop), DONE), tool)
    assert tool.given == []
    assert [use.cut_off for use in result.messages[-1].tool_uses] == [True]


def test_an_id_that_is_made_is_nobody_elses(run):
    calls = [Call("multiply", {"a": n, "b": 1}, id_) for n, id_ in enumerate(("call_1_2", "", "call_1_2", ""))]
    result, requests = run(in_turn(Reply(calls=calls), DONE), multiply())
    assert len({use.id for use in result.messages[0].tool_uses}) == 4
    assert [text for _, text in requests[1].results] == ["0", "1", "2", "3"]


def test_an_empty_last_message_stays_empty(run):
    result, _ = run(in_turn(ONCE, Reply()), multiply())
    assert (result.final_response, result.limit_reached) == ("", False)
    assert final_answer(result.messages) == (None, "Final AI message has no text content")


def test_a_refusal_ends_the_loop_and_is_kept(run):
    result, _ = run(in_turn(ONCE, Reply(refusal="I will not.")), multiply())
    assert (result.refusal, result.final_response, result.turns) == ("I will not.", "I will not.", 2)


def test_faults_are_tried_again_and_counted_for_the_whole_loop(run):
    fault = Reply(status=500)
    result, _ = run(in_turn(fault, ONCE, fault, DONE), multiply())
    assert result.retries == {"server_error": 2}
    assert result.final_response == "It is 42."


def test_a_fault_that_stays_takes_along_what_was_done_before(run):
    with pytest.raises(ProviderError) as raised:
        run(in_turn(ONCE, Reply(status=400, message="too long")), multiply())
    assert [message.role for message in raised.value.messages] == ["assistant", "tool"]
    assert raised.value.usages == (CallUsage(11, 7),)
    assert raised.value.model == "m"


def test_a_server_that_is_gone_ends_the_loop_with_what_was_done_before(run):
    def work(given):
        if given["a"] == 2:
            raise ToolServerError("papers is gone.", server="papers")
        return "42"

    with pytest.raises(ToolServerError, match="papers is gone") as raised:
        run(in_turn(TWICE, DONE), Worked("multiply", work))
    asked, worked = raised.value.messages
    assert asked.text == "First, "
    assert [(r.content, r.is_error) for r in worked.tool_results] == [("42", False), ("papers is gone.", True)]
    assert raised.value.usages == (CallUsage(11, 7),)


def test_after_a_cancel_no_turn_is_made(run):
    stopped = threading.Event()
    tool = Worked("multiply", lambda given: stopped.set() or "42")
    with pytest.raises(RunCancelled):
        run(in_turn(ONCE, DONE), tool, calls=CallPolicy(cancelled=stopped.is_set))
    assert len(tool.given) == 1


def test_after_a_cancel_no_tool_is_called(run):
    stopped = threading.Event()
    tool = multiply()
    with pytest.raises(RunCancelled):
        run(lambda asked: stopped.set() or TWICE, tool, calls=CallPolicy(cancelled=stopped.is_set))
    assert tool.given == []


def test_no_thread_is_left_behind(run):
    run(in_turn(TWICE, DONE), multiply())
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("tool")] == []


def test_thoughts_go_back_with_the_calls_that_they_led_to(run):
    thought = Reply(thinking="I need the product.", calls=[Call("multiply", {"a": 6, "b": 7})])
    result, requests = run(in_turn(thought, DONE), multiply())
    assert isinstance(result.messages[0].content[0], ThinkingBlock)
    said = requests[1].body["messages"][-2]
    if requests[1].protocol == "anthropic":
        assert said["content"][0] == {"type": "thinking", "thinking": "I need the product.", "signature": "signed"}
    else:
        assert said["reasoning_content"] == "I need the product."


def test_a_server_that_takes_no_tools_says_so_in_plain_words(run):
    refusal = Reply(status=400, message="m does not support tools")
    with pytest.raises(ProviderError, match=r"doesn’t support tools\. Choose"):
        run(in_turn(refusal), multiply())


def test_a_key_that_is_missing_is_said_before_the_loop(model_at, play):
    with AdapterFactory(environment={}) as adapters, pytest.raises(ProviderError, match="TWIN_KEY"):
        adapters.agent(model_at(play(in_turn(DONE))))


def test_an_interface_from_outside_runs_as_an_agent_by_one_entry(interfaces):
    class Parrot:
        """Calls its first tool once, and repeats the result."""

        def __init__(self, model, dependencies):
            self.calls = dependencies.calls

        def invoke(self, request):
            assert 0 < self.calls.seconds <= 5
            if told := request.messages[-1].tool_results:
                return LLMResponse(content=told[0].content)
            use = convert_call(None, request.tools[0].name, '{"a": 6, "b": 7}')
            return LLMResponse(content="", blocks=(use,))

    AdapterRegistry.register(AdapterSpec("parrot", "Parrot", llm_factory=Parrot, agent_factory=tool_loop(Parrot)))
    with AdapterFactory(environment={}) as adapters:
        agent = adapters.agent(ModelConfig(model_name="m", interface="parrot"))
        result = agent.run(ASKED, [multiply()], {}, AgentConfig(timeout=5))
    assert (result.final_response, result.turns, result.usage.total_tokens) == ("42", 2, None)
