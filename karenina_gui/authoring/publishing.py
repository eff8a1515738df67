"""Published versions of benchmarks: made, exported, and restored as copies. Nothing changes one."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from karenina_gui.authoring.changes import Changes
from karenina_gui.formats.checkpoints.checkpoint import save_checkpoint
from karenina_gui.schemas.canonical import benchmark_hash
from karenina_gui.schemas.published_version import PublishedVersion, VersionState
from karenina_gui.store.actors import current_actor, one_command
from karenina_gui.store.frozen import Frozen
from karenina_gui.store.library import Library


class Publishing:
    """Published versions; safe to use from any thread."""

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes

    def publish(self, benchmark_id: int, name: str = "", note: str = "") -> PublishedVersion:
        """Freeze the benchmark as it is, in the name of the acting user. Raises `InputError`."""
        document = self._library.benchmarks.document(benchmark_id)
        version = self._library.published.publish(benchmark_id, document, name, note, current_actor().name)
        self._changes.emit(benchmark_id, "edited")
        return version

    def present(self, benchmark_id: int) -> VersionState:
        """Published versions as seen from the present state of the benchmark."""
        # Without versions, the whole benchmark need not be read for its hash.
        if not self._library.published.all(benchmark_id):
            return VersionState()
        return self._library.published.state(
            benchmark_id, benchmark_hash(self._library.benchmarks.document(benchmark_id))
        )

    def export(self, version_id: int, path: Path) -> Path:
        """Write a version as a checkpoint that names it; returns the path of the file."""
        version = self._library.published.get(version_id)
        document = self._library.published.document(version_id)
        return save_checkpoint(document, path, version=version)

    def restore_copy(self, version_id: int) -> int:
        """Make a new benchmark of a version, with the workspaces of its own; returns its id."""
        version, document = self._library.published.get(version_id), self._library.published.document(version_id)
        taken = {summary.name for summary in self._library.benchmarks.summaries()}
        plain = f"{document.name} {version.label}"
        names = (plain if number == 1 else f"{plain} ({number})" for number in count(1))
        name = next(name for name in names if name not in taken)
        with one_command("restore"):
            copy_id = self._library.benchmarks.create(document.model_copy(update={"name": name}))
            if root := self._library.benchmarks.on_this_computer(version.benchmark_id).workspace_root:
                self._library.benchmarks.set_workspace_root(copy_id, str(root))
        self._library.exchanges.note(copy_id, Frozen.of(document))
        self._changes.emit(copy_id, "added")
        return copy_id
