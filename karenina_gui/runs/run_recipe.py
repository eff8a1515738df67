"""Preparation of a run: the checks before its first call, the choice of its questions, and its request."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass, field

from karenina_gui.errors import InputError
from karenina_gui.runs.problems import conditions
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.selection import Selection, candidates_of, select
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.verification_config import VerificationConfig


@dataclass(frozen=True)
class RunRecipe:
    """A benchmark and a configuration, from which a run is made."""

    document: BenchmarkDocument
    config: VerificationConfig
    here: LocalBenchmarkState = field(default_factory=LocalBenchmarkState)
    broken: Container[str] = ()
    """Ids of questions whose template is known to have an error."""

    def check(self, without_model: str) -> None:
        """Raise `InputError` for conditions that do not apply, or with `without_model` if there is no answering model.

        That message depends on how the run is started.
        """
        if not self.config.answering_models:
            raise InputError(without_model)
        conditions.refuse(self.config)

    def select(self, question_ids: Collection[str] | None = None) -> Selection:
        """Choose those of these questions (None: all) that are finished and can run."""
        candidates = candidates_of(self.document, self.broken)
        return select(candidates, self.document.rubric, self.config, question_ids)

    def request(self, selection: Selection, name: str | None) -> RunRequest:
        """Return the request for these questions. Raises `RubricError` if one of them has an invalid trait."""
        selection.refuse_rubric_faults()
        return RunRequest(self.document, self.config, selection.chosen, name, self.here)
