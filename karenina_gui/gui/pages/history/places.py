"""Addresses of the records that commands are about."""

from __future__ import annotations

from urllib.parse import quote

from karenina_gui.schemas.command import LoggedCommand
from karenina_gui.store.command_log import Reversal


def place_of(reversal: Reversal) -> str:
    """Address that shows what a reversal has changed."""
    command = reversal.command
    rows = {row: image for row, image in reversal.after.items() if not image.get("deleted_at")}
    if command.benchmark_id is not None:
        is_there = command.number is not None and ("question", str(command.number)) in rows
        return place_of_command(command, is_there=is_there)
    if command.scope == "benchmarks":
        benchmark_id = next((key for table, key in rows if table == "benchmark"), None)
        return f"/benchmarks/{benchmark_id}/questions" if benchmark_id else "/benchmarks"
    return place_of_record(command.scope, next(iter(rows.values()), None))


def place_of_command(command: LoggedCommand, *, is_there: bool) -> str:
    """Address of what a command about a benchmark has changed; `is_there`: its only question is not deleted."""
    start = f"/benchmarks/{command.benchmark_id}"
    if command.kind.startswith("benchmark.") and command.kind != "benchmark.revert":
        fields = set(command.data.get("fields") or ())
        return f"{start}/rubric" if fields and fields <= {"rubric", "trait_edits"} else f"{start}/details"
    return f"{start}/questions/{command.number}" if is_there else f"{start}/questions"


def place_of_record(scope: str, image: dict[str, object] | None) -> str:
    """Address of a model, preset, or price; `image` None: it is gone."""
    key = None if image is None else image["id"] if scope == "models" else image.get("uid")
    return f"/{scope}" if key is None else f"/{scope}?id={quote(str(key), safe='')}"
