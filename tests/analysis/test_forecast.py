"""Tests of forecasts against hand-computed figures."""

from __future__ import annotations

import pytest

from karenina_gui.analysis.forecast import EarlierResult, Range, Work, earlier_result, forecast
from karenina_gui.schemas.prices import ModelTokens, Price

ADA, JIM = "openai_endpoint:ada", "openai_endpoint:jim"
PRICES = {ADA: Price(model=ADA, input=1.0, output=10.0), JIM: Price(model=JIM, input=2.0, output=20.0)}
WORK = [Work(ADA, answers=20, prompt=300), Work(JIM, judgments=20, replies=40, prompt=300)]


def earlier(number: int, output: int = 100) -> list[EarlierResult]:
    steps = {
        "answer_generation": ModelTokens(ADA, 50, output),
        "parsing": ModelTokens(JIM, 400, 30),
        "rubric_evaluation": ModelTokens(JIM, 500, 50),
    }
    return [earlier_result(steps, 4.0)] * number


def test_equal_earlier_results_are_believed_to_a_tenth() -> None:
    found = forecast(WORK, earlier(10), PRICES, jobs=20, workers=4)
    assert found.by_model[ADA] == Range(pytest.approx(20 * 150 * 0.9), pytest.approx(20 * 150 * 1.1))
    assert found.by_model[JIM] == Range(pytest.approx(20 * 980 * 0.9), pytest.approx(20 * 980 * 1.1))
    dollars = 20 * (50 * 1 + 100 * 10 + 900 * 2 + 80 * 20) / 1e6
    assert found.dollars == Range(pytest.approx(dollars * 0.9), pytest.approx(dollars * 1.1))
    assert found.seconds == Range(pytest.approx(18.0), pytest.approx(22.0))
    assert (found.earlier, found.from_prompts, found.unpriced) == (10, (), ())


@pytest.mark.parametrize(("jobs", "workers", "rounds"), [(5, 4, 2), (7, 4, 2), (9, 8, 2), (1, 4, 1), (40, 4, 10)])
def test_the_time_of_equal_jobs_taken_in_rounds_is_within_the_range(jobs: int, workers: int, rounds: int) -> None:
    seconds = forecast(WORK, earlier(10), PRICES, jobs=jobs, workers=workers).seconds
    assert seconds is not None and seconds.low <= 4.0 * rounds <= seconds.high


def test_results_that_differ_widen_the_range() -> None:
    narrow = forecast(WORK, earlier(10), PRICES, jobs=20, workers=4).tokens
    wide = forecast(WORK, [*earlier(5, 10), *earlier(5, 1000)], PRICES, jobs=20, workers=4).tokens
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_more_replies_of_a_judge_than_before_widen_the_range_to_what_they_may_take() -> None:
    plain = {"answer_generation": ModelTokens(ADA, 50, 100), "parsing": ModelTokens(JIM, 400, 30)}
    before = [earlier_result(plain, 4.0)] * 10
    found = forecast(WORK, before, PRICES, jobs=20, workers=4)  # two replies for a job, where one was enough
    assert found.by_model[JIM] == Range(pytest.approx(20 * 430 * 0.9), pytest.approx(2 * 20 * 430 * 1.1))
    fewer = [Work(JIM, judgments=20, replies=20, prompt=300)]
    found = forecast(fewer, earlier(10), PRICES, jobs=20, workers=4)
    assert found.by_model[JIM] == Range(pytest.approx(20 * 980 * 0.9 / 2), pytest.approx(20 * 980 * 1.1))


def test_without_earlier_results_prompts_bound_it() -> None:
    found = forecast(WORK, [], PRICES, jobs=20, workers=4)
    assert found.by_model[ADA] == Range(20 * (60 + 50), 20 * (100 + 1500))
    assert (found.seconds, found.earlier, found.from_prompts) == (None, 0, (ADA, JIM))
    assert found.turns_unknown == ()
    agent = forecast([Work(ADA, answers=1, agent=True)], [], PRICES, jobs=1, workers=1)
    assert agent.turns_unknown == (ADA,)


def test_a_missing_price_leaves_the_cost_unknown_and_what_is_played_back_takes_nothing() -> None:
    found = forecast(WORK, earlier(10), {ADA: PRICES[ADA]}, jobs=20, workers=4)
    assert (found.dollars, found.unpriced) == (None, (JIM,))
    played = forecast([Work("replay:sample", answers=20)], earlier(10), {}, jobs=20, workers=4)
    assert (played.tokens, played.dollars) == (Range(0, 0), Range(0, 0))
