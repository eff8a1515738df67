"""The page of a run on a cluster shows its workers, and says when it waits for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.errors import InputError
from karenina_gui.gui.pages.runs import view as run_view
from karenina_gui.gui.pages.runs.run_text import where
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.cluster.conftest import Cluster, answer_and_judge, document, model
from tests.saved_models import start_run
from tests.twin import Twin
from tests.until import until


async def test_workers_are_shown_with_what_they_do_and_waited_for(user: User, application: Application) -> None:
    cluster = Cluster()
    try:
        cluster.start_scheduler()
        cluster.start_worker("ada")
        cluster.wait(1)
        with Twin(lambda asked: replace(answer_and_judge(asked), delay=0.3)) as twin:
            config = VerificationConfig(
                answering_models=[model(twin, "m")],
                parsing_models=[model(twin, "judge")],
                async_max_workers=3,
                cluster=cluster.address.address,
            )
            run = start_run(application, RunOrder(application.library.benchmarks.create(document(14)), config))
            services = application.services()
            services.connect()

            @ui.page("/")
            def page() -> None:
                run_view.draw(Window(services), PageRoute({"r": run}, {}))

            await user.open("/")
            await user.should_see("ada", retries=100)
            await user.should_see("3 jobs", retries=100)
            await user.should_see(f"{where('GenerateAnswer', None)}: Target", retries=100)
            cluster.kill_worker("ada")
            await until(lambda: application.runs.progress(run).outages)
            await user.should_see("has no workers", retries=100)
            await user.should_not_see("Wrong base URL?")
            cluster.start_worker("eve")
            assert await _ended(application, run)
            await user.should_not_see("eve", retries=100)
        assert application.library.runs.summary(run).outcomes == {"passed": 14}
        assert not application.runs.progress(run).workers
    finally:
        cluster.close()


async def _ended(application: Application, run: int) -> bool:
    await until(lambda: application.runs.wait(run, 0))
    return True


@pytest.mark.parametrize(
    ("address", "record", "message"),
    [
        ("tcp://10.0.0.1:8786", False, "not be encrypted"),
        ("somewhere", False, "not the address of a scheduler"),
        ("tcp://127.0.0.1:8786", True, "can’t be recorded"),
    ],
)
def test_a_run_that_its_cluster_cannot_take_does_not_start(
    application: Application, address: str, record: bool, message: str
) -> None:
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], cluster=address)
        order = RunOrder(application.library.benchmarks.create(document(1)), config)
        if record:
            order = replace(order, record=application.settings.data / "recording.json")
        with pytest.raises(InputError, match=message):
            application.runs.start(order)
    assert application.library.runs.all(order.benchmark_id) == []
