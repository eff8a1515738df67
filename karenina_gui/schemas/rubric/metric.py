"""Traits that count what an answer mentions."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from karenina_gui.schemas.problems import prescribed_error
from karenina_gui.schemas.rubric.trait import RubricTrait
from karenina_gui.text import join_list

METRICS = {
    "tp_only": ("precision", "recall", "f1"),
    "full_matrix": ("precision", "recall", "specificity", "accuracy", "f1"),
}


class MetricRubricTrait(RubricTrait):
    """Precision, recall and their kin over statements that should, or should not, be in the answer."""

    evaluation_mode: Literal["tp_only", "full_matrix"] = "tp_only"
    metrics: list[str] = Field(min_length=1)
    """Names from `METRICS[evaluation_mode]`."""
    tp_instructions: list[str] = Field(default_factory=list)
    """Statements that should be present."""
    tn_instructions: list[str] = Field(default_factory=list)
    """Statements that should be absent; needed in `full_matrix` mode."""
    repeated_extraction: bool = True
    """Count repeated mentions once (compared without case)."""
    higher_is_better: bool | None = None

    @field_validator("metrics")
    @classmethod
    def _metrics_are_known(cls, metrics: list[str]) -> list[str]:
        if unknown := set(metrics) - set(METRICS["full_matrix"]):
            metrics_known = _as_set(METRICS["full_matrix"])
            raise prescribed_error(
                f"Invalid metric names: {_as_set(unknown)}. Valid metrics are: {metrics_known}",
                f"These metrics are unknown: {join_list(sorted(unknown))}. Possible are "
                f"{join_list(METRICS['full_matrix'])}.",
            )
        return metrics

    @model_validator(mode="after")
    def _computable(self) -> Self:
        available = METRICS[self.evaluation_mode]
        if missing := set(self.metrics) - set(available):
            raise prescribed_error(
                f"Metrics {_as_set(missing)} are not available in {self.evaluation_mode} mode. "
                f"Available metrics: {_as_set(available)}",
                f"Without unwanted statements, {join_list(sorted(missing))} can’t be computed. Possible are "
                f"{join_list(available)}.",
            )
        if not self.tp_instructions:
            raise prescribed_error(
                "TP instructions must be provided (define what should be present in the answer)",
                "The trait needs at least one expected statement (tp_instructions).",
            )
        if self.evaluation_mode == "full_matrix" and not self.tn_instructions:
            raise prescribed_error(
                "TN instructions must be provided in full_matrix mode (define what should not be present in the "
                "answer)",
                "The trait needs at least one unwanted statement (tn_instructions).",
            )
        return self


def _as_set(names: set[str] | tuple[str, ...]) -> str:
    return "{" + ", ".join(repr(name) for name in sorted(names)) + "}"
