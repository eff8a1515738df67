"""Jobs under way as rows above the results."""

from __future__ import annotations

from karenina_gui.gui.pages.runs.results_view import LISTED, under_way_rows
from karenina_gui.gui.pages.runs.run_text import where
from karenina_gui.runs.active_jobs import ActiveJob
from karenina_gui.schemas.job import Job


def job(number: int) -> ActiveJob:
    return ActiveJob(Job(f"q{number}", f"q{number}", "ada", "jim", 2), "GenerateAnswer", 4, 12.5)


def test_a_job_is_shown_with_its_stage_and_turn() -> None:
    (row,) = under_way_rows([job(1)], {"q1": "What is a cell?"})
    assert (row["question_text"], row["verdict"]) == ("What is a cell?", "Running")
    assert row["why"] == "Generate answer: turn 4"
    assert (row["answering"], row["judge"], row["replicate"], row["seconds"]) == ("ada", "jim", 2, 12.5)
    assert where("ParseTemplate", None) == "Field extraction"


def test_of_many_jobs_a_few_are_shown_and_the_others_counted() -> None:
    rows = under_way_rows([job(number) for number in range(64)], {})
    assert len(rows) == LISTED + 1
    assert rows[-1]["question_text"] == "and 59 more jobs in progress"
    assert len({row["id"] for row in rows}) == len(rows)
    assert under_way_rows([], {}) == []
