"""Environment in which the interpreters of a judge's commands load no code of the workspace that they run in.

An answering agent could otherwise leave a `json.py` that decides what `python3 -c "import json"` tells the judge.
Programs of the workspace that a judge runs by their path are the agent's own, and work as they did for the agent.
"""

from __future__ import annotations

from pathlib import Path

PRELOADED = Path(__file__).with_name("judge_preload")
"""Folder with code that Python and Node load first."""


def preloaded_files(folder: str) -> dict[str, bytes]:
    """Contents of the files in `PRELOADED` by their paths below another folder."""
    return {f"{folder}/{name}": PRELOADED.joinpath(name).read_bytes() for name in ("sitecustomize.py", "node.cjs")}


def environment(folder: str, scratch: str, since: float) -> dict[str, str]:
    """Additional variables for a judge's command.

    `folder`: path of `PRELOADED` as the command sees it. `scratch`: a folder that is deleted after the command.
    `since`: time (seconds since 1970) after which files are the judge's own.
    """
    return {
        "JUDGING_SINCE": str(since),
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": folder,
        "PYTHONNOUSERSITE": "1",
        # Compiled files in the workspace need not correspond to the sources that a judge reads.
        "PYTHONPYCACHEPREFIX": f"{scratch}/pycache",
        "NODE_OPTIONS": f'--require "{folder}/node.cjs"',
        # R runs .Rprofile of the working directory.
        "R_PROFILE_USER": "/dev/null",
        "R_ENVIRON_USER": "/dev/null",
        # Other settings of a repository are comments in the copy for a judge (`workspace_copy.judging_copy`).
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/dev/null",
        "GIT_CONFIG_KEY_1": "safe.bareRepository",
        "GIT_CONFIG_VALUE_1": "explicit",
        # Windows looks for programs in the working directory first.
        "NoDefaultCurrentDirectoryInExePath": "1",
    }
