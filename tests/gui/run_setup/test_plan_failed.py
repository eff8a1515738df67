"""The Run page where an internal error prevents a plan."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup import form
from karenina_gui.store.library import FILE_NAME


async def test_a_plan_that_an_internal_error_ends_is_not_announced_for_ever(
    user: User, application: Application, show: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(application.settings.data / FILE_NAME)) as library, library:
        library.execute("UPDATE question SET few_shot_examples = '{' WHERE benchmark_id = 1")
    show(form.draw, {"b": 1})
    await user.open("/")
    await user.should_see(form.PLAN_FAILED, retries=50)
    await user.should_not_see("Checking templates")
    button = next(each for each in user.find(ui.button).elements if each.text == "Start run")
    assert not button.enabled
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    caplog.clear()
