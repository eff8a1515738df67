"""Optional tools of a run: search tools and embedding models, and their availability."""

from __future__ import annotations

from karenina_gui.adapters.embedding import EMBEDDERS, embeds_always as embeds_always, missing_packages
from karenina_gui.adapters.keys import KeyRing
from karenina_gui.adapters.web_search import SEARCH_TOOLS
from karenina_gui.runs.models import KeyState

SEARCHES = tuple(SEARCH_TOOLS)
"""Values of `deep_judgment_search_tool`."""
EMBEDDINGS = tuple(EMBEDDERS)
"""Values of `embedding_check_model`."""
EMBEDDING_COMMAND = "pip install 'karenina-gui[embedding]'"


def search_key(tool: str, keys: KeyRing) -> KeyState | None:
    """Key of a search tool; None: it needs none, or the tool does not exist."""
    variable = getattr(SEARCH_TOOLS.get(tool), "key_variable", None)
    return KeyState(variable, keys.origin(variable)) if variable else None


def embedding_installed() -> bool:
    """True if embeddings can be computed on this computer."""
    # Checks only that the packages exist: importing them takes seconds.
    return not missing_packages()
