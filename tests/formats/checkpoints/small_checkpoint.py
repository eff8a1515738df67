"""Checkpoints of a few lines, made for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint


def element(text: str = "Why?", **item: Any) -> dict[str, Any]:
    return {"@type": "DataFeedItem", "@id": text, "item": {"@type": "Question", "text": text, **item}}


def checkpoint(folder: Path, *elements: Any, **root: Any) -> Path:
    path = folder / "bench.jsonld"
    path.write_text(json.dumps({"@type": "DataFeed", "name": "b", **root, "dataFeedElement": list(elements)}))
    return path


def rating(name: str, additional_type: str, best: float = 1, worst: float = 0, **properties: Any) -> dict[str, Any]:
    listed = [{"@type": "PropertyValue", "name": k, "value": v} for k, v in properties.items()]
    return {
        "@type": "Rating", "name": name, "bestRating": best, "worstRating": worst,
        "additionalType": additional_type, "additionalProperty": listed,
    }  # fmt: skip


def resaved(path: Path) -> Any:
    return json.loads(save_checkpoint(load_checkpoint(path), path.with_name("again.jsonld")).read_text())
