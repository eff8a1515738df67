"""Data types for the options of a run; the rows are in `options.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.number_text import NumberLimits
from karenina_gui.gui.pages.run_setup import setting
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.schemas.deep_judgment import DeepJudgmentRubricConfig
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import FewShotExampleConfig, VerificationConfig

Kind = Literal[
    "switch", "number", "choice", "text", "traits", "examples", "limits", "retries", "depths", "pools", "cluster"
]


@dataclass(frozen=True)
class SettingContext:
    """Facts that determine which options apply."""

    choice: RunDraft
    rated: bool = True
    """True if the benchmark has traits for all questions, which any run scores."""
    called: bool = True
    """True if any answering model is called; the others replay answers."""
    agentic_traits: bool = False
    """True if any trait of the benchmark is scored by an agent."""
    deep_traits: bool = False
    """True if any trait of the benchmark asks for deep judgment."""
    works: bool = False
    """True if any answering model works in a workspace."""
    commands: bool = False
    """True if any of them may run commands."""
    confined: bool = True
    """True if this computer can confine commands to the workspace."""
    benchmark_id: int = 0
    root: Path | None = None
    """Workspace root on this computer, or None."""

    @property
    def reads(self) -> bool:
        """True if answers are parsed into templates."""
        return bool(self.choice.value("evaluation_mode") != "rubric_only")

    @property
    def rates(self) -> bool:
        return self.rated or bool(self.choice.value("evaluation_mode") != "template_only")

    @property
    def investigates(self) -> bool:
        """True if an agent investigates before answers are parsed."""
        return self.reads and bool(self.choice.value("agentic_parsing"))

    @property
    def rates_by_agents(self) -> bool:
        return self.agentic_traits and self.rates

    @property
    def in_workspaces(self) -> bool:
        """True if any agent has access to a workspace."""
        return self.works or self.investigates or self.rates_by_agents

    @property
    def runs_commands(self) -> bool:
        """True if any agent can run commands; investigating agents can if commands are allowed at all."""
        return self.commands or self.investigates or self.rates_by_agents


Condition = Callable[[SettingContext], bool]


def where(path: str, *values: Any) -> Condition:
    """Condition: another setting has one of these values."""
    return lambda situation: situation.choice.value(path) in values


def always(_situation: SettingContext) -> bool:
    return True


@dataclass(frozen=True)
class Option:
    """Setting with a control; defaults and limits come from the configuration model (see `setting`)."""

    name: str
    """Path in `VerificationConfig`."""
    title: str
    help: str
    brief: str = "{}"
    """Text for a non-default value in the group's head; `{}` is the value."""
    noun: str = ""
    """Unit noun of a number: `quote`."""
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """{value: (title, explanation or empty)}."""
    begins: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """{value: (setting that it requires, initial value of that setting)}."""
    in_files: frozenset[Any] = frozenset()
    """Deprecated values of files with equivalent successors; offered only while selected."""
    is_relevant: Condition = always
    most: float | None = None
    """Upper limit if the model has none or a higher one."""
    unit: str = ""
    empty: str = ""
    """Meaning of an empty value; empty: the default applies."""
    always_shown: bool = False
    """True if the group's head shows the value even if it is the default."""
    reason: str = ""
    """Explanation behind a question mark."""

    @property
    def kind(self) -> Kind:
        return "choice" if self.choices else _kind(self.name)

    @property
    def limits(self) -> NumberLimits | None:
        return setting.limits(self.name, self.most)

    def read(self, entered: Any) -> Any:
        """Return the value of what a control has; None: the default. Raises `ValueError` with the solution."""
        if limits := self.limits:
            return limits.read(entered, f"{limits.sentence} Leave it empty for {self.when_empty}.")
        return (entered or None) if self.kind in ("text", "traits") else entered

    def problem(self, entered: Any) -> str | None:
        """Return the problem of a value and its solution, or None."""
        try:
            self.read(entered)
        except ValueError as error:
            return str(error)
        return None

    def control_value(self, choice: RunDraft) -> Any:
        """Return the value of the control, which may be invalid."""
        return choice.refused.get(self.name, choice.value(self.name))

    def problem_in(self, choice: RunDraft) -> str | None:
        """Return the problem of the control's value, or None."""
        return self.problem(self.control_value(choice))

    @property
    def when_empty(self) -> str:
        return self.empty or format_value(setting.default_value(self.name))

    def available_choices(self, choice: RunDraft) -> dict[Any, tuple[str, str]]:
        """Return the available choices, always including the current value."""
        now = choice.value(self.name)
        offered = {value: texts for value, texts in self.choices.items() if value == now or value not in self.in_files}
        return offered if now in offered else {**offered, now: (format_value(now), "")}


def _kind(path: str) -> Kind:
    if path == "cluster":
        return "cluster"
    if setting.limits(path) is not None:
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
    """Options shown together."""

    name: str
    title: str
    about: tuple[str, ...]
    default_text: str
    """Text of the head if all values are defaults."""
    options: tuple[Option, ...]
    is_relevant: Condition = always
    instead: str | Callable[[SettingContext], str] = ""
    """Reason why the group does not apply."""

    def reason(self, situation: SettingContext) -> str:
        """Return the reason why the group does not apply."""
        return self.instead if isinstance(self.instead, str) else self.instead(situation)

    def invalid_options(self, situation: SettingContext) -> list[Option]:
        """List the options that apply and have an invalid value, typed or from a preset."""
        if not self.is_relevant(situation):
            return []
        return [
            option for option in self.options if option.is_relevant(situation) and option.problem_in(situation.choice)
        ]
