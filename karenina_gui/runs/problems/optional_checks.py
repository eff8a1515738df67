"""Optional checks of a run that lack a key or a package, and will be skipped."""

from __future__ import annotations

from karenina_gui.runs.aids import EMBEDDING_COMMAND, embedding_installed, search_key
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.verification_config import VerificationConfig


def skipped_checks(config: VerificationConfig, catalog: ModelCatalog, *, traits_search: bool) -> list[str]:
    """List checks that will be skipped for missing requirements; `traits_search`: see `Selection`."""
    problems = [
        f"The hallucination check needs an API key for web search. Enter {variable} on the API keys page."
        for variable in lacking_search_keys(config, catalog, traits_search=traits_search)
    ]
    if config.evaluation_mode != "rubric_only" and config.embedding_check_enabled and not embedding_installed():
        problems.append(
            f"The embedding check will be skipped: its model isn’t installed. Install it with: {EMBEDDING_COMMAND}"
        )
    return problems


def lacking_search_keys(config: VerificationConfig, catalog: ModelCatalog, *, traits_search: bool) -> list[str]:
    """List the environment variables of missing keys for search tools."""
    tools = [config.deep_judgment_rubric_search_tool] if traits_search else []
    if config.evaluation_mode != "rubric_only" and config.deep_judgment_mode == "full":
        tools += [config.deep_judgment_search_tool] if config.deep_judgment_search_enabled else []
    keys = [search_key(tool, catalog.keys) for tool in tools]
    return list(dict.fromkeys(key.variable for key in keys if key is not None and not key.is_set))
