"""Jobs in a real sandbox: with recorded answers, over the providers' twin, or with agents that follow a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.sandbox import Sandbox
from tests.pipeline.agentic_job import Stagehand, stagehand
from tests.pipeline.conftest import check as check, judged as judged, tools as tools


@pytest.fixture
def hand(sandbox: Sandbox, tmp_path: Path) -> Iterator[Stagehand]:
    with stagehand(sandbox, tmp_path / "workspace") as hand:
        yield hand
