"""Published versions of a benchmark: frozen, named, and recognized by the hash of their content."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """A state of a benchmark that never changes again."""

    id: int
    benchmark_id: int
    number: int
    """Counted for each benchmark, from 1."""
    name: str
    """Empty: it has only its number."""
    note: str
    sha256: str
    """Hash of everything that a run uses (`schemas.canonical.benchmark_hash`), as runs and their records hold it."""
    questions: int
    finished: int
    published_at: str
    """ISO 8601 in UTC."""
    published_by: str
    """Name in the settings of the browser; empty: none was given."""

    @property
    def label(self) -> str:
        """Number and name, such as `v2 (final)`."""
        return f"v{self.number} ({self.name})" if self.name else f"v{self.number}"


@dataclass(frozen=True, slots=True)
class VersionState:
    """Published versions as seen from a state of the benchmark, such as the present one or that of a run."""

    same: PublishedVersion | None = None
    """Version that equals the state; None: none does."""
    since: PublishedVersion | None = None
    """Last version before the current state; None: never published, or unchanged since."""

    @property
    def text(self) -> str:
        """Such as `v2 (final)` or `unpublished changes since v2`; empty: nothing was published before."""
        if self.same is not None:
            return self.same.label
        return f"unpublished changes since v{self.since.number}" if self.since is not None else ""
