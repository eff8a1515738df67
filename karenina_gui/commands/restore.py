"""`karenina-gui restore`: put a backup in place of the library."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.commands.data_folder import add_data_option
from karenina_gui.commands.outcome import DONE, say
from karenina_gui.errors import InputError
from karenina_gui.settings import Settings
from karenina_gui.text import size_in_words

NAME = "restore"
SUMMARY = "Replace the library of the application by a backup."
DETAILS = """
    Without FILE, the newest backup of the data folder is restored. Quit the application first. The present library is
    backed up before, and a damaged one is moved aside, so you can go back.

    Examples:
      karenina-gui restore
      karenina-gui restore --list
      karenina-gui restore study.sqlite --data ./study
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="backup (default: the newest one of the data folder)"
    )
    add_data_option(parser)
    parser.add_argument("--list", action="store_true", help="list the backups of the data folder")


def run(options: argparse.Namespace) -> int:
    from karenina_gui.store.backups import Backups
    from karenina_gui.store.library import FILE_NAME

    folder = options.data or Settings().data
    backups = Backups(folder / FILE_NAME)
    if options.list:
        for backup in backups.all():
            say(f"{backup.made_at:%Y-%m-%d %H:%M}  {size_in_words(backup.size):>8}  {backup.reason:8} {backup.path}")
        return DONE
    newest = backups.newest
    file = options.file or (newest.path if newest else None)
    if file is None:
        raise InputError(f"There are no backups in {backups.folder}. Name a file, or another folder with --data.")
    if not file.is_file():
        raise InputError(f"{file} doesn’t exist. See  karenina-gui restore --list")
    restore(folder, file)
    return DONE


def restore(folder: Path, backup: Path) -> None:
    """Restore a backup into a data folder that no application has open. Raises `InputError`."""
    from karenina_gui.store.backups import Backups
    from karenina_gui.store.instance_lock import exclusive_lock
    from karenina_gui.store.library import FILE_NAME

    with exclusive_lock(folder, "the command  karenina-gui restore"):
        before = Backups(folder / FILE_NAME).restore(backup)
    say(f"Restored {backup}.")
    if before is not None:
        say(f"The library as it was before: {before}")
