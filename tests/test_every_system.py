"""Every module loads on a system without optional features; their absence is reported on use."""

from __future__ import annotations

import subprocess
import sys

ELSEWHERE = """
import importlib, os, pkgutil, select, signal, sys

LACKING = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty")


class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name in LACKING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


import anyio, distributed, nicegui, platformdirs, uvicorn  # these know such systems, but would be misled here

for name in LACKING:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Lacking())
for place, names in {
    os: ("fork", "geteuid", "setsid", "killpg", "wait4", "O_NOFOLLOW", "O_DIRECTORY", "O_PATH", "chown"),
    signal: ("SIGKILL", "SIGCONT", "SIGSTOP", "SIGHUP", "SIGXCPU", "SIGSYS"),
    select: ("poll", "epoll"),
}.items():
    for name in names:
        if hasattr(place, name):
            delattr(place, name)
os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks = set(), set(), set()

import karenina_gui

for module in pkgutil.walk_packages(karenina_gui.__path__, "karenina_gui."):
    if not module.name.endswith("__main__") and ".migrations." not in module.name:
        try:
            importlib.import_module(module.name)
        except Exception as error:
            print(module.name, repr(error))
print("loaded")
"""


def test_every_module_loads_where_no_process_can_be_forked_or_locked() -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("loaded\n", "")
