"""Recorded answers (`manual`) and the table of interfaces."""

from __future__ import annotations

import pytest

from karenina_gui import AdapterRegistry, AdapterSpec, ModelConfig
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig
from karenina_gui.errors import ConfigurationError, InputError, RecordingMiss

OPENAI = [
    {"role": "user", "content": "6 x 7?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "times", "arguments": '{"a": 6, "b": 7}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "42"},
    {"role": "assistant", "content": "It is 42."},
]


def recorded(traces):
    return ModelConfig(id="recorded", interface="manual", manual_traces=traces)


def answer(traces, question="q", replicate=None):
    with AdapterFactory(environment={}) as adapters:
        agent = adapters.agent(recorded(traces))
        return agent.run([], [], {}, AgentConfig(question_id=question, replicate=replicate))


def test_a_text_stays_a_text():
    result = answer({"q": "It is 42."})
    assert (result.raw_trace, result.final_response, result.messages) == ("It is 42.", "It is 42.", ())


def test_a_text_serves_every_replicate():
    assert [answer({"q": "42"}, replicate=n).raw_trace for n in (None, 1, 2, 3)] == ["42"] * 4


def test_a_list_has_one_answer_per_replicate():
    traces = {"q": ["It is 42.", "41"]}
    assert [answer(traces, replicate=n).raw_trace for n in (None, 1, 2)] == ["It is 42.", "It is 42.", "41"]


def test_a_message_list_becomes_messages():
    result = answer({"q": OPENAI}, replicate=2)
    assert [m.role for m in result.messages] == ["user", "assistant", "tool", "assistant"]
    assert (result.final_response, result.turns, result.raw_trace) == ("It is 42.", 2, None)
    assert result.messages[1].tool_uses[0].input == {"a": 6, "b": 7}


DIALOGUE = [*OPENAI, {"role": "user", "content": "Thanks."}]


def test_a_dialogue_is_answered_by_the_last_message_of_the_model():
    result = answer({"q": DIALOGUE})
    assert (result.final_response, result.judged, result.raw_trace) == ("It is 42.", "It is 42.", None)
    assert len(result.messages) == 5


def test_a_whole_dialogue_is_its_own_trace():
    result = answer({"q": [{"messages": DIALOGUE, "judged": "whole"}]})
    assert result.raw_trace == result.judged == result.final_response
    assert result.judged.startswith("--- User Message ---\n6 x 7?\n\n--- AI Message ---")
    assert result.judged.endswith("--- User Message ---\nThanks.")


def test_a_dialogue_may_be_judged_as_specified():
    result = answer({"q": {"messages": DIALOGUE, "judged": "specified"}})
    assert (result.final_response, result.judged) == ("", None)


def test_a_list_may_have_a_message_list_per_replicate():
    result = answer({"q": ["41", OPENAI]}, replicate=2)
    assert result.final_response == "It is 42."


def test_a_trace_that_ends_in_a_tool_has_no_final_answer():
    assert answer({"q": OPENAI[:3]}).final_response == ""


def test_a_missing_question_is_named():
    with pytest.raises(RecordingMiss, match="“recorded” has no recorded answer to the question other"):
        answer({"q": "42"}, question="other")


def test_a_missing_replicate_is_named():
    with pytest.raises(RecordingMiss, match="has 2 recorded answers to the question q, but the run needs replicate 3"):
        answer({"q": ["42", "41"]}, replicate=3)


def test_a_place_without_an_answer_is_named_and_its_neighbours_stay():
    assert answer({"q": ["42", None, "41"]}, replicate=3).raw_trace == "41"
    with pytest.raises(RecordingMiss, match="no recorded answer for replicate 2 of the question q"):
        answer({"q": ["42", None, "41"]}, replicate=2)


def test_something_else_than_answers_is_an_input_error():
    with pytest.raises(InputError):
        answer({"q": 42})


def test_recorded_answers_cannot_judge():
    with (
        AdapterFactory(environment={}) as adapters,
        pytest.raises(ConfigurationError, match="only has recorded answers"),
    ):
        adapters.parser(recorded({"q": "42"}))


def test_recorded_answers_without_answers_are_a_configuration_error():
    with AdapterFactory(environment={}) as adapters, pytest.raises(ConfigurationError, match="no recorded answers"):
        adapters.agent(recorded(None))


def test_the_registry_tells_what_an_interface_is():
    tiers = {spec.name: spec.agent_tier for spec in AdapterRegistry.specs()}
    for name in ("manual", "openai_endpoint", "openrouter", "claude_tool"):
        assert tiers[name] == "tool_loop"
    manual = AdapterRegistry.get_spec("manual")
    assert manual is not None
    assert not manual.capabilities.judges
    assert AdapterRegistry.get_spec("abacus") is None


def test_an_interface_that_is_not_there_names_those_that_are():
    model = ModelConfig(model_name="m", interface="langdeep")
    with (
        AdapterFactory(environment={}) as adapters,
        pytest.raises(ConfigurationError, match=r"“langdeep”.*openai_endpoint"),
    ):
        adapters.llm(model)


def test_a_registered_interface_is_opened_like_any_other(interfaces):
    class Echo:
        capabilities = AdapterRegistry.require("replay").capabilities

        def invoke(self, request):
            return request.messages[-1].text

    AdapterRegistry.register(AdapterSpec(name="echo", title="Echo", llm_factory=lambda model, dependencies: Echo()))
    with AdapterFactory(environment={}) as adapters:
        model = ModelConfig(model_name="m", interface="echo")
        assert isinstance(adapters.llm(model), Echo)
        with pytest.raises(ConfigurationError, match="can’t run as an agent"):
            adapters.agent(model)
