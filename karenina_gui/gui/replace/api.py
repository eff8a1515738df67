"""HTTP route for the rows of a preview, which would be too many for the element tree."""

from __future__ import annotations

from nicegui import app
from starlette.responses import JSONResponse, Response

from karenina_gui.gui.components.responses import json_response
from karenina_gui.gui.replace.rows import preview_rows
from karenina_gui.gui.session.app_context import AppContext


def register(services: AppContext) -> None:
    @app.get("/api/replacements/{token}")
    def list_matches(token: str) -> Response:
        """Matches of the preview that an open page shows."""
        preview = services.previews.get(token)
        if preview is None:
            return JSONResponse({"message": "This preview was closed."}, status_code=404)
        return json_response({"rows": preview_rows(preview.matches, preview.reasons)})
