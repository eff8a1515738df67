"""Half surrogate pairs, which no database and no file takes, do not get past the ports."""

from __future__ import annotations

import json

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig, AgentResult, LLMResponse
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import ProviderError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from tests.adapters.conftest import CALLS, KEY, ValueAndUnit, parsing, question
from tests.twin import Reply, in_turn

HALF = "42 \ud83d"
WHOLE = "42 \ufffd"


def test_a_reply_that_ends_in_half_a_pair_is_repaired(play, adapters, model_at):
    twin = play(in_turn(Reply(text=HALF, thinking=HALF)))
    reply = adapters.llm(model_at(twin), CALLS).invoke(question())
    assert (reply.content, reply.thinking) == (WHOLE, WHOLE)


def test_a_refusal_and_an_error_are_repaired(play, adapters, model_at):
    twin = play(in_turn(Reply(refusal=HALF), Reply(status=400, message=HALF)))
    llm = adapters.llm(model_at(twin), CALLS)
    assert (llm.invoke(question()).refusal or "").encode()
    with pytest.raises(ProviderError, match=WHOLE):
        llm.invoke(question())


@pytest.mark.parametrize(
    "reply", [Reply(data={"value": 1, "unit": HALF}), Reply(text='{"value": 1, "unit": "42 \\ud83d"}')]
)
def test_what_a_judge_read_is_repaired(play, adapters, model_at, reply):
    twin = play(in_turn(reply))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == {"value": 1, "unit": WHOLE}
    assert result.raw_response.encode()


@pytest.mark.parametrize("trace", [HALF, [{"role": "assistant", "content": HALF}]])
def test_a_recorded_answer_is_repaired(trace):
    model = ModelConfig(id="m", interface="manual", manual_traces={"q": trace})
    with AdapterFactory(environment={}) as adapters:
        result = adapters.agent(model).run([], [], {}, AgentConfig(question_id="q"))
    assert result.final_response == WHOLE
    assert (result.raw_trace or result.messages[0].text) == WHOLE


def test_whoever_makes_a_reply_its_texts_are_whole():
    assert LLMResponse(HALF, data={HALF: [HALF]}) == LLMResponse(WHOLE, data={WHOLE: [WHOLE]})
    agent = AgentResult(HALF, (Message.of("assistant", HALF),), raw_trace=HALF)
    assert agent == AgentResult(WHOLE, (Message.of("assistant", WHOLE),), raw_trace=WHOLE)


def test_a_question_with_half_a_pair_is_recorded_and_played_back(play, model_at, tmp_path):
    twin = play(in_turn(Reply(text=HALF)))
    path = tmp_path / "r.json"
    schema = {"type": "object", "title": HALF}
    recorder = Recorder(path)
    asked = question(HALF, json_schema=schema)
    recorder.add(model_at(twin), asked, LLMResponse(HALF))
    recorder.close()
    with AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters:
        replay = ModelConfig(model_name="m", interface="replay", recording=str(path))
        assert adapters.llm(replay).invoke(asked).content == WHOLE


def test_a_recording_that_escapes_half_a_pair_is_repaired_as_it_is_read(tmp_path):
    path = tmp_path / "r.json"
    model = ModelConfig(model_name="m", interface="replay", recording=str(path))
    recorder = Recorder(path)
    recorder.add(model, question(), ProviderError("mark", category="rejected"))
    recorder.close()
    path.write_text(path.read_text().replace("mark", "42 \\ud83d"))
    with AdapterFactory(environment={}) as adapters, pytest.raises(ProviderError, match=WHOLE):
        adapters.llm(model).invoke(question())
    again = Recorder(path)
    again.close()
    assert WHOLE in json.loads(path.read_text())["exchanges"][0]["response"]["error"]["message"]
