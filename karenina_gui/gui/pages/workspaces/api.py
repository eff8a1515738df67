"""Routes for folder listings and files of workspaces. Responses never run as web pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import quote

from nicegui import app
from starlette.responses import JSONResponse, Response, StreamingResponse

from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_listing import Entry
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.authoring.workspace_text import media_type
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.responses import json_response
from karenina_gui.gui.pages.workspaces.paths import quote_path, unquote_path
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.text import size_in_words

_BLOCK = 1 << 18


def register(services: AppContext) -> None:
    """Register the routes."""

    def files_of(b: int, q: int) -> WorkspaceFiles:
        question = services.editor.question(b, q).entry.question
        workspace = services.editor.workspaces.find(b, question.workspace_path)
        if workspace.files is None:
            raise NotFoundError(workspace.message or "Workspace not found.")
        return workspace.files

    @app.get("/api/benchmarks/{b}/questions/{q}/workspace")
    def list_folder(b: int, q: int, folder: str = "", start: int = 0) -> Response:
        """Return part of a folder listing."""
        try:
            listing = files_of(b, q).entries(unquote_path(folder), start=max(start, 0))
        except InputError as error:  # to be expected: other programs delete folders that are shown
            return json_response({"problem": str(error)})
        return json_response({"entries": [_row(entry) for entry in listing.entries], "more": listing.more})

    @app.get("/api/benchmarks/{b}/questions/{q}/workspace/file")
    def send_file(b: int, q: int, path: str, picture: bool = False) -> Response:
        """Send a file as a download. `picture`: send it inline if it is a safe image."""
        path = unquote_path(path)
        try:
            handle = files_of(b, q).copy_out(path)
        except InputError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        # The first bytes must match too: a file named .png may contain HTML.
        start = os.pread(handle, 64, 0)
        kind = media_type(path, start) if picture else None
        name = quote(os.fsencode(PurePosixPath(path).name).decode("utf-8", "replace"), safe="")
        headers = {
            "content-disposition": "inline" if kind else f"attachment; filename*=UTF-8''{name}",
            "content-length": str(os.fstat(handle).st_size),
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
        }
        return StreamingResponse(_blocks(handle), media_type=kind or "application/octet-stream", headers=headers)


def _row(entry: Entry) -> dict[str, object]:
    description = ""
    if entry.kind == "folder":
        description = "unreadable" if entry.inside is None and not entry.link else _inside(entry.inside, entry.size)
    elif entry.size is not None:
        description = size_in_words(entry.size)
    elif entry.kind == "outside":
        description = "outside the workspace"
    elif entry.kind == "other":
        description = "not a file"
    return {
        "name": printable_path(entry.name),
        "path": quote_path(entry.path),
        "kind": entry.kind,
        "link": entry.link,
        "words": description,
    }


def _inside(number: int | None, size: int | None) -> str:
    if not number:
        return "" if number is None else "empty"
    inside = f"{number:,}{'+' if number >= 1000 else ''}"
    return inside if size is None else f"{inside} · {size_in_words(size)}"


def _blocks(handle: int) -> Iterator[bytes]:
    """Yield at most the announced number of bytes, even if the file grows."""
    try:
        remaining = os.fstat(handle).st_size
        while remaining > 0 and (block := os.read(handle, min(_BLOCK, remaining))):
            remaining -= len(block)
            yield block
    finally:
        os.close(handle)
