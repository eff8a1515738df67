"""Seeds of sampling: sent where a provider takes one, left out for good where a server refuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from karenina_gui.adapters.registry import AdapterRegistry
from tests.adapters.conftest import CALLS, parsing, question
from tests.twin import Reply


def says_42(asked):
    return Reply(text="It is 42.")


def test_a_seed_reaches_a_provider_that_takes_one_and_no_other(play, adapters, model_at):
    twin = play(says_42)
    model = model_at(twin)
    llm = adapters.llm(model, CALLS)
    llm.invoke(replace(question(), seed=3))
    llm.invoke(question())
    takes = AdapterRegistry.require(model.interface).takes_seed(model)
    assert takes is (model.interface == "openai_endpoint")
    assert [asked.body.get("seed") for asked in twin.requests] == [3 if takes else None, None]


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
def test_a_seed_of_the_model_itself_goes_before(play, adapters, model_at):
    twin = play(says_42)
    adapters.llm(model_at(twin, extra_kwargs={"seed": 7}), CALLS).invoke(replace(question(), seed=3))
    assert twin.requests[0].body["seed"] == 7


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
def test_a_server_that_refuses_seeds_is_asked_without_from_then_on(play, adapters, model_at):
    def script(asked):
        if "seed" in asked.body:
            return Reply(status=400, message="Unrecognized request argument supplied: seed")
        return Reply(text="It is 42.")

    twin = play(script)
    llm = adapters.llm(model_at(twin), CALLS)
    for number in (1, 2):
        assert llm.invoke(replace(parsing(), seed=number)).content == "It is 42."
    assert [asked.body.get("seed") for asked in twin.requests] == [1, None, None]
