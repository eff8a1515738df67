"""Start of sandbox processes, with nothing of this process's environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

_PACKAGES = ("karenina_gui", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection")
_OF_THE_SYSTEM = ("SYSTEMROOT",)
"""Variables without which no process starts on Windows."""
_LAUNCH = (
    "import json, sys; sys.path += json.loads(sys.argv[1]); "
    "from karenina_gui.sandbox.{module} import main; main(*sys.argv[2:])"
)


def start(
    module: str, *arguments: str, stdin: int, stderr: int | IO[bytes], pipes: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start `main(*arguments)` of a module of this package. Standard output is a pipe.

    The environment is empty except for a fixed hash seed, which makes the order of a set the same in every run. No site
    hooks, a session of its own, and the root folder as working folder. `pipes` are inherited under the same numbers.
    """
    # -P, -s, -S: neither the working folder nor a user's site-packages and .pth files may inject code.
    command = [sys.executable, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", _LAUNCH.format(module=module)]
    return subprocess.Popen(
        [*command, json.dumps(_import_folders()), *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={"PYTHONHASHSEED": "0", **{name: os.environ[name] for name in _OF_THE_SYSTEM if name in os.environ}},
        cwd="/",
        start_new_session=True,
        pass_fds=pipes,
        bufsize=0,
    )


def _import_folders() -> list[str]:
    """Folders that hold our package and pydantic's, and no other entry of this process's path."""
    folders: dict[str, Any] = {}
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            path = Path(spec.origin).resolve()
            folders[str(path.parent.parent if spec.submodule_search_locations else path.parent)] = None
    return list(folders)
