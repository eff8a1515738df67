"""HTTP routes of one result: conversation, investigations, changed files and justifications.

Their modules are imported on the first request: terminal emulator and diff take longer to import than most pages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nicegui import app
from starlette.responses import JSONResponse, Response

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.kit.responses import json_response
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.result import VerificationResult

Item = TypeVar("Item")


def register(services: AppContext) -> None:
    """Add the routes below `/api/results`."""

    def respond(result_id: int, what: Callable[[VerificationResult], Any]) -> Response:
        try:
            return json_response(what(services.library.results.get(result_id).result))
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)

    @app.get("/api/results/{result_id}/conversation")
    def messages(result_id: int) -> Response:
        from karenina_gui.gui.pages.results.conversation import conversation

        return respond(result_id, conversation)

    @app.get("/api/results/{result_id}/investigations/{number}")
    def investigation(result_id: int, number: int) -> Response:
        from karenina_gui.gui.pages.results.investigations import investigations

        return respond(result_id, lambda result: _one(investigations(result), number - 1, "investigation").items)

    @app.get("/api/results/{result_id}/evidence")
    def evidence(result_id: int) -> Response:
        from karenina_gui.gui.pages.results.justification_api import justifications

        return respond(result_id, justifications)

    @app.get("/api/results/{result_id}/workspace")
    def files(result_id: int) -> Response:
        from karenina_gui.gui.pages.results.file_changes import file_list

        return respond(result_id, file_list)

    @app.get("/api/results/{result_id}/workspace/{index}")
    def file(result_id: int, index: int) -> Response:
        from karenina_gui.gui.pages.results.file_changes import file_lines

        def lines(result: VerificationResult) -> dict[str, Any]:
            return file_lines(_one(result.workspace.changes if result.workspace else [], index, "changed file"))

        return respond(result_id, lines)


def _one(items: list[Item], index: int, what: str) -> Item:
    if not 0 <= index < len(items):
        raise NotFoundError(f"The result has no such {what}.")
    return items[index]
