"""Backups of the library, their restoration, and the notice of damage."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from karenina_gui.__main__ import main
from karenina_gui.app import build
from karenina_gui.commands.outcome import BAD_INPUT, DONE, PARTLY
from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.settings import Settings
from karenina_gui.store import backups as module
from karenina_gui.store.backups import Backups, DailyBackup
from karenina_gui.store.compression import compress
from karenina_gui.store.file_check import find_problems
from karenina_gui.store.library import FILE_NAME, DamagedLibraryError, Library
from tests.until import comes


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an application that was closed."""
    folder = tmp_path_factory.mktemp("closed")
    build(Settings(data=folder)).close()
    return folder


@pytest.fixture
def folder(closed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(closed, tmp_path / "data"))


def names(folder: Path) -> list[str]:
    with Library.open(folder) as library:
        return [row.name for row in library.benchmarks.summaries()]


def test_a_backup_under_edits_has_all_that_was_committed_before(folder: Path, tmp_path: Path) -> None:
    committed: list[str] = []
    ended = threading.Event()

    def edit(library: Library) -> None:
        while not ended.is_set():
            name = f"benchmark {len(committed)}"
            library.benchmarks.create(BenchmarkDocument(name=name))
            committed.append(name)

    with Library.open(folder) as library:
        writer = threading.Thread(target=edit, args=(library,))
        writer.start()
        assert comes(lambda: len(committed) >= 10)
        before = list(committed)
        backup = library.backups.make("manual")
        ended.set()
        writer.join()
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert Backups(fresh / FILE_NAME).restore(backup.path) is None
    restored = names(fresh)
    assert set(before) <= set(restored)
    # What was committed while it was made is there from the first to some one, without a gap.
    later = [name for name in restored if name.startswith("benchmark ")]
    assert sorted(later) == sorted(committed[: len(later)])


def test_a_restoration_can_be_taken_back(folder: Path) -> None:
    backups, before = Backups(folder / FILE_NAME), names(folder)
    backup = backups.make("manual")
    with Library.open(folder) as library:
        library.benchmarks.create(BenchmarkDocument(name="later"))
    aside = backups.restore(backup.path)
    assert names(folder) == before
    assert aside is not None
    assert backups.newest == backup, "restored again, it takes nothing back"
    backups.restore(aside)
    assert set(names(folder)) == {*before, "later"}


def test_what_is_no_whole_library_is_not_restored(folder: Path, tmp_path: Path) -> None:
    before = names(folder)
    (tmp_path / "text.sqlite").write_text("no library " * 1000)
    with pytest.raises(InputError, match="damaged"):
        Backups(folder / FILE_NAME).restore(tmp_path / "text.sqlite")
    assert names(folder) == before


def test_the_newest_of_each_kind_remain(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backups = Backups(folder / FILE_NAME)
    for reason in ("daily", "manual", "update"):
        for _ in range(9):
            backups.make(reason)  # type: ignore[arg-type]
    reasons = [backup.reason for backup in backups.all()]
    assert {reason: reasons.count(reason) for reason in set(reasons)} == {"daily": 7, "manual": 9, "update": 3}
    monkeypatch.setattr(module, "LARGEST_TOTAL", 1)
    newest = backups.make("daily")
    daily = [backup for backup in backups.all() if backup.reason == "daily"]
    assert (len(daily), daily[0].path) == (2, newest.path)


def test_a_backup_is_made_once_a_day_and_only_after_changes(folder: Path) -> None:
    daily = DailyBackup(Backups(folder / FILE_NAME))
    daily.start()
    assert comes(lambda: daily.backups.all())
    daily.close()
    assert not daily.backups.is_due()
    (backup,) = daily.backups.all()
    yesterday = datetime.now() - timedelta(days=1, minutes=1)
    backup.path.rename(backup.path.with_name(f"library-{yesterday:%Y%m%d-%H%M%S}-daily.sqlite"))
    assert daily.backups.is_due()
    long_ago = (yesterday - timedelta(days=1)).timestamp()
    for file in folder.glob(f"{FILE_NAME}*"):
        os.utime(file, (long_ago, long_ago))
    assert not daily.backups.is_due()


def test_without_room_no_part_of_a_copy_remains(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
    backups = Backups(folder / FILE_NAME)
    with pytest.raises(InputError, match="no room"):
        backups.make("daily")
    assert list(backups.folder.iterdir()) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_library_with_any_changed_byte_is_refused_with_its_newest_backup(folder: Path, seed: int) -> None:
    backup = Backups(folder / FILE_NAME).make("daily")
    file = folder / FILE_NAME
    random = Random(seed)
    content = bytearray(file.read_bytes())
    at = random.randrange(len(content))
    content[at] ^= random.randrange(1, 256)
    file.write_bytes(content)
    with pytest.raises(DamagedLibraryError, match=backup.path.name) as refusal:
        Library.open(folder)
    assert refusal.value.newest == backup
    assert file.read_bytes() == content
    before = Backups(file).restore(backup.path)
    assert before is not None and before.exists()
    assert names(folder)


def test_a_changed_library_is_told_accepted_or_replaced_on_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = ["--data", str(folder)]
    assert main(["backup", *data]) == DONE
    assert main(["check", *data]) == DONE
    with closing(sqlite3.connect(folder / FILE_NAME)) as file, file:
        file.execute("UPDATE benchmark SET name = 'mine'")
    assert main(["check", *data]) == PARTLY
    assert "Changed while the application was closed" in capsys.readouterr().err
    answers = iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("karenina_gui.app.serve", lambda settings: Library.open(settings.data).close())
    assert main([*data, "--no-browser"]) == BAD_INPUT
    assert "karenina-gui check --accept" in capsys.readouterr().err
    assert main(["check", "--accept", *data]) == DONE
    assert set(names(folder)) == {"mine"}
    (folder / FILE_NAME).write_bytes(b"")
    assert main([*data, "--no-browser"]) == DONE
    assert set(names(folder)) != {"mine"}


def test_after_a_crash_a_broken_structure_is_noticed(folder: Path) -> None:
    file = folder / FILE_NAME
    (folder / f"{FILE_NAME}.seal").unlink()
    content = bytearray(file.read_bytes())
    content[5 * 4096 : 9 * 4096] = bytes(4 * 4096)
    file.write_bytes(content)
    with pytest.raises(DamagedLibraryError, match="There is no backup"):
        Library.open(folder)


def test_a_library_that_is_missing_beside_its_backups_is_not_begun_anew(folder: Path) -> None:
    backup = Backups(folder / FILE_NAME).make("daily")
    (folder / FILE_NAME).unlink()
    with pytest.raises(DamagedLibraryError, match="the file is missing") as refusal:
        Library.open(folder)
    assert refusal.value.newest == backup
    assert not (folder / FILE_NAME).exists()
    assert Backups(folder / FILE_NAME).restore(backup.path) is None
    assert names(folder)


def test_an_empty_file_is_damaged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / FILE_NAME).write_bytes(b"")
    assert main(["check", "--accept", "--data", str(folder)]) == PARTLY
    assert "it is empty" in capsys.readouterr().err


def test_a_result_with_a_wrong_checksum_is_named(folder: Path) -> None:
    document = compress('{"answer": 42}')
    with closing(sqlite3.connect(folder / FILE_NAME)) as file, file:
        file.execute("INSERT INTO payload VALUES (1, ?), (2, ?)", (document, document[:-1] + bytes([document[-1] ^ 1])))
    assert find_problems(folder / FILE_NAME, indexes=True) == ["result 2 can’t be read"]


def test_no_backup_is_made_of_a_damaged_library(folder: Path) -> None:
    file = folder / FILE_NAME
    content = bytearray(file.read_bytes())
    content[5 * 4096 : 9 * 4096] = bytes(4 * 4096)
    file.write_bytes(content)
    backups = Backups(file)
    with pytest.raises(InputError, match="damaged"):
        backups.make("daily")
    assert backups.all() == []
    assert find_problems(file)
