from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.scores import Floats
from karenina_gui.analysis.statistics.means import score_mean
from karenina_gui.analysis.statistics.power import (
    MOST,
    WidthForecast,
    detectable_difference,
    plan,
    questions_needed,
    replicates_needed,
)
from karenina_gui.gui.pages.guide.chapters import FOLDER
from karenina_gui.gui.pages.run_setup.options import REPLICATES
from tests.scored import scored

PUBLISHED = {
    20: ("42", "30", "26", "24"),
    50: ("26", "19", "17", "15"),
    100: ("19", "13", "12", "11"),
    200: ("13", "9", "8", "7.5"),
    1000: ("5.9", "4.2", "3.7", "3.4"),
}
"""Detectable percentage points by questions, for 1, 3, 5 and 10 replicates (Miller 2024)."""


def planning_table() -> list[list[float]]:
    return [[detectable_difference(questions, k) for k in (1, 3, 5, 10)] for questions in PUBLISHED]


def test_the_planning_table_is_the_published_one() -> None:
    for row, published in zip(planning_table(), PUBLISHED.values(), strict=True):
        for detectable, printed in zip(row, published, strict=True):
            digits = len(printed.partition(".")[2])
            assert float(printed) == pytest.approx(100 * detectable, abs=0.5 * 10**-digits + 1e-9)


def test_ten_replicates_of_198_questions_show_seven_and_a_half_points() -> None:
    assert detectable_difference(198, 10) == pytest.approx(0.075, abs=0.001)


def test_the_guide_has_the_same_table() -> None:
    guide = (FOLDER / "replicates.md").read_text(encoding="utf-8")
    rows = dict(zip(PUBLISHED, planning_table(), strict=True))
    for questions, row in rows.items():
        shown = [f"{100 * detectable:.{0 if detectable >= 0.1 else 1}f}" for detectable in row]
        assert f"| {questions} | {' | '.join(shown)} |" in guide


def test_questions_for_three_points_are_as_published() -> None:
    assert questions_needed(0.03, math.inf) == 969
    assert questions_needed(-0.03, math.inf) == 969
    assert questions_needed(0.03, 1) == 3876


def test_what_is_needed_is_what_is_enough() -> None:
    for questions, replicates, delta in ((198, 10, 0.075), (50, 3, 0.2), (500, 1, 0.1)):
        needed = questions_needed(delta, replicates) or 0
        assert detectable_difference(needed, replicates) <= delta < detectable_difference(needed - 1, replicates)
        answers = replicates_needed(delta, questions) or 0
        assert detectable_difference(questions, answers) <= delta
        assert answers == 1 or detectable_difference(questions, answers - 1) > delta


@pytest.mark.parametrize("delta", [1e-9, 1e-17, -1e-300])
def test_numbers_beyond_any_use_are_not_counted_on(delta: float) -> None:
    assert questions_needed(delta, 3) == MOST
    assert replicates_needed(delta, 1, omega2=0.0) in (None, MOST)


def test_no_number_of_replicates_makes_up_for_too_few_questions() -> None:
    assert detectable_difference(50, math.inf) > 0.1
    assert replicates_needed(0.1, 50) is None
    assert replicates_needed(0.0, 50) is None
    assert questions_needed(0.0, 3) is None
    assert replicates_needed(0.5, 50, omega2=0.0, sigma2=0.0) == 1
    assert detectable_difference(0, 3) == math.inf


def test_the_formula_agrees_with_the_power_of_the_t_test() -> None:
    """The t test needs about two more questions, because it estimates the variance."""
    paired = TTestPower().solve_power(0.5, power=0.8, alpha=0.05)
    assert paired == pytest.approx(33.37, abs=0.005)
    assert paired - 3 < (questions_needed(0.5, math.inf, omega2=1.0) or 0) < paired
    apart = TTestIndPower().solve_power(0.5, power=0.8, alpha=0.05)
    assert apart == pytest.approx(63.77, abs=0.005)
    assert apart - 3 < (questions_needed(0.5, 1, omega2=0.0, sigma2=1.0) or 0) < apart


@pytest.mark.parametrize(("replicates", "saved"), [(3, 50), (10, 67), (math.inf, 75)])
def test_replicates_save_variance_of_a_difference_up_to_a_limit(replicates: float, saved: int) -> None:
    left = (detectable_difference(100, replicates) / detectable_difference(100, 1)) ** 2
    assert 100 * (1 - left) == pytest.approx(saved, abs=0.51)


def saved(replicates: float, omega2: float) -> float:
    """Percentage of the variance with one replicate."""
    left = [detectable_difference(100, k, omega2=omega2) ** 2 for k in (replicates, 1)]
    return 100 * (1 - left[0] / left[1])


MEAN, COMPARISON = 2 / 12, 1 / 9
"""ω² of chances uniform on 0 to 1. Their variance is 1/12: means of different questions differ by twice that,
differences on the same questions by 1/9."""


@pytest.mark.parametrize(("replicates", "percent"), [(3, 44), (10, 60), (math.inf, 67)])
def test_replicates_save_less_variance_of_the_mean_of_one_condition(replicates: float, percent: int) -> None:
    assert saved(replicates, MEAN) == pytest.approx(percent, abs=0.5)


def test_guide_and_run_page_say_what_replicates_save() -> None:
    guide = (FOLDER / "replicates.md").read_text(encoding="utf-8")
    words = " ".join(guide.split())
    for omega2, of in ((MEAN, "the mean of one condition"), (COMPARISON, "a comparison")):
        said = re.search(rf"{of} by (\d+)% \((\d+)% with ten, at most (\d+)%\)", words)
        expected = [saved(k, omega2) for k in (3, 10, math.inf)]
        assert said and [*map(int, said.groups())] == pytest.approx(expected, abs=0.51)
    told = [int(percent) for percent in re.findall(r"(\d+)%", REPLICATES.reason)]
    assert told == pytest.approx([saved(k, of) for k in (3, 10) for of in (MEAN, COMPARISON)], abs=0.51)


def verdicts(chance: np.random.Generator, questions: int, replicates: int, arms: int = 2) -> Floats:
    """Verdicts of questions with a uniform chance of their own in each arm."""
    rate = chance.random((questions, arms, 1, 1))
    return (chance.random((questions, arms, replicates, 1)) < rate).astype(float)


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    """2,000 simulated benchmarks of 100 questions and 3 replicates, with just that difference."""
    chance, n, k, omega2, sigma2 = np.random.default_rng(8), 100, 3, 0.05, 0.12
    delta = detectable_difference(n, k, omega2=omega2, sigma2=sigma2)
    own = chance.normal(delta, omega2**0.5, (2000, n))
    noise = chance.normal(0, sigma2**0.5, (2, 2000, n, k)).mean(axis=3)
    p = stats.ttest_1samp(own + noise[1] - noise[0], 0, axis=1).pvalue
    assert np.mean(p < 0.05) == pytest.approx(0.8, abs=0.03)


def test_a_plan_takes_its_variances_from_the_data() -> None:
    """Two arms of uniform questions: the variance of differences is 1/6, that of single answers 1/6."""
    values = verdicts(np.random.default_rng(1), 5000, 3)
    made = plan(scored(values, VERDICT), 0, 1, 0.01)
    assert made.source == "data"
    assert made.detectable == pytest.approx(detectable_difference(5000, 3, omega2=1 / 6), rel=0.03)
    assert made.questions == pytest.approx(questions_needed(0.01, 3, omega2=1 / 6), rel=0.06)
    assert made.replicates is None
    assert made.why == "No number of replicates is enough with these questions; only more questions help."


def test_a_plan_is_the_formula_with_the_variances_of_the_pair() -> None:
    values = verdicts(np.random.default_rng(2), 40, 4)
    values[:7, 0, 0] = np.nan
    rows = values[:, :, :, 0]
    mean, number = np.nanmean(rows, axis=2), (~np.isnan(rows)).sum(axis=2)
    square = np.nanvar(rows, axis=2, ddof=1)
    noise = (square / number).sum(axis=1).mean()
    omega2 = (mean[:, 1] - mean[:, 0]).var(ddof=1) - noise
    made = plan(scored(values, VERDICT), 0, 1, 0.3)
    assert made.detectable == pytest.approx(2.8016 * ((omega2 + noise) / 40) ** 0.5, rel=1e-4)
    assert made.replicates == replicates_needed(0.3, 40, omega2=omega2, sigma2=square.sum(axis=1).mean() / 2)


def test_more_replicates_settle_a_difference_that_is_the_same_for_all_questions() -> None:
    chance = np.random.default_rng(3)
    values = chance.normal(0, 1, (60, 1, 1, 1)) + chance.normal(0, 1, (60, 2, 2, 1))
    made = plan(scored(values), 0, 1, 0.2)
    assert made.replicates is not None
    assert made.replicates > 2
    assert made.questions is not None
    assert made.questions > 60
    assert made.why == ""


def test_what_there_is_no_difference_to_settle_for_still_says_what_could_be_seen() -> None:
    scores = scored(verdicts(np.random.default_rng(4), 30, 3), VERDICT)
    for difference in (None, 0.0):
        made = plan(scores, 0, 1, difference)
        assert (made.questions, made.replicates) == (None, None)
        assert made.detectable is not None


def test_below_ten_common_questions_a_plan_takes_the_defaults() -> None:
    values = verdicts(np.random.default_rng(5), 12, 3)
    values[:3, 1] = np.nan
    made = plan(scored(values, VERDICT), 0, 1, 0.2)
    assert made.source == "defaults"
    assert made.detectable == pytest.approx(detectable_difference(9, 3))
    assert made.questions == questions_needed(0.2, 3)
    scale = plan(scored(4 * values + 1, Metric("depth", "number", 1, 5)), 0, 1, 0.8)
    assert scale.detectable == pytest.approx(4 * detectable_difference(9, 3))
    assert scale.questions == made.questions
    endless = plan(scored(values), 0, 1, 0.2)
    assert (endless.detectable, endless.questions, endless.source) == (None, None, "defaults")
    assert endless.why.startswith("With fewer than 10 shared questions")


def test_with_one_answer_each_nobody_knows_what_replicates_would_change() -> None:
    values = verdicts(np.random.default_rng(6), 50, 1)
    made = plan(scored(values, VERDICT), 0, 1, 0.1)
    difference = values[:, 1, 0, 0] - values[:, 0, 0, 0]
    assert made.detectable == pytest.approx(2.8016 * (difference.var(ddof=1) / 50) ** 0.5, rel=1e-4)
    assert made.questions is not None
    assert made.replicates is None
    assert made.why.startswith("With one answer per question")


def test_without_variation_or_common_questions_there_is_no_plan() -> None:
    same = plan(scored(np.full((20, 2, 3, 1), 0.7) + np.array([[[0.0]], [[0.1]]])), 0, 1, 0.1)
    assert (same.detectable, same.why) == (
        None,
        "All questions differ by the same amount, so this cannot be estimated.",
    )
    values = verdicts(np.random.default_rng(7), 20, 3)
    values[:10, 0], values[10:, 1] = np.nan, np.nan
    apart = plan(scored(values, VERDICT), 0, 1, 0.1)
    assert (apart.detectable, apart.why) == (None, "No question has scores in both.")


# Target half widths of means


@pytest.mark.parametrize("questions", [2, 3, 12, 40, 400])
@pytest.mark.parametrize("part", [2.0, 1.0, 0.7, 0.25])
def test_so_many_questions_are_just_enough_for_the_half_width_that_is_wanted(questions: int, part: float) -> None:
    """Against SciPy's interval with the same deviation; one question fewer gives a wider one."""

    def half(number: int) -> float:
        return float(stats.t.interval(0.95, number - 1, scale=0.3 / math.sqrt(number))[1])

    ahead = WidthForecast(mean=7.0, questions=questions, replicates=1, between=0.09, noise=0.0)
    assert ahead.half() == pytest.approx(half(questions))
    needed = ahead.questions_for(part * half(questions))
    assert half(needed) <= part * half(questions) * (1 + 1e-6)
    assert needed == 2 or half(needed - 1) > part * half(questions)
    assert needed == questions or part != 1


@pytest.mark.parametrize("mean", [0.5, 0.9, 0.97])
def test_so_many_questions_are_just_enough_on_a_scale_with_ends(mean: float) -> None:
    """Against the interval of so many questions with this mean and deviation."""

    def found(number: int) -> Estimate:
        step = 0.02 * math.sqrt((number - 1) / number)  # half of them above the mean and half below
        return score_mean(np.array([mean - step, mean + step] * (number // 2)), low=0, high=1)

    ahead = WidthForecast(mean, 40, 2, between=0.0003, noise=0.0001, low=0.0, high=1.0)
    now = found(40)
    assert now.value is not None and now.low is not None and now.deviation == pytest.approx(0.02)
    assert now.high is not None and ahead.half() == pytest.approx((now.high - now.low) / 2)
    needed = ahead.questions_for(0.5 * ahead.half())
    then = found(needed + needed % 2)
    assert then.low is not None and then.high is not None
    assert (then.high - then.low) / 2 == pytest.approx(0.5 * ahead.half(), rel=0.02)
    assert ahead.half(questions=needed) <= 0.5 * ahead.half() * (1 + 1e-6) < ahead.half(questions=needed - 1)


def test_a_width_that_no_number_of_questions_reaches_ends_the_search() -> None:
    assert WidthForecast(3.0, 10, 1, between=1.0, noise=0.0).questions_for(1e-30) == MOST


@pytest.mark.parametrize("replicates", [1, 2, 5])
def test_so_many_replicates_are_just_enough_unless_no_number_is(replicates: int) -> None:
    ahead = WidthForecast(3.0, 20, replicates, between=0.09, noise=0.36 / replicates)
    for number in (replicates + 1, 10, 50):
        wanted = ahead.half(replicates=number)
        assert wanted == pytest.approx(
            ahead.half() * math.sqrt((0.09 + 0.36 / number) / (0.09 + 0.36 / replicates)), rel=1e-9
        )
        assert ahead.replicates_for(wanted) == number
        assert ahead.replicates_for(wanted * (1 - 1e-6)) == number + 1
    assert ahead.replicates_for(ahead.half(replicates=math.inf)) is None
    assert replace(ahead, between=0.0).replicates_for(0.01) is not None


@pytest.mark.parametrize("between", [0.0, 0.2, 0.3])
def test_the_variance_between_these_questions_is_at_worst_what_the_data_allow(between: float) -> None:
    """The limit is at least the true variance in 95 of 100 simulated benchmarks."""
    chance = np.random.default_rng(4)
    true = chance.normal(0, between, (4000, 20))
    seen = (true + chance.normal(0, 0.2, true.shape)).var(axis=1, ddof=1)
    most = [WidthForecast(0.0, 20, 3, max(0.0, each - 0.04), 0.04).at_worst.between for each in seen]
    share = float(np.mean(most >= true.var(axis=1, ddof=1)))
    assert share == pytest.approx(0.95, abs=0.015) if between else share == 1


def test_what_is_foreseen_comes_true_on_simulated_benchmarks() -> None:
    """Half widths of 400 runs with 8 replicates, against predictions from similar runs with 2."""
    chance = np.random.default_rng(2)

    def deviations(replicates: int) -> tuple[Floats, Floats]:
        values = chance.normal(0, 0.3, (400, 60, 1)) + chance.normal(0, 0.6, (400, 60, replicates))
        return values.mean(axis=2).std(axis=1, ddof=1), values.var(axis=2, ddof=1).mean(axis=1)

    seen, within = deviations(2)
    half = stats.t.ppf(0.975, 59) / math.sqrt(60)
    foreseen = [
        WidthForecast(0.0, 60, 2, max(0.0, each**2 - noise / 2), min(noise / 2, each**2)).half(replicates=8)
        for each, noise in zip(seen, within, strict=True)
    ]
    assert np.mean(foreseen) == pytest.approx(half * deviations(8)[0].mean(), rel=0.03)
