"""Embedding models that run on this machine. To add one, write a class and add it to the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from karenina_gui.adapters.embedding.minilm import PACKAGES, MiniLM
from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import ConfigurationError

EMBEDDERS: dict[str, Callable[[], Embedder]] = {"all-MiniLM-L6-v2": MiniLM}


def embedder(name: str) -> Embedder:
    """Return the model of this name, loaded at first use.

    Raises `ConfigurationError`, which lists the available ones.
    """
    short = name.removeprefix("sentence-transformers/")
    if short not in EMBEDDERS:
        raise ConfigurationError(f"Unknown embedding model “{name}”. Choose one of: {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[short]()


def embeds_always(environment: Mapping[str, str]) -> bool:
    """True if the variable `EMBEDDING_CHECK` turns the embedding check on for every run."""
    return environment.get("EMBEDDING_CHECK", "").strip().lower() in ("1", "true", "yes", "on")


def missing_packages() -> list[str]:
    """Packages that the models need and that are not installed. Imports nothing."""
    return [name for name in PACKAGES if find_spec(name) is None]
