"""Route for the rows of the question table."""

from __future__ import annotations

from nicegui import app
from starlette.responses import JSONResponse, Response

from karenina_gui.errors import InputError
from karenina_gui.gui.components.responses import json_response
from karenina_gui.gui.question_table.rows import table_rows
from karenina_gui.gui.session.app_context import AppContext


def register(services: AppContext) -> None:
    """Register the route."""

    @app.get("/api/benchmarks/{b}/table")
    def list_rows(b: int) -> Response:
        """Rows of the table with whole texts."""
        try:
            return json_response({"rows": table_rows(services.library, b)})
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
