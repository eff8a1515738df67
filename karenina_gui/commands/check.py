"""`karenina-gui check`: whether the library is whole."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.commands.outcome import DONE, PARTLY, complain, say
from karenina_gui.errors import InputError
from karenina_gui.settings import Settings

NAME = "check"
SUMMARY = "Check the library of the application for damage, also while it is open."
DETAILS = """
    The application checks its library at each start. This command also compares the indexes, which takes minutes for
    gigabytes.

    Exit codes:
      0    no damage
      1    the library is damaged

    Examples:
      karenina-gui check
      karenina-gui check --accept
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,  # any other default would hide --data in front of the command
        metavar="FOLDER",
        help="data folder of the application (default: the one in your home folder)",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="accept changes made while the application was closed, if the library has no other damage",
    )


def run(options: argparse.Namespace) -> int:
    from karenina_gui.store.file_check import break_seal, find_problems, was_changed
    from karenina_gui.store.library import FILE_NAME

    library = (options.data or Settings().data) / FILE_NAME
    if not library.is_file():
        raise InputError(f"There is no library in {library.parent}. Name its data folder with --data.")
    problems = find_problems(library, indexes=True)
    for problem in problems:
        complain(f"Damaged: {problem}")
    if was_changed(library) and not problems:
        if options.accept:
            break_seal(library)
        else:
            problems = ["changed"]
            complain(
                "Changed while the application was closed. If that was you, use --accept; otherwise restore a backup."
            )
    if problems:
        return PARTLY
    say(f"{library} has no damage.")
    return DONE
