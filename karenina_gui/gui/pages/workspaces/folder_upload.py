"""Browser component that uploads a whole folder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from nicegui import events, ui
from nicegui.elements.upload_files import FileUpload

from karenina_gui.authoring.staged_upload import IntakeLimits
from karenina_gui.static_files import static_folder

LARGEST = 256 * 1024 * 1024
"""Maximum size of one file in bytes."""


@dataclass(frozen=True)
class PendingUpload:
    """Announcement of a folder before its files are sent."""

    number: int
    files: int
    size: int
    """Total size in bytes."""
    folders: list[str]
    """Paths of folders, including empty ones. The folder dialog does not report folders; a drop does."""


@dataclass(frozen=True)
class ReceivedFile:
    """Received file of a folder."""

    number: int
    path: str
    file: FileUpload


class FolderUpload(ui.element, component=static_folder() / "folder_upload.js"):
    """Browser component that uploads the files of a folder.

    The callbacks report start, batches of received files, refusals and failures. A folder over the limits is refused
    before anything is sent.
    """

    def __init__(
        self,
        limits: IntakeLimits,
        on_begin: Callable[[PendingUpload], Any],
        on_received: Callable[[list[ReceivedFile]], Awaitable[None]],
        on_refused: Callable[[dict[str, Any]], Any],
        on_failed: Callable[[int], Any],
    ) -> None:
        super().__init__()
        self._on_received = on_received
        endpoint = ui.upload(multiple=True, on_multi_upload=self._on_upload).classes("hidden")
        sent = {"url": endpoint.props["url"], "most": limits.files, "size": limits.size, "largest": LARGEST}
        self.props.update(sent)
        self.on("begin", lambda event: on_begin(PendingUpload(**event.args)))
        self.on("refused", lambda event: on_refused(event.args))
        self.on("failed", lambda event: on_failed(int(event.args["number"])))

    @property
    def chooser(self) -> str:
        """JavaScript that opens the folder dialog."""
        return f"() => getElement({self.id}).pick()"

    def stop(self, number: int) -> None:
        """Stop sending the files of a folder."""
        self.run_method("stop", number)

    async def _on_upload(self, event: events.MultiUploadEventArguments) -> None:
        received = []
        for file in event.files:
            # The file name carries the number of the folder and the path: a multipart upload has no other field for
            # them.
            number, _, path = unquote(file.name).partition("/")
            if number.isdecimal():
                received.append(ReceivedFile(int(number), path, file))
        await self._on_received(received)
