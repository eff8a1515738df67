"""What an option of a run is: one row of the table in `options.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from karenina_gui.gui.parts.comparison import written
from karenina_gui.gui.runs import setting
from karenina_gui.gui.runs.choice import RunChoice
from karenina_gui.schemas.config import FewShotExampleConfig, VerificationConfig
from karenina_gui.schemas.deep_judgment import DeepJudgmentRubricConfig
from karenina_gui.schemas.retry import RetryPolicy

Kind = Literal["switch", "number", "choice", "text", "traits", "examples", "limits", "retries", "depths", "pools"]


@dataclass(frozen=True)
class Situation:
    """On what it depends whether an option matters."""

    choice: RunChoice
    rated: bool = True
    """Whether the benchmark has traits for all questions: then they are rated in any run."""
    asked: bool = True
    """Whether any of the answering models reads prompts; the others only hold answers."""
    agentic_traits: bool = False
    """Whether any trait of the benchmark is investigated by an agent."""
    deep_traits: bool = False
    """Whether any trait of the benchmark asks to be judged deeply."""
    works: bool = False
    """Whether any of the answering models works in a workspace."""
    commands: bool = False
    """Whether any of them may run commands there."""
    confined: bool = True
    """Whether this computer keeps the commands of agents in their workspace."""
    benchmark_id: int = 0
    root: Path | None = None
    """Of the benchmark's workspaces on this computer; None: it is not set."""

    @property
    def reads(self) -> bool:
        """Whether answers are read into templates."""
        return bool(self.choice.value("evaluation_mode") != "rubric_only")

    @property
    def rates(self) -> bool:
        return self.rated or bool(self.choice.value("evaluation_mode") != "template_only")

    @property
    def investigates(self) -> bool:
        """Whether an agent looks into the workspace before answers are read into templates."""
        return self.reads and bool(self.choice.value("agentic_parsing"))

    @property
    def rates_by_agents(self) -> bool:
        return self.agentic_traits and self.rates

    @property
    def in_workspaces(self) -> bool:
        """Whether any agent gets to see a workspace."""
        return self.works or self.investigates or self.rates_by_agents

    @property
    def runs_commands(self) -> bool:
        """Whether any agent could run commands; those that investigate may wherever commands run at all."""
        return self.commands or self.investigates or self.rates_by_agents


Condition = Callable[[Situation], bool]


def where(path: str, *values: Any) -> Condition:
    """Matters where another setting is one of these."""
    return lambda situation: situation.choice.value(path) in values


def always(_situation: Situation) -> bool:
    return True


@dataclass(frozen=True)
class Option:
    """A setting with its control. Defaults and limits are the model's own (see `setting`)."""

    name: str
    """Its place in `VerificationConfig`."""
    title: str
    help: str
    brief: str = "{}"
    """What a group's head says of it where it is not usual; `{}` is its value."""
    noun: str = ""
    """What a number counts: `quote`."""
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Value: what it is called, and a sentence on it, which may be empty."""
    begins: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Value that needs another setting: {value: (that setting, with what it begins)}."""
    in_files: frozenset[Any] = frozenset()
    """Values that only files have, since another one means the same: each is offered only while it is the value."""
    matters: Condition = always
    most: float | None = None
    """Upper limit, where the model has none or a higher one."""
    unit: str = ""
    empty: str = ""
    """What no value means; empty: the usual value."""
    told: bool = False
    """Whether a group's head says it also where it is usual."""

    @property
    def kind(self) -> Kind:
        return "choice" if self.choices else _kind(self.name)

    @property
    def limits(self) -> setting.Numbers | None:
        return setting.numbers(self.name, self.most)

    def problem(self, entered: Any) -> str | None:
        """Why it cannot be this, and what to do instead; None: it can."""
        wrong = setting.problem(self.name, entered, self.most)
        return wrong and (f"{wrong} Leave it empty for {self.when_empty}." if self.kind == "number" else wrong)

    def read(self, number: float | None) -> float | None:
        """A number as the setting has it: browsers know no whole ones."""
        whole = number is not None and self.limits is not None and self.limits.whole and number == int(number)
        return int(number) if whole and number is not None else number

    @property
    def when_empty(self) -> str:
        return self.empty or written(setting.usual(self.name))

    def offered(self, choice: RunChoice) -> dict[Any, tuple[str, str]]:
        """The choices that can be made; one that is made already is always among them."""
        now = choice.value(self.name)
        offered = {value: words for value, words in self.choices.items() if value == now or value not in self.in_files}
        return offered if now in offered else {**offered, now: (written(now), "")}


def _kind(path: str) -> Kind:
    if setting.numbers(path) is not None:
        return "number"
    kinds: dict[Any, Kind] = {
        bool: "switch",
        list[str] | None: "traits",
        list[dict[str, str]]: "examples",
        RetryPolicy: "retries",
        DeepJudgmentRubricConfig | None: "depths",
        dict[str, FewShotExampleConfig]: "pools",
        VerificationConfig.model_fields["answerer_concurrency_limits"].annotation: "limits",
    }
    return kinds.get(setting.field(path).annotation, "text")


@dataclass(frozen=True)
class Group:
    """Options that are seen together."""

    name: str
    title: str
    about: tuple[str, ...]
    usual: str
    """What its head says where nothing in it differs from the usual."""
    options: tuple[Option, ...]
    matters: Condition = always
    instead: str | Callable[[Situation], str] = ""
    """Why it does not matter, where it does not."""

    def reason(self, situation: Situation) -> str:
        """Why it does not matter, as things are chosen."""
        return self.instead if isinstance(self.instead, str) else self.instead(situation)
