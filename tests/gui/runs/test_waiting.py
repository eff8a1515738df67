"""The page of a run says what the run waits for, and lets it be tried, paused and continued."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.runs import view as run_view
from karenina_gui.gui.pages.runs.api import run_row
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.runs.conftest import benchmark
from tests.saved_models import start_run
from tests.twin import Asked, Reply, Twin
from tests.until import until


def started(application: Application, twin: Twin, count: int) -> int:
    model = ModelConfig(id="ada", model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    config = VerificationConfig(answering_models=[model], async_max_workers=4)
    run = start_run(application, RunOrder(application.library.benchmarks.create(benchmark(count)), config))

    services = application.services()
    services.connect()

    @ui.page("/")
    def page() -> None:
        run_view.draw(Window(services), PageRoute({"r": run}, {}))

    return run


def status(application: Application, run: int) -> object:
    """As the list of runs has it."""
    row = run_row(application.library.runs.summary(run), application.runs.progress(run))
    return row["status_title"]


async def test_the_model_that_is_waited_for_is_named_and_tried_at_once(user: User, application: Application) -> None:
    reply = Reply(status=503, message="Maintenance", headers={"retry-after": "300"})
    with Twin(lambda asked: reply) as twin:
        run = started(application, twin, 5)
        await until(lambda: application.runs.progress(run).outages)
        await user.open("/")
        await user.should_see("Waiting for ada")
        await user.should_see("Maintenance")
        await user.should_see("Next retry in about 5 min.")
        await user.should_not_see("Wrong base URL?")
        assert status(application, run) == "Waiting for ada"
        application.runs.under_way.pause(run)
        await user.should_see("No retries until you continue.")
        await user.should_not_see("continue automatically")
        await user.should_not_see("Retry now")
        assert status(application, run) == "Paused"
        application.runs.under_way.resume(run)
        await user.should_see("Next retry in about 5 min.")
        reply = Reply(text="42")
        user.find("Retry now").click()
        await user.should_not_see("Waiting for ada")
        assert application.runs.wait(run, 20)
    assert application.library.runs.summary(run).outcomes == {"passed": 5}


async def test_a_refused_key_leads_to_the_page_of_keys(user: User, application: Application) -> None:
    with Twin(lambda asked: Reply(status=401, message="Invalid key")) as twin:
        run = started(application, twin, 5)
        await until(lambda: application.runs.progress(run).outages)
        await user.open("/")
        await user.should_see("Enter another key on the")
        application.runs.cancel(run)
        await user.should_not_see("Waiting for ada")
        assert application.runs.wait(run, 20)


async def test_a_run_is_paused_and_continued(user: User, application: Application) -> None:
    def slow(_asked: Asked) -> Reply:
        return replace(Reply(text="42"), delay=0.1)

    with Twin(slow) as twin:
        run = started(application, twin, 60)
        await user.open("/")
        user.find("Pause").click()
        await user.should_see("Paused. No calls")
        assert application.runs.progress(run).held
        user.find("Continue").click()
        await user.should_not_see("Paused. No calls")
        assert not application.runs.progress(run).held
        application.runs.cancel(run)
        assert application.runs.wait(run, 20)


async def test_the_time_of_a_run_goes_on_while_it_waits(user: User, application: Application) -> None:
    with Twin(lambda asked: Reply(status=503, message="Away", headers={"retry-after": "300"})) as twin:
        run = started(application, twin, 5)
        await until(lambda: application.runs.progress(run).outages)
        await user.open("/")
        await user.should_see("Waiting for ada")
        seconds = int(application.runs.progress(run).seconds)
        await user.should_see(f"{seconds + 2} s elapsed")
        application.runs.cancel(run)
        assert application.runs.wait(run, 20)


async def test_where_nothing_answers_the_address_may_be_wrong(user: User, application: Application) -> None:
    with Twin(lambda asked: Reply(text="42")) as twin:
        twin.leave()
        run = started(application, twin, 5)
        await user.open("/")
        await user.should_see("Wrong base URL?")
        application.runs.cancel(run)
        assert application.runs.wait(run, 20)
        twin.come_back()
