"""The Run page on an application as after the first start, with the models that a file of tests calls `MODELS`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karenina_gui.app import Application, build
from karenina_gui.gui.runs.planner import Planner
from karenina_gui.settings import Settings


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Application]:
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    for name, model in getattr(request.module, "MODELS", {}).items():
        application.runs.models.kept.save(name, model)
    yield application
    application.close()


@pytest.fixture
def planner(application: Application) -> Planner:
    return Planner(application.desk, application.runs, 1)
