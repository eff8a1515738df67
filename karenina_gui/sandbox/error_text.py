"""Messages to authors whose code gave no result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from karenina_gui.sandbox.limits import Limits
from karenina_gui.schemas.template import CodeFaultKind

_NOT_TRIED = "Not tried: several earlier ones were stopped."

CodeNoun = Literal["template", "trait", "search"]


@dataclass(frozen=True)
class StoppedCode:
    """A request without a result. `message` is shown to the author."""

    kind: CodeFaultKind
    message: str


def describe_stop(kind: CodeFaultKind, noun: CodeNoun, limits: Limits, wall_s: float) -> StoppedCode:
    """Return the fault with its message. `wall_s`: time limit of the request in seconds."""
    return StoppedCode(kind, _MESSAGES[kind](noun, limits, wall_s))


def not_tried(last: StoppedCode) -> StoppedCode:
    """Fault for the remaining items after too many were stopped."""
    return last if last.message.startswith(_NOT_TRIED) else StoppedCode(last.kind, f"{_NOT_TRIED} {last.message}")


def _timeout(noun: CodeNoun, limits: Limits, wall_s: float) -> str:
    if noun == "search":
        return f"The search was stopped after {wall_s:g} s. Look for nested repetition such as (a+)+ in the pattern."
    return f"The {noun} was stopped after {wall_s:g} s. Look for an endless loop or a pattern such as (a+)+."


_MESSAGES: dict[CodeFaultKind, Callable[[CodeNoun, Limits, float], str]] = {
    "error": lambda noun, limits, wall_s: f"The {noun} raised an error.",
    "timeout": _timeout,
    "memory": lambda noun, limits, wall_s: (
        f"The {noun} was stopped: it needed more than {limits.memory_mb} MB of memory."
    ),
    "cpu": lambda noun, limits, wall_s: f"The {noun} was stopped: it used too much CPU time. Look for an endless loop.",
    "blocked": lambda noun, limits, wall_s: (
        f"The {noun} was stopped: it tried something that the sandbox blocks. "
        "Files, the network, and other programs are not available."
    ),
    "crashed": lambda noun, limits, wall_s: (
        f"The {noun} ended its own process, so there is no result. It crashed, or exited on purpose."
    ),
    "too_large": lambda noun, limits, wall_s: (
        f"The {noun} was stopped: its input or result is too large "
        f"(at most {limits.request_bytes >> 20} MB in, {limits.reply_bytes >> 20} MB out)."
    ),
    "bad_reply": lambda noun, limits, wall_s: (
        f"The {noun} returned an invalid result. Return only text, numbers, lists, or dates of ordinary size, and "
        "don’t change how Python reads or writes."
    ),
    "lost": lambda noun, limits, wall_s: (
        f"The process that ran this {noun} was lost twice. Try again. If it happens again, check the code."
    ),
    "refused": lambda noun, limits, wall_s: (
        f"The {noun} wasn’t run: it needs full Python, which this computer can’t sandbox. Use fields and plain "
        "code (see Security in the guide), or run it on Linux. If you trust the author, trust the benchmark in "
        "Benchmark details, or on the command line with --trust."
    ),
}
