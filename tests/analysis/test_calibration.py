"""Tests of agreement with a judge, against a published example and independent computations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, sqrt

import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.analysis.calibration import (
    LabeledAnswers,
    agreement_cautions,
    agreement_change,
    agreement_report,
    agreement_sentence,
    change_sentence,
    kappa_sentence,
    label_agreement,
)
from karenina_gui.schemas.calibration import LabelScale, LabelValue
from tests.examples import examples

YES_NO = LabelScale("boolean")
GRADES = LabelScale("score", 1, 5)


def labeled(labels: list[LabelValue], scale: LabelScale = YES_NO, questions: list[int] | None = None) -> LabeledAnswers:
    keys = [str(place) for place in range(len(labels))]
    numbers = questions or list(range(len(labels)))
    return LabeledAnswers(scale, dict(zip(keys, labels, strict=True)), dict(zip(keys, numbers, strict=True)))


def judged(values: list[LabelValue]) -> dict[str, LabelValue]:
    return {str(place): value for place, value in enumerate(values)}


def from_table(table: list[list[int]], values: list[LabelValue]) -> tuple[list[LabelValue], list[LabelValue]]:
    """Labels and values of a judge with these counts."""
    pairs = [
        (values[row], values[column])
        for row, column in product(range(len(values)), repeat=2)
        for _ in range(table[row][column])
    ]
    return [one for one, _ in pairs], [other for _, other in pairs]


def kappa_by_hand(ones: list[int], others: list[int]) -> Fraction:
    """Cohen 1968 with squared distances, in exact arithmetic over all pairs."""
    n = len(ones)
    observed = Fraction(sum((one - other) ** 2 for one, other in zip(ones, others, strict=True)), n)
    expected = Fraction(sum((one - other) ** 2 for one in ones for other in others), n * n)
    return 1 - observed / expected


def wilson_by_hand(same: int, n: int) -> tuple[float, float]:
    z, p = 1.959963984540054, same / n
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def test_kappa_of_cohens_published_example() -> None:
    # Cohen 1960, table 1, in counts of 200: kappa is .492.
    ones, others = from_table([[88, 14, 18], [10, 40, 10], [2, 6, 12]], ["a", "b", "c"])
    scale = LabelScale("class", classes=("a", "b", "c"))
    found = label_agreement(labeled(ones, scale), judged(others))
    assert found.kappa.value == pytest.approx(0.492, abs=5e-4)
    assert found.table == ((88, 14, 18), (10, 40, 10), (2, 6, 12))
    assert (found.same, found.n) == (140, 200)
    # The large-sample standard error of Fleiss, Cohen and Everitt 1969 gives about the same interval.
    assert (found.kappa.low, found.kappa.high) == (pytest.approx(0.393, abs=0.02), pytest.approx(0.591, abs=0.02))


@settings(max_examples=examples(20, 60), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=20))
def test_figures_agree_with_exact_arithmetic(pairs: list[tuple[int, int]]) -> None:
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    found = label_agreement(labeled(list(ones), GRADES), judged(list(others)))
    same = sum(one == other for one, other in pairs)
    low, high = wilson_by_hand(same, len(pairs))
    assert (found.share.low, found.share.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.same, len(found.differing), sum(map(sum, found.table))) == (same, len(pairs) - same, len(pairs))
    if len(set(ones)) > 1 and len(set(others)) > 1:
        assert found.kappa.value == pytest.approx(float(kappa_by_hand(ones, others)))
    else:
        assert found.kappa.value is None
        assert found.kappa.why


def test_sentences_can_be_quoted_alone() -> None:
    ones, others = from_table([[20, 5], [10, 15]], [True, False])
    found = label_agreement(labeled(ones), judged(others))
    assert agreement_sentence(found, "the trait “safe”", "sample-judge", "Ada") == (
        "Ada’s labels for the trait “safe” agree with sample-judge on 35 of 50 answers (70%, 95% CI 56% to 81%). "
        f"Cohen’s kappa is 0.40 (95% CI {found.kappa.low:.2f} to {found.kappa.high:.2f})."
    )


def test_grades_say_in_which_direction_the_judge_differs() -> None:
    found = label_agreement(labeled([1, 2, 3, 4, 5, 2], GRADES), judged([2, 2, 4, 5, 5, 1]))
    assert agreement_sentence(found, "the trait “depth”", "the judge").endswith(
        "The judge’s value is higher in 3 of 4 disagreements."
    )


@pytest.mark.parametrize(
    ("ones", "others", "reason"),
    [
        ([True] * 4, [True] * 4, "No kappa: all labels and all of the judge’s values are “Yes”"),
        ([True] * 4, [True, False, True, True], "No kappa: all labels are “Yes”, so kappa could only be 0"),
        ([True, False, True], [False] * 3, "No kappa: the judge always says “No”"),
        ([True, False, True], [True, False, True], "Cohen’s kappa is 1.00. You and the judge agree on all answers"),
        ([], [], "No kappa: the judge has read none of the labeled answers."),
    ],
)
def test_degenerate_labels_say_why(ones: list[LabelValue], others: list[LabelValue], reason: str) -> None:
    assert kappa_sentence(label_agreement(labeled(ones), judged(others))).startswith(reason)


def test_texts_agree_regardless_of_case_and_spaces() -> None:
    scale = LabelScale("text", can_be_missing=True)
    found = label_agreement(labeled(["Mitochondria ", "liver", None], scale), judged(["mitochondria", "Kidney", None]))
    assert (found.same, found.differing) == (2, ("1",))


def test_a_change_of_wording_is_tested_on_the_answers_that_changed() -> None:
    labels: list[LabelValue] = [True] * 10
    old, new = judged([True] * 4 + [False] * 6), judged([False] + [True] * 9)
    change = agreement_change(labeled(labels), old, new)
    assert (change.first, change.second, len(change.gained), len(change.lost)) == (4, 9, 6, 1)
    by_hand = 2 * sum(comb(7, k) for k in range(2)) / 2**7
    assert change.p == pytest.approx(by_hand)
    assert change_sentence(change, "the old wording", "the new wording") == (
        "Of 10 labeled answers, the old wording agrees on 4 and the new wording on 9. 6 answers went from "
        "disagreement to agreement, 1 answer the other way (exact McNemar test, p = 0.12). This can be chance."
    )


def test_only_answers_that_both_have_judged_are_compared() -> None:
    change = agreement_change(labeled([True, True, False]), {"0": True}, {"1": True, "2": False})
    assert (change.n, change.p) == (0, None)
    assert "judged by both" in change_sentence(change, "a", "b")


def test_answers_to_one_question_widen_the_interval_and_are_named() -> None:
    ones, others = from_table([[8, 2], [2, 8]], [True, False])
    alone = label_agreement(labeled(ones), judged(others))
    together = label_agreement(labeled(ones, questions=[place // 5 for place in range(20)]), judged(others))
    assert alone.kappa.value == together.kappa.value
    assert together.questions == 4
    assert agreement_cautions(alone, spread=False) == []
    assert "20 answers belong to 4 questions" in agreement_cautions(together, spread=False)[0]


def test_the_report_compares_each_with_each() -> None:
    data = labeled([True, False, True, False])
    report = agreement_report(data, [judged([True] * 4), judged([True, False, True, True])])
    assert [each.same for each in report.agreements] == [2, 3]
    assert report.changes[0, 1].gained == report.changes[1, 0].lost == ("1",)
