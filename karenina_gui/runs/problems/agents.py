"""Problems of runs with agents: workspaces, tools and commands, and models of traits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.runs.agent_safety import (
    ConfinementSummary,
    UnagreedAccess,
    chooses_own_tools,
    investigating_judges,
    is_agent_itself,
    own_model,
    own_model_problem,
    runs_commands,
)
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.cases import (
    AgenticJudgingUnavailable,
    AgentTraitsUnavailable,
    BlockedCommands,
    BlockedOwnTools,
    Doubt,
    InvalidTraitModel,
    MissingRoot,
    NoRootForAgents,
    NoRootForJudging,
    Obstacle,
    TraitModelWithoutAgent,
    TraitModelWithoutKey,
    UnagreedReach,
    UnreachableTraitModel,
    UnsandboxedCommands,
    UnsandboxedOwnTools,
    UnsetVariables,
)
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def investigates(config: VerificationConfig) -> bool:
    """Check if a judging agent investigates before answers are parsed."""
    return config.agentic_parsing and config.evaluation_mode != "rubric_only"


def in_workspaces(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> bool:
    """Check if any agent has access to a workspace."""
    sees = any(trait.context_mode != "trace_only" for trait in selection.agentic_traits.values())
    return investigates(config) or sees or any(map(catalog.works_in_workspace, effective_models(config).values()))


def lacks_root(config: VerificationConfig, root: Path | None, *, worked_in: bool, named: bool) -> bool:
    """Check if every job that needs a workspace would fail because the workspace root is missing.

    `worked_in`: an agent has access to workspaces. `named`: a selected question has a workspace; otherwise answering
    agents start in empty folders.
    """
    if root is None:
        return investigates(config) or (worked_in and named)
    return worked_in and not root.is_dir()


def obstacles(
    config: VerificationConfig, root: Path | None, catalog: ModelCatalog, *, lacking_root: bool
) -> list[Obstacle]:
    """List the reasons why the run cannot start."""
    found = [_root_obstacle(root, judging=investigates(config))] if lacking_root else []
    unable = [str(judge.id) for judge in config.parsing_models if not catalog.can_be_agent(judge)]
    if investigates(config) and unable:
        found.append(AgenticJudgingUnavailable(tuple(unable)))
    return found


def _root_obstacle(root: Path | None, *, judging: bool) -> Obstacle:
    if root is not None:
        return MissingRoot(root)
    return NoRootForJudging() if judging else NoRootForAgents()


def doubts(
    config: VerificationConfig,
    selection: Selection,
    catalog: ModelCatalog,
    confinement: ConfinementSummary,
) -> list[Doubt]:
    """List problems of the run that the user must accept before it starts."""
    return [
        *_unscored_traits(config, selection, catalog),
        *_commands(config, selection, confinement),
        *_own_tools(config, confinement),
    ]


def _unscored_traits(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> Iterator[Doubt]:
    """Agent traits whose model is no agent or is unreachable."""
    for name, trait in selection.agentic_traits.items():
        if (own := own_model(trait)) is not None:
            yield from _problems_of_own(name, own, catalog)
        elif problem := own_model_problem(trait):
            yield InvalidTraitModel(name, problem)
    if any(trait.model_override is None for trait in selection.agentic_traits.values()):
        for judge in config.parsing_models:
            if not catalog.can_be_agent(judge):
                yield AgentTraitsUnavailable(str(judge.id))


def _problems_of_own(trait: str, model: ModelConfig, catalog: ModelCatalog) -> Iterator[Doubt]:
    """Reason why the model that a trait brings along cannot investigate."""
    if not catalog.can_be_agent(model):
        yield TraitModelWithoutAgent(trait, str(model.model_name))
        return
    try:
        key = catalog.key(model)
    except InputError as error:
        yield UnreachableTraitModel(trait, str(model.model_name), str(error))
        return
    if key is not None and not key.is_set:
        yield TraitModelWithoutKey(trait, str(model.model_name), key.variable)


def _own_tools(config: VerificationConfig, confinement: ConfinementSummary) -> Iterator[Doubt]:
    """Claude Code's own tools that no sandbox confines."""
    chosen = list(chooses_own_tools(config))
    if confinement.programs:
        return
    if config.allow_unconfined_commands:
        # Without confinement, a model without a selection of tools gets all of them.
        unchosen = [] if confinement.confined else _with_all_tools(config)
        if named := tuple(dict.fromkeys([*chosen, *unchosen])):
            yield UnsandboxedOwnTools(named)
    elif chosen:
        yield BlockedOwnTools(tuple(chosen))


def _with_all_tools(config: VerificationConfig) -> list[str]:
    """Answering models with all own tools of Claude Code, because none were chosen."""
    return [
        str(model.id) for model in config.answering_models if is_agent_itself(model) and model.claude_code_tools is None
    ]


def _commands(config: VerificationConfig, selection: Selection, confinement: ConfinementSummary) -> Iterator[Doubt]:
    if confinement.confined:
        return
    models = list(runs_commands(config))
    if config.allow_unconfined_commands:
        judges = [str(judge.id) for judge in investigating_judges(config, selection.agentic_traits)]
        agents = tuple(dict.fromkeys([*models, *judges]))
        traits = tuple(name for name, trait in selection.agentic_traits.items() if trait.model_override)
        if agents or traits:
            yield UnsandboxedCommands(agents, traits)
    elif models:
        yield BlockedCommands(tuple(models), confinement.description)


def consent_doubts(accesses: Sequence[UnagreedAccess]) -> list[Doubt]:
    """List what the user has not agreed to yet, for starting the run is to agree."""
    return [UnagreedReach(reach.user, str(reach.access)) for reach in accesses]


def unset_variables(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> list[UnsetVariables]:
    """List agents whose tool servers need environment variables that are not set, under any condition."""
    asked = [(config.answering_models[place], model) for (place, _), model in effective_models(config).items()]
    asked += [(judge, judge) for judge in investigating_judges(config, selection.agentic_traits)]
    found: dict[str, dict[str, None]] = {}
    for named, model in asked:
        if (unset := catalog.unset_variables(model)) and catalog.can_be_agent(model):
            found.setdefault(str(named.id), {}).update(dict.fromkeys(unset))
    return [UnsetVariables(name, tuple(variables)) for name, variables in found.items()]
