"""A recording that cannot be made costs no reply, and is refused before the first call where that can be known."""

from __future__ import annotations

import logging
import resource
from contextlib import contextmanager

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMResponse
from karenina_gui.adapters.recording import Recorder, load_recording
from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.schemas.model_config import ModelConfig
from tests.adapters.conftest import CALLS, KEY, question
from tests.twin import Reply

MODEL = ModelConfig(model_name="m", interface="openai_endpoint")


@contextmanager
def full_disk(size):
    """No file may grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["folder", "below a file", "no place"])
def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path, kind):
    (tmp_path / "file").write_text("")
    path = {"folder": tmp_path, "below a file": tmp_path / "file" / "r.json"}.get(kind)
    with pytest.raises(InputError, match="Couldn’t record the run in "):
        Recorder(path or tmp_path.joinpath("x" * 300))
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_file_that_is_something_else_is_left_alone(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("Chapter one")
    with pytest.raises(FileFormatError, match="not a recording"):
        Recorder(path)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("Chapter one", [path])


def test_a_recorder_that_nothing_was_said_to_leaves_no_file(tmp_path):
    Recorder(tmp_path / "r.json").close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_costs_no_reply_and_the_recording_is_completed_when_there_is_room(play, model_at, tmp_path, caplog):
    path = tmp_path / "r.json"
    twin = play(lambda asked: Reply(text=asked.text))
    recorder = Recorder(path)
    with AdapterFactory(environment={"TWIN_KEY": KEY}, recorder=recorder) as adapters:
        llm = adapters.llm(model_at(twin), CALLS)
        with full_disk(2000):
            said = [llm.invoke(question(f"{n} {'x' * 500}")).content[0] for n in range(5)]
            recorder.close()
    warned = [(r.levelno, r.getMessage()) for r in caplog.records if r.name.endswith("recording")]
    assert said == ["0", "1", "2", "3", "4"]
    assert [level for level, _ in warned] == [logging.WARNING, logging.ERROR]
    assert all(str(path) in message for _, message in warned)
    assert len(load_recording(path).exchanges) == 5
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_written_before_the_disk_was_full_outlives_the_process(tmp_path):
    path = tmp_path / "r.json"
    recorder = Recorder(path)
    with full_disk(2000):
        for n in range(5):
            recorder.add(MODEL, question(str(n)), LLMResponse("x" * 500))
        recorder.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json.part"]
    kept = len(load_recording(tmp_path / "r.json.part").exchanges)
    assert 0 < kept < 5
    later = Recorder(path)
    later.add(MODEL, question("later"), LLMResponse("42"))
    assert len(load_recording(tmp_path / "r.json.part").exchanges) == 1
    later.close()
    assert len(load_recording(path).exchanges) == kept + 1


def test_a_reply_that_cannot_be_recorded_reaches_the_run_and_is_told_once_and_at_the_end(
    play, model_at, tmp_path, caplog
):
    path = tmp_path / "r.json"
    twin = play(lambda asked: Reply(text=asked.text))
    with AdapterFactory(environment={"TWIN_KEY": KEY}, recorder=Recorder(path)) as adapters:
        llm = adapters.llm(model_at(twin), CALLS)
        odd = {"type": "object", 1: "keys of two kinds cannot be sorted"}
        requests = [question("one", json_schema=odd), question("two", json_schema=odd), question("three")]
        said = [llm.invoke(request).content.split()[0] for request in requests]
    warned = [r.getMessage() for r in caplog.records if r.name.endswith("recording")]
    assert said == ["one", "two", "three"]
    assert len(warned) == 2
    assert "the run goes on" in warned[0]
    assert "lacks 2 replies" in warned[1]
    assert len(load_recording(path).exchanges) == 1


def test_odd_line_ends_in_a_reply_do_not_break_a_recording_that_was_cut_off(tmp_path):
    recorder = Recorder(tmp_path / "r.json")
    recorder.add(MODEL, question("one"), LLMResponse("a\u2028b\x85c"))
    recorder.add(MODEL, question("two"), LLMResponse("42"))
    assert len(load_recording(tmp_path / "r.json.part").exchanges) == 2
    recorder.close()
