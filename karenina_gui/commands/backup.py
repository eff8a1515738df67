"""`karenina-gui backup`: copy the library of the application."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.commands.outcome import DONE, say
from karenina_gui.errors import InputError
from karenina_gui.settings import Settings
from karenina_gui.text import size_in_words

NAME = "backup"
SUMMARY = "Back up the library of the application, also while it is open."
DETAILS = """
    Without --output, the backup goes into the folder “backups” of the data folder, where the application keeps its own:
    one for each of the last seven days with changes, and one before each update. Those made by this command remain
    until you delete them.

    A backup holds everything in the library: benchmarks, runs, results, settings of windows. API keys, recordings, and
    files of workspaces are not part of it: to move or save them, copy the data folder.

    Examples:
      karenina-gui backup
      karenina-gui backup --data ./study --output copy.sqlite
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,  # any other default would hide --data in front of the command
        metavar="FOLDER",
        help="data folder of the application (default: the one in your home folder)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="new file for the backup")


def run(options: argparse.Namespace) -> int:
    from karenina_gui.store.backups import Backups, copy_library
    from karenina_gui.store.library import FILE_NAME

    library = (options.data or Settings().data) / FILE_NAME
    if not library.is_file():
        raise InputError(f"There is no library in {library.parent}. Name its data folder with --data.")
    if options.output is None:
        path = Backups(library).make("manual").path
    else:
        path = options.output
        if path.exists():
            raise InputError(f"{path} exists. Name a new file.")
        path.parent.mkdir(parents=True, exist_ok=True)
        copy_library(library, path)
    say(f"Backed up the library to {path} ({size_in_words(path.stat().st_size)}).")
    return DONE
