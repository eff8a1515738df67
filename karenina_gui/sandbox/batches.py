"""Many items through code that may have to be stopped: each gets its own outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from karenina_gui.sandbox.error_text import StoppedCode, not_tried
from karenina_gui.sandbox.limits import Limits

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
Ask = Callable[[Sequence[Item]], list[Outcome] | StoppedCode]


def in_batches(items: Sequence[Item], ask: Ask[Item, Outcome], limits: Limits) -> list[Outcome | StoppedCode]:
    """Return one outcome per item, in order.

    A batch that was stopped is repeated item by item, so that only the offending items fail. After
    `limits.stops_in_a_row` consecutive stops the remaining items are skipped.
    """
    outcomes: list[Outcome | StoppedCode] = []
    for start in range(0, len(items), limits.batch):
        batch = items[start : start + limits.batch]
        if given_up := _given_up(outcomes, limits):
            outcomes += [given_up] * len(batch)
            continue
        found = ask(batch)
        if isinstance(found, list):
            outcomes += found
        elif len(batch) == 1 or found.kind == "refused":
            outcomes += [found] * len(batch)
        else:
            for item in batch:
                single = _given_up(outcomes, limits) or ask([item])
                outcomes += [single] if isinstance(single, StoppedCode) else single
    return outcomes


def until_stopped(items: Sequence[Item], ask: Ask[Item, Outcome], limits: Limits) -> list[Outcome | StoppedCode]:
    """Return one outcome per item, in order; after a batch that was stopped, only the reason."""
    outcomes: list[Outcome | StoppedCode] = []
    for start in range(0, len(items), limits.batch):
        found = ask(items[start : start + limits.batch])
        if isinstance(found, StoppedCode):
            return [*outcomes, found]
        outcomes += found
    return outcomes


def _given_up(outcomes: list[Outcome | StoppedCode], limits: Limits) -> StoppedCode | None:
    # Each endless loop costs `wall_s`: without this cutoff a long list of answers would hold its slot for hours.
    last = outcomes[-limits.stops_in_a_row :]
    stops = [outcome for outcome in last if isinstance(outcome, StoppedCode)]
    return not_tried(stops[-1]) if len(stops) == limits.stops_in_a_row else None
