"""HTTP routes for runs: rows of tables and exports, which are too large for the websocket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import quote

from nicegui import app
from pydantic import TypeAdapter, ValidationError
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from karenina_gui.analysis.charts.chart_text import format_number
from karenina_gui.analysis.rates import QuestionCell, cells
from karenina_gui.analysis.trait_figures import Score, leading_trait
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.charts import api as chart_routes
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.html import with_named_characters
from karenina_gui.gui.kit.responses import file_name, json_response
from karenina_gui.gui.kit.verdicts import outcome_style, sentence
from karenina_gui.gui.pages.results import api as result_routes
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.stage_names import plain_reason
from karenina_gui.gui.pages.results.trait_rows import scale_in_words
from karenina_gui.gui.pages.runs.record_view import NO_RECORD
from karenina_gui.gui.pages.runs.run_text import status_of
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.schemas.outcome import judged_count
from karenina_gui.schemas.result import TraitScale, scale_of
from karenina_gui.schemas.result_summaries import QuestionPage, QuestionSort, ResultFilter, ResultSummary
from karenina_gui.schemas.run_counts import ComparisonKey
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store.library import Library

LARGEST_BLOCK = 1000
"""Maximum number of rows per request."""
NO_CLASS = "none of its classes"


def register(services: AppContext) -> None:
    """Register the routes below `/api` for runs and results."""
    runs, library = services.runs, services.library
    result_routes.register(services)
    chart_routes.register(services)

    @app.get("/api/runs")
    def list_runs(benchmark: int | None = None) -> Response:
        going = {run_id: runs.progress(run_id) for run_id in runs.active()}
        listed = library.runs.all(benchmark)
        versions = library.published.states_of_runs(listed)
        return json_response([run_row(run, going.get(run.id), versions[run.id].text) for run in listed])

    @app.get("/api/runs/{run_id}/results")
    def results(request: Request, run_id: int, start: int = 0, end: int = 200, last: int | None = None) -> Response:
        query = ResultQuery.from_query(request.query_params)
        page = library.results.page(run_id, query.filter, query.sort, start, _length(start, end), last)
        grounds = library.results.grounds([row.id for row in page.rows if row.outcome not in ("passed", "unscored")])
        why = {number: plain_reason(sentence(result)) for number, result in grounds.items()} | _words_of_unscored(
            library, page.rows
        )
        rows = [asdict(row) | {"why": with_named_characters(why.get(row.id, "")), **_verdict(row)} for row in page.rows]
        every = page.total if query.filter == ResultFilter() else library.results.page(run_id, limit=0, last=last).total
        return json_response({"rows": rows, "total": page.total, "all": every})

    @app.get("/api/runs/{run_id}/matrix")
    def matrix(run_id: int, order: str = "", start: int = 0, end: int = 100, last: int | None = None) -> Response:
        sort = question_sort(order)
        score = _shown_score(library, run_id)
        sort = replace(sort, trait=score.name if score else None)
        page = library.results.questions(run_id, sort, start, _length(start, end), last)
        return json_response(by_question(page, score))

    _register_files(services)


def _register_files(services: AppContext) -> None:
    """Register the routes that return files."""
    library = services.library

    @app.get("/api/runs/{run_id}/reproducibility.json")
    def record(run_id: int) -> Response:
        try:
            reproducibility, name = library.runs.reproducibility(run_id), library.runs.summary(run_id).name
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        if reproducibility is None:
            return JSONResponse({"message": NO_RECORD}, status_code=404)
        return _file(f"{file_name(name)}-reproducibility.json", reproducibility.model_dump_json(indent=2))

    @app.get("/api/runs/{run_id}/results/{result_id}.json")
    def one(run_id: int, result_id: int) -> Response:
        from karenina_gui.gui.pages.runs.exports import export_one

        try:
            return _file(*export_one(services, run_id, result_id))
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)

    @app.get("/api/runs/{run_id}/export.{kind}")
    def export_results(request: Request, run_id: int, kind: str) -> Response:
        from karenina_gui.formats.results.export_kinds import KINDS  # imported late: slow to load
        from karenina_gui.gui.pages.runs.exports import STREAMED, export, remove, stream

        query = ResultQuery.from_query(request.query_params)
        try:
            if kind in STREAMED:
                name, content = stream(services, run_id, kind, query)
                return StreamingResponse(content, media_type=KINDS[kind].media_type, headers=_disposition(name))
            path = export(services, run_id, kind, query)
        except (NotFoundError, KeyError) as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=400)
        after = BackgroundTask(remove, path)
        return FileResponse(path, filename=path.name, media_type=KINDS[kind].media_type, background=after)


def _file(name: str, content: str | bytes) -> Response:
    """Response that the browser saves as a JSON file."""
    return Response(content, media_type="application/json", headers=_disposition(name))


def _disposition(name: str) -> dict[str, str]:
    # Names can contain any characters, which headers carry only in this encoding (RFC 5987).
    return {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}


def _words_of_unscored(library: Library, rows: Sequence[ResultSummary]) -> dict[int, str]:
    """{result id: scores in words, or the error} of results without a verdict."""
    scored = [row for row in rows if row.only_scored]
    # All results with the same traits have the same scales.
    scales = library.results.scales_of([*{tuple(row.traits): row.id for row in scored}.values()]) if scored else {}
    texts = {row.id: plain_reason(row.error or "") for row in rows if row.outcome == "unscored"}
    return texts | {row.id: scores_in_words(row.traits, scales) for row in scored}


def _verdict(row: ResultSummary) -> dict[str, str]:
    """Title and style of a verdict."""
    style = outcome_style(row.outcome, row.category, scored=row.only_scored)
    return {"verdict": style.title, "look": "scored" if row.only_scored else row.outcome}


def run_row(run: RunSummary, progress: RunProgressState | None = None, version: str = "") -> dict[str, Any]:
    """Row of a run in the table of runs. `version`: the published version that ran."""
    status = status_of(run, progress)
    return {
        "id": run.id,
        "name": run.title,
        "benchmark_name": run.benchmark_name,
        "status": run.status,
        "status_look": status.css_class or run.status,
        "status_title": status.title,
        "done": run.done,
        "total": run.total,
        "passed": run.outcomes.get("passed", 0),
        "judged": judged_count(run.outcomes),
        "errors": run.outcomes.get("error", 0),
        "models": ", ".join(run.answering),
        "conditions": ", ".join(run.conditions),
        "started": run.created_at,
        "when": day_and_time(run.created_at),
        "recording_label": run.recording_label,
        "origin": run.origin,
        "version": version,
    }


def question_sort(order: str) -> QuestionSort:
    """Parse the order from JSON; invalid JSON means the order of the run."""
    try:
        return _QUESTION_SORT.validate_json(order)
    except ValidationError:
        return QuestionSort()


_QUESTION_SORT = TypeAdapter(QuestionSort)


@dataclass(frozen=True)
class ShownScore:
    """Trait whose mean a cell shows in a run without verdicts."""

    name: str
    scale: TraitScale | None = None

    @property
    def title(self) -> str:
        scale = scale_in_words(self.scale)
        return f"Mean of {self.name} ({scale})" if scale else f"Mean of {self.name}"

    def of(self, cell: QuestionCell) -> dict[str, Any] | None:
        """Format the mean; None: no scores."""
        scores = cell.scores(self.name)
        if not scores:
            return None
        if all(isinstance(score, bool) for score in scores):
            return {"text": f"{sum(scores)} of {len(scores)} yes", "n": len(scores)}
        return {"text": f"{cell.mean(self.name):.2f}", "n": len(scores)}


def _shown_score(library: Library, run_id: int) -> ShownScore | None:
    """Select the trait; None if there are verdicts, or no trait has a mean."""
    try:
        if judged_count(library.runs.summary(run_id).outcomes):
            return None
    except NotFoundError:
        return None
    names = library.results.trait_names(run_id)
    scales = library.results.scales(run_id, names)
    name = leading_trait(names, scales)
    return None if name is None else ShownScore(name, scale_of(name, scales))


def by_question(page: QuestionPage, score: ShownScore | None = None) -> dict[str, Any]:
    """Table of questions (rows) by model (columns), per judge and condition if there are several.

    A cell counts the passed among the judged replicates; None if the model has no result for the question. In runs
    without verdicts, `score` is the trait whose mean it shows.
    """
    several = len({key.judge for key in page.models}) > 1
    heads = heads_of(page.models)
    places = {model: index for index, model in enumerate(page.models)}
    rows: dict[str, dict[str, Any]] = {
        question_id: {"id": question_id, "question": "", "cells": [None] * len(places)}
        for question_id in page.question_ids
    }
    for cell in cells(page.rows):
        row = rows[cell.question_id]
        row["question"] = row["question"] or cell.question_text
        row["cells"][places[cell.key]] = _cell(cell, score)
    return {
        "columns": [
            key._asdict() | {"shown": several, "group": group, "title": title}
            for key, (group, title) in zip(page.models, heads, strict=True)
        ],
        "rows": list(rows.values()),
        "total": page.total,
        "about": " · ".join([*([score.title] if score else []), *shared_by(page.models)]),
    }


def _cell(cell: QuestionCell, score: ShownScore | None) -> dict[str, Any]:
    scored = score is not None and _only_scored(cell)
    return {
        "passed": cell.rate.passed,
        "judged": 0 if scored else cell.rate.judged,
        "left_out": cell.rate.left_out,
        "outcome": "scored"
        if scored
        else next((outcome for outcome in cell.outcomes if outcome != "passed"), "passed"),
        "score": score.of(cell) if score else None,
    }


def _only_scored(cell: QuestionCell) -> bool:
    """Check if a cell has scores instead of verdicts; refusals do not count as verdicts."""
    return "unscored" in cell.outcomes and any(cell.traits)


_PARTS = {"answering": "model", "condition": "condition", "judge": "judge"}
"""Parts of a configuration, and their nouns."""


def _varying(models: Sequence[ComparisonKey]) -> list[str]:
    return [part for part in _PARTS if len({getattr(key, part) for key in models}) > 1]


def heads_of(models: Sequence[ComparisonKey]) -> list[tuple[str, str]]:
    """(name above, name) of each column: what differs between them, in two names at most."""
    parts = _varying(models) or ["answering"]

    def names(key: ComparisonKey) -> list[str]:
        return [str(getattr(key, part) or f"no {_PARTS[part]}") for part in parts]

    return [(" · ".join(above), name) for *above, name in map(names, models)]


def shared_by(models: Sequence[ComparisonKey]) -> list[str]:
    """Names that all columns have in common, `judge ada`; the only model is a head instead."""
    varying = _varying(models) or ["answering"]
    one = models[0]._asdict() if models else {}
    return [f"{noun} {one[part]}" for part, noun in _PARTS.items() if part not in varying and one.get(part)]


def _length(start: int, end: int) -> int:
    return max(0, min(end - start, LARGEST_BLOCK))


def scores_in_words(scores: Mapping[str, Score], scales: Mapping[str, TraitScale]) -> str:
    """Format the scores in their order; `scales` by trait. Empty: no scores."""
    return " · ".join(f"{name} {_score(score, scale_of(name, scales))}" for name, score in scores.items())


def _score(score: Score, scale: TraitScale | None) -> str:
    """Format a class by its name, and a grade with its scale."""
    if scale is not None and scale.classes and not isinstance(score, bool):
        return scale.classes[int(score)] if 0 <= score < len(scale.classes) else NO_CLASS
    if scale is None or isinstance(score, bool) or scale.min_score is None or scale.max_score is None:
        return format_number(score) if isinstance(score, float) else format_value(score)
    return f"{format_number(score)} ({scale.min_score} to {scale.max_score})"
