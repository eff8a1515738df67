"""An agent's loop is recorded turn by turn and played back without a network; its tools really run."""

from __future__ import annotations

import json

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import ProviderError, RecordingMiss
from karenina_gui.schemas.model_config import ModelConfig
from tests.adapters.conftest import CALLS, KEY, question
from tests.adapters.tools import Worked, multiply
from tests.twin import Call, Reply, in_turn

ASKED = question().messages
LOOP = in_turn(
    Reply(thinking="Hm.", calls=[Call("multiply", {"a": 6, "b": 7})]),
    Reply(text="Again:", calls=[Call("multiply", {"a": 2, "b": 3})]),
    Reply(text="It is 42."),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "recording.json"


def record(twin, model_at, path, config):
    with AdapterFactory(environment={"TWIN_KEY": KEY}, recorder=Recorder(path)) as adapters:
        return adapters.agent(model_at(twin), CALLS).run(ASKED, [multiply()], {}, config)


def replay(path, tool, config):
    model = ModelConfig(model_name="m", interface="replay", recording=str(path))
    with AdapterFactory(environment={}) as adapters:
        return adapters.agent(model).run(ASKED, [tool], {}, config)


@pytest.mark.parametrize("purpose", ["answer_generation", "agentic_parsing_investigation"])
def test_a_loop_is_played_back_with_tools_that_work(play, model_at, path, purpose):
    twin = play(LOOP)
    config = AgentConfig(purpose=purpose, replicate=2)
    said = record(twin, model_at, path, config)
    asked = len(twin.requests)
    tool = multiply()
    played = replay(path, tool, config)
    assert len(twin.requests) == asked == 3
    assert tool.given == [{"a": 6, "b": 7}, {"a": 2, "b": 3}]
    assert [m.content for m in played.messages] == [m.content for m in said.messages]
    assert (played.final_response, played.usage, played.turns, played.model) == ("It is 42.", said.usage, 3, "m")
    with pytest.raises(RecordingMiss):
        replay(path, multiply(), AgentConfig(purpose=purpose, replicate=1))


def test_every_turn_stands_in_the_recording_with_its_tools(play, model_at, path):
    record(play(LOOP), model_at, path, AgentConfig())
    exchanges = json.loads(path.read_text(encoding="utf-8"))["exchanges"]
    assert sorted(len(e["request"]["messages"]) for e in exchanges) == [2, 4, 6]
    assert all(e["request"]["tools"][0]["name"] == "multiply" for e in exchanges)
    assert KEY not in path.read_text(encoding="utf-8")


def test_a_tool_that_gives_something_else_is_a_miss_that_names_tools(play, model_at, path):
    record(play(LOOP), model_at, path, AgentConfig())
    with pytest.raises(RecordingMiss, match="tool results") as raised:
        replay(path, Worked("multiply", lambda given: "43"), AgentConfig())
    assert [m.role for m in raised.value.messages] == ["assistant", "tool"]


def test_a_fault_in_the_middle_is_played_back_as_well(play, model_at, path):
    broken = in_turn(Reply(calls=[Call("multiply", {"a": 6, "b": 7})]), Reply(status=400, message="too long"))
    with pytest.raises(ProviderError):
        record(play(broken), model_at, path, AgentConfig())
    with pytest.raises(ProviderError, match="too long") as raised:
        replay(path, multiply(), AgentConfig())
    assert [m.role for m in raised.value.messages] == ["assistant", "tool"]
