"""What a results file says of the run that the results come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.rubric import Rubric


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

    @property
    def export_timestamp(self) -> str:
        return self.exported.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    @property
    def verification_config(self) -> dict[str, Any]:
        """The models in upstream's words; never an address or a key."""
        return {
            "answering_models": _models(self.config.answering_models),
            "parsing_models": _models(self.config.parsing_models),
        }


def package_version() -> str:
    """Version of this application; `unknown` where it runs without being installed."""
    try:
        return version("karenina-gui")
    except PackageNotFoundError:
        return "unknown"


def _models(models: Sequence[ModelConfig]) -> list[dict[str, Any]]:
    return [
        {"provider": m.model_provider, "name": m.model_name, "temperature": m.temperature, "interface": m.interface}
        for m in models
    ]
