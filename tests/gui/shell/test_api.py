"""Lists that the browser fetches."""

from __future__ import annotations

from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.runs import api as run_routes
from karenina_gui.gui.shell import api

HUGE = 10**20


async def test_a_number_larger_than_any_in_the_library_is_not_found(user: User, application: Application) -> None:
    services = application.services()
    api.register(services)
    run_routes.register(services)
    for address in (f"/api/runs/{HUGE}/results", f"/api/runs/{HUGE}/matrix", f"/api/runs?benchmark={HUGE}"):
        answer = await user.http_client.get(address)
        assert (answer.status_code, "its number is too large" in answer.json()["message"]) == (404, True), address


async def test_the_first_questions_come_alone_and_say_whether_there_are_more(
    user: User, application: Application
) -> None:
    api.register(application.services())
    address = "/api/benchmarks/1/questions"
    every = (await user.http_client.get(address)).json()
    assert len(every["rows"]) == len(application.library.questions.summaries(1)) > 3
    assert every["more"] is False
    some = (await user.http_client.get(address, params={"first": 3})).json()
    assert some == {"rows": every["rows"][:3], "more": True}
    exactly = (await user.http_client.get(address, params={"first": len(every["rows"])})).json()
    assert exactly == every
