from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from karenina_gui.errors import InputError
from karenina_gui.store.instance_lock import exclusive_lock

HOLD = """
import sys, time
from pathlib import Path
from karenina_gui.store.instance_lock import exclusive_lock
with exclusive_lock(Path(sys.argv[1]), "http://127.0.0.1:8080"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_application_is_told_where_the_first_one_is(tmp_path: Path) -> None:
    with (
        exclusive_lock(tmp_path / "data", "http://127.0.0.1:8080"),
        pytest.raises(InputError, match=r"already open at http://127\.0\.0\.1:8080"),
        exclusive_lock(tmp_path / "data", "http://127.0.0.1:8081"),
    ):
        pass


def test_a_folder_is_free_again_when_the_application_ends(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive_lock(tmp_path, "http://127.0.0.1:8080"):
            pass


@pytest.mark.skipif(os.name != "posix", reason="ends a process as only POSIX can")
def test_a_folder_is_free_again_when_the_application_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(InputError, match="already open"), exclusive_lock(tmp_path, "here"):
            pass
        other.send_signal(signal.SIGKILL)
    with exclusive_lock(tmp_path, "here"):
        pass


@pytest.mark.parametrize("file", ["open.lock", "open.address"])
def test_a_folder_that_cannot_be_held_is_named(file: str, tmp_path: Path) -> None:
    (tmp_path / file).mkdir()
    with pytest.raises(InputError, match="Couldn’t use"), exclusive_lock(tmp_path, "http://127.0.0.1:8080"):
        pass


def test_a_folder_with_a_damaged_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / "open.lock").write_bytes(b"no lock of anybody" * 99)
    with pytest.raises(InputError, match="Couldn’t use"), exclusive_lock(tmp_path, "http://127.0.0.1:8080"):
        pass
