"""What was chosen for a benchmark last, in the memory of a person's browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nicegui import app

from karenina_gui import example
from karenina_gui.gui.runs.choice import RunChoice
from karenina_gui.gui.runs.condition_draft import ConditionDraft, free_name
from karenina_gui.schemas.benchmark import BenchmarkDocument

EXAMPLES = (
    (example.BENCHMARK, example.run_configuration),
    (example.agents.BENCHMARK, example.agents.run_configuration),
)
"""What is shipped, and the run that it is made for."""


def first_choice(benchmark_id: int, frame: BenchmarkDocument, defaults: Mapping[str, Any]) -> RunChoice:
    """The choices of the last run. Before there was one: the example's own for the example, else the person's
    `defaults` (settings by their names)."""
    if (kept := remembered([benchmark_id]).get(benchmark_id)) is not None:
        return kept
    for shipped, configuration in EXAMPLES:
        if _began_as(frame, shipped):
            return RunChoice.of(configuration())
    return RunChoice.remembered({"settings": dict(defaults)})


def remembered(benchmark_ids: Iterable[int]) -> dict[int, RunChoice]:
    """Those of these benchmarks for which this person has chosen something."""
    kept = {each: app.storage.user.get(_key(each)) for each in benchmark_ids}
    return {each: RunChoice.remembered(memory) for each, memory in kept.items() if isinstance(memory, dict)}


def remember(benchmark_id: int, choice: RunChoice) -> None:
    app.storage.user[_key(benchmark_id)] = choice.memory()


def restore_condition(benchmark_id: int, at: int, condition: ConditionDraft) -> None:
    """Put a deleted condition back into what this person has chosen by now."""
    choice = remembered([benchmark_id]).get(benchmark_id) or RunChoice()
    condition.name = free_name(condition.name, [each.name for each in choice.conditions])
    choice.conditions.insert(min(at, len(choice.conditions)), condition)
    remember(benchmark_id, choice)


def _key(benchmark_id: int) -> str:
    return f"run-choice:{benchmark_id}"


def _began_as(frame: BenchmarkDocument, shipped: Path) -> bool:
    """Whether this benchmark began as the shipped one."""
    return bool(frame.source.get("@id") == json.loads(shipped.read_text(encoding="utf-8"))["@id"])
