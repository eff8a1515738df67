"""How long the application takes to be usable: from the command to the first question, and from a reload to it.

    python tests/benchmarks/start_up.py [ROUNDS]

Measured in Chromium, in turn with a bare NiceGUI page on the same machine, so that the ratio holds on a busy one.
Byte code must be there (`make run` compiles it). Prints the median and the range of each figure in seconds.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shutil import which
from statistics import median

from playwright.sync_api import Browser, sync_playwright

BARE = """
from nicegui import ui
def root():
    ui.label('ready')
ui.run(root, host='127.0.0.1', port={port}, show=False, reload=False)
"""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SHELL = "chromium-headless-shell"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    figures: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = which("chromium") or which("chromium-browser") or which("google-chrome") or which(SHELL)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        for number in range(rounds + 1):
            for name, command, sign in (
                ("application", application(Path(folder)), ".ag-row"),
                ("bare page", bare(), "text=ready"),
            ):
                start, reload = measure(browser, command, sign)
                if number:  # the first round fills the data folder and the disk cache
                    figures.setdefault(f"{name}: command to usable", []).append(start)
                    figures.setdefault(f"{name}: reload", []).append(reload)
        browser.close()
    for name, values in figures.items():
        print(f"{name:36} {median(values):5.2f} s   ({min(values):.2f} to {max(values):.2f})")
    for what in ("command to usable", "reload"):
        pairs = zip(figures[f"application: {what}"], figures[f"bare page: {what}"], strict=True)
        print(f"{what + ', application / bare page':36} {median(a / b for a, b in pairs):5.2f} x")


def application(folder: Path) -> list[str]:
    return ["-m", "karenina_gui", "--data", str(folder / "data"), "--no-browser", "--port"]


def bare() -> list[str]:
    return ["-c", BARE]


def measure(browser: Browser, arguments: list[str], sign: str) -> tuple[float, float]:
    """Seconds until `sign` is seen after the command, and after a reload."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if arguments[0] == "-c":
        command = [sys.executable, "-c", arguments[1].format(port=port)]
    else:
        command = [sys.executable, *arguments, str(port)]
    page = browser.new_context().new_page()
    started = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.01)
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(sign)
        usable = time.perf_counter() - started
        time.sleep(1)
        started = time.perf_counter()
        page.reload(wait_until="commit")
        page.wait_for_selector(sign)
        return usable, time.perf_counter() - started
    finally:
        page.context.close()
        server.terminate()
        server.wait(20)


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}


if __name__ == "__main__":
    main()
