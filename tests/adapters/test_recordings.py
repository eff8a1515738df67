"""A run's exchanges are recorded and played back without a network."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import Purpose, ToolSpec
from karenina_gui.adapters.recording import Recorder, load_recording, read_exchanges
from karenina_gui.adapters.replay import DRAFTS
from karenina_gui.errors import (
    AuthenticationError,
    ConfigurationError,
    FileFormatError,
    NotFoundError,
    ParseError,
    ProviderError,
    RecordingMiss,
    RefusalError,
    RunCancelled,
)
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.model_config import ModelConfig
from tests.adapters.conftest import CALLS, KEY, ValueAndUnit, parsing, question
from tests.twin import Reply, in_turn

DATA = {"value": 42, "unit": "kg"}


def record(path, work, label=None):
    with AdapterFactory(environment={"TWIN_KEY": KEY}, recorder=Recorder(path, label)) as adapters:
        work(adapters)


def replay(path, **settings):
    return ModelConfig(model_name="m", interface="replay", recording=str(path), **settings)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs" / "recording.json"


def test_a_reply_is_played_back_as_it_was(play, model_at, path):
    twin = play(in_turn(Reply(status=500), Reply(text="It is 42.", thinking="hm")))
    said = []
    record(path, lambda adapters: said.append(adapters.llm(model_at(twin), CALLS).invoke(question())))
    with AdapterFactory(environment={}) as adapters:
        llm = adapters.llm(replay(path))
        assert [llm.invoke(question()) for _ in range(3)] == said * 3
    assert said[0].retries == {"server_error": 1}
    assert len(twin.requests) == 2


def test_replicates_have_replies_of_their_own(play, model_at, path):
    twin = play(lambda asked: Reply(text=f"reply {asked.number}"))

    def work(adapters):
        for replicate in (1, 2, 3):
            adapters.llm(model_at(twin), CALLS).invoke(question(replicate=replicate))

    record(path, work)
    with AdapterFactory(environment={}) as adapters:
        llm = adapters.llm(replay(path))
        replies = [llm.invoke(question(replicate=n)).content for n in (3, 1, 2)]
    assert replies == ["reply 3", "reply 1", "reply 2"]


def test_two_configurations_of_one_model_have_replies_of_their_own(play, model_at, path):
    twin = play(lambda asked: Reply(text=f"reply {asked.number}"))
    ids = ("m", "second", "first")

    def work(adapters):
        for name in ids:
            adapters.llm(model_at(twin, id=name), CALLS).invoke(question())

    record(path, work)
    with AdapterFactory(environment={}) as adapters:
        replies = [adapters.llm(replay(path, id=name)).invoke(question()).content for name in (*ids, "other")]
    assert replies == ["reply 1", "reply 2", "reply 3", "reply 1"]
    assert load_recording(path).models == ["m"]


def test_a_configuration_may_have_another_id_when_it_is_played_back(play, model_at, path):
    twin = play(lambda asked: Reply(text=f"reply {asked.number}"))

    def work(adapters):
        for name in ("b", "a"):
            adapters.llm(model_at(twin, id=name), CALLS).invoke(question())

    record(path, work)
    with AdapterFactory(environment={}) as adapters:
        assert adapters.llm(replay(path)).invoke(question()).content == "reply 2"


def test_a_condition_never_gets_what_another_was_told_with_other_tools_at_hand(play, model_at, path):
    twin = play(lambda asked: Reply(text=f"reply {asked.number}"))
    search = ToolSpec("search", "Looks things up.", {"type": "object", "properties": {}})
    record(path, lambda a: a.llm(model_at(twin, id="m · with tools"), CALLS).invoke(question(tools=(search,))))
    with AdapterFactory(environment={}) as adapters:
        bare = adapters.llm(replay(path, id="m · baseline"))
        with pytest.raises(RecordingMiss, match="tool results"):
            bare.invoke(question(tools=(replace(search, name="browse"),)))
        with pytest.raises(RecordingMiss, match="has no reply of m to this request"):
            bare.invoke(question())
        assert bare.invoke(question(tools=(search,))).content == "reply 1"


def test_a_judges_rounds_are_played_back(play, model_at, path):
    twin = play(in_turn(Reply(data={"value": 42}), Reply(data=DATA)))
    record(path, lambda a: a.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit()))
    with AdapterFactory(environment={}) as adapters:
        result = adapters.parser(replay(path)).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(result.usages)) == (DATA, 2)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (Reply(refusal="No."), RefusalError),
        (Reply(text="not JSON at all"), ParseError),
        (Reply(status=429, message="busy"), ProviderError),
        (Reply(status=401, message="who?"), AuthenticationError),
    ],
    ids=["refusal", "malformed", "busy", "key"],
)
def test_failures_are_played_back_as_they_were(play, model_at, path, script, error):
    twin = play(in_turn(script))
    caught = []

    def work(adapters):
        with pytest.raises(error) as live:
            adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
        caught.append(live.value)

    record(path, work)
    asked = len(twin.requests)
    with AdapterFactory(environment={}) as adapters, pytest.raises(error) as played:
        adapters.parser(replay(path)).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (str(played.value), len(twin.requests)) == (str(caught[0]), asked)
    assert getattr(played.value, "retries", None) == getattr(caught[0], "retries", None)


def test_a_reply_takes_the_place_of_a_recorded_error(play, model_at, path):
    twin = play(in_turn(Reply(status=400, message="no"), Reply(text="yes"), Reply(text="again")))

    def work(adapters):
        llm = adapters.llm(model_at(twin), CALLS)
        with pytest.raises(ProviderError):
            llm.invoke(question())
        llm.invoke(question())
        llm.invoke(question())

    record(path, work)
    with AdapterFactory(environment={}) as adapters:
        assert adapters.llm(replay(path)).invoke(question()).content == "yes"


def test_a_miss_says_what_is_missing_and_what_to_do(play, model_at, path):
    twin = play(in_turn(Reply(text="42")))
    record(path, lambda a: a.llm(model_at(twin), CALLS).invoke(question()), label="sample recording")
    with AdapterFactory(environment={}) as adapters:
        with pytest.raises(RecordingMiss, match=r"no reply of m .*\(Field extraction, replicate 2\)"):
            adapters.llm(replay(path)).invoke(parsing(replicate=2))
        with pytest.raises(RecordingMiss, match="Record the run again"):
            adapters.llm(replay(path, temperature=1.0)).invoke(question())
        other = replay(path).model_copy(update={"model_name": "n"})
        with pytest.raises(RecordingMiss, match="no replies of n, only of m"):
            adapters.llm(other).invoke(question())


def test_a_judgment_is_found_whatever_the_temperature_that_judges_are_asked_at(play, model_at, path):
    twin = play(lambda asked: Reply(text="warm" if asked.body.get("temperature") else "cold"))

    def work(adapters):
        for temperature in (0.5, 0):
            adapters.llm(model_at(twin, temperature=temperature), CALLS).invoke(parsing())

    record(path, work)
    with AdapterFactory(environment={}) as adapters:
        found = {t: adapters.llm(replay(path, temperature=t)).invoke(parsing()).content for t in (0.5, 0, 1.5)}
        assert (found[0.5], found[0]) == ("warm", "cold")  # what was asked at this very temperature goes before
        assert found[1.5] in ("warm", "cold")
        with pytest.raises(RecordingMiss):
            adapters.llm(replay(path, temperature=1.5)).invoke(replace(parsing(), judge_replicate=2))


def test_the_label_is_known_before_a_run(play, model_at, path):
    twin = play(in_turn(Reply(text="42")))
    record(path, lambda a: a.llm(model_at(twin), CALLS).invoke(question()), label="sample recording")
    with AdapterFactory(environment={}, recordings={"example": path}) as adapters:
        assert adapters.recording_label(replay("example")) == "sample recording"
        assert adapters.llm(replay("example")).invoke(question()).content == "42"
        assert "sample recording" in adapters.check(replay("example")).message
        assert adapters.recording_label(model_at(twin)) is None


def test_no_key_reaches_the_file(play, model_at, path):
    twin = play(in_turn(Reply(status=400, message=f"bad key {KEY}")))

    def work(adapters):
        with pytest.raises(ProviderError):
            adapters.llm(model_at(twin), CALLS).invoke(question())

    record(path, work)
    assert KEY not in path.read_text()
    assert twin.requests[0].key == KEY


def test_equal_runs_leave_equal_files(play, model_at, tmp_path):
    twin = play(lambda asked: Reply(text=asked.text))
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file, order in zip(files, (range(20), reversed(range(20))), strict=True):

        def work(adapters, order=order):
            llm = adapters.llm(model_at(twin), CALLS)
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda n: llm.invoke(question(f"number {n}")), order))

        record(file, work)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert len(load_recording(files[0]).exchanges) == 20


def test_a_broken_run_keeps_what_it_recorded_and_the_next_one_adds_to_it(play, model_at, path):
    twin = play(lambda asked: Reply(text=asked.text))
    broken = AdapterFactory(environment={"TWIN_KEY": KEY}, recorder=(recorder := Recorder(path, "first")))
    broken.llm(model_at(twin), CALLS).invoke(question("one"))
    broken._connections.close()
    assert not path.exists()
    part = path.with_name("recording.json.part")
    assert len(load_recording(part).exchanges) == 1
    with part.open("a") as file:
        file.write('{"key": "half a li')
    assert len(load_recording(part).exchanges) == 1
    record(path, lambda a: a.llm(model_at(twin), CALLS).invoke(question("two")), label="whole")
    record(path, lambda a: a.llm(model_at(twin), CALLS).invoke(question("two")))
    assert load_recording(path).label == "whole"
    assert len(load_recording(path).exchanges) == 2
    assert not part.exists()
    recorder.close()


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("not a recording", FileFormatError, "not a recording"),
        ("[1, 2]", FileFormatError, "not a recording"),
        ('{"format": "other"}', FileFormatError, "not a recording"),
        ('{"format": "karenina-gui-recording", "version": 9, "exchanges": []}', FileFormatError, "version 9"),
        (
            '{"format": "karenina-gui-recording", "version": 1, "exchanges": [{}]}',
            FileFormatError,
            "an entry is incomplete",
        ),
        (None, NotFoundError, "No recording at"),
    ],
)
def test_a_file_that_is_no_recording_says_so(tmp_path, content, error, says):
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error, match=says):
        load_recording(path)


def test_a_replay_needs_a_recording():
    with (
        AdapterFactory(environment={}) as adapters,
        pytest.raises(ConfigurationError, match="Enter the path of a recording"),
    ):
        adapters.llm(ModelConfig(model_name="m", interface="replay"))


def test_a_cancelled_replay_stops(play, model_at, path):
    twin = play(in_turn(Reply(text="42")))
    record(path, lambda a: a.llm(model_at(twin), CALLS).invoke(question()))
    stop = threading.Event()
    with AdapterFactory(environment={}) as adapters:
        llm = adapters.llm(replay(path), CallPolicy(cancelled=stop.is_set))
        assert llm.invoke(question()).content == "42"
        stop.set()
        with pytest.raises(RunCancelled):
            llm.invoke(question())


def test_the_file_is_what_it_says_it_is(play, model_at, path):
    twin = play(in_turn(Reply(data=DATA)))
    record(path, lambda a: a.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(replicate=1), ValueAndUnit()))
    whole = json.loads(path.read_text())
    assert (whole["format"], whole["version"]) == ("karenina-gui-recording", 1)
    (exchange,) = whole["exchanges"]
    assert (exchange["model"], exchange["purpose"], exchange["replicate"]) == ("m", "parsing", 1)
    assert exchange["request"]["messages"][0]["role"] == "system"
    assert exchange["response"]["data"] == DATA


def test_the_purpose_of_each_request_of_a_run_has_a_name_for_people():
    outside = {"connection_check", *DRAFTS}
    assert PURPOSE_TITLES.keys() == {*get_args(Purpose)} - outside


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices as files")
def test_a_device_is_no_recording() -> None:
    with pytest.raises(FileFormatError, match="not a file"):
        read_exchanges(Path("/dev/zero"))
