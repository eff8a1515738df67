"""Embedding models that run on this machine: a new one is one class and one row in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from karenina_gui.adapters.embedding.minilm import PACKAGES, MiniLM
from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import ConfigurationError

EMBEDDERS: dict[str, Callable[[], Embedder]] = {"all-MiniLM-L6-v2": MiniLM}


def embedder(name: str) -> Embedder:
    """The model of this name; loaded when first asked. Errors: `ConfigurationError` that names those there are."""
    short = name.removeprefix("sentence-transformers/")
    if short not in EMBEDDERS:
        raise ConfigurationError(f"There is no embedding model '{name}' here. Choose one of: {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[short]()


def embeds_always(environment: Mapping[str, str]) -> bool:
    """Whether the variable `EMBEDDING_CHECK` switches the embedding check on for every run."""
    return environment.get("EMBEDDING_CHECK", "").strip().lower() in ("1", "true", "yes", "on")


def missing_packages() -> list[str]:
    """Packages that the models need and that are not installed; none of them is loaded."""
    return [name for name in PACKAGES if find_spec(name) is None]
