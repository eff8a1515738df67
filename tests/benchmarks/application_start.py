"""How long the application takes to be usable: `python tests/benchmarks/application_start.py [ROUNDS]`.

From the command to the first question and from a reload to it, by phases, with a library that holds the examples and
an empty cache of the browser; in turn with a bare NiceGUI page, so that the ratio holds on a busy machine. Besides, the
very first start, the commands that only print something, and the modules that take longest to load. Byte code must be
there (`make run` compiles it).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from tests.benchmarks.served import Figures, chromium, environment, listens, machine, window  # noqa: E402
from tests.ports import free_port  # noqa: E402

APPLICATION = """
import gc, sys, time
from karenina_gui import __main__
gc.disable()
from karenina_gui import app
print("imports", time.perf_counter(), flush=True)
build = app.build
def opened(settings):
    application = build(settings)
    print("library opened", time.perf_counter(), flush=True)
    return application
app.build = opened
sys.exit(__main__.main(["--data", DATA, "--no-browser", "--port", str(PORT)]))
"""
"""As the command does it, with the moments when the application is loaded and when its library is open."""

BARE = """
import time
from nicegui import ui
print("imports", time.perf_counter(), flush=True)
def root():
    ui.label("ready")
    ui.button("Press", on_click=lambda: ui.notify("pressed"))
ui.run(root, host="127.0.0.1", port=PORT, show=False, reload=False, tailwind=False, language="en-US",
       show_welcome_message=False, reconnect_timeout=60, gzip_middleware_factory=None, storage_secret="any")
"""

USABLE = """
(() => {
  const look = () => {
    const usable = window.did_handshake && document.querySelector(%r);
    if (usable) window.usableAt = performance.timeOrigin + performance.now();
    else setTimeout(look, 2);
  };
  look();
})();
"""
"""Notes when the page is drawn and hears keys: whoever asks from outside waits for what the browser does besides."""

PHASES = ("imports", "library opened", "server listening", "first byte of the page", "page usable")
"""Each from the end of the one before; the bare page opens no library."""
OPTIONS = ("--version", "--help")
PATIENCE = 60.0
"""Seconds in which the server must listen."""
SHOWN = 20


class Subject(NamedTuple):
    name: str
    code: str
    sign: str
    """What is seen once the page is drawn."""


def main(rounds: int) -> None:
    print(machine())
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        ours, bare = application("application", Path(folder) / "kept"), Subject("bare page", BARE, "button")
        for number in range(rounds + 1):
            noted = figures if number else Figures()  # the first round fills the library and the disk cache
            for subject in (ours, bare, application("first start", Path(folder) / f"empty {number}")):
                start(browser, noted, subject)
            for option in OPTIONS:
                noted.add(f"processor time of {option}", printing(option))
        loaded, anyway = (imports(browser, subject) for subject in (ours, bare))
    figures.show()
    for what in ("command to usable", "processor time", *PHASES[:1], *PHASES[2:], "reload"):
        figures.ratio(f"application: {what}", f"bare page: {what}")
    show_costly(loaded, anyway)
    print(machine())


def application(name: str, data: Path) -> Subject:
    return Subject(name, f"DATA = {str(data)!r}\n{APPLICATION}", ".ag-center-cols-container .ag-cell:not(:empty)")


def start(browser: Browser, figures: Figures, subject: Subject, *options: str) -> str:
    """Note milliseconds until the page is drawn and hears keys; returns what Python writes with these options."""
    port = free_port()
    page = window(browser)
    page.add_init_script(USABLE % subject.sign)
    moments = {"command": time.perf_counter()}
    with tempfile.TemporaryFile("w+") as written:
        server = subprocess.Popen(
            [sys.executable, *options, "-c", f"PORT = {port}\n{subject.code}"],
            stdout=subprocess.PIPE, stderr=written, env=environment(), cwd=ROOT, text=True,
        )  # fmt: skip
        try:
            wait_for(port, server)
            moments["server listening"] = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
            moments["first byte of the page"] = time.perf_counter()
            moments["page usable"] = usable(page)
            figures.add(f"{subject.name}: processor time", processor_time(server.pid))
            time.sleep(1)
            begun = time.perf_counter()
            page.reload(wait_until="commit")
            figures.add(f"{subject.name}: reload", (usable(page) - begun) * 1000)
        finally:
            page.context.close()
            server.terminate()
            said, _ = server.communicate(timeout=20)
        written.seek(0)
        note(figures, subject, moments | said_moments(said))
        return written.read()


def usable(page: Page) -> float:
    """The moment of this process when the page was drawn and heard keys."""
    noted = page.wait_for_function("window.usableAt").json_value()
    return float(noted) / 1000 - time.time() + time.perf_counter()


def said_moments(said: str) -> dict[str, float]:
    parts = [line.rpartition(" ") for line in said.splitlines()]
    return {what: float(when) for what, _, when in parts if what in PHASES}


def note(figures: Figures, subject: Subject, moments: dict[str, float]) -> None:
    """Note the whole, and each phase from the end of the one before."""
    figures.add(f"{subject.name}: command to usable", (moments["page usable"] - moments["command"]) * 1000)
    passed = ["command", *(name for name in PHASES if name in moments)]
    for before, name in pairwise(passed):
        figures.add(f"{subject.name}: {name}", (moments[name] - moments[before]) * 1000)


def wait_for(port: int, server: subprocess.Popen[str]) -> None:
    until = time.monotonic() + PATIENCE
    while not listens(port):
        if server.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the server does not listen")
        time.sleep(0.01)


def processor_time(process: int) -> float:
    """Milliseconds that it has worked."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def printing(option: str) -> float:
    """Milliseconds that the command works to print what is asked for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "karenina_gui", option], stdout=subprocess.DEVNULL, cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def imports(browser: Browser, subject: Subject) -> dict[str, float]:
    """Milliseconds that each module takes to load by itself, until the page is usable."""
    lines = [line.split("|") for line in start(browser, Figures(), subject, "-X", "importtime").splitlines()]
    return {name.strip(): int(own.split()[-1]) / 1000 for own, _, name in lines if own.split()[-1].isdigit()}


def show_costly(loaded: dict[str, float], anyway: dict[str, float]) -> None:
    """What the bare page does not load: by package, and the modules that take longest."""
    more = {name: took for name, took in loaded.items() if name not in anyway}
    packages, modules = Counter[str](), Counter[str]()
    for name, took in more.items():
        package = ".".join(name.split(".")[: 2 if name.startswith("karenina_gui.") else 1])
        packages[package] += took
        modules[package] += 1
    print(f"\nloaded besides: {len(more)} modules, {sum(more.values()):.0f} ms; {sum(anyway.values()):.0f} ms by both")
    for package, took in packages.most_common(SHOWN):
        print(f"{package:58} {took:7.0f} ms   ({modules[package]} modules)")
    print("the modules that take longest by themselves")
    for name in sorted(more, key=lambda name: -more[name])[:SHOWN]:
        print(f"{name:58} {more[name]:7.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
