"""What the browser sends when a whole folder is handed over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from nicegui import events, ui
from nicegui.elements.upload_files import FileUpload

from karenina_gui.authoring.arrivals import IntakeLimits
from karenina_gui.static_files import static_folder

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is handed over."""


@dataclass(frozen=True)
class Announced:
    """A folder that is about to come."""

    number: int
    files: int
    size: int
    """Bytes."""
    folders: list[str]
    """Paths of folders, those that are empty among them; a folder that was chosen, not dropped, does not tell."""


@dataclass(frozen=True)
class Received:
    """One file of it."""

    number: int
    path: str
    file: FileUpload


class FolderUpload(ui.element, component=static_folder() / "folder_upload.js"):
    """Finds the files of a folder and sends them. `begun`, `received` (some at a time), `refused` and `failed` hear of
    it; what is refused is so before anything is sent."""

    def __init__(
        self,
        limits: IntakeLimits,
        begun: Callable[[Announced], Any],
        received: Callable[[list[Received]], Awaitable[None]],
        refused: Callable[[dict[str, Any]], Any],
        failed: Callable[[int], Any],
    ) -> None:
        super().__init__()
        self._received = received
        endpoint = ui.upload(multiple=True, on_multi_upload=self._take).classes("hidden")
        self._props |= {
            "url": endpoint.props["url"],
            "most": limits.files,
            "size": limits.size,
            "largest": LARGEST,
        }
        self.on("begin", lambda event: begun(Announced(**event.args)))
        self.on("refused", lambda event: refused(event.args))
        self.on("failed", lambda event: failed(int(event.args["number"])))

    @property
    def chooser(self) -> str:
        """JavaScript that opens the system's own dialog for a folder."""
        return f"() => getElement({self.id}).pick()"

    def stop(self, number: int) -> None:
        """Send no more of it."""
        self.run_method("stop", number)

    async def _take(self, event: events.MultiUploadEventArguments) -> None:
        found = []
        for file in event.files:
            number, _, path = unquote(file.name).partition("/")
            if number.isdecimal():
                found.append(Received(int(number), path, file))
        await self._received(found)
