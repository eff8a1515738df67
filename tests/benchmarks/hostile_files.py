"""Files that ask for all memory or never end, through commands and pages: `python -m tests.benchmarks.hostile_files`.

Each of 400 files must be refused or read within 10 s and 600 MB, by a command and by the open application, which
answers other windows within 300 ms meanwhile and ends within 10 s of SIGTERM. `--only WORD` takes the files with this
word in their names, `--commands` or `--pages` one half of it.
"""

from __future__ import annotations

import argparse
import atexit
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

SECONDS, MEMORY_MB, REPLY_S = 10.0, 600.0, 0.3
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">%s</worksheet>'
HEADER = '<row r="1"><c t="inlineStr"><is><t>Question</t></is></c><c t="inlineStr"><is><t>Answer</t></is></c></row>'
ROW = '<row><c t="inlineStr"><is><t>q</t></is></c><c><v>1</v></c></row>'

OUTCOME = """name => {
    const parts = [...document.querySelectorAll("[role=alert], [role=status], [role=dialog]")];
    const texts = parts.filter(part => part.getBoundingClientRect().width).map(part => part.innerText);
    const preview = document.querySelector(".import-state");
    const refused = texts.some(text => text.includes(name) && !/Reading|Uploading|Importing/.test(text));
    return preview ? preview.innerText !== "" || refused && document.querySelector(".import-body .note") !== null
        : refused || texts.some(text => /“n”|^Imported/.test(text))
            || name.endsWith(".jsonld") && /^.benchmarks.[0-9]+.questions$/.test(location.pathname);
}"""
"""Check if the page tells what has become of a file: a message, a preview, or the new benchmark, called “n”."""

Content = str | bytes
Bomb = tuple[str, Callable[[], Content]]


def workbook(*, sheet: str = "", strings: str = "", styles: str = "", sheets: int = 1, names: str = "") -> bytes:
    """A workbook of these parts; `sheet` is the XML in its sheets."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    links, tabs, types = [], [], []
    for number in range(1, sheets + 1):
        links.append(f'<Relationship Id="s{number}" Type="{kind}/worksheet" Target="worksheets/{number}.xml"/>')
        tabs.append(f'<sheet name="Sheet {number}" sheetId="{number}" r:id="s{number}"/>')
        types.append(f'<Override PartName="/xl/worksheets/{number}.xml" ContentType="{main}.worksheet+xml"/>')
    for part, name, content in (("sharedStrings", "sharedStrings", strings), ("styles", "styles", styles)):
        if content:
            links.append(f'<Relationship Id="{part}" Type="{kind}/{part}" Target="{name}.xml"/>')
            types.append(f'<Override PartName="/xl/{name}.xml" ContentType="{main}.{name}+xml"/>')
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>{"".join(types)}</Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="w" Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        f'xmlns:r="{kind}"><sheets>{"".join(tabs)}</sheets>{names}</workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        f'relationships">{"".join(links)}</Relationships>',
        **({"xl/sharedStrings.xml": strings} if strings else {}),
        **({"xl/styles.xml": styles} if styles else {}),
    }
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        for number in range(1, sheets + 1):
            archive.writestr(f"xl/worksheets/{number}.xml", SHEET % sheet)
    return raw.getvalue()


def table(strings: str) -> str:
    return f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{strings}</sst>'


def aliases(first: str, level: str, levels: int, width: int) -> str:
    lines = [f"a{n}: &a{n} {level % ','.join([f'*a{n - 1}'] * width)}" for n in range(1, levels)]
    return "\n".join([f"a0: &a0 {first}", *lines, "dataset: *a1", "conditions: *a1"])


def yaml_bombs(size: int) -> Iterator[Bomb]:
    """`size`: 1 to 10."""
    yield "aliases", lambda: aliases("[x,x]", "[%s]", 10 * size, 9)
    yield "merges", lambda: aliases("{x: 1}", "{<<: [%s]}", 5 * size, 9)
    yield "aliases-in-names", lambda: aliases("x", "{? [%s] : x}", 5 * size, 9)
    yield "cycle", lambda: "a: " + "[" * size + "&a [" + "*a," * size + "]" + "]" * size
    yield "depth", lambda: "a: " + "[" * 10**size
    yield "values", lambda: "a: [" + "x," * 200_000 * size + "]"
    yield "number", lambda: "a: " + "1:" * 100_000 * size + "1"
    yield "lines", lambda: "a: |\n" + " x\n" * 300_000 * size


def json_bombs(size: int) -> Iterator[Bomb]:
    many = 400_000 * size
    yield "lists", lambda: "[" + "[]," * many + "[]]"
    yield "objects", lambda: "[" + '{"a":1},' * many + "{}]"
    yield "depth", lambda: "[" * many
    yield "depth-of-objects", lambda: '{"a":' * many
    yield "names", lambda: "[{" + ",".join(f'"{n}":{n}' for n in range(many // 5)) + "}]"
    yield "different-names", lambda: "\n".join(f'{{"question":"q","answer":"a","{n}":1}}' for n in range(many // 10))
    yield "number", lambda: "[" + "9" * many + "]"
    yield "text", lambda: '[{"question":"' + "\\u0041" * many + '","answer":"a"}]'
    yield "never-closed", lambda: '[{"question":"' + "a" * many * 5
    yield "numbers", lambda: "[" + "1234567," * many + "1]"


def checkpoint_bombs(size: int) -> Iterator[Bomb]:
    many = 400_000 * size
    head = '{"@context":{},"@type":"DataFeed","name":"n","dataFeedElement":'
    item = '{"item":{"@type":"Question","text":"q%d"}},'
    yield "entries", lambda: head + "[" + "{}," * many + "{}]}"
    yield "questions", lambda: head + "[" + "".join(item % n for n in range(many // 100)) + "{}]}"
    yield "depth", lambda: head + "[" * many
    yield "ratings", lambda: head + '[{"item":{"text":"q","rating":[' + "{}," * many + "{}]}}]}"
    yield "root", lambda: head + '[],"more":[' + "[]," * many + "0]}"


def csv_bombs(size: int) -> Iterator[Bomb]:
    many = 500_000 * size
    yield "commas", lambda: "Question,Answer\n" + "," * many * 5
    yield "columns", lambda: ",".join(f"c{n}" for n in range(many // 5)) + "\n1"
    yield "quotes", lambda: "Question,Answer\n" + '"a\n' * many
    yield "open-quotes", lambda: "Question,Answer\n" + '"x""\n' * many
    yield "lines", lambda: "Question,Answer\n" + "\n" * many * 5
    yield "rows", lambda: "Question,Answer\n" + "q,a\n" * (many // 5)
    yield "cell", lambda: "Question,Answer\n" + "q" * many * 5 + ",a\n"
    yield "utf-16", lambda: ("Question,Answer\n" + "ẞ" * many).encode("utf-16")
    yield "zeros", lambda: b"Question,Answer\n" + b"\0" * many


def xlsx_bombs(size: int) -> Iterator[Bomb]:
    many = 250_000 * size
    data = f"<sheetData>{HEADER}%s</sheetData>"
    yield "strings", lambda: workbook(strings=table("<si><t>a</t></si>" * many * 4), sheet=data % ROW)
    yield "empty-strings", lambda: workbook(strings=table("<si/>" * many * 8), sheet=data % ROW)
    yield "runs", lambda: workbook(strings=table("<si>" + "<r><t>a</t></r>" * many * 4 + "</si>"), sheet=data % ROW)
    yield "long-string", lambda: workbook(strings=table(f"<si><t>{'a' * many * 50}</t></si>"), sheet=data % ROW)
    yield "rows", lambda: workbook(sheet=data % (ROW * many))
    yield "empty-rows", lambda: workbook(sheet=data % ("<row/>" * many * 8))
    yield "cells", lambda: workbook(sheet=data % ("<row>" + "<c><v>1</v></c>" * many * 2 + "</row>"))
    yield (
        "far-cells",
        lambda: workbook(
            sheet=data % "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(2, many // 5))
        ),
    )
    yield "merged-cells", lambda: workbook(
        sheet=data % (ROW * (many // 20))
        + "<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * many + "</mergeCells>"
    )  # fmt: skip
    yield (
        "styles",
        lambda: workbook(
            styles='<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs>'
            + '<xf numFmtId="0"/>' * many
            + "</cellXfs></styleSheet>",
            sheet=data % ROW,
        ),
    )
    yield "sheets", lambda: workbook(sheets=200 * size, sheet=data % (ROW * 1000))
    yield (
        "names",
        lambda: workbook(
            names="<definedNames>" + '<definedName name="n">1</definedName>' * many + "</definedNames>",
            sheet=data % ROW,
        ),
    )
    yield (
        "entities",
        lambda: workbook(
            strings="<!DOCTYPE x [<!ENTITY e0 'laughs'>"
            + "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 20}'>" for n in range(1, 3 * size))
            + f"]>{table(f'<si><t>&e{3 * size - 1};</t></si>')}",
            sheet=data % ROW,
        ),
    )
    yield "depth", lambda: workbook(sheet=data % ("<row>" * many))
    yield "spaces", lambda: workbook(sheet=data % (" " * many * 100))


def result_bombs(size: int) -> Iterator[Bomb]:
    many = 400_000 * size
    yield "results-json", lambda: '{"format_version":"2.2","results":[' + "{}," * many + "{}]}"
    yield "results-depth", lambda: '{"format_version":"2.2","results":[' + "[" * many
    yield "results-value", lambda: '{"format_version":"2.2","results":[[' + "[]," * many + "0]]}"
    yield "results-heads", lambda: "{" + ",".join(f'"{n}":{{}}' for n in range(many)) + "}"


KINDS: dict[str, Callable[[int], Iterator[Bomb]]] = {
    "yaml": yaml_bombs,
    "json": json_bombs,
    "jsonld": checkpoint_bombs,
    "csv": csv_bombs,
    "xlsx": xlsx_bombs,
    "results.json": result_bombs,
}
SIZES = range(1, 9)


def bombs() -> list[tuple[str, Callable[[], Content]]]:
    """Name and content of each file, in a random but constant order."""
    files = [
        (f"{name}-{size}.{ending}", content)
        for ending, kind in KINDS.items()
        for size in SIZES
        for name, content in kind(size)
    ]
    random.Random(1).shuffle(files)
    return files


def commands_of(path: Path, folder: Path) -> Iterator[list[str]]:
    out = str(folder / "out")
    if path.suffix == ".yaml":
        yield ["verify", "mine.jsonld", "--config", str(path), "--output", f"{out}.json"]
        yield ["k-eval", str(path), "--output", out]
    elif path.name.endswith((".results.json", ".jsonld")):
        yield ["add", str(path), "--data", str(folder / "data")]
    else:
        yield ["import", str(path), "--output", f"{out}.jsonld", "--question", "Question", "--answer", "Answer"]


class Watch:
    """Highest resident memory of one process of a tree, in MB, sampled."""

    def __init__(self, pid: int) -> None:
        self.pid, self.highest, self._stop = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.03):
            self.highest = max([self.highest, *map(_resident_mb, _tree(self.pid))])

    def end(self) -> float:
        self._stop.set()
        self._thread.join()
        return self.highest


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError, ValueError):
        return 0.0


def _tree(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        threads = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
        for thread in threads:
            children += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(below for child in set(map(int, children)) for below in _tree(child))]


def through_command(arguments: list[str], folder: Path) -> tuple[float, float, str]:
    """Seconds, MB, and what was said."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "karenina_gui", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    watch = Watch(process.pid)
    try:
        output, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
        output = f"ended by SIGTERM within {SECONDS:.0f} s"
    return time.monotonic() - begin, watch.end(), output.strip().splitlines()[-1][-160:] if output.strip() else ""


def check(name: str, seconds: float, memory: float, text: str) -> bool:
    fits = seconds <= SECONDS and memory <= MEMORY_MB and "Traceback" not in text
    print(f"{'ok  ' if fits else 'FAIL'} {seconds:6.2f} s {memory:6.0f} MB  {name}: {text}", flush=True)
    return fits


def test_commands(files: list[tuple[str, Callable[[], Content]]], folder: Path) -> int:
    from karenina_gui import example

    (folder / "mine.jsonld").write_bytes(example.BENCHMARK.read_bytes())
    failed = 0
    for name, content in files:
        path = folder / name
        _write(path, content())
        for arguments in commands_of(path, folder):
            failed += not check(f"{arguments[0]} {name}", *through_command(arguments, folder))
        path.unlink()
    return failed


def _write(path: Path, content: Content) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_pages(files: list[tuple[str, Callable[[], Content]]], folder: Path) -> int:
    from playwright.sync_api import TimeoutError as PlaywrightTimeout, sync_playwright

    from tests.browser.conftest import ARGUMENTS, BROWSERS, wait_for
    from tests.ports import free_port

    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "karenina_gui", "--data", str(folder / "data"), "--port", str(port)]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*command, "--no-browser"], stdout=log, stderr=log)
    atexit.register(server.kill)
    wait_for(port, server)
    failed, slowest, stop = 0, [0.0], threading.Event()

    def ping() -> None:
        while not stop.wait(0.1):
            begin = time.monotonic()
            with suppress(ConnectionError):  # the application ends
                urllib.request.urlopen(f"{address}/api/benchmarks/1/questions?first=1", timeout=60).read()
            slowest[0] = max(slowest[0], time.monotonic() - begin)

    threading.Thread(target=ping, daemon=True).start()
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, BROWSERS)))
        page = playwright.chromium.launch(executable_path=path, args=ARGUMENTS).new_page()
        for name, content in files:
            path = folder / name
            _write(path, content())
            page.goto(f"{address}/benchmarks")
            page.locator(".drop-window").wait_for(state="attached")
            page.wait_for_timeout(500)
            page.evaluate("document.body.insertAdjacentHTML('beforeend', '<input type=file id=hostile hidden>')")
            page.locator("#hostile").set_input_files(path)
            watch, begin = Watch(server.pid), time.monotonic()
            slowest[0] = 0.0
            page.evaluate(
                """() => getElement(Number(document.querySelector(".drop-window").dataset.uploader)).$refs.qRef
                           .addFiles(document.querySelector("#hostile").files)"""
            )
            with suppress(PlaywrightTimeout):
                page.wait_for_function(OUTCOME, arg=name, timeout=30_000)
            parts = page.locator("[role=alert], [role=status], [role=dialog]").all_inner_texts()
            text = " | ".join(part.replace("\n", " ")[:120] for part in parts if len(part) > 19) or "nothing"
            seconds, highest = time.monotonic() - begin, watch.end()
            fits = check(f"page {name} (server {_resident_mb(server.pid):.0f} MB)", seconds, highest, text)
            if slowest[0] > REPLY_S:
                print(f"FAIL other windows waited for {slowest[0]:.2f} s", flush=True)
            failed += not fits or slowest[0] > REPLY_S
            path.unlink()
    stop.set()
    begin = time.monotonic()
    server.send_signal(signal.SIGTERM)
    server.wait(30)
    print(f"SIGTERM: {time.monotonic() - begin:.1f} s")
    return failed + (time.monotonic() - begin > SECONDS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--commands", action="store_true")
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    files = [file for file in bombs() if options.only in file[0]]
    print(f"{len(files)} files")
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        failed = 0 if options.pages else test_commands(files, Path(name))
        failed += 0 if options.commands else test_pages(files, Path(name))
    print(json.dumps({"files": len(files), "failed": failed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
