"""The application and a bare page, each served by a process of its own, and what is measured of them in Chromium."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SHELL = "chromium-headless-shell"

BARE = """
import json, sys
from fastapi import Response
from nicegui import app, ui
ROWS = [{{"id": n, "question": f"Which gene is meant by the words of number {{n}}?", "seconds": (n * 7919) % 1000,
          "outcome": ("passed", "wrong")[n % 2], "keywords": f"keyword {{n % 40}}"}} for n in range({rows})]
@app.get("/rows")
def rows(start: int = 0, end: int = {rows}, sort: str = ""):
    order = json.loads(sort)[:1] if sort else []
    key = (lambda row: row[order[0]["colId"]]) if order else None
    found = sorted(ROWS, key=key, reverse=order[0]["sort"] == "desc") if order else ROWS
    return Response(json.dumps({{"rows": found[start:end], "total": len(found)}}), media_type="application/json")
COLUMNS = [{{"field": name, "sortable": True}} for name in ("question", "seconds", "outcome", "keywords")]
def root():
    ui.sub_pages({{"/list": whole, "/table": paged}})
def whole():
    grid = ui.aggrid({{"columnDefs": COLUMNS, ":getRowId": "p => String(p.data.id)",
        ":onGridReady": "async e => e.api.setGridOption('rowData', (await (await fetch('/rows')).json()).rows)"}},
        auto_size_columns=False).classes("w-full").style("height: 600px")
    ui.html('<input aria-label="Search" oninput="getElement(%d).api.setGridOption(\\'quickFilterText\\', this.value)">'
        % grid.id, sanitize=False)
def paged():
    ui.aggrid({{"columnDefs": COLUMNS, "rowModelType": "infinite", "cacheBlockSize": 100,
        ":getRowId": "p => String(p.data.id)", ":datasource": '''{{getRows: async p => {{
            const q = new URLSearchParams({{start: p.startRow, end: p.endRow, sort: JSON.stringify(p.sortModel)}});
            const d = await (await fetch("/rows?" + q)).json(); p.successCallback(d.rows, d.total); }} }}'''}},
        auto_size_columns=False).classes("w-full").style("height: 600px")
ui.run(root, host="127.0.0.1", port={port}, show=False, reload=False, gzip_middleware_factory=None)
"""
"""The same table with nothing around it and its rows in memory: what the browser and the machine take by themselves."""

DRAWN = """() => { const row = document.querySelector('GRID .ag-row[row-index="0"] .ag-cell:not(:empty)');
    return !!row && !!row.closest('.ag-row').textContent.trim(); }"""

WATCH = """
(() => {
  const fetched = window.fetch;
  window.answers = 0;
  window.fetch = async (...asked) => {
    const reply = await fetched(...asked), read = reply.json.bind(reply);
    reply.json = async () => { const found = await read(); window.answers += 1; return found; };
    return reply;
  };
  // Milliseconds from the last press of a key or a button until the table has changed and is painted.
  window.pressed = 0;
  for (const kind of ["keydown", "pointerdown"])
    addEventListener(kind, () => { window.pressed = performance.now(); }, true);
  const frame = () => new Promise(requestAnimationFrame);
  const sign = (grid) => {
    const rows = [...document.querySelectorAll(grid + " .ag-row")];
    const number = document.querySelector("#results-count, .question-count");
    return rows.map((row) => row.getAttribute("row-id")).join() + (number ? number.textContent : "");
  };
  const loaded = (grid) => {
    const rows = [...document.querySelectorAll(grid + " .ag-center-cols-container .ag-row")];
    const nothing = document.querySelector(grid + " .ag-overlay-no-rows-wrapper");
    return rows.length ? rows.every((row) => row.textContent.trim() !== "") : !!nothing;
  };
  window.changed = async (grid, byServer) => {
    const before = window.before, answers = window.answersBefore;
    for (let tries = 0; tries < 600; tries++) {
      await frame();
      const done = byServer ? window.answers > answers && loaded(grid) : sign(grid) !== before;
      if (done) { await frame(); return performance.now() - window.pressed; }
    }
    return NaN;
  };
  window.remember = (grid) => { window.before = sign(grid); window.answersBefore = window.answers; };
})();
"""


class Figures:
    """Milliseconds, or whatever else is measured, by name; each as median and range."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, name: str, value: float) -> None:
        self._values.setdefault(name, []).append(value)

    def show(self, unit: str = "ms") -> None:
        for name, values in self._values.items():
            least, most = min(values), max(values)
            print(f"{name:58} {median(values):7.0f} {unit}   ({least:.0f} to {most:.0f}, {len(values)} times)")

    def ratio(self, name: str, baseline: str) -> None:
        """How many times as much as the baseline, by medians of the same run."""
        share = median(self._values[name]) / median(self._values[baseline])
        print(f"{name + ' / ' + baseline:72} {share:7.2f} x")


@contextmanager
def application(folder: Path) -> Iterator[tuple[str, int]]:
    """Address and process of the application on this data folder."""
    with _serve(["-m", "karenina_gui", "--data", str(folder), "--no-browser", "--port", "{port}"]) as served:
        yield served


@contextmanager
def bare(rows: int) -> Iterator[tuple[str, int]]:
    """Address and process of a page with nothing but a table."""
    with _serve(["-c", BARE.replace("{port}", "{{port}}").format(rows=rows)]) as served:
        yield served


@contextmanager
def chromium() -> Iterator[Browser]:
    path = which("chromium") or which("chromium-browser") or which("google-chrome") or which(SHELL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def window(browser: Browser) -> Page:
    """With an empty cache."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(WATCH)
    return page


def opening(page: Page, address: str, grid: str = "") -> float:
    """Milliseconds from the beginning of the navigation until the first row is drawn."""
    page.goto("about:blank")
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(DRAWN.replace("GRID", grid))
    return (time.perf_counter() - started) * 1000


def answer(page: Page, act: Callable[[], object], grid: str = "", *, by_server: bool = True) -> float:
    """Milliseconds from the key or the click that `act` ends with until the table shows what it led to."""
    page.evaluate("grid => remember(grid)", grid)
    act()
    return float(page.evaluate("([grid, byServer]) => changed(grid, byServer)", [grid, by_server]))


def memory(process: int) -> float:
    """Megabytes that the process has in memory."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def machine() -> str:
    return f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"


def listens(port: int) -> bool:
    """Whether somebody listens on it."""
    with socket.socket() as probe:
        # A probe of a port that nobody listens on yet may be given that port, and reach itself.
        return probe.connect_ex(("127.0.0.1", port)) == 0 and probe.getsockname() != probe.getpeername()


def environment() -> dict[str, str]:
    """Without what is meant for the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}


@contextmanager
def _serve(arguments: list[str]) -> Iterator[tuple[str, int]]:
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, *(argument.replace("{port}", str(port)) for argument in arguments)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), cwd=ROOT,
    )  # fmt: skip
    try:
        while not listens(port):
            if server.poll() is not None:
                raise RuntimeError("the server ended at once")
            time.sleep(0.05)
        time.sleep(1)
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait(20)
