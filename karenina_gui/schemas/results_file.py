"""Content of a results file before anything is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from karenina_gui.schemas.condition import without_condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result import ModelIdentity
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.verification_config import EvaluationMode

FileShape = Literal["export", "legacy", "array", "store", "table", "facade_table", "workbook"]

SHAPES: dict[FileShape, str] = {
    "export": "JSON export of a run",
    "legacy": "JSON export of an older version",
    "array": "JSON list of results",
    "store": "JSON file with several runs",
    "table": "Table (CSV)",
    "facade_table": "Short table (CSV)",
    "workbook": "Excel workbook",
}
"""Display name of each shape."""

TABLES: tuple[FileShape, ...] = ("table", "facade_table", "workbook")
"""Shapes without traces and stages."""


@dataclass(frozen=True, slots=True)
class RowFault:
    """A result that cannot be read; `row` is 1-based and counts results, not lines."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ResultQuestion:
    """A question as far as results describe it."""

    id: str
    text: str
    raw_answer: str | None = None
    keywords: tuple[str, ...] = ()


@dataclass
class FoundRun:
    """One run in a file."""

    name: str
    results: int = 0
    """Number of readable results."""
    total: int = 0
    """Number of jobs in the run, as far as the file tells; at least `results`."""
    complete: bool = True
    """False: the file says that the run was not finished, or is truncated."""
    answering: dict[str, ModelIdentity] = field(default_factory=dict)
    """By canonical name, in order of occurrence."""
    judges: dict[str, ModelIdentity] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    """Names in order of occurrence."""
    replicates: int = 1
    judge_replicates: int = 1
    questions: dict[str, ResultQuestion] = field(default_factory=dict)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    evaluation_mode: EvaluationMode = "template_only"
    started: float | None = None
    """Seconds since 1970, like `finished`; None: the file does not tell."""
    finished: float | None = None
    sandbox_level: str = ""
    recording_label: str | None = None
    sample: tuple[str, str, str, str] | None = None
    """Question id and text, model, and time of its first result, by which to recognize results; None: no result."""


@dataclass
class FoundResults:
    """Content of a results file."""

    name: str
    """Name of the file."""
    shape: FileShape
    runs: list[FoundRun] = field(default_factory=list)
    faults: list[RowFault] = field(default_factory=list)
    """The first faults."""
    faulty: int = 0
    """Number of all faults."""
    notes: list[str] = field(default_factory=list)
    """One sentence for each thing that the file does not tell, or that was interpreted."""
    rubric: Rubric | None = None
    """Traits of the benchmark, if the file contains them."""
    temperatures: dict[tuple[str, str], float | None] = field(default_factory=dict)
    """By interface and model name."""
    reproducibility: Reproducibility | None = None
    """Reproducibility record of its run; None: the file has none, or several runs."""

    @property
    def results(self) -> int:
        return sum(run.results for run in self.runs)

    @property
    def questions(self) -> dict[str, ResultQuestion]:
        return {key: question for run in self.runs for key, question in run.questions.items()}


def asked_alone(model: ModelIdentity, condition: str | None) -> ModelIdentity:
    """The model without the condition that its result combines with it.

    Also without the MCP servers of its tools, which belong to the condition and do not make it another model.
    """
    if condition is None:
        return model
    plain = without_condition(model.label, condition)
    return model.model_copy(update={"config_id": None if plain == model.model_name else plain, "tools": []})


def config_of(model: ModelIdentity, temperatures: Mapping[tuple[str, str], float | None]) -> ModelConfig:
    """Configuration of a model, as far as a results file tells."""
    temperature = temperatures.get((model.interface, model.model_name))
    name = model.model_name or "unnamed"
    return ModelConfig(id=model.label or name, model_name=name, interface=model.interface, temperature=temperature)
