"""Every chart with every simulated run: no error, no invented figure, no missing caution."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import pytest
from plotly import graph_objects

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import EACH_OTHER, ChartRequest
from karenina_gui.analysis.run_data import RunData
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from karenina_gui.gui.charts.theme import DARK, LIGHT
from tests.analysis.charts.situations import SITUATIONS, material
from tests.examples import THOROUGH

TRAITS = (None, "depth", "length")
MORE = ("hedges", "tone", "recall")
"""Metrics tested on the ordinary run only."""
OTHERWISE: dict[str, Any] = {"against": EACH_OTHER, "clustered": True, "within": 5.0}
"""Request parameters besides the filters."""
KINDS = {kind.name: kind for kind in CHARTS}


@cache
def of(situation: str) -> RunData:
    return material(SITUATIONS[situation])


@cache
def findings(kind: ChartKind, situation: str) -> list[Finding]:
    """Findings for each kind of metric, with errors as failures, and with the chart's own parameters."""
    traits = (*TRAITS, *MORE) if situation == "ordinary" else TRAITS
    requests = [*(ChartRequest(trait=trait) for trait in traits), ChartRequest(errors_as_failures=True)]
    requests += [ChartRequest(**{part: OTHERWISE[part]}) for part in kind.own]
    return [kind.find(*of(situation).filter(request)) for request in requests]


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", KINDS)
def test_a_chart_stands_every_situation(name: str, situation: str) -> None:
    kind = KINDS[name]
    figures = []
    for found in findings(kind, situation):
        _holds(found)
        assert (found.marks is None) == bool(found.empty_reason)
        if found.marks is not None:
            figures.append(kind.figure(found, LIGHT))
            _leads(figures[-1], found)
            assert kind.figure(found, DARK).keys() == {"data", "layout"}
    for figure in figures:
        json.dumps(figure, allow_nan=False)
        assert figure["data"] and all(not str(key).startswith(":") for key in _keys(figure))
    # Plotly takes its time: one figure of a kind is as good as another.
    for figure in figures if THOROUGH else figures[: situation == "ordinary"]:
        graph_objects.Figure(figure)


def _holds(found: Finding) -> None:
    assert re.search(r"\d|no |none|one |two ", found.sentence.lower()), f"names no number: {found.sentence}"
    assert found.sentence[-1] in ".…" and "  " not in found.sentence and ".." not in found.sentence, found.sentence
    assert found.scored + sum(found.lacking.values()) == found.planned
    assert all(len(row) == len(found.table.columns) for row in found.table.rows)
    assert len(set(found.table.columns)) == len(found.table.columns)
    assert len(found.table.links) in (0, len(found.table.rows))
    for value in _numbers((found.marks, found.table.rows, found.cautions)):
        assert type(value) in (int, float, bool) and math.isfinite(value)
    json.dumps([found.sentence, list(found.table.rows), list(found.table.links), found.cautions], allow_nan=False)


def _leads(figure: dict[str, Any], found: Finding) -> None:
    """Check that each clickable mark has a link."""
    for trace in figure["data"]:
        for row in _flat(trace.get("customdata", ())):
            assert row is None or 0 <= row < len(found.links)


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def _keys(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _numbers(value: Any) -> Iterator[Any]:
    """Return all numbers at any depth."""
    if is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from _numbers(getattr(value, part.name))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, dict):
        yield from _numbers(list(value.values()))
    elif value is not None and not isinstance(value, str):
        yield value
