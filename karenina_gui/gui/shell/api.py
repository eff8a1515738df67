"""HTTP routes for bulk data: rows of grids and downloads, which would be too large for the element tree."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from nicegui import app
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats import presets
from karenina_gui.gui.kit.responses import file_name, json_response
from karenina_gui.gui.pages.problems.rows import LEVEL_TITLES, PART_TITLES, ProblemFilter, problem_rows
from karenina_gui.gui.pages.question_table.rows import table_rows
from karenina_gui.gui.pages.questions.rows import rows
from karenina_gui.gui.pages.replace.rows import preview_rows
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.shell import http_events
from karenina_gui.schemas.benchmark_summaries import QuestionFilter

TABLE_TYPES = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


def register(services: AppContext) -> None:
    """Register the routes of the authoring pages."""
    http_events.register()
    app.add_exception_handler(NotFoundError, _not_found)

    @app.get("/api/benchmarks/{b}/questions")
    def list_questions(b: int, first: int | None = None) -> Response:
        """Rows of the question list; `first` limits them, and `more` tells if there are others."""
        question_filter = None if first is None else QuestionFilter(first=first + 1)
        try:
            listed = rows(services.library.questions.summaries(b, question_filter))
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        first_rows = listed[:first]
        return json_response({"rows": first_rows, "more": len(first_rows) < len(listed)})

    @app.get("/api/benchmarks/{b}/questions/texts")
    def searched_texts(b: int, only: str = "") -> Response:
        """Searchable texts by question number; `only`: those of these questions, separated by commas."""
        try:
            texts = services.library.questions.texts(b, [int(number) for number in only.split(",")] if only else None)
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        return json_response({"texts": list(texts.items())})

    _register_problems(services)
    _register_replacements(services)
    _register_question_table(services)
    _register_downloads(services)


def _register_downloads(services: AppContext) -> None:
    @app.get("/api/benchmarks/{b}/file")
    def download(b: int) -> Response:
        """Benchmark as a checkpoint file."""

        def write(folder: Path) -> Path:
            name = file_name(services.library.benchmarks.summary(b).name)
            return services.editor.files.export_benchmark(b, folder / f"{name}.jsonld")

        return _checkpoint(write)

    @app.get("/api/benchmarks/{b}/versions/{v}/file")
    def download_version(b: int, v: int) -> Response:
        """Published version as a checkpoint file."""

        def write(folder: Path) -> Path:
            # The name at the time: the benchmark may be called something else by now.
            name = file_name(services.library.published.document(v).name)
            number = services.library.published.get(v).number
            return services.editor.publishing.export(v, folder / f"{name}-v{number}.jsonld")

        return _checkpoint(write)

    @app.get("/api/benchmarks/{b}/questions.{kind}")
    def questions_as_table(b: int, kind: Literal["csv", "xlsx"]) -> Response:
        """Questions as a spreadsheet."""
        try:
            name = file_name(services.library.benchmarks.summary(b).name)
            content = services.editor.files.question_table(b, kind)
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}-questions.{kind}"}
        return Response(content, media_type=TABLE_TYPES[kind], headers=headers)

    @app.get("/api/presets/{preset_id}/file")
    def preset_file(preset_id: str) -> Response:
        """Preset as a file."""
        try:
            preset = services.library.presets.get(preset_id)
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        disposition = f'attachment; filename="{presets.file_name(preset)}"'
        content = presets.preset_bytes(preset)
        return Response(content, media_type="application/json", headers={"content-disposition": disposition})


def _checkpoint(write: Callable[[Path], Path]) -> Response:
    """Respond with the file that `write` makes in a folder."""
    folder = Path(tempfile.mkdtemp(prefix="download-"))
    try:
        path = write(folder)
    except InputError as error:
        _remove(folder)
        return JSONResponse({"message": str(error)}, status_code=404)
    # The file must exist until the response is sent.
    after = BackgroundTask(_remove, folder)
    return FileResponse(path, filename=path.name, media_type="application/ld+json", background=after)


def _not_found(_: Request, error: Exception) -> Response:
    """Answer 404, also for ids that are larger than any in the library."""
    return JSONResponse({"message": str(error)}, status_code=404)


def _remove(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def _register_problems(services: AppContext) -> None:
    @app.get("/api/benchmarks/{b}/problems")
    def list_problems(b: int, shown: str = "all", part: str = "") -> Response:
        """Problems of a benchmark as far as they are known."""
        try:
            services.library.benchmarks.require(b)
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        problem_filter = ProblemFilter(
            next((option for option in LEVEL_TITLES if option == shown), "all"),
            next((option for option in PART_TITLES if option == part), ""),
        )
        return json_response({"rows": problem_rows(problem_filter.choose(services.problems.report(b).problems))})


def _register_replacements(services: AppContext) -> None:
    @app.get("/api/replacements/{token}")
    def list_matches(token: str) -> Response:
        """Matches of the preview that an open page shows."""
        preview = services.previews.get(token)
        if preview is None:
            return JSONResponse({"message": "This preview was closed."}, status_code=404)
        return json_response({"rows": preview_rows(preview.matches, preview.reasons)})


def _register_question_table(services: AppContext) -> None:
    """Register the route."""

    @app.get("/api/benchmarks/{b}/table")
    def list_rows(b: int) -> Response:
        """Rows of the table with whole texts."""
        try:
            return json_response({"rows": table_rows(services.library, b)})
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
