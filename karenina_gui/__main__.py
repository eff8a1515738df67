"""The command line: open the application, verify, import, export."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from textwrap import dedent

from karenina_gui import __version__
from karenina_gui.commands import add, backup, check, convert, export, k_eval, restore, serve, verify, worker
from karenina_gui.commands.outcome import BAD_INPUT, INTERRUPTED, PrintableFormatter, complain
from karenina_gui.errors import KareninaError
from karenina_gui.runs.worker_threads import any_worker_busy

COMMANDS = (serve, verify, k_eval, convert, export, add, backup, restore, check, worker)
"""One module for each command, with `NAME` (empty: no command), `SUMMARY`, `DETAILS`, `add_options` and `run`."""


def end_if_held(code: int) -> None:
    """End the process with this code if a cancelled run has abandoned workers (see `runs/worker_threads.py`)."""
    # Python joins the threads that client libraries started for such calls, however long those take.
    if any_worker_busy():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns one of the exit codes in `commands/outcome.py`.

    `arguments` None: the command line of this process.
    """
    if logging.lastResort is not None:  # the handler of messages that no other one takes
        logging.lastResort.setFormatter(PrintableFormatter())
    code = _perform(parser().parse_args(arguments))
    # Not in tests and other callers, which go on afterwards.
    if arguments is None:
        end_if_held(code)
    return code


def _perform(options: argparse.Namespace) -> int:
    try:
        code: int = options.perform(options)
    except KareninaError as error:
        return _explain(str(error))
    except OSError as error:
        return _explain(f"Couldn’t use {error.filename or 'a file'}: {error.strerror or error}.")
    except KeyboardInterrupt:
        complain("Interrupted.")
        return INTERRUPTED
    return code


def _explain(message: str) -> int:
    complain(f"karenina-gui: error: {message}")
    return BAD_INPUT


def parser() -> argparse.ArgumentParser:
    """Argument parser. `perform` of the parsed options is the function that runs the command."""
    top = argparse.ArgumentParser(
        prog="karenina-gui",
        description=serve.SUMMARY,
        epilog=dedent(serve.DETAILS).strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"karenina-gui {__version__}")
    serve.add_options(top)
    top.set_defaults(perform=serve.run)
    commands = top.add_subparsers(title="other commands (see COMMAND --help)", metavar="COMMAND")
    for command in COMMANDS:
        if command.NAME:
            below = commands.add_parser(
                command.NAME,
                help=command.SUMMARY,
                description=command.SUMMARY,
                epilog=dedent(command.DETAILS).strip(),
                formatter_class=argparse.RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            command.add_options(below)
            below.set_defaults(perform=command.run)
    return top


if __name__ == "__main__":
    sys.exit(main())
