"""Sample models, which replay the shipped examples."""

from __future__ import annotations

from collections.abc import Iterable

from karenina_gui import example
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.saved_model import SavedModel
from karenina_gui.store.library import Library


def unused_samples(services: AppContext, models: Iterable[SavedModel]) -> set[str]:
    """Names of the sample models whose example is not in the library."""
    samples = {model.name: str(model.config.recording) for model in models if example.is_sample(model.config)}
    if not samples:
        return set()
    there = services.read_shared(_sources, services.library)
    return {name for name, recording in samples.items() if example.benchmark_source(recording) not in there}


def _sources(library: Library) -> set[str]:
    """Ids of the files from which benchmarks were imported."""
    return {str(library.benchmarks.frame(number).source.get("@id")) for number in library.benchmarks.numbers()}
