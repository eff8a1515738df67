"""What the browser fetches for runs and results: rows of tables and conversations. Bulk never passes through pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from nicegui import app
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from karenina_gui.analysis.rates import Cell, summarise
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.frame.data_routes import file_name, json_response
from karenina_gui.gui.frame.studio import Studio
from karenina_gui.gui.parts.dates import day_and_time
from karenina_gui.gui.results.conversation import conversation
from karenina_gui.gui.results.query import ResultQuery
from karenina_gui.gui.results.verdicts import short_sentence
from karenina_gui.gui.runs.exports import WRITERS, export
from karenina_gui.gui.runs.words import STATUSES
from karenina_gui.schemas.outcome import JUDGED
from karenina_gui.schemas.summaries import RunSummary

LARGEST_BLOCK = 1000
"""Rows that one request gets at most."""


def register(studio: Studio) -> None:
    """Add the addresses below `/api` that runs and results need."""
    runs = studio.runs

    @app.get("/api/runs")
    def listed(benchmark: int | None = None) -> Response:
        return json_response([run_row(run) for run in runs.runs.all(benchmark)])

    @app.get("/api/runs/{run_id}/results")
    def results(request: Request, run_id: int, start: int = 0, end: int = 200) -> Response:
        query = ResultQuery.read(request.query_params)
        limit = max(0, min(end - start, LARGEST_BLOCK))
        page = runs.results.page(run_id, query.wanted, query.sort, start, limit)
        grounds = runs.results.grounds([row.id for row in page.rows if row.outcome not in ("passed", "unscored")])
        why = {number: short_sentence(result) for number, result in grounds.items()}
        rows = [asdict(row) | {"why": why.get(row.id, "")} for row in page.rows]
        return json_response({"rows": rows, "total": page.total, "all": runs.runs.summary(run_id).done})

    @app.get("/api/runs/{run_id}/matrix")
    def matrix(run_id: int) -> Response:
        return json_response(by_question(summarise(runs.results.page(run_id).rows).cells))

    @app.get("/api/runs/{run_id}/export.{kind}")
    def exported(request: Request, run_id: int, kind: str) -> Response:
        query = ResultQuery.read(request.query_params)
        try:
            content = export(studio, run_id, kind, query)
            name = file_name(runs.runs.summary(run_id).name)
        except (NotFoundError, KeyError) as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        disposition = f"attachment; filename*=UTF-8''{quote(f'{name}.{kind}')}"
        return Response(content, media_type=WRITERS[kind][1], headers={"content-disposition": disposition})

    @app.get("/api/results/{result_id}/conversation")
    def messages(result_id: int) -> Response:
        try:
            return json_response(conversation(runs.results.get(result_id).result))
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)


def run_row(run: RunSummary) -> dict[str, Any]:
    """A run as its table shows it."""
    return {
        "id": run.id,
        "name": run.name,
        "benchmark_name": run.benchmark_name,
        "status": run.status,
        "status_title": STATUSES[run.status].title,
        "done": run.done,
        "total": run.total,
        "passed": run.outcomes.get("passed", 0),
        "judged": sum(run.outcomes.get(outcome, 0) for outcome in JUDGED),
        "errors": run.outcomes.get("error", 0),
        "models": ", ".join(run.answering),
        "when": day_and_time(run.created_at),
        "recording_label": run.recording_label,
    }


def by_question(cells: Sequence[Cell]) -> dict[str, Any]:
    """Questions down, models across; a judge of its own has a column of its own where there are several.

    A cell says how many of the judged replicates passed; None where the model has no result for the question.
    """
    judges = {cell.judge for cell in cells}
    columns = list(dict.fromkeys((cell.answering, cell.judge) for cell in cells))
    rows: dict[str, dict[str, Any]] = {}
    for cell in cells:
        row = rows.setdefault(
            cell.question_id, {"id": cell.question_id, "question": cell.question_text, "cells": [None] * len(columns)}
        )
        row["cells"][columns.index((cell.answering, cell.judge))] = {
            "passed": cell.rate.passed,
            "judged": cell.rate.judged,
            "left_out": cell.rate.left_out,
            "outcome": next((outcome for outcome in cell.outcomes if outcome != "passed"), "passed"),
        }
    return {
        "columns": [
            {"answering": answering, "judge": judge if len(judges) > 1 else None} for answering, judge in columns
        ],
        "rows": list(rows.values()),
    }
