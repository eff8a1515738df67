"""Checks of runs with agents: problems that prevent a start, and doubts that need consent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.runs.agent_safety import (
    ConfinementSummary,
    ForeignHost,
    StartedProgram,
    chooses_own_tools,
    investigating_judges,
    is_agent_itself,
    own_model,
    runs_commands,
)
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, verb

CLAUDE_CODE = (
    "Claude Code then uses its own tools unsandboxed: they can read, change, and delete anything that you can."
)


def investigates(config: VerificationConfig) -> bool:
    """Check if a judging agent inspects the workspace before answers are parsed."""
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
    found = []
    if lacking_root:
        found.append(_root_problem(root, judging=investigates(config)))
    unable = [str(judge.id) for judge in config.parsing_models if not catalog.can_be_agent(judge)]
    if investigates(config) and unable:
        found.append(
            f"{join_list(unable)} can’t be used as an agent, so agentic judging isn’t possible. Select another judge."
        )
    return found


def _root_problem(root: Path | None, *, judging: bool) -> str:
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
            if (why := _agent_problem(own, catalog)) is not None:
                yield f"The trait “{name}” gets no score: its own model {own.model_name} {why}"
        elif trait.model_override:
            yield f"The trait “{name}” gets no score: its own model is invalid. Select another in the rubric."
    if any(trait.model_override is None for trait in selection.agentic_traits.values()):
        for judge in config.parsing_models:
            if not catalog.can_be_agent(judge):
                yield f"{judge.id} can’t be used as an agent, so it can’t score agent traits. Select another judge."


def _agent_problem(model: ModelConfig, catalog: ModelCatalog) -> str | None:
    if not catalog.can_be_agent(model):
        return "can’t be used as an agent."
    try:
        key = catalog.key(model)
    except InputError as error:
        return f"can’t be reached: {error}"
    return f"has no API key. Enter {key.variable} on the API keys page." if key is not None and not key.is_set else None


def _own_tools(config: VerificationConfig, confinement: ConfinementSummary) -> Iterator[str]:
    """Claude Code's own tools that no sandbox confines."""
    chosen = list(chooses_own_tools(config))
    if confinement.programs:
        return
    if config.allow_unconfined_commands:
        # Without confinement, a model without a selection of tools gets all of them.
        unchosen = (
            ()
            if confinement.confined
            else [
                str(model.id)
                for model in config.answering_models
                if is_agent_itself(model) and model.claude_code_tools is None
            ]
        )
        if named := list(dict.fromkeys([*chosen, *unchosen])):
            yield f"{join_list(named)}: {CLAUDE_CODE}"
    elif chosen:
        yield (
            f"{join_list(chosen)}: Claude Code’s own tools stay off, because this computer can’t sandbox them. Remove "
            "them on the Models page, or allow unsandboxed commands under Workspace limits."
        )


def _commands(config: VerificationConfig, selection: Selection, confinement: ConfinementSummary) -> Iterator[str]:
    if confinement.confined:
        return
    models = list(runs_commands(config))
    if config.allow_unconfined_commands:
        judges = [str(judge.id) for judge in investigating_judges(config, selection.agentic_traits)]
        traits = [f"the trait “{name}”" for name, trait in selection.agentic_traits.items() if trait.model_override]
        if named := list(dict.fromkeys([*models, *judges, *traits])):
            yield (
                f"{join_list(named)} may run unsandboxed commands: they can read, change, and delete anything that you "
                "can."
            )
    elif models:
        yield (
            f"All commands of {join_list(models)} will be blocked. {confinement.description} Remove the tool on the "
            "Models page, or allow unsandboxed commands under Workspace limits."
        )


def foreign_warnings(programs: Sequence[StartedProgram], hosts: Sequence[ForeignHost]) -> list[str]:
    """Warn about programs and hosts from traits of the benchmark."""
    # A benchmark from a file can contain models with commands and addresses: its author could run code here, or collect
    # API keys.
    started = [
        f"The trait “{each.of}” has its own model, which starts the program {each.command} on this computer with your "
        "permissions. Continue only if you trust the author of this benchmark."
        for each in programs
        if each.from_trait
    ]
    asked = [
        f"The trait “{each.trait}” has its own model at {each.host}: answers, workspaces, and your API key are sent "
        "there. Continue only if you trust the author of this benchmark."
        for each in hosts
    ]
    return [*started, *asked]


def unset_variables(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> list[str]:
    """Warn about agents whose tool servers need environment variables that are not set."""
    return [_unset_sentence(model, names) for model, names in _unset_by_model(config, selection, catalog).items()]


def unset_names(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> list[str]:
    """List these variables."""
    return list(dict.fromkeys(name for names in _unset_by_model(config, selection, catalog).values() for name in names))


def _unset_by_model(config: VerificationConfig, selection: Selection, catalog: ModelCatalog) -> dict[str, list[str]]:
    """Unset variables by model name, for the model under any condition."""
    asked = [(config.answering_models[place], model) for (place, _), model in effective_models(config).items()]
    asked += [(judge, judge) for judge in investigating_judges(config, selection.agentic_traits)]
    found: dict[str, dict[str, None]] = {}
    for named, model in asked:
        if (unset := catalog.unset_variables(model)) and catalog.can_be_agent(model):
            found.setdefault(str(named.id), {}).update(dict.fromkeys(unset))
    return {name: list(variables) for name, variables in found.items()}


def _unset_sentence(model: str, variables: Sequence[str]) -> str:
    return (
        f"{model}: its MCP servers need {join_list(variables)}. Enter {verb(len(variables), 'it', 'them')} on the API "
        f"keys page, or set {verb(len(variables), 'the environment variable', 'the environment variables')}."
    )
