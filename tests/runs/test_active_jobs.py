"""Active jobs: progress, and estimate of the time left."""

from __future__ import annotations

import pytest

from karenina_gui.runs.active_jobs import ActiveJobs
from karenina_gui.schemas.job import Job


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(clock: Clock) -> ActiveJobs:
    return ActiveJobs(lambda: None, clock)


def job(number: int, model: str = "ada") -> Job:
    return Job(f"q{number}\t{model}", f"q{number}", model)


def played(jobs: ActiveJobs, clock: Clock, which: Job, seconds: float, turns: int = 0) -> None:
    jobs.step(which, "GenerateAnswer", None)
    for turn in range(1, turns + 1):
        jobs.step(which, "GenerateAnswer", turn)
    clock.now += seconds
    jobs.note_end(which)


def test_each_job_is_told_with_its_stage_and_turn(jobs: ActiveJobs, clock: Clock) -> None:
    jobs.step(job(1), "GenerateAnswer", None)
    clock.now = 2.0
    jobs.step(job(1), "GenerateAnswer", 3)
    jobs.step(job(2), "ParseTemplate", None)
    clock.now = 5.0
    first, second = jobs.now()
    assert (first.job, first.stage, first.turn, first.seconds) == (job(1), "GenerateAnswer", 3, 5.0)
    assert (second.stage, second.turn, second.seconds) == ("ParseTemplate", None, 3.0)
    jobs.note_end(job(1))
    assert [each.job for each in jobs.now()] == [job(2)]


def test_time_left_is_that_of_earlier_jobs_and_unknown_beyond_it(jobs: ActiveJobs, clock: Clock) -> None:
    assert jobs.seconds_left() == 0
    for number, seconds in ((1, 4.0), (2, 8.0)):
        played(jobs, clock, job(number), seconds)
    jobs.step(job(3), "GenerateAnswer", None)
    assert jobs.seconds_left() == 6.0
    clock.now += 5
    assert jobs.seconds_left() == 1.0
    clock.now += 2  # between the mean and the longest
    assert jobs.seconds_left() == 0.0
    clock.now += 2
    assert jobs.seconds_left() is None


def test_an_agent_goes_on_at_its_own_pace_for_the_turns_that_others_took(jobs: ActiveJobs, clock: Clock) -> None:
    for number, turns in ((1, 8), (2, 12)):
        played(jobs, clock, job(number), 1.0, turns)
    jobs.step(job(3), "GenerateAnswer", 1)
    clock.now += 20
    jobs.step(job(3), "GenerateAnswer", 2)
    clock.now += 20
    assert jobs.seconds_left() == 9 * 20  # turns 2 to 10, at 20 s each
    for turn in range(3, 12):
        jobs.step(job(3), "GenerateAnswer", turn)
    assert jobs.seconds_left() is None


def test_the_first_job_of_a_model_is_measured_by_those_of_others(jobs: ActiveJobs, clock: Clock) -> None:
    jobs.step(job(1), "GenerateAnswer", None)
    assert jobs.seconds_left() is None
    played(jobs, clock, job(2, "bert"), 6.0)
    assert jobs.seconds_left() == 0.0
    jobs.step(job(3, "cleo"), "GenerateAnswer", None)
    assert jobs.seconds_left() == 6.0
