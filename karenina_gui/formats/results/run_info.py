"""Facts that a results file states of the run that its results come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

from karenina_gui.formats.k_eval.dataset_reader import dataset_hash
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.metric_summary import ReportStats
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.published_version import VersionState
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result import ModelIdentity
from karenina_gui.schemas.results_file import FoundResults, config_of
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.schemas.verification_config import VerificationConfig

ALL_RESULTS = "all results"
RECORD, DATASET, VERSION = "reproducibility", "dataset_sha256", "published_version"
"""Names in the metadata of a JSON file for facts of the run; upstream's readers look at no such names.

What the run was made of, the data set that its benchmark was opened from, and the published version of the benchmark.
"""


@dataclass(frozen=True)
class RunInfo:
    """A run, as far as its exports speak of it."""

    job_id: str
    run_name: str | None
    config: VerificationConfig
    started: float
    """Seconds since 1970, like `finished`."""
    finished: float | None = None
    """None: the run is not over."""
    total: int | None = None
    """Jobs planned; None: as many as there are results."""
    rubric: Rubric | None = None
    """The benchmark's own traits."""
    exported: datetime = field(default_factory=lambda: datetime.now(UTC))
    benchmark: str = ""
    """Name of the benchmark; empty: nobody knows."""
    status: str = ""
    """The run's state in a word."""
    origin: str | None = None
    """The file that the run was opened from."""
    selection: str = ALL_RESULTS
    """Selection of the run's results, in words."""
    reproducibility: Reproducibility | None = None
    """Everything that the run was made of; None: nobody knows."""
    benchmark_hash: str = ""
    """SHA-256 of the benchmark as it was when the run was planned; empty: nobody knows."""
    dataset_hash: str = ""
    """SHA-256 of the data set that the benchmark was opened from; empty: of none, or nobody knows."""
    version: VersionState = field(default_factory=VersionState)
    """Published version of the benchmark that ran, or the last one before it."""
    counts: tuple[int, int] | None = None
    """Number of results in the file, and of those without a failure; None: they are counted while they are written."""
    traits: frozenset[str] | None = None
    """Traits of the whole benchmark that results have; None: they are looked for in the results."""
    figures: ReportStats | None = None
    """Object that computes figures and costs, for files that hold them; None: nobody does."""
    settings_known: bool = True
    """True if `config` has the settings that models ran with; False: their names, and temperatures if told."""

    @classmethod
    def of_run(
        cls,
        run: RunSummary,
        config: VerificationConfig,
        frame: BenchmarkDocument | None,
        selection: str = "",
        record: Reproducibility | None = None,
    ) -> Self:
        """Facts of a run of the library.

        `frame` is its benchmark, with questions or without, `record` the run's own.
        """
        return cls(
            job_id=str(run.id),
            run_name=run.name,
            config=config,
            started=_seconds(run.created_at),
            finished=_seconds(run.finished_at) if run.finished_at else None,
            total=run.total,
            rubric=frame.rubric if frame else None,
            benchmark=run.benchmark_name,
            status=run.status,
            origin=run.origin,
            selection=selection or ALL_RESULTS,
            reproducibility=record,
            benchmark_hash=run.benchmark_hash,
            dataset_hash=dataset_hash(frame) if frame else "",
        )

    @classmethod
    def of_files(cls, files: Sequence[FoundResults], name: str) -> Self:
        """Facts that the files themselves state; the settings of the models are not among them."""
        runs = [run for file in files for run in file.runs]
        times = [time for run in runs for time in (run.started, run.finished) if time is not None]
        return cls(
            job_id=name,
            run_name=None,
            config=_config_of(files),
            started=min(times, default=0.0),
            finished=max(times, default=0.0),
            rubric=next((file.rubric for file in files if file.rubric), None),
            origin=", ".join(file.name for file in files),
            reproducibility=files[0].reproducibility if len(files) == 1 else None,
            settings_known=False,
        )

    @cached_property
    def export_timestamp(self) -> str:
        return self.exported.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    @property
    def published_version(self) -> dict[str, Any] | None:
        """Published version that ran, or the last one before, which had changed; None: nothing was published."""
        version = self.version.same or self.version.since
        if version is None:
            return None
        facts = {"number": version.number, "name": version.name, "sha256": version.sha256}
        return {**facts, "published_at": version.published_at, "unpublished_changes": self.version.same is None}

    @property
    def verification_config(self) -> dict[str, Any]:
        """The models in upstream's words; never an address or a key."""
        return {
            "answering_models": _models(self.config.answering_models),
            "parsing_models": _models(self.config.parsing_models),
        }


@cache
def package_version() -> str:
    """Version of this application; `unknown` if it runs without being installed."""
    try:
        return version("karenina-gui")
    except PackageNotFoundError:
        return "unknown"


def _config_of(files: Sequence[FoundResults]) -> VerificationConfig:
    """The models that the files name, each once."""
    runs = [run for file in files for run in file.runs]
    temperatures = {key: value for file in files for key, value in file.temperatures.items()}
    return VerificationConfig(
        answering_models=_configs((run.answering for run in runs), temperatures),
        parsing_models=_configs((run.judges for run in runs), temperatures),
    )


def _configs(
    identities_by_run: Iterable[Mapping[str, ModelIdentity]], temperatures: Mapping[tuple[str, str], float | None]
) -> list[ModelConfig]:
    distinct = {key: identity for identities in identities_by_run for key, identity in identities.items()}
    return [config_of(identity, temperatures) for identity in distinct.values()]


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def _models(models: Sequence[ModelConfig]) -> list[dict[str, Any]]:
    return [
        {"provider": m.model_provider, "name": m.model_name, "temperature": m.temperature, "interface": m.interface}
        for m in models
    ]
