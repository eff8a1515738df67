"""A monkey at the application: clicks, keys, hostile texts, files and addresses, drawn from a seed."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    FileChooser,
    Page,
    Response,
    TimeoutError as TookTooLong,
    WebError,
)

from karenina_gui.gui.shell.commands import COMMANDS
from karenina_gui.gui.shell.pages import PAGES
from tests.browser.conftest import is_error
from tests.browser.hostile import NUMBERS, QUERIES, TEXTS

REMEMBERED = 50
"""Actions that are told with a problem."""
MOST_WINDOWS = 3
MOST_PROBLEMS = 20
"""After so many it gives up."""
SLOW = 30_000
"""Milliseconds in which a page must come, also on a busy machine."""
PROMPT = 5_000
"""Milliseconds in which a window that is not busy must answer."""
SIZES = ((1280, 800), (1280, 800), (1600, 1000), (800, 600), (400, 700))
KEYS = (
    *("Tab", "Tab", "Shift+Tab", "Enter", "Enter", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"),
    *("Space", "Delete", "Backspace", "Home", "End", "PageDown", "PageUp", "Control+z", "Control+z", "Control+Shift+z"),
    *("Control+y", "Control+a", "Control+x", "Control+c", "Control+v", "Control+Space", "Control+Enter", "x", "/"),
)
SHORTCUTS = tuple(
    re.sub(r"\bCtrl\b", "Control", re.sub(r"\+([A-Z])$", lambda found: f"+{found[1].lower()}", command.shortcut))
    for command in COMMANDS
    if command.shortcut
)
DATA = (
    *("/api/benchmarks/{}/questions", "/api/benchmarks/{}/questions/texts", "/api/benchmarks/{}/file"),
    *("/api/presets/{}/file", "/api/benchmarks/{}/questions/{}/workspace", "/api/runs", "/api/runs/{}/results"),
    *("/api/benchmarks/{}/questions/{}/workspace/file", "/api/results/{}/conversation", "/api/results/{}/evidence"),
    *("/api/results/{}/investigations/{}", "/api/results/{}/workspace", "/api/results/{}/workspace/{}"),
    *("/api/runs/{}/matrix", "/api/runs/{}/reproducibility.json", "/api/runs/{}/export.{}", "/api/runs/{}/charts.csv"),
)
"""Addresses that the browser fetches."""
DATA_QUERIES = (
    *("", "?start=-1&end=1000000000", "?start=99999999999999999999", "?first=-1", "?first=99999999999999999999"),
    *("?only=0", "?path=../../x", "?path=%00", "?order=%7B", "?start=5&end=1", "?path=" + "x" * 5000),
)


@dataclass(frozen=True)
class Problem:
    """Something that must not happen, and what came before."""

    message: str
    actions: tuple[str, ...]
    picture: Path | None = None

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"    {action}" for action in self.actions), f"    {self.picture or ''}"])


@dataclass
class Monkey:
    """Plays in windows of one person. The same seed does the same, as far as the application keeps the same time."""

    context: BrowserContext
    address: str
    seed: int
    log: Path
    """Of the server."""
    files: list[Path]
    """What it brings in where it is asked for a file."""
    records: Path
    """Folder for the list of all actions, and a picture of the window at each problem."""
    problems: list[Problem] = field(default_factory=list)
    actions: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    count: int = 0
    _page: Page = field(init=False)
    _pending: list[str] = field(default_factory=list)
    _read: int = 0
    _stays: bool = False
    """Whether it was asked if it leaves the page, and does not."""
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self._aside = Random(self.seed)  # for what happens at times of its own, so that the rest stays the same
        self.context.add_init_script(GUARD)
        self.context.on("console", self._hear)
        self.context.on("weberror", self._fail)
        self.context.on("response", self._receive)
        self.context.on("page", self._prepare)

    def play(self, seconds: float) -> None:
        """Until the time is over, or too much has gone wrong."""
        until = time.monotonic() + seconds
        self._page = self.context.new_page()
        self._do("open", lambda: self._open("/"))
        while time.monotonic() < until and len(self.problems) < MOST_PROBLEMS:
            self.step()
        for page in self.context.pages:
            self._page = page
            self._settle(300)
        self._note_problems()

    def step(self) -> None:
        """One action, and what it has led to."""
        self._page = self.random.choice(self.context.pages)
        action = self.random.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        self._do(action.__name__.strip("_"), lambda: action(self))
        if self._page.is_closed():
            return
        if not self._page.url.startswith(self.address):
            if not self._page.url.startswith("about:"):
                self._pending.append(f"The window left the application for {self._page.url}")
            self._do("come back", lambda: self._open("/"))
        self._note_problems()

    def _do(self, name: str, act: Callable[[], str | None]) -> None:
        self.count += 1
        self._stays = False
        place = self._page.url.removeprefix(self.address)[:80]
        self.actions.append(f"{self.count} {place} {name}")
        try:
            told = act()
        except TookTooLong as error:
            told = "-> no answer"
            if not self._stays and not self._answers():
                self._pending.append(f"The window does not answer: {error.message}")
        except Error as error:  # another page came meanwhile, or the person stays on this one
            told = f"-> {error.message.splitlines()[0][:120]}"
        self.actions[-1] += f" {told or ''}"
        with (self.records / f"seed-{self.seed}.txt").open("a", encoding="utf-8", errors="replace") as record:
            print(self.actions[-1], file=record)
        if not self._page.is_closed():
            self._settle(self.random.choice((0, 0, 20, 60, 150, 400)))

    def _answers(self) -> bool:
        """The server and the window are there; an address that is opened while the window goes back can get lost."""
        try:
            self.context.request.get(f"{self.address}/benchmarks", timeout=PROMPT)
            self._page.wait_for_function("document.readyState === 'complete'", timeout=PROMPT)
        except Error:
            return False
        return True

    def _settle(self, milliseconds: int) -> None:
        try:
            self._page.wait_for_timeout(milliseconds)
        except Error:
            return  # closed meanwhile

    def _open(self, path: str) -> str:
        self._page.goto(self.address + path, wait_until="domcontentloaded")
        return path[:200]

    # What it does.

    def _click(self) -> str:
        found = self._pick(CONTROLS)
        if found is None:
            return self._visit()
        presses = self.random.choice((1, 1, 1, 1, 2))
        button = "right" if self.random.random() < 0.02 else "left"
        self._page.mouse.click(found["x"], found["y"], click_count=presses, button=button)
        return f"{found['name']!r} x{presses}"

    def _write(self) -> str:
        found = self._pick(FIELDS)
        if found is None:
            return self._visit()
        text = self.random.choice(TEXTS)
        keyboard = self._page.keyboard
        self._page.mouse.click(found["x"], found["y"])
        if self.random.random() < 0.7:
            keyboard.press("Control+a")
        if self.random.random() < 0.15:
            keyboard.type(text[:12].encode("utf-8", "ignore").decode())
        elif LONE.search(text) or self.random.random() < 0.1:
            self._page.evaluate(PUT, [ord(each) for each in text] if len(text) < 5_000 else [120])
        else:
            keyboard.insert_text(text)
        end = self.random.choice(("", "", "Enter", "Tab", "Escape", "Control+Enter"))
        if end:
            keyboard.press(end)
        return f"{found['name']!r} {text[:60]!r} ({len(text)}) {end}"

    def _press(self) -> str:
        keys = [self.random.choice(KEYS) for _ in range(self.random.randint(1, 6))]
        for key in keys:
            self._page.keyboard.press(key)
        return " ".join(keys)

    def _shortcut(self) -> str:
        key = self.random.choice(SHORTCUTS)
        self._page.keyboard.press(key)
        return key

    def _visit(self) -> str:
        """Any page, most often one that is there."""
        path = self.random.choice(PAGES + PAGES_OF_RECORDS)
        path = path if isinstance(path, str) else path.path
        small = self.random.random() < 0.8
        for name in re.findall(r"{\w*}", path):
            path = path.replace(name, self.random.choice(("1", "2", "3") if small else NUMBERS), 1)
        query = self.random.choice(("", *QUERIES))
        return self._open(path + (query.replace("?", "&") if "?" in path else query))

    def _fetch(self) -> str:
        path = self.random.choice(DATA)
        while "{}" in path:
            path = path.replace("{}", self.random.choice((*NUMBERS, "1", "2", "csv", "json", "xlsx")), 1)
        path += self.random.choice(DATA_QUERIES + QUERIES)
        answer = self.context.request.get(self.address + path, timeout=SLOW)
        if answer.status >= 500:
            self._pending.append(f"HTTP {answer.status} for {path}")
        return f"{path[:200]} {answer.status}"

    def _back(self) -> None:
        self._page.evaluate("history.back()")

    def _forward(self) -> None:
        self._page.evaluate("history.forward()")

    def _reload(self) -> None:
        self._page.evaluate("location.reload()")

    def _second_window(self) -> str:
        """Of the same record; too many are closed again."""
        if len(self.context.pages) >= MOST_WINDOWS:
            self._page.close(run_before_unload=self.random.random() < 0.3)
            return "closed"
        place = self._page.url if self._page.url.startswith(self.address) else self.address
        self._page = self.context.new_page()
        self._page.goto(place, wait_until="domcontentloaded")
        return place

    def _drag(self) -> str:
        mouse = self._page.mouse
        found = self._pick(HANDLES)
        x, y = (found["x"], found["y"]) if found else (self.random.randint(0, 1200), self.random.randint(0, 700))
        mouse.move(x, y)
        mouse.down()
        dx, dy = self.random.randint(-300, 300), self.random.randint(-200, 200)
        mouse.move(x + dx, y + dy, steps=4)
        mouse.up()
        return f"from {x}, {y} by {dx}, {dy}"

    def _resize(self) -> str:
        width, height = self.random.choice(SIZES)
        self._page.set_viewport_size({"width": width, "height": height})
        return f"{width} x {height}"

    def _scroll(self) -> None:
        self._page.mouse.move(self.random.randint(0, 1200), self.random.randint(0, 700))
        self._page.mouse.wheel(self.random.choice((0, 0, 300)), self.random.choice((-500, 200, 800, 5000)))

    def _give_file(self) -> str:
        """To a place that takes files, whether or not it is in sight."""
        places = self._page.locator("input[type=file]:not([webkitdirectory])")
        if not (count := places.count()):
            return "nowhere"
        file = self.random.choice(self.files)
        places.nth(self.random.randrange(count)).set_input_files(file, timeout=5_000)
        return file.name

    def _run(self) -> str:
        """Start a run with the twin, if the form lets it."""
        self._open(self.random.choice(("/benchmarks/1/run?preset=twin", "/benchmarks/3/run?preset=twin")))
        start = self._page.locator("button:enabled", has_text="Start run")
        try:
            start.click(timeout=3_000, no_wait_after=True)
        except TookTooLong:
            return "not now"  # there is nothing to run any more
        return "started"

    # What it sees.

    def _pick(self, selector: str) -> dict[str, Any] | None:
        """Somewhere in a control that can be seen and used; most often in the page itself, or in what lies over it."""
        within = "#page" if self.random.random() < 0.8 else "body"
        return self._page.evaluate(PICK, [selector, within, self.random.random()])

    def _prepare(self, page: Page) -> None:
        page.set_default_timeout(SLOW)
        page.on("dialog", self._answer)
        page.on("filechooser", self._choose_file)
        page.on("crash", lambda _: self._pending.append("The window crashed"))

    def _answer(self, dialog: Dialog) -> None:
        yes = self._aside.random() < 0.7
        self._stays = self._stays or not yes
        self.actions.append(f"    {dialog.type} {dialog.message[:60]!r} {'accepted' if yes else 'dismissed'}")
        if dialog.type not in ("beforeunload", "alert", "confirm", "prompt"):
            self._pending.append(f"A dialog of the kind {dialog.type}")
        dialog.accept() if yes else dialog.dismiss()

    def _choose_file(self, chooser: FileChooser) -> None:
        file = self._aside.choice(self.files)
        self.actions.append(f"    gives {file.name}")
        chooser.set_files(file, no_wait_after=True)

    def _fail(self, error: WebError) -> None:
        stack = error.error.stack or str(error.error)
        if not KNOWN.search(stack):
            self._pending.append(f"Error in the page: {stack}")

    def _hear(self, message: ConsoleMessage) -> None:
        # One window deletes what another one is about to show, which says so.
        gone = "404" in message.text and "/api/" in message.location["url"]
        if is_error(message) and not gone and not KNOWN.search(message.text):
            self._pending.append(f"The console says: {message.text} ({message.location['url']})")

    def _receive(self, response: Response) -> None:
        if response.status >= 500 and urlsplit(response.url).path:
            self._pending.append(f"HTTP {response.status} for {response.url}")

    def _note_problems(self) -> None:
        with self.log.open() as log:
            log.seek(self._read)
            written = log.read()
            self._read = log.tell()
        written = _unexpected(written)
        if BAD.search(written):
            self._pending.append(f"The server's log says:\n{written}")
        while self._pending:
            message = self._pending.pop(0)
            core = re.sub(r"[\d]+|0x\w+", "", message[-300:])
            if core not in self._known:
                self._known.add(core)
                self.problems.append(Problem(message, tuple(self.actions), self._picture()))

    def _picture(self) -> Path | None:
        path = self.records / f"seed-{self.seed}-{len(self.problems) + 1}.png"
        try:
            self._page.screenshot(path=path, timeout=5_000)
        except Error:
            return None
        return path


PAGES_OF_RECORDS = (
    *("/benchmarks/{b}/questions/{q}?tab=question", "/benchmarks/{b}/questions/{q}?tab=template"),
    *("/benchmarks/{b}/questions/{q}?tab=rubric", "/benchmarks/{b}/questions/{q}?tab=workspace"),
    *(
        "/runs/{r}",
        "/runs/{r}/results",
        "/runs/{r}/record",
        "/runs/{r}/charts",
        "/runs/{r}/results/{id}",
        "/models",
        "/benchmarks/{b}/run",
        "/nothing",
    ),
)
ACTIONS: dict[Callable[[Monkey], str | None], int] = {
    Monkey._click: 50,
    Monkey._write: 25,
    Monkey._press: 12,
    Monkey._shortcut: 4,
    Monkey._visit: 6,
    Monkey._fetch: 4,
    Monkey._back: 3,
    Monkey._forward: 1,
    Monkey._reload: 2,
    Monkey._second_window: 2,
    Monkey._drag: 2,
    Monkey._resize: 1,
    Monkey._scroll: 3,
    Monkey._give_file: 4,
    Monkey._run: 1,
}
"""And how often each is done, compared with the others."""

LONE = re.compile("[\ud800-\udfff]")
BAD = re.compile(r"Traceback|\b(ERROR|CRITICAL|Exception|Error)\b|RuntimeWarning|never (retrieved|awaited)")

LOGGED = re.compile(r"(The investigation of the trait|No score of the trait|The shared investigation) .*")
"""Warnings that come with a traceback whatever has happened (`agentic-rubric-evaluation.md`)."""
OF_TRACEBACK = re.compile(
    r"\s|$|Traceback |During handling |The above exception |[\w.]+(Error|Exception|NoReport|Refusal)\b"
)


def _unexpected(log: str) -> str:
    """The log without those warnings and their tracebacks."""
    lines, within = [], False
    for line in log.splitlines():
        within = bool(LOGGED.search(line)) or (within and bool(OF_TRACEBACK.match(line)))
        lines += [] if within else [line]
    return "\n".join(lines)


KNOWN = re.compile(
    r"'(getElementsByClassName|classList)'\)\n +at [^\n(]+\(\S*/quasar\."
    r"|Blocked attempt to show a 'beforeunload' confirmation panel"
)
"""Without consequence. Quasar's: a file comes after its dialog has gone, a pane goes while its border is dragged.
Chromium's: it asks nobody who has not touched the window, whose texts are kept all the same."""

GUARD = """
// Markup that a person gave must never run; links to other places are not followed.
Object.defineProperty(window, "__owned", { set: () => console.error("Hostile markup has run") });
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (link && link.protocol !== "javascript:" && link.origin !== location.origin) event.preventDefault();
}, true);
"""
CONTROLS = (
    "button, a[href], summary, input, select, [role=button], [role=tab], [role=checkbox], [role=radio], [role=option],"
    " [role=menuitem], [role=switch], [role=treeitem], [role=link], .q-item, .q-field, .q-chip, .ag-cell,"
    " .ag-header-cell, .trait-line, .cm-content, .js-plotly-plot, [tabindex='0']"
)
FIELDS = (
    "input:not([type=checkbox], [type=radio], [type=file], [type=hidden]):not([readonly]), textarea:not([readonly]),"
    " .cm-content[contenteditable=true]"
)
HANDLES = "[role=separator], .ag-header-cell-resize, .ag-row, .trait-line, .drag, [draggable=true]"
PICK = """([selector, within, where]) => {
  const seen = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const over = [...document.querySelectorAll(".q-menu, .q-dialog__inner")].filter(seen).pop();
  const found = [...(over ?? document.querySelector(within) ?? document.body).querySelectorAll(selector)].filter(
    (each) => seen(each) && !each.disabled && !each.closest("[inert], [disabled]"));
  if (!found.length) return null;
  const one = found[Math.floor(where * found.length)];
  one.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { left, top, width, height } = one.getBoundingClientRect();
  const name = one.ariaLabel || one.title || one.textContent || one.placeholder || one.className;
  return { x: left + width / 2, y: top + height / 2, name: String(name).trim().slice(0, 50) };
}"""
"""`where`: 0 to 1, from the first to the last of them."""
PUT = """(codes) => {
  const text = String.fromCodePoint(...codes), field = document.activeElement;
  if (!field?.matches("input, textarea")) return document.execCommand("insertText", false, text);
  const kind = field.matches("input") ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}"""
"""As pasting would, for texts that cannot be sent as keys."""
