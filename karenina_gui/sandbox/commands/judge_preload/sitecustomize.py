"""Loaded by every Python of a judge's commands, before the program.

The working directory is a workspace: a `json.py` there must not become the judge's `json`. The environment sets
PYTHONSAFEPATH, by which Python 3.11 and newer leave out that folder, and a script's own. Runs in any Python 3.
"""

# Also for older Pythons of the system, and fast, since it runs at the start of each.
# ruff: noqa: PTH109, PTH116, PTH120, UP036

import os
import sys

_TEST_RUNNERS = ("pytest", "unittest")


def _is_script() -> bool:
    return sys.argv[0] not in ("", "-", "-c", "-m")


def _is_own_script() -> bool:
    """True for a script that the judge itself has written."""
    try:
        return os.stat(sys.argv[0]).st_mtime > float(os.environ["JUDGING_SINCE"])
    except (OSError, KeyError, ValueError):
        return False


class _Forget:
    """Removes the folder that an older Python has put first, at the first import of the program."""

    def __init__(self) -> None:
        self.before = list(sys.path)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if sys.path == self.before:
            return  # not yet
        sys.meta_path.remove(self)
        if sys.path[1:] == self.before:
            if not _is_script():
                del sys.path[0]
            elif _is_own_script():
                sys.path.append(sys.path.pop(0))


def _add_tested_folder() -> None:
    """Add the working directory for a test runner, last, so that the runner itself is the installed one."""
    from importlib.util import find_spec

    arguments = sys.orig_argv
    if "-m" in arguments[:-1]:
        runner = arguments[arguments.index("-m") + 1]
        if runner in _TEST_RUNNERS and find_spec(runner) is not None:
            sys.path.append(os.getcwd())


if sys.version_info >= (3, 10) and sys.argv[0] == "-m":
    _add_tested_folder()
if sys.version_info < (3, 11):
    sys.meta_path.insert(0, _Forget())
elif _is_script():
    # A script is meant to find the modules next to it, but the judge's own one its libraries first.
    sys.path.insert(len(sys.path) if _is_own_script() else 0, os.path.dirname(os.path.realpath(sys.argv[0])))
