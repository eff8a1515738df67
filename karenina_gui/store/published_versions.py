"""Published versions of benchmarks. They are added and read, never changed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.canonical import benchmark_hash
from karenina_gui.schemas.published_version import PublishedVersion, VersionState
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store import frozen
from karenina_gui.store.database import Database, now
from karenina_gui.store.row_mapping import benchmark_row
from karenina_gui.store.tables import PublishedVersionRow
from karenina_gui.store.writes import persistent

row_of = PublishedVersionRow


class PublishedVersions:
    """Published versions, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, benchmark_id: int) -> list[PublishedVersion]:
        """Versions of a benchmark, the newest first."""
        newest_first = select(row_of).where(row_of.benchmark_id == benchmark_id).order_by(col(row_of.number).desc())
        with self._database.reading() as session:
            return [_version(row) for row in session.exec(newest_first).all()]

    def get(self, version_id: int) -> PublishedVersion:
        """The version with this id. Raises `NotFoundError`."""
        with self._database.reading() as session:
            return _version(_row(session, version_id))

    def document(self, version_id: int) -> BenchmarkDocument:
        """The benchmark as it was published. Raises `NotFoundError`."""
        with self._database.reading() as session:
            return frozen.load(session, _row(session, version_id).frozen)

    def state(self, benchmark_id: int, sha256: str) -> VersionState:
        """Versions as seen from the present state of the benchmark, which has this hash."""
        return _state(self.all(benchmark_id), sha256)

    def equal_to(self, benchmark_id: int, document: BenchmarkDocument) -> PublishedVersion | None:
        """Version that equals this state of the benchmark; None: none does."""
        return self.state(benchmark_id, benchmark_hash(document)).same if self.all(benchmark_id) else None

    def state_of_run(self, run: RunSummary) -> VersionState:
        """Versions as seen from the benchmark that a run asked, even one that was published after the run."""
        return self.states_of_runs([run])[run.id]

    def states_of_runs(self, runs: Sequence[RunSummary]) -> dict[int, VersionState]:
        """The same by id of the run."""
        # Lists of runs are long, and those of one benchmark have the same versions.
        versions = {benchmark_id: self.all(benchmark_id) for benchmark_id in {run.benchmark_id for run in runs}}
        return {run.id: _state(versions[run.benchmark_id], run.benchmark_hash, run.created_at) for run in runs}

    @persistent
    def publish(
        self, benchmark_id: int, document: BenchmarkDocument, name: str = "", note: str = "", by: str = ""
    ) -> PublishedVersion:
        """Freeze this state as the next version.

        Raises `InputError` if it has no questions, the last version is equal, or another one has the name.
        """
        if not document.entries:
            raise InputError("This benchmark has no questions yet, so there is nothing to publish.")
        content, sha256 = frozen.Frozen.of(document), benchmark_hash(document)
        finished = sum(entry.finished for entry in document.entries)
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id)
            earlier = session.exec(select(row_of).where(row_of.benchmark_id == benchmark_id)).all()
            # The hash leaves finished marks out, but they decide which questions a run asks.
            last = max(earlier, key=lambda version: version.number, default=None)
            if (
                last is not None
                and last.sha256 == sha256
                and _finished_ids(frozen.load(session, last.frozen)) == _finished_ids(document)
            ):
                raise InputError(f"Nothing has changed since {_version(last).label}.")
            if name.strip() and any(version.name == name.strip() for version in earlier):
                raise InputError(f"Another version is called “{name.strip()}”. Choose another name.")
            row = PublishedVersionRow(
                benchmark_id=benchmark_id,
                number=last.number + 1 if last else 1,
                name=name.strip(),
                note=note.strip(),
                sha256=sha256,
                frozen=frozen.keep(session, content),
                questions=len(document.entries),
                finished=finished,
                published_at=now(),
                published_by=by,
            )
            session.add(row)
            session.flush()
            return _version(row)


def _state(versions: Sequence[PublishedVersion], sha256: str, at: str | None = None) -> VersionState:
    """Versions, the newest first, as seen from a state with this hash. `at`: its time; None: now."""
    if same := next((version for version in versions if version.sha256 == sha256), None):
        return VersionState(same=same)
    earlier = (version for version in versions if at is None or version.published_at <= at)
    return VersionState(since=next(earlier, None))


def _row(session: Session, version_id: int) -> PublishedVersionRow:
    row = session.get(PublishedVersionRow, version_id)
    if row is None:
        raise NotFoundError(f"No published version has the number {version_id}.")
    return row


def _version(row: PublishedVersionRow) -> PublishedVersion:
    assert row.id is not None
    return PublishedVersion(
        row.id,
        row.benchmark_id,
        row.number,
        row.name,
        row.note,
        row.sha256,
        row.questions,
        row.finished,
        row.published_at,
        row.published_by,
    )


def _finished_ids(document: BenchmarkDocument) -> set[str]:
    return {entry.id for entry in document.entries if entry.finished}
