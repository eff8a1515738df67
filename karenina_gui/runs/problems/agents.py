"""Problems of runs with agents: workspaces, tools and commands, and models of traits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, plural, quantity, verb

UNSANDBOXED_CLAUDE_CODE = (
    "Claude Code then uses its own tools unsandboxed: they can read, change, and delete anything that you can."
)


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


def obstacles(config: VerificationConfig, root: Path | None, catalog: ModelCatalog, *, lacking_root: bool) -> list[str]:
    """List the reasons why the run cannot start."""
    problems = [_root_obstacle(root, judging=investigates(config))] if lacking_root else []
    unable = [str(judge.id) for judge in config.parsing_models if not catalog.can_be_agent(judge)]
    if investigates(config) and unable:
        problems.append(
            f"{join_list(unable)} can’t be used as an agent, so agentic judging isn’t possible. Select another judge."
        )
    return problems


def _root_obstacle(root: Path | None, *, judging: bool) -> str:
    if root is not None:
        return f"The workspace root {root} doesn’t exist. Restore the folder, or set another root in Benchmark details."
    if judging:
        return "Agentic judging needs a workspace root. Set it in Benchmark details."
    return "Agents need a workspace root. Set it in Benchmark details."


def doubts(
    config: VerificationConfig,
    selection: Selection,
    catalog: ModelCatalog,
    confinement: ConfinementSummary,
) -> list[str]:
    """List problems of the run that the user must accept before it starts."""
    return [
        *_unscored_traits(config, selection, catalog),
        *_commands(config, selection, confinement),
        *_own_tools(config, confinement),
    ]


def _unscored_traits(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> Iterator[str]:
    """Agent traits whose model is no agent or is unreachable."""
    for name, trait in selection.agentic_traits.items():
        if (own := own_model(trait)) is not None:
            yield from _problems_of_own(name, own, catalog)
        elif problem := own_model_problem(trait):
            yield (
                f"The trait “{name}” gets no score: its own model has an invalid setting ({problem}). Select another "
                "model in the rubric."
            )
    if any(trait.model_override is None for trait in selection.agentic_traits.values()):
        for judge in config.parsing_models:
            if not catalog.can_be_agent(judge):
                yield f"{judge.id} can’t be used as an agent, so it can’t score agent traits. Select another judge."


def _problems_of_own(trait: str, model: ModelConfig, catalog: ModelCatalog) -> Iterator[str]:
    """Reason why the model that a trait brings along cannot investigate."""
    unscored = f"The trait “{trait}” gets no score: its own model {model.model_name}"
    if not catalog.can_be_agent(model):
        yield f"{unscored} can’t be used as an agent."
        return
    try:
        key = catalog.key(model)
    except InputError as error:
        yield f"{unscored} can’t be reached: {error}"
        return
    if key is not None and not key.is_set:
        yield f"{unscored} has no API key. Enter {key.variable} on the API keys page."


def _own_tools(config: VerificationConfig, confinement: ConfinementSummary) -> Iterator[str]:
    """Claude Code's own tools that no sandbox confines."""
    chosen = list(chooses_own_tools(config))
    if confinement.programs:
        return
    if config.allow_unconfined_commands:
        # Without confinement, a model without a selection of tools gets all of them.
        unchosen = [] if confinement.confined else _with_all_tools(config)
        if named := list(dict.fromkeys([*chosen, *unchosen])):
            yield f"{join_list(named)}: {UNSANDBOXED_CLAUDE_CODE}"
    elif chosen:
        yield (
            f"{join_list(chosen)}: Claude Code’s own tools stay off, because this computer can’t sandbox them. Remove "
            "them on the Models page, or allow unsandboxed commands under Workspace limits."
        )


def _with_all_tools(config: VerificationConfig) -> list[str]:
    """Answering models with all own tools of Claude Code, because none were chosen."""
    return [
        str(model.id) for model in config.answering_models if is_agent_itself(model) and model.claude_code_tools is None
    ]


def _commands(config: VerificationConfig, selection: Selection, confinement: ConfinementSummary) -> Iterator[str]:
    if confinement.confined:
        return
    models = list(runs_commands(config))
    if config.allow_unconfined_commands:
        judges = [str(judge.id) for judge in investigating_judges(config, selection.agentic_traits)]
        traits = [f"the trait “{name}”" for name, trait in selection.agentic_traits.items() if trait.model_override]
        if agents := [*dict.fromkeys([*models, *judges]), *traits]:
            yield (
                f"{join_list(agents)} may run unsandboxed commands: they can read, change, and delete anything that "
                "you can."
            )
    elif models:
        yield (
            f"All commands of {join_list(models)} will be blocked. {confinement.description} Remove the tool on the "
            "Models page, or allow unsandboxed commands under Workspace limits."
        )


def consent_doubts(accesses: Sequence[UnagreedAccess]) -> list[str]:
    """List what the user has not agreed to yet, for starting the run is to agree."""
    return [
        f"{reach.user} would {reach.access}. Continue only if you trust where it came from; you are asked once."
        for reach in accesses
    ]


def folder_doubts(count: int) -> list[str]:
    """Say how many questions have no workspace folder."""
    return [f"Jobs of {quantity(count, 'question')} will end in errors: workspace folder missing."] if count else []


def variable_doubts(variables_by_agent: Mapping[str, Sequence[str]]) -> list[str]:
    """List agents without their variables; the argument: see `unset_variables`."""
    return [
        f"{agent}: its MCP servers need {join_list(variables)}. Enter {verb(len(variables), 'it', 'them')} on the API "
        f"keys page, or set the environment {plural(len(variables), 'variable')}."
        for agent, variables in variables_by_agent.items()
    ]


def unset_variables(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> dict[str, list[str]]:
    """Return the environment variables that tool servers need and that are not set, under any condition, by agent."""
    agents = [(config.answering_models[index], model) for (index, _), model in effective_models(config).items()]
    agents += [(judge, judge) for judge in investigating_judges(config, selection.agentic_traits)]
    unset_by_agent: dict[str, list[str]] = {}
    for named, model in agents:
        if (unset := catalog.unset_variables(model)) and catalog.can_be_agent(model):
            variables = unset_by_agent.setdefault(str(named.id), [])
            variables += [variable for variable in unset if variable not in variables]
    return unset_by_agent
