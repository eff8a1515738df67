"""Columns of a job table as values, and data of charts from values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.schemas.job_table import ROW, JobTable, TableBuilder, floats
from karenina_gui.schemas.outcome import OUTCOMES

COLUMNS = (
    "result_id", "question_id", "answering", "condition", "judge", "replicate", "judge_replicate", "outcome",
    "category", "seconds", "tokens", "answer_tokens", "traits",
)  # fmt: skip


def job_table(**columns: Any) -> JobTable:
    """Table of columns of values, named as those of result rows; missing ones are None everywhere.

    Also takes `texts`, `keywords`, and `requested`.
    """
    about = {name: columns.pop(name) for name in ("texts", "keywords", "requested") if name in columns}
    columns = {name: list(values) for name, values in columns.items()}
    length = max(map(len, columns.values()), default=0)
    rows = {name: columns.get(name) or [None] * length for name in ROW}
    for name, empty in (("traits", {}), ("out_of_scale", [])):
        rows[name] = [json.dumps(value or empty) for value in rows[name]]
    builder = TableBuilder()
    builder.add(rows)
    return builder.build(**about)


def column(table: JobTable, name: str) -> list[Any]:
    """Values by job; None: unknown. Replicates without a number are the first."""
    labels: dict[str, tuple[Any, Sequence[Any]]] = {
        "question_id": (table.question, table.questions),
        "answering": (table.arm, [arm.answering for arm in table.arms]),
        "condition": (table.arm, [arm.condition for arm in table.arms]),
        "judge": (table.judgment, [judgment.judge for judgment in table.judgments]),
        "judge_replicate": (table.judgment, [judgment.number for judgment in table.judgments]),
        "outcome": (table.outcome, (*OUTCOMES, None)),
        "category": (table.reason, (*table.reasons, None)),
        "traits": (table.score, table.scores),
    }
    if name in labels:
        codes, values = labels[name]
        return [values[code] for code in codes.tolist()]
    if name == "result_id":
        return [None if number < 0 else number for number in table.result.tolist()]
    numbers = getattr(table, name)
    return [None if np.isnan(number) else number for number in numbers.tolist()]


def columns(table: JobTable) -> dict[str, Any]:
    return {
        **{name: column(table, name) for name in COLUMNS},
        "texts": table.texts,
        "keywords": table.keywords,
        "requested": table.requested,
    }


def chart_data(outcome: Sequence[str | None] | None = None, **values: Any) -> ChartData:
    """Data of a chart whose costs are sequences with None for unknown ones."""
    costs = {
        name: floats(values.pop(name))
        for name in ("seconds", "tokens", "answer_tokens", "dollars")
        if values.get(name) is not None
    }
    codes = None if outcome is None else np.array([(*OUTCOMES, None).index(name) for name in outcome])  # type: ignore[arg-type]
    if codes is not None:
        codes[codes == len(OUTCOMES)] = -1
    return ChartData(outcome=codes, **costs, **values)
