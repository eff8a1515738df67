"""A run that asks no template: its tables say what there is instead of a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui import example
from karenina_gui.app import Application
from karenina_gui.gui.pages.results import page as result_page
from karenina_gui.gui.pages.runs import results_view, view as run_view
from karenina_gui.gui.pages.runs.api import scores_in_words
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.result_summaries import ResultSummary
from tests.gui.conftest import Start
from tests.saved_models import start_run

RUN = 1


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    """The example without its templates: one model, one judge, one replicate."""
    with started() as application:
        whole = example.run_configuration()
        config = whole.model_copy(
            update={
                "answering_models": whole.answering_models[1:],
                "parsing_models": whole.parsing_models[:1],
                "conditions": [],
                "evaluation_mode": "rubric_only",
            }
        )
        assert application.runs.wait(start_run(application, RunOrder(1, config, name="Traits alone")), 120)
        yield application


async def test_each_row_says_its_scores_and_a_refusal_stays_one(user: User, show: Callable[..., None]) -> None:
    show(run_view.draw, {"r": RUN})
    rows = (await user.http_client.get(f"/api/runs/{RUN}/results")).json()["rows"]
    assert {row["outcome"] for row in rows} == {"unscored", "abstained"}
    for row in rows:
        if row["outcome"] == "unscored":
            assert (row["verdict"], row["look"]) == ("Scored", "scored")
            assert len(row["why"].split(" · ")) == len(row["traits"]) > 0
        else:
            assert (row["verdict"], row["look"]) == ("Refused", "abstained")
            assert "(1 to 5)" not in row["why"]
    graded = [row for row in rows if "clarity" in row["traits"] and row["outcome"] == "unscored"]
    assert graded and all(f"clarity {row['traits']['clarity']} (1 to 5)" in row["why"] for row in graded)
    word = {True: "yes", False: "no"}
    assert all(
        f"starts with the answer {word[row['traits']['starts with the answer']]}" in row["why"] for row in graded
    )


async def test_questions_by_model_say_that_there_are_scores_where_the_shown_one_is_lacking(
    user: User, show: Callable[..., None]
) -> None:
    show(run_view.draw, {"r": RUN})
    found = (await user.http_client.get(f"/api/runs/{RUN}/matrix")).json()
    assert found["about"].startswith("Mean of clarity")
    cells = [cell for row in found["rows"] for cell in row["cells"]]
    others = [cell for cell in cells if cell["score"] is None]
    assert others and {cell["outcome"] for cell in others} == {"scored"}
    assert {cell["judged"] for cell in others} == {0}  # a refusal beside them is no verdict of theirs


async def test_the_filter_and_the_page_of_a_result_call_it_scored_too(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(results_view.draw, {"r": RUN})
    await user.open("/")
    await user.should_see("Scored", kind=ui.button)
    await user.should_not_see("No verdict")
    first = application.library.results.page(RUN, limit=1).rows[0]
    show(result_page.draw, {"r": RUN, "id": first.id})
    await user.open("/")
    await user.should_see("Scored:")


def test_what_lacks_a_verdict_that_it_should_have_is_not_called_scored() -> None:
    row = ResultSummary(
        id=1, run_id=1, position=0, question_id="q", question_text="Q?", keywords=(), answering="a", judge=None,
        replicate=None, outcome="unscored", passed=None, category=None, stage=None, error=None, seconds=1.0,
        tokens=None, recording_label=None, traits={"clarity": 3},
    )  # fmt: skip
    assert row.only_scored
    assert not replace(row, error="The judge gave no reply.").only_scored
    assert not replace(row, traits={}).only_scored
    assert not replace(row, outcome="abstained").only_scored


def test_a_score_is_told_as_people_read_it() -> None:
    scales = {
        "tone": TraitScale(kind="literal", higher_is_better=None, classes=["curt", "warm"]),
        "clarity": TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5),
        "cites": TraitScale(kind="boolean", higher_is_better=True),
        "form": TraitScale(
            kind="template", higher_is_better=None,
            fields={"depth": TraitScale(kind="score", higher_is_better=True, min_score=0, max_score=3)},
        ),
        "drugs": TraitScale(kind="metric", higher_is_better=True),
    }  # fmt: skip
    scores = {"tone": 1, "clarity": 4, "cites": False, "form.depth": 2, "form.told": True, "drugs.f1": 2 / 3, "own": 7}
    assert scores_in_words(scores, scales) == (
        "tone warm · clarity 4 (1 to 5) · cites no · form.depth 2 (0 to 3) · form.told yes · drugs.f1 0.67 · own 7"
    )
    assert scores_in_words({"tone": -1}, scales) == "tone none of its classes"
    assert scores_in_words({}, scales) == ""
