"""`karenina-gui backup`: copy the library of the application."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.commands.data_folder import add_data_option, existing_library
from karenina_gui.commands.outcome import DONE, say
from karenina_gui.errors import InputError
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
    add_data_option(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="new file for the backup")


def run(options: argparse.Namespace) -> int:
    from karenina_gui.store.backups import Backups, copy_library

    library = existing_library(options)
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
