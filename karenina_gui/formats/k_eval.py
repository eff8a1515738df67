"""Configurations of k-eval (YAML) and their data sets (JSON Lines), read into a run and its questions.

Everything that is wrong is said at once, with its place in the file. Nothing of a file is executed. Values of
environment variables are taken for secrets where servers of tools get them: there the reference `${NAME}` is kept.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import md5, sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from karenina_gui.errors import ConfigurationError, FileFormatError
from karenina_gui.formats.litellm_names import translated
from karenina_gui.formats.yaml_text import read_mapping
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.config import MOST_REPLICATES, ModelConfig, VerificationConfig
from karenina_gui.schemas.problems import first_problem, plain_message
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import Rubric, methodology_judge
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import WorkspaceToolName

REPETITIONS = 3
"""Answers to each question under each condition, where the file does not say it (`evaluation-methodology.md`)."""
MOST_FAULTS = 50
"""Lines of a data set that an error names one by one."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"key|authorization|password|secret|bearer|token|cookie|credential", re.I)
_BUILT_IN: dict[str, WorkspaceToolName] = {
    "Bash": "run_command", "Read": "read_file", "Grep": "search_files", "Glob": "list_files", "LS": "list_files",
    "Write": "write_file", "Edit": "edit_file",
}  # fmt: skip
"""Claude Code's tools, by what they are called here."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, coerce_numbers_to_str=True)


class Dataset(_Part):
    """Where the questions are; the path is relative to the configuration."""

    path: str = Field(min_length=1)
    question_key: str = Field(min_length=1)
    answer_key: str = Field(min_length=1)


class _Agent(_Part):
    type: Literal["claude_code_sdk"]
    model: str = Field(min_length=1)


class _Judge(_Part):
    model: str = Field(min_length=1)
    temperature: float = Field(default=0.0, ge=0, le=2)


class _Condition(_Part):
    mcp_servers: list[str] = Field(default_factory=list)
    system_prompt: str = Field(min_length=1)
    require_mcp_tool_use: bool = False
    require_mcp_tool_success: bool = False
    allowed_tools: list[str] = Field(default_factory=list)


class _Retry(_Part):
    max_attempts: int = Field(ge=1)
    """Calls altogether, the first one included."""
    initial_backoff_seconds: float = Field(ge=0)
    backoff_multiplier: float = Field(ge=1)


class _Execution(_Part):
    num_repetitions: int = Field(default=REPETITIONS, ge=1, le=MOST_REPLICATES)
    max_concurrent: int = Field(default=2, ge=1)
    retry: _Retry | None = None


class _File(_Part):
    name: str = Field(min_length=1)
    version: str = Field(min_length=1)
    dataset: Dataset
    agent: _Agent
    judge: _Judge
    mcp_servers: dict[str, ToolServer] = Field(default_factory=dict)
    conditions: dict[str, _Condition] = Field(min_length=1)
    execution: _Execution = _Execution()


@dataclass
class KEvalFile:
    """A configuration, looked through."""

    path: Path
    name: str = ""
    version: str = ""
    dataset: Dataset | None = None
    """None: the file does not say it in a way that can be used."""
    config: VerificationConfig | None = None
    """The run; None: `problems` say why there is none."""
    problems: list[str] = field(default_factory=list)
    """What keeps the file from being used, one sentence each."""
    unknown: list[str] = field(default_factory=list)
    """Keys that nobody knows, one sentence each: they may be misspelt settings."""
    unset: dict[str, list[str]] = field(default_factory=dict)
    """{environment variable that is not set: places whose servers of tools need it}"""
    notes: list[str] = field(default_factory=list)
    """What is done in another way here, one sentence each."""

    @property
    def dataset_path(self) -> Path:
        """Beside the configuration. Errors: `ConfigurationError` where it names none."""
        if self.dataset is None:
            raise self._refused()
        return self.path.parent / self.dataset.path

    def run(self) -> VerificationConfig:
        """Errors: `ConfigurationError` names everything that is wrong, unknown or not set."""
        if self.config is None or self.unknown or self.unset:
            raise self._refused()
        return self.config

    def _refused(self) -> ConfigurationError:
        unset = [f"{where[0]}: {_not_set(name)}" for name, where in self.unset.items()]
        lines = [f"  {line}" for line in (*self.problems, *self.unknown, *unset)]
        return ConfigurationError("\n".join([f"{self.path} cannot be used as a configuration of k-eval:", *lines]))


def is_k_eval(path: Path) -> bool:
    """Whether a file looks like such a configuration, right or wrong."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        data = read_mapping(path, "")
    except (ConfigurationError, OSError):
        return False
    return {"dataset", "conditions"} <= data.keys()


def read_k_eval(path: str | Path, environment: Mapping[str, str]) -> KEvalFile:
    """Errors: `ConfigurationError` where the file is no YAML; whatever else is wrong stands in the result."""
    path = Path(path)
    data = read_mapping(path, "it should begin with  name:, version: and dataset:")
    found = KEvalFile(path)
    data = _Interpolation(environment, found).of(data, ())
    file = _validated(data, found)
    servers = data.get("mcp_servers") if isinstance(data.get("mcp_servers"), dict) else {}
    found.problems += _unknown_servers(data.get("conditions"), servers)
    if file is not None:
        found.name, found.version, found.dataset = file.name, file.version, file.dataset
        if not found.problems:
            found.config = _configuration(file, data, found)
    return found


def read_dataset(path: str | Path, dataset: Dataset) -> list[Question]:
    """The questions, in order; a text that comes again is a question of its own.

    Errors: `FileFormatError` names every line that cannot be used.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        why = "it is not UTF-8 text" if isinstance(fault, UnicodeDecodeError) else fault.strerror
        raise FileFormatError(f"The data set {path.name} cannot be read: {why}.", path=str(path)) from None
    questions: list[Question] = []
    faults: list[tuple[int, str]] = []
    taken: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(line, dataset, len(questions) + len(faults), taken))
        except ValueError as fault:
            faults.append((number, str(fault)))
    if faults:
        raise FileFormatError(_faulty(path, faults), path=str(path), row=faults[0][0])
    if not questions:
        raise FileFormatError(f"The data set {path.name} holds no question.", path=str(path))
    return questions


def benchmark_of(file: KEvalFile, questions: list[Question], dataset: Path, *, reviewed: bool) -> BenchmarkDocument:
    """A benchmark with the judge of the methodology; `reviewed`: whether its questions may enter a run at once."""
    document = BenchmarkDocument(
        name=file.name,
        version=file.version,
        description=f"Opened from the k-eval configuration {file.path.name} and its data set {dataset.name}.",
        rubric=Rubric(llm_traits=[methodology_judge()]),
        custom_properties={"dataset_sha256": sha256(dataset.read_bytes()).hexdigest()},
    )
    for question in questions:
        document.add(question, finished=reviewed)
    return document


# The configuration, step by step


class _Interpolation:
    """`${NAME}` in every text replaced by its value, but where servers of tools get it."""

    def __init__(self, environment: Mapping[str, str], found: KEvalFile) -> None:
        self._environment = environment
        self._found = found

    def of(self, value: Any, place: tuple[str, ...]) -> Any:
        if isinstance(value, dict):
            return {key: self.of(inner, (*place, str(key))) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.of(inner, (*place, str(number))) for number, inner in enumerate(value)]
        if not isinstance(value, str):
            return value
        if place[0] == "mcp_servers":
            self._look(value, place)
            return value
        return _REFERENCE.sub(lambda name: self._value(name[1], place), value)

    def _look(self, text: str, place: tuple[str, ...]) -> None:
        for name in _REFERENCE.findall(text):
            if not self._environment.get(name):
                self._found.unset.setdefault(name, []).append(".".join(place))

    def _value(self, name: str, place: tuple[str, ...]) -> str:
        where, value = ".".join(place), self._environment.get(name)
        if _SECRET_NAME.search(name):
            self._found.problems.append(
                f"{where}: {name} looks like a key, and this text would be kept with the run. Keys have a place in the "
                "env and headers of mcp_servers only."
            )
        elif not value:
            self._found.problems.append(f"{where}: {_not_set(name)}")
        return value or "-"


def _not_set(name: str) -> str:
    return f"the environment variable {name} is not set."


def _validated(data: dict[str, Any], found: KEvalFile) -> _File | None:
    """The file without the keys that nobody knows; None where something else is wrong."""
    data = json.loads(json.dumps(data, default=str))
    try:
        return _File.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_url=False)
    for fault in faults:
        if fault["type"] == "extra_forbidden":
            found.unknown.append(_unknown_key(fault["loc"]))
            _remove(data, fault["loc"])
        else:
            found.problems.append(_problem(fault))
    if len(found.unknown) < len(faults):
        return None
    try:
        return _File.model_validate(data)
    except ValidationError as error:
        found.problems += map(_problem, error.errors(include_url=False))
        return None


def _problem(fault: Any) -> str:
    place = ".".join(map(str, fault["loc"]))
    hint = " Only Claude Code is an agent of k-eval." if place == "agent.type" else ""
    return f"{place}: {plain_message(fault)}{'' if plain_message(fault).endswith('.') else '.'}{hint}"


def _unknown_key(place: tuple[Any, ...]) -> str:
    known = _names_at(place[:-1])
    near = difflib.get_close_matches(str(place[-1]), known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{'.'.join(map(str, place))}: this key is not known.{hint}"


def _names_at(place: tuple[Any, ...]) -> list[str]:
    models: dict[tuple[Any, ...], type[BaseModel]] = {
        (): _File, ("dataset",): Dataset, ("agent",): _Agent, ("judge",): _Judge, ("execution",): _Execution,
        ("execution", "retry"): _Retry,
    }  # fmt: skip
    kinds: dict[str, type[BaseModel]] = {"conditions": _Condition, "mcp_servers": ToolServer}
    model = models.get(place) or (kinds.get(str(place[0])) if len(place) == 2 else None)
    return list(model.model_fields) if model else []


def _remove(data: Any, place: tuple[Any, ...]) -> None:
    for step in place[:-1]:
        data = data[step]
    data.pop(place[-1], None)


def _unknown_servers(conditions: Any, servers: Any) -> Iterator[str]:
    """A sentence for each server that a condition names and nobody describes."""
    for name, condition in conditions.items() if isinstance(conditions, dict) else ():
        wanted = condition.get("mcp_servers") if isinstance(condition, dict) else None
        for server in wanted if isinstance(wanted, list) else ():
            if str(server) not in servers:
                known = ", ".join(servers) or "none"
                yield f"conditions.{name}.mcp_servers: there is no MCP server {server!r} (known: {known})."


def _configuration(file: _File, data: dict[str, Any], found: KEvalFile) -> VerificationConfig | None:
    judge = translated(file.judge.model, file.judge.temperature)
    found.notes += [judge.note] if judge.note else []
    found.notes += _remarks(file, data)
    try:
        return VerificationConfig(
            answering_models=[
                ModelConfig(
                    id=file.agent.model,
                    model_name=file.agent.model,
                    interface="claude_agent_sdk",
                    temperature=None,
                )
            ],
            parsing_models=[judge.model],
            conditions=[_condition(name, each, file, found) for name, each in file.conditions.items()],
            replicate_count=file.execution.num_repetitions,
            async_max_workers=file.execution.max_concurrent,
            evaluation_mode="rubric_only",
            use_full_trace_for_rubric=False,
            **({"retry_policy": _retries(file.execution.retry)} if file.execution.retry else {}),
        )
    except ValidationError as fault:
        found.problems.append(first_problem(fault))
        return None


def _condition(name: str, given: _Condition, file: _File, found: KEvalFile) -> Condition:
    tools = [_BUILT_IN[tool] for tool in given.allowed_tools if tool in _BUILT_IN]
    if foreign := [tool for tool in given.allowed_tools if tool not in _BUILT_IN]:
        found.notes.append(f"conditions.{name}: there is nothing here for the tools {', '.join(foreign)}.")
    if tools:
        found.notes.append(
            f"conditions.{name}: tools for files and commands work in the workspace of a question; these have none yet."
        )
    return Condition(
        name=name,
        system_prompt=given.system_prompt,
        mcp_servers={server: file.mcp_servers[server] for server in given.mcp_servers},
        settings=AnsweringSettings(workspace_tools=list(dict.fromkeys(tools))) if tools else AnsweringSettings(),
        require_mcp_tool_use=given.require_mcp_tool_use,
        require_mcp_tool_success=given.require_mcp_tool_success,
    )


def _retries(given: _Retry) -> RetryPolicy:
    budget = RetryBudget(
        max_attempts=given.max_attempts - 1,
        backoff_min=given.initial_backoff_seconds,
        backoff_max=max(30.0, given.initial_backoff_seconds),
        backoff_multiplier=given.backoff_multiplier,
    )
    return RetryPolicy(**dict.fromkeys(RETRY_CATEGORIES, budget))


def _remarks(file: _File, data: dict[str, Any]) -> Iterator[str]:
    execution = data.get("execution") or {}
    if "num_repetitions" not in execution:
        yield f"The file does not say how often each question is asked: {REPETITIONS} times, as the methodology has it."
    if file.execution.retry is not None:
        yield "Failed calls are repeated one by one; k-eval repeats answer and judgment together."
    if file.judge.temperature > 0:
        yield f"The judge has the temperature {file.judge.temperature:g}: its scores vary by themselves."


# The data set


def _question(line: str, dataset: Dataset, place: int, taken: set[str]) -> Question:
    """Errors: `ValueError` with a sentence's rest."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise ValueError("it is not valid JSON") from fault
    if not isinstance(record, dict):
        raise ValueError("it is not an object with names and values")
    texts = [_text(record, key) for key in (dataset.question_key, dataset.answer_key)]
    number = question_fingerprint(texts[0])
    if number in taken:
        number = md5(f"{place}\n{texts[0]}".encode(), usedforsecurity=False).hexdigest()
    taken.add(number)
    try:
        return Question(question=texts[0], raw_answer=texts[1], id=number)
    except ValidationError as fault:
        raise ValueError(first_problem(fault)) from fault


def _text(record: dict[str, Any], key: str) -> str:
    if key not in record:
        raise ValueError(f"it has no {key!r} (it has {', '.join(map(str, record)) or 'nothing'})")
    value = record[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"its {key!r} is {'empty' if isinstance(value, str) else 'no text'}")
    return value


def _faulty(path: Path, faults: list[tuple[int, str]]) -> str:
    lines = [f"  line {number}: {why}" for number, why in faults[:MOST_FAULTS]]
    more = len(faults) - len(lines)
    lines += [f"  and {more:,} more"] if more > 0 else []
    return "\n".join([f"The data set {path.name} cannot be used:", *lines])
