"""The option `--data` of commands that use the library of the application."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.settings import Settings

OF_APPLICATION = "data folder of the application (default: the one in your home folder)"


def add_data_option(parser: argparse.ArgumentParser, description: str = OF_APPLICATION) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,  # any other default would hide --data in front of the command
        metavar="FOLDER",
        help=description,
    )


def existing_library(options: argparse.Namespace) -> Path:
    """The library file of the data folder. Raises `InputError` if there is none."""
    from karenina_gui.store.library import FILE_NAME  # takes a moment to load

    library: Path = (options.data or Settings().data) / FILE_NAME
    if not library.is_file():
        raise InputError(f"The folder {library.parent} has no library. Name a data folder with --data.")
    return library
