"""HTTP route for the rows of the Problems panel, which would be too many for the element tree."""

from __future__ import annotations

from nicegui import app
from starlette.responses import JSONResponse, Response

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.components.responses import json_response
from karenina_gui.gui.problems.rows import LEVEL_TITLES, PART_TITLES, ProblemFilter, problem_rows
from karenina_gui.gui.session.app_context import AppContext


def register(services: AppContext) -> None:
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
