"""Fixtures of tests that look for problems."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.store.library import Library


@pytest.fixture
def catalog(library: Library) -> Iterator[ModelCatalog]:
    with AdapterFactory() as adapters:
        yield ModelCatalog(library.models, adapters)
