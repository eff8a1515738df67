"""Keys that a person enters: before the environment, remembered only when wanted, shown nowhere."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.keys import FILE_NAME, KeyRing
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import AuthenticationError, InputError
from tests.adapters.conftest import CALLS, KEY, question
from tests.twin import Reply, in_turn


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


def test_an_entered_key_goes_before_the_environment_until_it_is_forgotten(file):
    keys = KeyRing({"OPENAI_API_KEY": "from outside", "PATH": "/bin"}, file)
    assert (keys["OPENAI_API_KEY"], keys.origin("OPENAI_API_KEY")) == ("from outside", "environment")
    keys.enter("OPENAI_API_KEY", KEY)
    assert (keys["OPENAI_API_KEY"], keys.origin("OPENAI_API_KEY")) == (KEY, "session")
    assert (keys["PATH"], len(keys)) == ("/bin", 2)
    keys.remove("OPENAI_API_KEY")
    assert (keys["OPENAI_API_KEY"], keys.origin("OPENAI_API_KEY")) == ("from outside", "environment")


def test_nothing_is_a_key_where_nobody_gave_one(file):
    keys = KeyRing({"BLANK": "  "}, file)
    assert keys.origin("BLANK") is keys.origin("OTHER") is None
    assert keys.get("OTHER") is None


def test_a_key_for_this_session_is_written_nowhere(file):
    KeyRing({}, file).enter("A_KEY", KEY)
    assert not file.exists()
    assert KeyRing({}, file).origin("A_KEY") is None


def test_a_remembered_key_is_there_after_the_next_start_for_its_owner_only(file):
    KeyRing({}, file).enter("A_KEY", f" {KEY}\n", remember=True)
    again = KeyRing({}, file)
    assert (again["A_KEY"], again.origin("A_KEY")) == (KEY, "remembered")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == [FILE_NAME]
    again.remove("A_KEY")
    assert json.loads(file.read_text()) == {}
    assert "A_KEY" not in again


def test_what_is_no_longer_to_be_remembered_leaves_the_file(file):
    keys = KeyRing({}, file)
    keys.enter("A_KEY", KEY, remember=True)
    keys.enter("A_KEY", "sk-another-key-1234")
    assert (keys["A_KEY"], keys.origin("A_KEY")) == ("sk-another-key-1234", "session")
    assert KEY not in file.read_text()


def test_two_applications_on_one_folder_keep_each_others_keys(file):
    one, other = KeyRing({}, file), KeyRing({}, file)
    one.enter("ONE", "key-of-one", remember=True)
    other.enter("OTHER", "key-of-other", remember=True)
    assert json.loads(file.read_text()) == {"ONE": "key-of-one", "OTHER": "key-of-other"}


def test_rights_that_are_too_wide_are_narrowed(file):
    file.parent.mkdir()
    file.write_text(json.dumps({"A_KEY": KEY}))
    file.chmod(0o644)
    assert KeyRing({}, file)["A_KEY"] == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ['{"A_KEY": "sk-broken', "[]", "\x00"])
def test_a_damaged_file_is_told_of_and_not_quoted(file, text, caplog):
    file.parent.mkdir()
    file.write_text(text)
    keys = KeyRing({"A_KEY": "outside"}, file)
    assert keys.trouble is not None
    assert keys["A_KEY"] == "outside"
    assert "sk-broken" not in keys.trouble + caplog.text
    keys.enter("B_KEY", KEY, remember=True)
    assert (keys.trouble, KeyRing({}, file)["B_KEY"]) == (None, KEY)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "Paste the key"),
        ("**********", "Paste the full key"),
        ("sk-ab**********cd", "Paste the full key"),
        ("sk-ab•••cd", "Paste the full key"),
        ("sk-one sk-two", "a space, line break"),
        ("sk-\x07bell", "a space, line break"),
        ("schlüssel-1", "unsupported character"),
    ],
)
def test_what_is_no_key_is_refused_and_not_repeated(file, key, words):
    keys = KeyRing({}, file)
    with pytest.raises(InputError, match=words) as caught:
        keys.enter("A_KEY", key, remember=True)
    assert not key or key not in str(caught.value)
    assert keys.origin("A_KEY") is None


@pytest.mark.parametrize("name", ["", "1KEY", "A KEY", "sk-very-secret"])
def test_a_variable_has_a_variables_name(file, name):
    with pytest.raises(InputError, match="letters, digits, and _"):
        KeyRing({}, file).enter(name, KEY)


def test_a_folder_that_takes_no_file_leaves_everything_as_it_was(tmp_path):
    (tmp_path / "data").write_text("a file, no folder")
    keys = KeyRing({}, tmp_path / "data" / FILE_NAME)
    with pytest.raises(InputError, match="Couldn’t save the key") as caught:
        keys.enter("A_KEY", KEY, remember=True)
    assert KEY not in str(caught.value)
    assert keys.origin("A_KEY") is None


def test_an_entered_key_reaches_the_provider_and_nothing_else(play, model_at, file, caplog):
    caplog.set_level(logging.DEBUG)
    twin = play(in_turn(Reply(text="It is 42.")))
    keys = KeyRing({}, file)
    with AdapterFactory(keys) as adapters:
        keys.enter("TWIN_KEY", KEY)
        adapters.llm(model_at(twin), CALLS).invoke(question())
        keys.enter("TWIN_KEY", "sk-the-next-one")
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert [asked.key for asked in twin.requests] == [KEY, "sk-the-next-one"]
    logged = [repr(vars(record)) + record.getMessage() for record in caplog.records]
    for text in (*logged, repr(keys), str(keys), repr(vars(adapters))):
        assert KEY not in text


def test_a_recording_of_a_run_with_an_entered_key_does_not_have_it(play, model_at, file, tmp_path):
    twin = play(in_turn(Reply(text="It is 42."), Reply(status=401, message=f"bad key {KEY}")))
    keys = KeyRing({}, file)
    keys.enter("TWIN_KEY", KEY)
    with AdapterFactory(keys, Recorder(tmp_path / "run.json")) as adapters:
        llm = adapters.llm(model_at(twin), CALLS)
        llm.invoke(question())
        with pytest.raises(AuthenticationError) as caught:
            llm.invoke(question("Another?"))
    assert KEY not in (tmp_path / "run.json").read_text() + str(caught.value)
    assert "It is 42." in (tmp_path / "run.json").read_text()
