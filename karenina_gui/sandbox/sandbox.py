"""Entry point for running what authors write: templates, traits that are functions, and their patterns.

A template that is data needs no sandbox: it is parsed and judged in this process. With patterns it goes to
`WorkerProcesses`, which bound the time. Plain methods run in Monty. All other code, and what fails in Monty, runs in a
locked process, if the machine offers one.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeVar

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox.bounded_cache import BoundedCache
from karenina_gui.sandbox.data_templates import (
    Code,
    DataTemplate,
    DataTemplates,
    SplitTemplate,
    judge_here,
    judge_in_monty,
)
from karenina_gui.sandbox.error_text import CodeNoun, StoppedCode, describe_stop, not_tried
from karenina_gui.sandbox.framing import in_utf8
from karenina_gui.sandbox.inside import text_replace
from karenina_gui.sandbox.isolation_level import SandboxLevel, probe
from karenina_gui.sandbox.limits import DEFAULT_LIMITS, Limits
from karenina_gui.sandbox.monty_runner import CodeStopped, MontyPool
from karenina_gui.sandbox.monty_traits import read_trait
from karenina_gui.sandbox.outcomes import (
    BatchReply,
    RegexOutcome,
    RegexReplies,
    RegexSearch,
    TextOutcome,
    TraitOutcome,
    TraitOutline,
    TraitReplies,
    VerdictReplies,
)
from karenina_gui.sandbox.pool import Pool
from karenina_gui.sandbox.reply import Shape, read_reply
from karenina_gui.sandbox.session import Reply, Session
from karenina_gui.sandbox.worker_processes import WorkerProcesses
from karenina_gui.schemas.template import (
    AnswerToVerify,
    CodeFaultKind,
    JudgeReply,
    TemplateExecution,
    TemplateOutline,
    TemplateProblem,
    TemplateVerdict,
)
from karenina_gui.schemas.text_edits import TextSearch

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
Ask = Callable[[Sequence[Item]], list[Outcome] | StoppedCode]


class Sandbox:
    """Runs author-written code in isolation. Thread-safe.

    Bad code is a value: every method returns, with a message for the author if the code was wrong or had to be stopped.
    Raises `SandboxError` only if the machine itself fails (no process can be started or locked).

    `trust=True` allows code to run with limits on time and memory alone if the machine offers no confinement; if it
    does, trusted code is confined all the same.
    """

    def __init__(self, slots: int = 2, limits: Limits = DEFAULT_LIMITS, rung: int | None = None) -> None:
        """`slots`: concurrent requests. `rung` forces a weaker level than the machine offers (None: the strongest)."""
        self._slots = slots
        self._limits = limits
        self._rung = rung
        self._lock = threading.Lock()
        self._level: SandboxLevel | None = None
        self._pool: Pool | None = None
        self._closed = False
        self._data = DataTemplates()
        self._patterns = WorkerProcesses("pattern_worker", slots, limits)
        self._monty = MontyPool(slots, limits, self._patterns)
        self._trusted = WorkerProcesses("trusted_worker", slots, limits)
        self._outlines: BoundedCache[TemplateOutline] = BoundedCache()
        self._asked_apart: BoundedCache[bool] = BoundedCache()
        """Templates that were stopped during a combined request; asked separately from then on."""
        self._unreadable: BoundedCache[bool] = BoundedCache()
        """Templates whose methods Monty could not even load; they run in Python if that is allowed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def level(self) -> SandboxLevel:
        """Confinement that this machine offers, probed at first use (about a tenth of a second)."""
        with self._lock:
            if self._level is None:
                self._level = probe(self._rung)
            return self._level

    def start(self) -> None:
        """Start all processes now instead of at first use (about half a second); does nothing on the last rung."""
        if self.level.confined:
            self._open_pool().warm_up()

    def close(self) -> None:
        """End all processes. Calls in progress end as `lost`; later ones raise `SandboxError`."""
        with self._lock:
            self._closed = True
            pool = self._pool
        self._patterns.close()
        self._monty.close()
        self._trusted.close()
        if pool is not None:
            pool.close()

    @property
    def zygotes(self) -> list[int]:
        """Ids of the running zygotes, for measurements."""
        with self._lock:
            return [] if self._pool is None else self._pool.zygotes

    def outline(self, source: str, *, trust: bool = False) -> TemplateOutline:
        """Outline and problems of the template. Cached by source; treat it as read-only."""
        key = _key("template", source, *["trusted"][: int(trust)])
        if (cached := self._outlines.find(key)) is not None:
            return cached
        reply = self._ask_outline(source, trust=trust)
        if isinstance(reply, StoppedCode):
            problem, code = TemplateProblem(message=reply.message), self._data.read(source)
            if reply.kind == "refused" and isinstance(code, Code):
                where = f" The reason is {code.what}." if code.line else ""
                problem = TemplateProblem(message=f"{reply.message}{where}", line=code.line)
            return TemplateOutline(valid=False, problems=[problem], fault=reply.kind)
        reply.execution = self._execution(self._home(source, trust=trust))
        if reply.fault is None:
            self._outlines.store(key, reply)
        return reply

    def _ask_outline(self, source: str, *, trust: bool) -> TemplateOutline | StoppedCode:
        home = self._home(source, trust=trust)
        # Nothing is sent to this process, and a request would take a quarter of the time that its answer takes.
        small = LONGEST_ESCAPE * len(source) < self._limits.request_bytes
        here = (
            judge_here(home, {"op": "outline"}, TemplateOutline) if small and isinstance(home, DataTemplate) else None
        )
        return here or self._ask(self._about(source, {"op": "outline"}, trust=trust), TemplateOutline)

    def read_ahead(self, source: str, *, trust: bool = False) -> None:
        """Cache the outline, unless that needs a process that current jobs may be waiting for.

        Raises as `outline` does.
        """
        if isinstance(self._home(source, trust=trust), DataTemplate | SplitTemplate):
            self.outline(source, trust=trust)

    def _execution(self, home: _Home) -> TemplateExecution:
        if home == "locked":
            return "locked" if self.level.confined else "unlocked"
        return "monty" if isinstance(home, SplitTemplate) else "data"

    def validate(
        self, source: str, values: dict[str, Any], *, trace: str | None = None, trust: bool = False
    ) -> JudgeReply:
        """Check a judge's JSON against the template; the errors have one sentence per field that does not fit.

        `trace`: the answer that was judged. With it, code that needs a process is asked for its verdict in the same
        request, so that no second process is started. Code that was stopped during both is asked for each separately.
        """
        request = self._about(source, {"op": "validate", "values": values}, trust=trust)
        if trace is not None and request.home == "locked" and not self._asked_apart.find(request.cell):
            seen = trace if _may_read_trace(source) else ""
            both = self._ask(replace(request, payload={**request.payload, "trace": seen}), JudgeReply)
            if not isinstance(both, StoppedCode):
                return both
            self._asked_apart.store(request.cell, True)
        reply = self._ask(request, JudgeReply)
        return (
            JudgeReply(ok=False, errors=[reply.message], fault=reply.kind) if isinstance(reply, StoppedCode) else reply
        )

    def verify(self, source: str, answers: Sequence[AnswerToVerify], *, trust: bool = False) -> list[TemplateVerdict]:
        """Return one verdict per answer, in order. An answer whose code had to be stopped has a `fault`."""
        reads_trace = _may_read_trace(source)

        def ask(batch: Sequence[AnswerToVerify]) -> list[TemplateVerdict] | StoppedCode:
            left_out = None if reads_trace else {"trace"}
            items = [answer.model_dump(exclude=left_out) for answer in batch]
            request = self._about(source, {"op": "verify", "items": items}, items=len(batch), trust=trust)
            reply = self._ask(request, VerdictReplies)
            return reply if isinstance(reply, StoppedCode) else reply.with_ways()

        return [
            TemplateVerdict(error=outcome.message, fault=outcome.kind) if isinstance(outcome, StoppedCode) else outcome
            for outcome in in_batches(answers, ask, self._limits)
        ]

    def trait(
        self, source: str, texts: Sequence[str], *, entry: str | None = None, trust: bool = False
    ) -> list[TraitOutcome]:
        """Call the trait's function with each text. `entry`: its name (None: the only function there is)."""
        key, plain = _key("trait", source, entry or ""), read_trait(source, entry)

        def ask(batch: Sequence[str]) -> list[TraitOutcome] | StoppedCode:
            if plain is not None and sum(len(in_utf8(text)) for text in batch) <= self._limits.request_bytes:
                try:
                    outcomes, failed = plain.evaluate(batch, self._monty)
                except CodeStopped as found_out:
                    return describe_stop(found_out.kind, "trait", self._limits, self._limits.wall_s)
                if not (failed and self._runs_python(trust=trust)):
                    return outcomes
            payload = {"op": "trait", "source": source, "entry": entry, "texts": list(batch)}
            reply = self._ask(_Request(key, payload, "trait", len(batch), trust), TraitReplies)
            return reply if isinstance(reply, StoppedCode) else [item.outcome() for item in reply.items]

        return [
            TraitOutcome(error=outcome.message, fault=outcome.kind) if isinstance(outcome, StoppedCode) else outcome
            for outcome in in_batches(texts, ask, self._limits)
        ]

    def examine_trait(self, source: str, *, entry: str | None = None, trust: bool = False) -> TraitOutline:
        """The trait's function, and its problems with their lines. The function is not called."""
        plain = None if self._runs_python(trust=trust) else read_trait(source, entry)
        if plain is not None:
            try:
                return plain.outline(self._monty)
            except CodeStopped as found_out:
                halt = describe_stop(found_out.kind, "trait", self._limits, self._limits.wall_s)
                return TraitOutline(problems=[TemplateProblem(message=halt.message)], fault=halt.kind)
        payload = {"op": "examine", "source": source, "entry": entry}
        reply = self._ask(_Request(_key("trait", source, entry or ""), payload, "trait", trust=trust), TraitOutline)
        if isinstance(reply, StoppedCode):
            return TraitOutline(problems=[TemplateProblem(message=reply.message)], fault=reply.kind)
        return reply

    def regex(self, searches: Sequence[RegexSearch], text: str) -> list[RegexOutcome]:
        """Return one outcome per search, in order.

        A pattern is not code and endangers only time: it runs at every level.
        """

        def ask(batch: Sequence[RegexSearch]) -> list[RegexOutcome] | StoppedCode:
            return self._search(batch, {"text": text}, len(batch))

        return [RegexOutcome.of(outcome) for outcome in in_batches(searches, ask, self._limits)]

    def find(self, search: TextSearch, texts: Sequence[str]) -> TextOutcome:
        """Find all matches of a search in a few texts, with their replacements."""
        payload = {"op": "find", "search": search.model_dump(), "texts": list(texts)}
        if not search.is_regex:
            # Plain text cannot run for long, and needs no process.
            return TextOutcome.model_validate(text_replace.find_each(payload))
        reply = self._ask(_Request("", payload, "search", home="patterns"), TextOutcome)
        return TextOutcome(error=reply.message) if isinstance(reply, StoppedCode) else reply

    def regex_over(self, search: RegexSearch, texts: Sequence[str]) -> list[RegexOutcome]:
        """Return one outcome per text, in order; the first that was stopped is the last.

        For patterns that are being typed: one that runs for ever takes the time limit once, not for each text.
        """

        def ask(batch: Sequence[str]) -> list[RegexOutcome] | StoppedCode:
            return self._search([search], {"texts": list(batch)}, len(batch))

        return [RegexOutcome.of(outcome) for outcome in until_stopped(texts, ask, self._limits)]

    def _search(
        self, searches: Sequence[RegexSearch], texts: dict[str, Any], items: int
    ) -> list[RegexOutcome] | StoppedCode:
        payload = {"op": "regex", "searches": [search.model_dump() for search in searches], **texts}
        reply = self._ask(_Request("", payload, "search", items, home="patterns"), RegexReplies)
        return reply if isinstance(reply, StoppedCode) else reply.items

    def _about(self, source: str, payload: dict[str, Any], *, items: int = 1, trust: bool = False) -> _Request:
        """Create a request about a template."""
        payload, home = {**payload, "source": source}, self._home(source, trust=trust)
        if isinstance(home, DataTemplate):
            return _Request("", payload, items=items, home=home)
        return _Request(_key("template", source), payload, items=items, trust=trust, home=home)

    def _home(self, source: str, *, trust: bool) -> _Home:
        read = self._data.read(source)
        if isinstance(read, DataTemplate):
            return "patterns" if read.has_patterns else read
        if isinstance(read, Code):
            return "locked"
        python = self._unreadable.find(_key("template", source)) and self._runs_python(trust=trust)
        return "locked" if python else read

    def _ask(self, request: _Request, shape: type[Shape]) -> Shape | StoppedCode:
        wall_s = self._limits.wall_of(request.items)

        def stop(kind: CodeFaultKind) -> StoppedCode:
            return describe_stop(kind, request.noun, self._limits, wall_s)

        if request.home == "locked" and not self._runs_python(trust=request.trust):
            return stop("refused")
        message = in_utf8(json.dumps(request.payload, default=str, ensure_ascii=False))
        if len(message) > self._limits.request_bytes:
            return stop("too_large")
        try:
            reply = self._answer(request, message, wall_s, shape)
        except CodeStopped as stopped:
            return stop(stopped.kind)
        if reply is None or (isinstance(reply, BatchReply) and len(reply.items) != request.items):
            return stop("bad_reply")
        return reply

    def _answer(
        self, request: _Request, message: bytes, wall_s: float, shape: type[Shape]
    ) -> Shape | StoppedCode | None:
        """Answer where the template is at home. None: not in this shape. Raises `CodeStopped`."""
        if isinstance(request.home, DataTemplate):
            return judge_here(request.home, json.loads(message.decode("utf-8", "surrogatepass")), shape)
        if isinstance(request.home, SplitTemplate):
            judged, failed = judge_in_monty(request.home, message, shape, self._monty)
            # A fault in Monty may be Monty's own: Python has the last word if it may run.
            return self._ask_again(request, shape) if failed and self._runs_python(trust=request.trust) else judged
        reply = self._ask_process(request, message, wall_s)
        if reply.status != "ok":
            raise CodeStopped(reply.status)
        return read_reply(reply.body, shape)

    def _ask_again(self, request: _Request, shape: type[Shape]) -> Shape | StoppedCode:
        """Ask Python what Monty could not run."""
        if request.payload["op"] == "outline":
            self._unreadable.store(request.cell, True)
        again = self._ask(replace(request, home="locked"), shape)
        if isinstance(again, VerdictReplies):
            again.fell_back_to("locked" if self.level.confined else "unlocked")
        return again

    def _ask_process(self, request: _Request, message: bytes, wall_s: float) -> Reply:
        if request.home == "patterns":
            return self._patterns.ask(message, wall_s)
        if self.level.confined:
            more = request.payload["op"] == "outline"  # its verdict follows
            return self._open_pool().ask(request.cell, message, wall_s, more=more)
        return self._trusted.ask(message, wall_s, request.cell)

    def _runs_python(self, *, trust: bool) -> bool:
        return self.level.confined or trust

    def _open_pool(self) -> Pool:
        level = self.level
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            if self._pool is None:
                self._pool = Pool(self._slots, lambda slots: Session(level, self._limits, slots))
            return self._pool


LONGEST_ESCAPE = 6
"""Bytes of a character in JSON, at most: `\\u0000`."""

_Home = DataTemplate | SplitTemplate | Literal["patterns", "locked"]


@dataclass(frozen=True)
class _Request:
    cell: str
    """Requests with the same key may share a process."""
    payload: dict[str, Any]
    noun: CodeNoun = "template"
    items: int = 1
    trust: bool = False
    home: _Home = "locked"
    """Place that answers it; a `DataTemplate` answers in this process."""


def _may_read_trace(source: str) -> bool:
    """True if the raw answer, which can be long, has to be sent along.

    Only trace fields, patterns (`self.regex`) and `verify_regex()` read it, and no source has them without these words.
    """
    return any(word in source for word in ("regex", "trace", "Trace"))


def _key(kind: str, *parts: str) -> str:
    """Key of a piece of code. Two pieces share a cell only if they are identical."""
    return f"{kind} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def in_batches(items: Sequence[Item], ask: Ask[Item, Outcome], limits: Limits) -> list[Outcome | StoppedCode]:
    """Return one outcome per item, in order.

    A batch that was stopped is repeated item by item, so that only the offending items fail. After
    `limits.stops_in_a_row` consecutive stops the remaining items are skipped.
    """
    outcomes: list[Outcome | StoppedCode] = []
    for start in range(0, len(items), limits.batch):
        batch = items[start : start + limits.batch]
        if given_up := _too_many_stops(outcomes, limits):
            outcomes += [given_up] * len(batch)
            continue
        outcome = ask(batch)
        if isinstance(outcome, list):
            outcomes += outcome
        elif len(batch) == 1 or outcome.kind == "refused":
            outcomes += [outcome] * len(batch)
        else:
            for item in batch:
                single = _too_many_stops(outcomes, limits) or ask([item])
                outcomes += [single] if isinstance(single, StoppedCode) else single
    return outcomes


def until_stopped(items: Sequence[Item], ask: Ask[Item, Outcome], limits: Limits) -> list[Outcome | StoppedCode]:
    """Return one outcome per item, in order; after a batch that was stopped, only the reason."""
    outcomes: list[Outcome | StoppedCode] = []
    for start in range(0, len(items), limits.batch):
        outcome = ask(items[start : start + limits.batch])
        if isinstance(outcome, StoppedCode):
            return [*outcomes, outcome]
        outcomes += outcome
    return outcomes


def _too_many_stops(outcomes: list[Outcome | StoppedCode], limits: Limits) -> StoppedCode | None:
    # Each endless loop costs `wall_s`: without this cutoff a long list of answers would hold its slot for hours.
    last = outcomes[-limits.stops_in_a_row :]
    stops = [outcome for outcome in last if isinstance(outcome, StoppedCode)]
    return not_tried(stops[-1]) if len(stops) == limits.stops_in_a_row else None
