"""What has to be known before agents work on this computer: who confines their commands, what programs they start, and
how often they investigate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.schemas.asked_models import asked_models, asked_where
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.model_of_trait import command_line, foreign_hosts, programs
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceLimits


@dataclass(frozen=True)
class CommandConfinement:
    """What keeps the commands of agents in their workspace."""

    confined: bool
    """Whether anything does on this computer."""
    description: str
    """By what, or why not, in plain words."""
    programs: bool = False
    """Whole programs can be sandboxed as well, such as Claude Code with its own tools."""


def command_confinement() -> CommandConfinement:
    """How commands run on this computer."""
    from karenina_gui.sandbox.commands.command_box import CommandBox  # it looks at this computer when it is made

    box = CommandBox(WorkspaceLimits())
    found = box.confinement
    return CommandConfinement(found.confined, found.description, box.program_box is not None)


@dataclass(frozen=True)
class OwnToolsHere:
    """Claude Code's own tools that a model works with in a run on this computer."""

    names: tuple[ClaudeCodeToolName, ...]
    sandboxed: bool


def own_tools_here(model: ModelConfig, config: VerificationConfig) -> OwnToolsHere | None:
    """None: it has none, or they have to be off."""
    if not is_agent_itself(model):
        return None
    from karenina_gui.pipeline.workspaces import Workspaces
    from karenina_gui.sandbox.commands.command_box import CommandBox

    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands)
    own = Workspaces(box).own_tools(model.claude_code_tools)
    return None if own is None else OwnToolsHere(own.names, own.box is not None)


@dataclass(frozen=True)
class StartedProgram:
    """A program that a run starts on this computer, unconfined, to use its tools."""

    server: str
    command: str
    """The whole command line."""
    of: str
    """The model, or the trait, that uses its tools."""
    from_trait: bool = False
    """Whether it comes with a trait of the benchmark, so that whoever wrote that has chosen it."""


def started_programs(config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait]) -> list[StartedProgram]:
    """MCP servers that are programs, of all models that work as agents; `traits` by name."""
    found = _of_answering(config)
    found += [
        StartedProgram(name, command_line(server), str(model.id))
        for model in investigating_judges(config, traits)
        for name, server in programs(model).items()
    ]
    for trait_name, trait in traits.items():
        if (model := own_model(trait)) is not None:
            found += [
                StartedProgram(name, command_line(server), trait_name, from_trait=True)
                for name, server in programs(model).items()
            ]
    return list(dict.fromkeys(found))


def _of_answering(config: VerificationConfig) -> list[StartedProgram]:
    """Also what conditions bring; a program that a model has under all of them is named once."""
    all_ = dict.fromkeys(pair for model in asked_models(config).values() for pair in _commands(model))
    return [StartedProgram(*pair, who) for pair in all_ for who in asked_where(config, _starts(pair))]


def _starts(pair: tuple[str, str]) -> Callable[[ModelConfig], bool]:
    return lambda model: pair in _commands(model)


def _commands(model: ModelConfig) -> list[tuple[str, str]]:
    return [(name, command_line(server)) for name, server in programs(model).items()]


def investigating_judges(config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait]) -> Sequence[ModelConfig]:
    """Judges of the run that work as agents, with their own tools; none where they only read what agents write."""
    templates = config.agentic_parsing and config.evaluation_mode != "rubric_only"
    looks = templates or any(trait.model_override is None for trait in traits.values())
    return config.parsing_models if looks else ()


@dataclass(frozen=True)
class ForeignHost:
    """An address to which a trait's own model would send requests, with a key of the user."""

    host: str
    trait: str


def foreign_addresses(config: VerificationConfig, traits: Mapping[str, AgenticRubricTrait]) -> list[ForeignHost]:
    """Addresses that come with traits and are those of none of the run's own models; `traits` by name."""
    return [
        ForeignHost(host, name)
        for name, trait in traits.items()
        if (model := own_model(trait)) is not None
        for host in foreign_hosts(model, config)
    ]


def own_model(trait: AgenticRubricTrait) -> ModelConfig | None:
    """The model that a trait brings along; None: it is investigated by the run's judge, or its model is none."""
    try:
        return ModelConfig.model_validate(trait.model_override) if trait.model_override else None
    except ValidationError:
        return None


def investigations(traits: Collection[AgenticRubricTrait], config: VerificationConfig) -> int:
    """How often agents look into one answer for its traits."""
    if config.agentic_rubric_strategy == "individual" or not traits:
        return len(traits)
    return 1 if len({_who(trait) for trait in traits}) == 1 else len(traits)


def _who(trait: AgenticRubricTrait) -> tuple[Any, ...] | None:
    """What has to be the same for traits to share an investigation."""
    model = own_model(trait)
    return None if model is None else (model.interface, model.model_provider, model.model_name)


def runs_commands(config: VerificationConfig) -> Iterator[str]:
    """Names of the answering models that are given the tool run_command."""
    yield from asked_where(config, _may_run_commands)


def _may_run_commands(model: ModelConfig) -> bool:
    named = model.workspace_tools
    return "run_command" in (named or ()) or (named is None and is_agent_itself(model) and not model.claude_code_tools)


def chooses_own_tools(config: VerificationConfig) -> Iterator[str]:
    """Names of the answering models that work with tools of Claude Code's own where they can."""
    yield from asked_where(config, lambda model: bool(model.claude_code_tools) and is_agent_itself(model))


def is_agent_itself(model: ModelConfig) -> bool:
    """Whether it comes with an agent of its own (Claude Code), which has tools of its own."""
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.agent_tier == "deep_agent"
