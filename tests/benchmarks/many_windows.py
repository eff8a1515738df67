"""Many people at once: `python -m tests.benchmarks.many_windows`.

Windows that are no browsers, only their messages, so that the server has a core of its own: some type into the notes of
different questions of one benchmark, the others look on. Prints the processor time of the server per keystroke beside
that of a single window, the time of a save after its pause, and the longest time in which the server answered nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
import websockets

from karenina_gui.gui.records.optimistic_edit import LATEST, QUIET
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library
from tests.ports import free_port

QUESTIONS = 200
INTERVAL = 0.2
"""Seconds between two keystrokes of a person."""
SENTENCE = "Nothing of this may be lost. "


class LightWindow:
    """A window without a browser: it opens a page, sends what is typed, and notes what the server confirms."""

    def __init__(self, base: str, number: int) -> None:
        self.base, self.number = base, number
        self.text = ""
        self.keys: list[tuple[float, str]] = []
        self.saves: list[float] = []
        """Seconds from the end of the pause until the confirmation."""
        self.received = 0
        self._saved = ""
        """Text that the server confirmed last."""
        self._unsaved_since: float | None = None
        self._next_message = 0
        self._late: list[str] = []
        """Events of the time without a connection."""

    async def open(self) -> None:
        async with httpx.AsyncClient(timeout=60) as http:
            page = await http.get(f"{self.base}/benchmarks/1/questions/{self.number}")
            self._cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        elements = json.loads(unescape(page.text.split("parseElements(String.raw`", 1)[1].split("`", 1)[0]))
        self._client = _first(r"'client_id': '([^']+)'", page.text)
        self._element, notes = next(
            (int(number), element)
            for number, element in elements.items()
            if element.get("props", {}).get("aria-label") == "Notes" and element["props"].get("type") == "textarea"
        )
        self._listener = next(
            event["listener_id"] for event in notes["events"] if event["type"] == "update:value" and event["args"]
        )
        kept = next(event["js_handler"] for event in notes["events"] if "outbox.keep" in (event["js_handler"] or ""))
        self._place = _first(r'outbox\.keep\("([^"]+)"', kept)
        self._outbox = next(event["listener_id"] for event in elements["0"]["events"] if event["type"] == "outbox")
        await self.connect()

    async def connect(self) -> None:
        address = (
            f"client_id={self._client}&next_message_id={self._next_message}&implicit_handshake=true"
            f"&document_id={self._client}&tab_id={self._client}&old_tab_id=null&EIO=4&transport=websocket"
        )
        self._socket = await websockets.connect(
            f"{self.base.replace('http', 'ws')}/_nicegui_ws/socket.io/?{address}",
            additional_headers={"cookie": self._cookies, "origin": self.base},
            max_size=None,
        )
        await self._socket.recv()
        await self._socket.send("40")
        self._task = asyncio.create_task(self._listen())
        late, self._late = self._late, []
        for message in late:
            await self._socket.send(message)

    async def _listen(self) -> None:
        async for message in self._socket:
            self.received += 1
            text = str(message)
            if text == "2":
                await self._socket.send("3")
            elif text.startswith("42"):
                _, content = json.loads(text[2:])
                if isinstance(content, dict):
                    self._next_message = max(self._next_message, content.get("_id", -1) + 1)
                    await self._carry_out(content.get("code", ""))

    async def _carry_out(self, code: str) -> None:
        if "outbox.settle(" in code:
            arguments = json.loads(f"[{_first(r'settle[(](.*)[)]', code)}]")
            self._confirm(arguments[1])
        elif "outbox.offer()" in code and self.text != self._saved:
            entry = {"place": self._place, "value": self.text, "base": self._saved, "control": self._element}
            await self._emit(0, self._outbox, [{**entry, "left": False, "adopt": False}])

    def _confirm(self, value: str) -> None:
        self._saved = value
        now = time.monotonic()
        at = [moment for moment, typed in self.keys if typed == value]
        if at and self._unsaved_since is not None:
            begun = min(at[-1] + QUIET, self._unsaved_since + LATEST)
            self.saves.append(now - max(begun, at[-1]))
            later = [moment for moment, typed in self.keys if moment > at[-1]]
            self._unsaved_since = later[0] if later else None

    async def type(self, sign: str) -> None:
        self.text += sign
        now = time.monotonic()
        self.keys.append((now, self.text))
        self._unsaved_since = self._unsaved_since or now
        await self._emit(self._element, self._listener, self.text)

    async def _emit(self, element: int, listener: str, argument: Any) -> None:
        event = {"id": element, "client_id": self._client, "listener_id": listener, "args": [json.dumps(argument)]}
        message = "42" + json.dumps(["event", event])
        try:
            await self._socket.send(message)
        except websockets.ConnectionClosed:
            self._late.append(message)

    async def cut(self, seconds: float) -> None:
        """Lose the connection for a while."""
        await self.close()
        await asyncio.sleep(seconds)
        await self.connect()

    async def ping(self) -> float:
        """Seconds until the event loop of the server answers."""
        begun = time.monotonic()
        await (await self._socket.ping())
        return time.monotonic() - begun

    async def close(self) -> None:
        await self._socket.close()
        self._task.cancel()


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, pattern
    return match[1]


async def watch(base: str) -> None:
    """Print the longest time of an answer of the event loop; in a process of its own, which has nothing else to do."""
    window, longest = LightWindow(base, QUESTIONS), 0.0
    await window.open()
    await asyncio.sleep(2)
    print("ready", flush=True)
    while not await asyncio.to_thread(_has_input):
        longest = max(longest, await window.ping())
    print(longest, flush=True)


def _has_input() -> bool:
    return bool(select.select([sys.stdin], [], [], 0.02)[0])


async def play(base: str, pid: int, typists: int, others: int, seconds: float, cut: float = 0) -> dict[str, Any]:
    """`cut`: seconds between two losses of each connection; 0: none is lost."""
    windows = [LightWindow(base, number + 1) for number in range(typists + others)]
    for window in windows:
        await window.open()
    await asyncio.sleep(2)
    command = [sys.executable, "-m", "tests.benchmarks.many_windows", "--watch", base]
    watcher = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert watcher.stdout is not None
    await asyncio.to_thread(watcher.stdout.readline)
    before = processor_seconds(pid)

    async def write(window: LightWindow, index: int) -> None:
        await asyncio.sleep(INTERVAL * index / typists)
        begun = time.monotonic()
        for number in range(int(seconds / INTERVAL)):
            await asyncio.sleep(max(0.0, begun + number * INTERVAL - time.monotonic()))
            await window.type(SENTENCE[number % len(SENTENCE)])

    async def lose(window: LightWindow, index: int) -> None:
        for number in range(int(seconds / cut) if cut else 0):
            await asyncio.sleep(cut * (index + 1) / typists if number == 0 else cut)
            await window.cut(1)

    typing = windows[:typists]
    await asyncio.gather(*(action(window, at) for at, window in enumerate(typing) for action in (write, lose)))
    await asyncio.sleep(5 if cut else 2)
    used = processor_seconds(pid) - before
    longest, _ = await asyncio.to_thread(watcher.communicate, "end")
    saves = [save for window in windows for save in window.saves]
    keystrokes = sum(len(window.keys) for window in windows)
    for window in windows:
        await window.close()
    return {
        "texts": {window.number: window.text for window in windows[:typists]},
        "per_keystroke": used / keystrokes,
        "p95": quantiles(saves, n=20)[-1] if len(saves) > 1 else float("nan"),
        "saves": len(saves),
        "gap": float(longest),
        "messages": sum(window.received for window in windows) / keystrokes,
    }


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_library(folder: Path) -> None:
    entries = [
        BenchmarkEntry(question=Question(question=f"Which gene is number {number}?", raw_answer=f"G{number}"))
        for number in range(QUESTIONS)
    ]
    with Library.open(folder) as library:
        library.benchmarks.create(BenchmarkDocument(name="genes", entries=entries))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--windows", type=int, default=50)
    parser.add_argument("--typing", type=int, default=20)
    parser.add_argument("--cut", type=float, default=0, help="seconds between two losses of a connection")
    parser.add_argument("--watch", metavar="URL", help="only watch the event loop of this server")
    options = parser.parse_args()
    if options.watch:
        asyncio.run(watch(options.watch))
        return
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        make_library(folder)
        base = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "karenina_gui", "--no-browser", "--port", str(port), "--data", name]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                wait_for(base)
                asyncio.run(play(base, server.pid, 1, 0, 10))
                one = asyncio.run(play(base, server.pid, 1, 0, min(30, options.seconds)))
                others = options.windows - options.typing
                many = asyncio.run(play(base, server.pid, options.typing, others, options.seconds, options.cut))
            finally:
                server.terminate()
        with Library.open(folder) as library:
            stored = {
                number: library.questions.entry(1, number).question.answer_notes or "" for number in many["texts"]
            }
    wrong = [number for number, text in many["texts"].items() if stored[number] != text]
    for title, result in (("one window", one), (f"{options.windows} windows, {options.typing} typing", many)):
        print(
            f"{title}: {1000 * result['per_keystroke']:.1f} ms of processor per keystroke "
            f"({result['per_keystroke'] / one['per_keystroke']:.2f} of one window); {result['messages']:.1f} messages; "
            f"95 % of {result['saves']} saves within {1000 * result['p95']:.0f} ms; longest pause of the server "
            f"{1000 * result['gap']:.0f} ms"
        )
    print(f"texts that are not whole: {wrong or 'none'}")


def wait_for(base: str) -> None:
    for _ in range(300):
        try:
            httpx.get(base, timeout=10)
            time.sleep(8)  # for what the application prepares after the first page
            return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise TimeoutError


if __name__ == "__main__":
    main()
