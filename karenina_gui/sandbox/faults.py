"""Messages to authors whose code gave no result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from karenina_gui.sandbox.limits import Limits
from karenina_gui.schemas.template import CodeFaultKind

_NOT_TRIED = "Not tried, because several before this one had to be stopped."

CodeNoun = Literal["template", "trait", "search"]


@dataclass(frozen=True)
class Stopped:
    """A request without a result. `message` is shown to the author."""

    kind: CodeFaultKind
    message: str


def stopped(kind: CodeFaultKind, noun: CodeNoun, limits: Limits, wall_s: float) -> Stopped:
    """Return the fault with its message. `wall_s`: time limit of the request in seconds."""
    return Stopped(kind, _MESSAGES[kind](noun, limits, wall_s))


def not_tried(last: Stopped) -> Stopped:
    """Fault for the remaining items after too many were stopped."""
    return last if last.message.startswith(_NOT_TRIED) else Stopped(last.kind, f"{_NOT_TRIED} {last.message}")


def _timeout(noun: CodeNoun, limits: Limits, wall_s: float) -> str:
    if noun == "search":
        return (
            f"The search took longer than {wall_s:g} s and was stopped. Look for nested repetition such as (a+)+ "
            "in the pattern."
        )
    return (
        f"Stopped after {wall_s:g} s: the {noun} did not finish. Look for an endless loop or a pattern such as (a+)+."
    )


_MESSAGES: dict[CodeFaultKind, Callable[[CodeNoun, Limits, float], str]] = {
    "error": lambda noun, limits, wall_s: f"The {noun} raised an error.",
    "timeout": _timeout,
    "memory": lambda noun, limits, wall_s: f"Stopped: the {noun} needed more than {limits.memory_mb} MB of memory.",
    "cpu": lambda noun, limits, wall_s: f"Stopped: the {noun} used too much processor time. Look for an endless loop.",
    "blocked": lambda noun, limits, wall_s: (
        f"Stopped: the {noun} tried something that is not allowed here. "
        "Files, the network and other programs are out of its reach."
    ),
    "crashed": lambda noun, limits, wall_s: (
        f"The {noun} ended the process that ran it (it crashed, or left on purpose), so there is no result."
    ),
    "too_large": lambda noun, limits, wall_s: (
        f"Stopped: the {noun} was given or returned more than can be passed on "
        f"({limits.request_bytes >> 20} MB in, {limits.reply_bytes >> 20} MB out)."
    ),
    "bad_reply": lambda noun, limits, wall_s: (
        f"The {noun} returned something that is not a result. Its code must not write into the engine's own channels, "
        "and its values must be ordinary text, numbers, lists or dates of ordinary size."
    ),
    "lost": lambda noun, limits, wall_s: (
        f"The process that runs code was lost twice while it ran this {noun}. Try again; if it happens again, "
        "look at the code."
    ),
    "refused": lambda noun, limits, wall_s: (
        f"This {noun} needs all of Python. It was not run, since this computer has no lock for such code. Use fields "
        "and plain methods, or run it on Linux. If you trust its author, trust the benchmark in its details, or verify "
        "it with --trust."
    ),
}
