"""`karenina-gui check`: whether the library is whole."""

from __future__ import annotations

import argparse

from karenina_gui.commands.data_folder import add_data_option, existing_library
from karenina_gui.commands.outcome import DONE, PARTLY, complain, say

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
    add_data_option(parser)
    parser.add_argument(
        "--accept",
        action="store_true",
        help="accept changes made while the application was closed, if the library has no other damage",
    )


def run(options: argparse.Namespace) -> int:
    from karenina_gui.store.file_check import break_seal, find_problems, was_changed

    library = existing_library(options)
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
