"""Embedding models that run on this machine: a new one is one class and one row in the table."""

from __future__ import annotations

from collections.abc import Callable

from karenina_gui.adapters.embedding.minilm import MiniLM
from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import ConfigurationError

EMBEDDERS: dict[str, Callable[[], Embedder]] = {"all-MiniLM-L6-v2": MiniLM}


def embedder(name: str) -> Embedder:
    """The model of this name; loaded when first asked. Errors: `ConfigurationError` that names those there are."""
    short = name.removeprefix("sentence-transformers/")
    if short not in EMBEDDERS:
        raise ConfigurationError(f"There is no embedding model '{name}' here. Choose one of: {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[short]()
