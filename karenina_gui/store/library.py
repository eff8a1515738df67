"""The library: one object with all tables of a data folder."""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from karenina_gui.errors import InputError
from karenina_gui.private_folders import add_data_folder, remove_data_folder
from karenina_gui.store.answers import Answers
from karenina_gui.store.backups import Backup, Backups
from karenina_gui.store.benchmarks import Benchmarks
from karenina_gui.store.calibrations import Calibrations
from karenina_gui.store.command_log import CommandLog
from karenina_gui.store.comments import Comments
from karenina_gui.store.database import Database
from karenina_gui.store.drafts import Drafts
from karenina_gui.store.exchanges import Exchanges
from karenina_gui.store.file_check import LARGEST_SEALED, find_problems, was_changed
from karenina_gui.store.imported_runs import ImportedRuns
from karenina_gui.store.instance_lock import FILES as OPEN_FILES
from karenina_gui.store.merges import Merges
from karenina_gui.store.migration import UnreadableLibraryError, check_revision
from karenina_gui.store.models import Models
from karenina_gui.store.older_results import OlderResults
from karenina_gui.store.preferences import PreferenceStore, RunChoices
from karenina_gui.store.presets import Presets
from karenina_gui.store.prices import Prices
from karenina_gui.store.proposals import Proposals
from karenina_gui.store.published_versions import PublishedVersions
from karenina_gui.store.question_pairs import QuestionPairs
from karenina_gui.store.questions import Questions
from karenina_gui.store.replies import Replies
from karenina_gui.store.results import Results
from karenina_gui.store.runs import Runs
from karenina_gui.store.shelf import Shelf
from karenina_gui.store.snapshots import Snapshots
from karenina_gui.store.stored_answers import AnswersInResults
from karenina_gui.store.text_edits import TextEdits
from karenina_gui.store.versions import Versions

FILE_NAME = "library.sqlite"


class Library:
    """All tables of one data folder. Thread-safe: each call has its own session."""

    def __init__(self, database: Database, folder: Path, backups: Backups) -> None:
        self._database = database
        self.backups = backups
        self.writes = database.writes
        """Writes that wait for the computer to accept them."""
        self.folder = folder
        """The data folder."""
        self.path = database.path
        """The library file."""
        self.benchmarks = Benchmarks(database)
        self.questions = Questions(database)
        self.question_pairs = QuestionPairs(database)
        self.merges = Merges(database)
        self.comments = Comments(database)
        self.text_edits = TextEdits(database)
        self.calibrations = Calibrations(database)
        self.shelf = Shelf(database)
        self.drafts = Drafts(database)
        self.proposals = Proposals(database)
        self.models = Models(database)
        self.presets = Presets(database)
        self.prices = Prices(database)
        self.preferences = PreferenceStore(database)
        self.run_choices = RunChoices(database)
        self.runs = Runs(database)
        self.results = Results(database)
        self.answers = Answers(database)
        self.answers_in_results = AnswersInResults(database)
        self.replies = Replies(database)
        self.snapshots = Snapshots(database)
        self.opened = ImportedRuns(database)
        self.commands = CommandLog(database)
        self.versions = Versions(database)
        self.published = PublishedVersions(database)
        self.exchanges = Exchanges(database)
        self.older_results = OlderResults(database)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the library in this folder. Creates it if missing; backs it up and upgrades it if older.

        Raises `InputError` if the folder is not writable, or the file is newer than this version or from before the
        first release, and `DamagedLibraryError` if it is damaged.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"Couldn’t create the data folder {folder}: {error.strerror}. Choose another.") from error
        add_data_folder(folder)
        backups = Backups(folder / FILE_NAME)
        _refuse_damaged(folder / FILE_NAME, backups)
        library = cls(Database(folder / FILE_NAME, partial(backups.make, "update")), folder, backups)
        keep_private(folder, f"{FILE_NAME}*", *OPEN_FILES, "*.key")
        return library

    def close(self) -> None:
        self._database.close()
        remove_data_folder(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class DamagedLibraryError(InputError):
    """A library file that cannot be used as it is."""

    def __init__(self, path: Path, reason: str, newest: Backup | None) -> None:
        self.newest = newest
        """Newest backup; None: there is none."""
        way = (
            f"The newest backup is {newest.path.name}: restore it with  karenina-gui restore {_option(path)}"
            if newest
            else "There is no backup. Restore your own copy under this name, or move the file away for an empty library"
        )
        super().__init__(f"The library {path} is damaged: {reason.rstrip('.')}. {way}.")


CHANGED = (
    "it was changed while the application was closed, by a fault of the disk or by another program. If you changed it "
    "yourself, accept it with  karenina-gui check --accept {option}"
)


def _option(path: Path) -> str:
    """Option of commands for the data folder of a library, which need not be the default one."""
    return f"--data {shlex.quote(str(path.parent.absolute()))}"


def _refuse_damaged(path: Path, backups: Backups) -> None:
    """Raise `DamagedLibraryError` if the file is not as it was closed or, after a crash, if its structure is broken."""
    newest = backups.newest
    if not path.exists():
        if newest:
            raise DamagedLibraryError(
                path, f"the file is missing. For an empty library, move {newest.path.parent} away", newest
            )
        return
    if changed := was_changed(path):
        raise DamagedLibraryError(path, CHANGED.format(option=_option(path)), newest)
    try:
        revision = check_revision(path)
    except UnreadableLibraryError as error:
        raise DamagedLibraryError(path, str(error), newest) from error
    if changed is None and revision is not None and path.stat().st_size <= LARGEST_SEALED:
        for problem in find_problems(path):
            raise DamagedLibraryError(path, problem, newest)


def keep_private(folder: Path, *ours: str) -> None:
    """Restrict the data folder (mode 0700) and files that match a pattern in `ours` (0600) to their owner.

    Left unchanged: other files in the folder, files of another user, sticky folders such as `/tmp`, and everything on
    Windows, where permissions are inherited from the user's folder.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        _restrict(folder, 0o700)
        for file in (file for pattern in ours for file in folder.glob(pattern)):
            # chmod follows links, so a link in the folder could change a file elsewhere.
            if file.is_file() and not file.is_symlink():
                _restrict(file, 0o600)


def _restrict(path: Path, most: int) -> None:
    status = path.stat()
    if status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX:
        path.chmod(stat.S_IMODE(status.st_mode) & most)
