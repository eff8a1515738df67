"""Agents on this computer: command sandbox, programs they start, number of investigations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from karenina_gui.adapters.consents import Access, Consents, models_of
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.effective_models import effective_models, models_by_condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceLimits


@dataclass(frozen=True)
class ConfinementSummary:
    """Sandbox of the commands of agents."""

    confined: bool
    """True if commands are sandboxed on this computer."""
    description: str
    """Sandbox in use, or the reason for running without one, as text for users."""
    programs: bool = False
    """True if complete programs can be sandboxed as well, such as Claude Code with its own tools."""


def command_confinement() -> ConfinementSummary:
    """Command sandbox of this computer."""
    from karenina_gui.sandbox.commands.command_box import CommandBox

    # A command box probes this computer when it is created, so this is slow.

    box = CommandBox(WorkspaceLimits())
    confinement = box.confinement
    return ConfinementSummary(confinement.confined, confinement.description, box.program_box is not None)


@dataclass(frozen=True)
class OwnToolsHere:
    """Own tools of Claude Code that a model uses on this computer."""

    names: tuple[ClaudeCodeToolName, ...]
    sandboxed: bool


def own_tools_here(model: ModelConfig, config: VerificationConfig) -> OwnToolsHere | None:
    """Own tools of the model in this run; None: it has none, or they must be switched off."""
    if not is_agent_itself(model):
        return None
    from karenina_gui.pipeline.workspaces import JobWorkspaces
    from karenina_gui.sandbox.commands.command_box import CommandBox

    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands)
    own = JobWorkspaces(box).own_tools(model.claude_code_tools)
    return None if own is None else OwnToolsHere(own.names, own.box is not None)


@dataclass(frozen=True)
class StartedProgram:
    """Program that a run starts outside the sandbox to use its tools."""

    server: str
    command: str
    """Complete command line."""
    of: str
    """Model or trait that uses the tools."""
    from_trait: bool = False
    """True if a trait of the benchmark brings it, so the benchmark's author chose it."""


def started_programs(config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait]) -> list[StartedProgram]:
    """MCP servers of all agents that are local programs. `traits`: by name."""
    programs = _of_answering(config)
    programs += [
        StartedProgram(name, server.command_line, str(model.id))
        for model in investigating_judges(config, traits)
        for name, server in _programs(model).items()
    ]
    for trait_name, trait in traits.items():
        if (model := own_model(trait)) is not None:
            programs += [
                StartedProgram(name, server.command_line, trait_name, from_trait=True)
                for name, server in _programs(model).items()
            ]
    return list(dict.fromkeys(programs))


def _of_answering(config: VerificationConfig) -> list[StartedProgram]:
    """Programs of answering models, including those added by conditions. Shared programs are listed once."""
    pairs = dict.fromkeys(pair for model in effective_models(config).values() for pair in _commands(model))
    return [
        StartedProgram(*pair, label) for pair in pairs for label in models_by_condition(config, _starts_program(pair))
    ]


def _starts_program(pair: tuple[str, str]) -> Callable[[ModelConfig], bool]:
    return lambda model: pair in _commands(model)


def _commands(model: ModelConfig) -> list[tuple[str, str]]:
    return [(name, server.command_line) for name, server in _programs(model).items()]


def _programs(model: ModelConfig) -> dict[str, ToolServer]:
    """MCP servers of the model that are programs, by name."""
    return {name: server for name, server in model.tool_servers.items() if server.type == "stdio"}


def investigating_judges(config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait]) -> Sequence[ModelConfig]:
    """Judges that work as agents with their own tools; none if they only read reports of agents."""
    templates = config.agentic_parsing and config.evaluation_mode != "rubric_only"
    looks = templates or any(trait.model_override is None for trait in traits.values())
    return config.parsing_models if looks else ()


@dataclass(frozen=True)
class UnagreedAccess:
    """Server or program that a run would reach, and to which the user has not agreed."""

    user: str
    """Model, or trait with a model of its own."""
    access: Access


def unagreed_accesses(
    config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait], consents: Consents
) -> list[UnagreedAccess]:
    """Accesses of the run without consent, each once. `traits`: by name."""
    models = [(str(model.id), model) for model in models_of(config)]
    models += [
        (f"The trait “{name}”", model) for name, trait in traits.items() if (model := own_model(trait)) is not None
    ]
    users: dict[Access, str] = {}
    for user, model in models:
        for access in consents.missing(model):
            users.setdefault(access, user)
    return [UnagreedAccess(user, access) for access, user in users.items()]


def unagreed_in_document(document: BenchmarkDocument, consents: Consents) -> list[Access]:
    """Accesses of the models of the benchmark's traits without consent."""
    rubrics = [entry.question.question_rubric for entry in document.entries if entry.question.question_rubric]
    traits = [*(document.rubric.agentic_traits if document.rubric else ())]
    for rubric in rubrics:
        with suppress(ValidationError):  # an invalid rubric is refused by each run
            traits += Rubric.model_validate(rubric).agentic_traits
    return consents.missing(*filter(None, map(own_model, traits)))


def own_model(trait: AgenticRubricTrait) -> ModelConfig | None:
    """Model override of a trait; None: missing or invalid."""
    try:
        return ModelConfig.model_validate(trait.model_override) if trait.model_override else None
    except ValidationError:
        return None


def own_model_problem(trait: AgenticRubricTrait) -> str | None:
    """Message about an invalid model override of a trait; None: missing or valid."""
    if not trait.model_override:
        return None
    try:
        ModelConfig.model_validate(trait.model_override)
    except ValidationError as error:
        return first_problem(error)
    return None


def investigations(traits: Collection[AgenticRubricTrait], config: VerificationConfig) -> int:
    """Number of agent investigations of one answer for its traits."""
    if config.agentic_rubric_strategy == "individual" or not traits:
        return len(traits)
    return 1 if len({_model_key(trait) for trait in traits}) == 1 else len(traits)


def _model_key(trait: AgenticRubricTrait) -> tuple[Any, ...] | None:
    """Identity of the investigating model. Traits share an investigation only if it is equal."""
    model = own_model(trait)
    return None if model is None else (model.interface, model.model_provider, model.model_name)


def runs_commands(config: VerificationConfig) -> Iterator[str]:
    """Labels of the answering models with the tool run_command."""
    yield from models_by_condition(config, _may_run_commands)


def _may_run_commands(model: ModelConfig) -> bool:
    named = model.workspace_tools
    return "run_command" in (named or ()) or (named is None and is_agent_itself(model) and not model.claude_code_tools)


def chooses_own_tools(config: VerificationConfig) -> Iterator[str]:
    """Labels of the answering models that use Claude Code's own tools where possible."""
    yield from models_by_condition(config, lambda model: bool(model.claude_code_tools) and is_agent_itself(model))


def is_agent_itself(model: ModelConfig) -> bool:
    """True if the model is an agent with its own tools (Claude Code)."""
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.agent_tier == "deep_agent"
