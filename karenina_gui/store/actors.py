"""Author and intent of the commands that a thread carries out; the log notes them with each change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.schemas.command import Actor


@dataclass
class Intent:
    """A command in progress. All transactions until its end belong to it."""

    verb: str | None = None
    """None: follows from the changes. With a table, as in `benchmark.revert`, it also replaces that of the changes."""
    data: dict[str, Any] = field(default_factory=dict)
    command_id: int | None = None
    """Its number in the log once something was changed."""


_actor: ContextVar[Actor] = ContextVar("actor", default=Actor())  # noqa: B039  # it is frozen
_intent: ContextVar[Intent | None] = ContextVar("intent", default=None)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Carry out the commands of this block in the name of `actor`."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def one_command(verb: str | None = None, **data: Any) -> Iterator[Intent]:
    """Log everything in this block as one command, unless a block around it does already."""
    if around := _intent.get():
        if around.verb is None:
            around.verb, around.data = verb, data
        yield around
        return
    intent = Intent(verb, data)
    token = _intent.set(intent)
    try:
        yield intent
    finally:
        _intent.reset(token)


def current_actor() -> Actor:
    return _actor.get()


def current_intent() -> Intent | None:
    return _intent.get()
