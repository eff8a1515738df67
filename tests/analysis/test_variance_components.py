from __future__ import annotations

import warnings

import numpy as np
import pytest
import statsmodels.formula.api as smf
from pandas import DataFrame

from karenina_gui.analysis.charts.variance import FIGURES, PARTS
from karenina_gui.analysis.estimate import VarianceComponents
from karenina_gui.analysis.scores import Floats, Judgment
from karenina_gui.analysis.statistics.intraclass import icc
from karenina_gui.analysis.statistics.variance_components import (
    moment_estimates,
    reliability,
    variance_components,
)
from tests.analysis.test_intraclass import SHROUT_FLEISS
from tests.scored import scored

DYESTUFF = [
    1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495, 1595, 1550, 1605, 1510, 1560,
    1445, 1440, 1595, 1465, 1545, 1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445,
]  # fmt: skip
"""Davies 1947: yield of 6 batches, 5 preparations each."""
DYESTUFF2 = [
    7.298, 3.846, 2.434, 9.566, 7.990, 5.220, 6.556, 0.608, 11.788, -0.892, 0.110, 10.386, 13.434, 5.510, 8.166,
    2.212, 4.852, 7.092, 9.288, 4.980, 0.282, 9.014, 4.458, 9.446, 7.198, 1.722, 4.782, 8.106, 0.758, 3.758,
]  # fmt: skip
"""Box & Tiao 1973: the same design, with less variance between batches than expected by chance."""
PASTES = [
    62.8, 62.6, 60.1, 62.3, 62.7, 63.1, 60.0, 61.4, 57.5, 56.9, 61.1, 58.9, 58.7, 57.5, 63.9, 63.1, 65.4, 63.7, 57.1,
    56.4, 56.9, 58.6, 64.7, 64.5, 55.1, 55.1, 54.7, 54.2, 58.8, 57.5, 63.4, 64.9, 59.3, 58.1, 60.5, 60.0, 62.5, 62.6,
    61.0, 58.7, 56.9, 57.7, 59.2, 59.4, 65.2, 66.0, 64.8, 64.1, 54.8, 54.8, 64.0, 64.0, 57.7, 56.8, 58.3, 59.3, 59.2,
    59.2, 58.9, 56.6,
]  # fmt: skip
"""Davies 1947: strength of 10 batches, 3 casks each, 2 tests of each cask."""


def parts(found: VarianceComponents) -> list[float | None]:
    return [found.question, found.interaction, found.answer, found.judge]


def benchmark(chance: np.random.Generator, shape: tuple[int, int, int, int], variances: tuple[float, ...]) -> Floats:
    """Simulated scores of the model with these variances of question, question × arm, answer and judge."""
    q, a, r, _ = shape
    levels = [(q, 1, 1, 1), (q, a, 1, 1), (q, a, r, 1), shape]
    parts = zip(variances, levels, strict=True)
    return sum((chance.normal(0, variance**0.5, level) for variance, level in parts), np.zeros(shape))


def test_yields_of_dyestuff_split_as_published() -> None:
    found = variance_components(scored(np.reshape(DYESTUFF, (6, 1, 5, 1))))
    assert found.question == pytest.approx(1764.05, abs=0.005)
    assert found.answer == pytest.approx(2451.25, abs=0.005)
    assert found.n == 6


def test_a_negative_estimate_is_reported_as_no_variance() -> None:
    scores = scored(np.reshape(DYESTUFF2, (6, 1, 5, 1)))
    assert moment_estimates(scores).question == pytest.approx(-1.32, abs=0.005)
    assert variance_components(scores).question == 0
    assert variance_components(scores).answer == moment_estimates(scores).answer


def test_three_levels_of_pastes_split_as_published() -> None:
    found = variance_components(scored(np.reshape(PASTES, (10, 1, 3, 2))))
    assert parts(found) == [
        pytest.approx(1.657, abs=0.0005), None, pytest.approx(8.434, abs=0.0005), pytest.approx(0.678, abs=0.0005)
    ]  # fmt: skip


def test_the_published_splits_are_those_of_a_mixed_model_as_well() -> None:
    """Against statsmodels (REML), whose figures differ from the published ones in the last digits."""
    yields = DataFrame({"y": DYESTUFF, "q": np.repeat(np.arange(6), 5)})
    pastes = DataFrame({"y": PASTES, "q": np.repeat(np.arange(10), 6), "cask": np.repeat(np.arange(30), 2)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two = smf.mixedlm("y ~ 1", yields, groups="q").fit()
        three = smf.mixedlm("y ~ 1", pastes, groups="q", re_formula="1", vc_formula={"cask": "0 + C(cask)"}).fit()
    assert [float(two.cov_re.iloc[0, 0]), float(two.scale)] == pytest.approx([1764.17, 2451.22], rel=2e-4)
    found = [float(three.cov_re.iloc[0, 0]), float(three.vcomp[0]), float(three.scale)]
    assert found == pytest.approx([1.658, 8.433, 0.678], rel=2e-3)


def test_with_equal_numbers_the_split_is_that_of_a_mixed_model() -> None:
    values = benchmark(np.random.default_rng(3), (12, 2, 2, 2), (2.0, 0.8, 1.0, 0.4))
    places = np.indices(values.shape).reshape(4, -1)
    frame = DataFrame(dict(zip("qarj", places, strict=True))).assign(y=values.ravel())
    frame["qa"], frame["qar"] = frame.q * 2 + frame.a, (frame.q * 2 + frame.a) * 2 + frame.r
    nested = {"1": "0 + C(qa)", "2": "0 + C(qar)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.mixedlm("y ~ C(a)", frame, groups="q", re_formula="1", vc_formula=nested).fit()
    reml = [float(model.cov_re.iloc[0, 0]), *model.vcomp, float(model.scale)]
    assert parts(variance_components(scored(values))) == [pytest.approx(part, rel=0.01) for part in reml]


def test_the_split_is_right_on_average_where_a_third_of_the_jobs_failed_and_one_judge_is_stricter() -> None:
    """2,000 simulated benchmarks. Two judges that differ by 1 add a variance of 1/2 to single judgments."""
    chance, truth = np.random.default_rng(5), (1.0, 0.3, 0.5, 0.1)
    judges = [Judgment("mild", 1), Judgment("strict", 1)]
    found = []
    for _ in range(2000):
        values = benchmark(chance, (12, 2, 3, 2), truth) + np.array([0.0, 1.0])
        values[chance.random(values.shape) < 1 / 3] = np.nan
        found.append(parts(moment_estimates(scored(values, judges=judges))))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / 2000**0.5
    assert mean == pytest.approx([*truth[:3], truth[3] + 0.5], abs=4 * float(error.max()))
    assert np.all(np.abs(mean - [*truth[:3], truth[3] + 0.5]) < 4 * error)


def test_systematic_differences_between_judges_are_not_noise_of_the_answers() -> None:
    """Both judges agree on every answer up to a constant, so that only the systematic difference remains."""
    values = np.repeat(benchmark(np.random.default_rng(2), (30, 1, 3, 1), (1.0, 0.0, 0.5, 0.0)), 2, axis=3)
    one = variance_components(scored(values[..., :1]))
    both = variance_components(
        scored(values + np.array([0.0, 3.0]), judges=[Judgment("mild", 1), Judgment("strict", 1)])
    )
    assert both.judge == pytest.approx(4.5)
    assert (both.question, both.answer) == (pytest.approx(one.question), pytest.approx(one.answer))


def test_what_cannot_be_told_apart_has_its_reason_and_counts_above() -> None:
    values = benchmark(np.random.default_rng(4), (20, 2, 3, 2), (1.0, 0.5, 0.5, 0.2))
    once = variance_components(scored(values[:, :, :, :1]))
    assert once.judge is None
    assert once.why == {
        "judge": "No answer was judged more than once. Variance between judgments counts as variance between answers."
    }
    single = variance_components(scored(values[:, :, :1, :]))
    assert single.answer is None
    assert "counts as variance of questions × configurations" in single.why["answer"]
    alone = variance_components(scored(values[:, :1]))
    assert alone.interaction is None
    assert alone.why["interaction"].startswith("There is only one configuration.")
    only = variance_components(scored(values[:, :1, :1, :1]))
    assert parts(only) == [pytest.approx(values[:, 0, 0, 0].var(ddof=1)), None, None, None]
    assert "counts as variance between questions" in only.why["judge"]
    assert set(only.why) == {"interaction", "answer", "judge"}
    # The explanation of the table says the same, in the order of its columns.
    (explained,) = [figure for figure in FIGURES if figure.key == "variance-parts"]
    assert "each counts as part of the one before it" in explained.left_out
    columns = [name[:1].lower() + name[1:] for name in explained.columns if name.startswith("Variance")]
    for found, part in ((alone, "interaction"), (single, "answer"), (once, "judge")):
        before = columns[PARTS.index(part) - 1]
        assert found.why[part].endswith(f" counts as {before}."), part


def test_arms_that_share_no_question_have_no_interaction() -> None:
    values = benchmark(np.random.default_rng(6), (20, 2, 3, 1), (1.0, 0.0, 0.5, 0.0))
    values[:10, 0], values[10:, 1] = np.nan, np.nan
    found = variance_components(scored(values))
    assert found.interaction is None
    assert found.question is not None
    assert found.why["interaction"].startswith("No two configurations share")


def test_one_question_tells_nothing_about_questions() -> None:
    found = variance_components(scored(np.array([[[[0.0], [1.0], [1.0]]]])))
    assert found.question is None
    assert found.answer == pytest.approx(1 / 3)
    assert found.why["question"] == "Fewer than two questions have scores."


def test_no_score_at_all_is_no_figure_at_all() -> None:
    found = variance_components(scored(np.full((3, 2, 2, 1), np.nan)))
    assert parts(found) == [None] * 4
    assert set(found.why.values()) == {"No job has a score."}
    assert found.n == 0


def test_equal_scores_have_no_variance_and_no_reliability() -> None:
    found = variance_components(scored(np.full((7, 3, 3, 2), 0.7)))
    assert parts(found) == [0.0] * 4
    assert reliability(found, 3) is None


def test_the_mean_of_more_replicates_is_more_reliable() -> None:
    split = VarianceComponents(question=1.0, interaction=0.5, answer=1.0, judge=0.5, n=50)
    assert reliability(split, 1) == pytest.approx(0.5)
    assert reliability(split, 3) == pytest.approx(0.75)
    assert reliability(split, 0) is None
    assert reliability(VarianceComponents(question=1.0, interaction=None, answer=None, judge=None), 3) is None


def test_reliability_is_the_intraclass_correlation_of_replicates() -> None:
    matrix = np.array(SHROUT_FLEISS, dtype=float)
    split = variance_components(scored(matrix[:, None, :, None]))
    assert reliability(split, 1) == pytest.approx(icc(matrix)["ICC(1,1)"])
    assert reliability(split, 4) == pytest.approx(icc(matrix)["ICC(1,k)"])


def test_of_ten_thousand_jobs_the_parts_are_the_truth() -> None:
    scores = scored(benchmark(np.random.default_rng(1), (500, 2, 5, 2), (1.0, 0.3, 0.5, 0.1)))
    found = variance_components(scores)
    assert parts(found) == pytest.approx([1.0, 0.3, 0.5, 0.1], rel=0.2)
