"""Configurations of k-eval (YAML), read into a run, and with their questions into a benchmark.

Everything that is wrong is said at once, with its place in the file. Nothing of a file is executed, and no value of a
variable is read: references `${NAME}` stay as written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import ConfigurationError
from karenina_gui.formats.k_eval.config_parts import REPETITIONS, ConditionPart, Dataset, RetryPart, WholeFile
from karenina_gui.formats.k_eval.dataset_reader import DATASET_HASH
from karenina_gui.formats.yaml_text import read_mapping
from karenina_gui.private_folders import is_private
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import as_sentence, closest_field, first_problem, plain_message, problem_at_its_field
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import Rubric, methodology_judge
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceToolName
from karenina_gui.text.hidden_characters import with_hidden_signs_as

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BUILT_IN: dict[str, WorkspaceToolName] = {
    "Bash": "run_command",
    "Read": "read_file",
    "Grep": "search_files",
    "Glob": "list_files",
    "LS": "list_files",
    "Write": "write_file",
    "Edit": "edit_file",
}
"""Claude Code's tools, and their names here."""
OLLAMA = "http://localhost:11434/v1"

_LANGCHAIN = {
    "gemini": "google_genai",
    "bedrock": "bedrock_converse",
    "azure": "azure_openai",
    "mistral": "mistralai",
    "groq": "groq",
    "deepseek": "deepseek",
    "xai": "xai",
    "cohere": "cohere",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "huggingface": "huggingface",
    "perplexity": "perplexity",
    "azure_ai": "azure_ai",
}
"""LiteLLM's provider: LangChain's name for it."""


@dataclass
class KEvalFile:
    """A configuration, looked through."""

    path: Path
    name: str = ""
    version: str = ""
    dataset: Dataset | None = None
    """None: the file does not say it in a way that can be used."""
    config: VerificationConfig | None = None
    """The run; None: see `problems`."""
    problems: list[str] = field(default_factory=list)
    """Everything that keeps the file from being used, one sentence each."""
    unknown: list[str] = field(default_factory=list)
    """Keys that nobody knows, one sentence each: they may be misspelt settings."""
    unset: dict[str, list[str]] = field(default_factory=dict)
    """{environment variable that is not set: places whose servers of tools need it}"""
    notes: list[str] = field(default_factory=list)
    """Differences from k-eval in this application, one sentence each."""

    @property
    def dataset_path(self) -> Path:
        """Path of the data set, relative to the configuration.

        Raises `ConfigurationError` if the file names none, or one in the application’s own data.
        """
        if self.dataset is None:
            raise self._refusal()
        path = self.path.parent / self.dataset.path
        if is_private(path):
            raise ConfigurationError(
                f"The dataset of {self.path} is in the application’s own data. Choose another file."
            )
        return path

    def run(self) -> VerificationConfig:
        """The run of the file.

        Raises `ConfigurationError`, which names everything that is wrong, unknown or not set.
        """
        if self.config is None or self.unknown or self.unset:
            raise self._refusal()
        return self.config

    def _refusal(self) -> ConfigurationError:
        unset = [f"{where[0]}: {_not_set(name)}" for name, where in self.unset.items()]
        lines = [f"  {line}" for line in (*self.problems, *self.unknown, *unset)]
        return ConfigurationError("\n".join([f"{self.path} is not a usable k-eval configuration:", *lines]))


def is_k_eval(path: Path) -> bool:
    """Check if a file looks like such a configuration, right or wrong."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        data = read_mapping(path, "")
    except (ConfigurationError, OSError):
        return False
    return {"dataset", "conditions"} <= data.keys()


def read_k_eval(path: str | Path, environment: Mapping[str, str]) -> KEvalFile:
    """Read a configuration; whatever is wrong with it stands in the result.

    Raises `ConfigurationError` only if the file is no YAML.
    """
    path = Path(path)
    data = read_mapping(path, "it should begin with  name:, version: and dataset:")
    result = KEvalFile(path)
    _look_for_variables(data, (), result, {name for name, value in environment.items() if value})
    file = _validate(data, result)
    servers = data.get("mcp_servers") if isinstance(data.get("mcp_servers"), dict) else {}
    result.problems += _unknown_servers(data.get("conditions"), servers)
    if file is not None:
        result.name, result.version, result.dataset = file.name, file.version, file.dataset
        if not result.problems:
            result.config = _configuration(file, data, result)
    return result


def benchmark_of(file: KEvalFile, questions: list[Question], dataset: Path, *, reviewed: bool) -> BenchmarkDocument:
    """A benchmark with the judge of the methodology.

    `reviewed`: if its questions may enter a run at once.
    """
    document = BenchmarkDocument(
        name=file.name,
        version=file.version,
        description=f"Imported from the k-eval configuration {file.path.name} and its dataset {dataset.name}.",
        rubric=Rubric(llm_traits=[methodology_judge()]),
        custom_properties={DATASET_HASH: sha256(dataset.read_bytes()).hexdigest()},
    )
    for question in questions:
        document.add(question, finished=reviewed)
    return document


def _look_for_variables(value: Any, path: tuple[str, ...], result: KEvalFile, variables: Container[str]) -> None:
    """Report the references of all texts.

    Servers of tools get the values of variables at the start of a run, if the user agrees. Everything else is saved and
    shown, and prompts are sent to providers, so references stay there as written.
    """
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _look_for_variables(inner, (*path, str(key)), result, variables)
        return
    names = _REFERENCE.findall(value) if isinstance(value, str) else []
    where = ".".join(path)
    for name in dict.fromkeys(names):
        if path[0] == "mcp_servers":
            if name not in variables:
                result.unset.setdefault(name, []).append(where)
        elif path[-1] == "system_prompt":
            result.notes.append(f"{where}: ${{{name}}} stays as written. Prompts never get values of variables.")
        else:
            result.problems.append(f"{where}: ${{{name}}} can’t be used here. Write the value itself.")


def _not_set(name: str) -> str:
    return f"the environment variable {name} is not set."


def _validate(data: dict[str, Any], result: KEvalFile) -> WholeFile | None:
    """The file without the keys that nobody knows; None if something else is wrong."""
    # Dates of YAML become texts; and the copy may be changed.
    data = json.loads(json.dumps(data, default=str))
    try:
        return WholeFile.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_url=False)
    for fault in faults:
        if fault["type"] == "extra_forbidden":
            result.unknown.append(_unknown_key(fault["loc"]))
            _remove(data, fault["loc"])
        else:
            result.problems.append(_problem(fault))
    if len(result.unknown) < len(faults):
        return None
    try:
        return WholeFile.model_validate(data)
    except ValidationError as error:
        result.problems += map(_problem, error.errors(include_url=False))
        return None


def _problem(fault: Any) -> str:
    where = ".".join(map(str, fault["loc"]))
    hint = " k-eval supports only Claude Code as the agent." if where == "agent.type" else ""
    return f"{where}: {as_sentence(plain_message(fault))}{hint}"


def _unknown_key(path: tuple[Any, ...]) -> str:
    near = closest_field(WholeFile, path)
    hint = f" Did you mean {near}?" if near else ""
    return f"{'.'.join(map(str, path))}: unknown setting.{hint}"


def _remove(data: Any, path: tuple[Any, ...]) -> None:
    for step in path[:-1]:
        data = data[step]
    data.pop(path[-1], None)


def _unknown_servers(conditions: Any, servers: Any) -> Iterator[str]:
    """A sentence for each server that a condition names and nobody describes."""
    for name, condition in conditions.items() if isinstance(conditions, dict) else ():
        names = condition.get("mcp_servers") if isinstance(condition, dict) else None
        for server in names if isinstance(names, list) else ():
            if str(server) not in servers:
                defined = ", ".join(servers) or "none"
                yield f"conditions.{name}.mcp_servers: unknown MCP server “{server}” (known: {defined})."


def _configuration(file: WholeFile, data: dict[str, Any], result: KEvalFile) -> VerificationConfig | None:
    judge = translate(file.judge.model, file.judge.temperature)
    result.notes += [judge.note] if judge.note else []
    result.notes += _remarks(file, data)
    conditions = [*_conditions(file, result)]
    if result.problems:
        return None
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
            conditions=conditions,
            replicate_count=file.execution.num_repetitions,
            async_max_workers=file.execution.max_concurrent,
            # A judge asked to be deterministic is asked so in every run: then the judgments of two runs can be
            # compared.
            fixed_judges=not file.judge.temperature,
            evaluation_mode="rubric_only",
            use_full_trace_for_rubric=False,
            **({"retry_policy": _retries(file.execution.retry)} if file.execution.retry else {}),
        )
    except ValidationError as fault:
        result.problems.append(first_problem(fault))
        return None


def _conditions(file: WholeFile, result: KEvalFile) -> Iterator[Condition]:
    """The conditions that can be used; faults of the others go to the problems, with their place."""
    for name, part in file.conditions.items():
        try:
            yield _condition(name, part, file, result)
        except ValidationError as fault:
            why = problem_at_its_field(fault) if name else "A condition needs a name."
            where = f"conditions.{with_hidden_signs_as('?', name)}" if name else "conditions"
            result.problems.append(f"{where}: {why}")


def _condition(name: str, part: ConditionPart, file: WholeFile, result: KEvalFile) -> Condition:
    tools = [_BUILT_IN[tool] for tool in part.allowed_tools if tool in _BUILT_IN]
    if foreign := [tool for tool in part.allowed_tools if tool not in _BUILT_IN]:
        result.notes.append(f"conditions.{name}: unsupported tools: {', '.join(foreign)}.")
    if tools:
        result.notes.append(
            f"conditions.{name}: file and command tools need question workspaces; these questions have none yet."
        )
    return Condition(
        name=name,
        system_prompt=part.system_prompt,
        mcp_servers={server: file.mcp_servers[server] for server in part.mcp_servers},
        settings=AnsweringSettings(workspace_tools=list(dict.fromkeys(tools))) if tools else AnsweringSettings(),
        require_mcp_tool_use=part.require_mcp_tool_use,
        require_mcp_tool_success=part.require_mcp_tool_success,
    )


def _retries(part: RetryPart) -> RetryPolicy:
    budget = RetryBudget(
        # k-eval counts the first call too, a budget only the repetitions.
        max_attempts=part.max_attempts - 1,
        backoff_min=part.initial_backoff_seconds,
        backoff_max=max(30.0, part.initial_backoff_seconds),
        backoff_multiplier=part.backoff_multiplier,
    )
    return RetryPolicy(**dict.fromkeys(RETRY_CATEGORIES, budget))


def _remarks(file: WholeFile, data: dict[str, Any]) -> Iterator[str]:
    execution = data.get("execution") or {}
    if "num_repetitions" not in execution:
        yield f"The file sets no number of replicates. The k-eval default is used: {REPETITIONS}."
    if file.execution.retry is not None:
        yield "Failed calls are retried individually; k-eval repeats answer and judgment together."
    if file.judge.temperature > 0:
        yield f"The judge’s temperature is {file.judge.temperature:g}, so its scores vary between judgments."


@dataclass(frozen=True)
class TranslatedModel:
    model: ModelConfig
    note: str | None = None
    """Something that does not fit exactly, as a sentence; None: everything fits."""


def translate(name: str, temperature: float | None) -> TranslatedModel:
    """The model with this LiteLLM name; its id is the name as it stands."""
    provider, slash, rest = name.partition("/")
    if not slash:
        return _bare(name, temperature)
    direct = {"anthropic": "claude_tool", "openai": "openai_endpoint", "openrouter": "openrouter"}
    if provider in direct:
        return TranslatedModel(_model(name, direct[provider], rest, temperature))
    if provider in ("ollama", "ollama_chat"):
        note = f"“{name}” uses {OLLAMA}. If Ollama runs elsewhere, change the base URL on the Models page."
        return TranslatedModel(_model(name, "openai_endpoint", rest, temperature, endpoint_base_url=OLLAMA), note)
    if provider == "vertex_ai":
        provider_name = "google_anthropic_vertex" if rest.startswith("claude") else "google_vertexai"
        return _by_langchain(name, provider_name, rest, temperature)
    return _by_langchain(name, _LANGCHAIN.get(provider, provider), rest, temperature)


def _bare(name: str, temperature: float | None) -> TranslatedModel:
    if name.startswith("claude"):
        return TranslatedModel(_model(name, "claude_tool", name, temperature))
    if name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt-")):
        return TranslatedModel(_model(name, "openai_endpoint", name, temperature))
    if name.startswith("gemini"):
        return _by_langchain(name, "google_genai", name, temperature)
    note = f"“{name}” names no provider, so OpenAI is used. To use another, change the base URL on the Models page."
    return TranslatedModel(_model(name, "openai_endpoint", name, temperature), note)


def _by_langchain(name: str, provider: str, model: str, temperature: float | None) -> TranslatedModel:
    if "claude" in model:
        instead = "Or choose the interface Anthropic (claude_tool) on the Models page."
    else:
        instead = "Or choose another interface on the Models page."
    note = f"“{name}” is called through LangChain, which needs its package and its key on this computer. {instead}"
    return TranslatedModel(_model(name, "langchain", model, temperature, model_provider=provider), note)


def _model(name: str, interface: str, model: str, temperature: float | None, **more: str) -> ModelConfig:
    return ModelConfig.model_validate(
        {"id": name, "interface": interface, "model_name": model, "temperature": temperature, **more}
    )
