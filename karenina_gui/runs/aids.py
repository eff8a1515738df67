"""What a run may use beside its models: search tools and embedding models, and whether they are at hand."""

from __future__ import annotations

from karenina_gui.adapters.embedding import EMBEDDERS, embeds_always as embeds_always, missing_packages
from karenina_gui.adapters.keys import KeyRing
from karenina_gui.adapters.searching import SEARCH_TOOLS
from karenina_gui.runs.models import KeyState

SEARCHES = tuple(SEARCH_TOOLS)
"""Names of search tools, for `deep_judgment_search_tool`."""
EMBEDDINGS = tuple(EMBEDDERS)
"""Names of embedding models, for `embedding_check_model`."""
EMBEDDING_COMMAND = "pip install 'karenina-gui[embedding]'"


def search_key(tool: str, keys: KeyRing) -> KeyState | None:
    """The variable of a search tool's key; None: it needs none, or there is no such tool."""
    variable = getattr(SEARCH_TOOLS.get(tool), "key_variable", None)
    return KeyState(variable, keys.origin(variable)) if variable else None


def embedding_installed() -> bool:
    """Whether meanings can be compared on this computer; nothing is loaded to find out."""
    return not missing_packages()
