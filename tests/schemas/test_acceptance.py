"""The words about the numbers that pass are true: read back from the text, they agree with every verdict."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest

from karenina_gui.schemas.primitives import (
    ExactMatch,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
)
from karenina_gui.schemas.primitives.acceptance import (
    acceptance_of,
    acceptance_words,
    credit_range,
    fully_credited,
)

DRAWN = 10_000
NUMBER = r"(?:about )?-?\d[\d.e+-]*"
CLOSE = 1e-9
"""Relative distance to an end within which its words are rounded."""


def says(words: str, value: float) -> bool:
    """What a person reads out of the words, and nothing else."""
    if words in ("any number", "no number"):
        return words == "any number"
    numbers = [float(each.removeprefix("about ")) for each in re.findall(NUMBER, words)]
    if words.startswith("only "):
        return value == numbers[0]
    if words.endswith(" or more"):
        return value >= numbers[0]
    if words.endswith(" or less"):
        return value <= numbers[0]
    if len(numbers) == 1:
        return value > numbers[0] if words.startswith("more than") else value < numbers[0]
    low, high = numbers
    above = value > low if words.startswith("more than") else value >= low
    below = value < high if "less than" in words else value <= high
    return above and below


def near_an_end(words: str, value: float) -> bool:
    """Within the rounding of an end, or of the arithmetic with numbers as large as the ends."""
    texts = re.findall(NUMBER, words)
    ends = [float(each.removeprefix("about ")) for each in texts]
    allowed = CLOSE * max(map(abs, ends), default=0.0)
    about = [each.startswith("about") for each in texts]
    return any(abs(value - end) <= allowed and (value != end or vague) for end, vague in zip(ends, about, strict=True))


def some_number(draw: random.Random) -> float:
    kind = draw.randrange(6)
    if kind == 0:
        return 0.0
    if kind == 1:
        return float(draw.randint(-20, 20))
    if kind == 2:
        return round(draw.uniform(-100, 100), draw.randint(0, 3))
    if kind == 3:
        return draw.uniform(-1e6, 1e6)
    if kind == 4:
        return draw.choice((-1, 1)) * 10.0 ** draw.randint(-12, 15)
    return draw.choice((-1, 1)) * draw.random() * 10.0 ** draw.randint(-8, 8)


def some_comparison(draw: random.Random) -> Any:
    mode: Any = draw.choice(("relative", "absolute"))
    decay: Any = draw.choice(("linear", "quadratic"))
    low, high = sorted((some_number(draw), some_number(draw)))
    reach = draw.choice((0.01, 0.05, 0.1, 0.5, 1, 5, draw.random()))
    exclusive, other = draw.random() < 0.5, draw.random() < 0.5
    made = draw.randrange(8)
    if made == 0:
        return NumericExact()
    if made == 1:
        return NumericTolerance(tolerance=draw.choice((0, reach)), mode=mode)
    if made == 2:
        ends = {"min": draw.choice((None, low)), "max": draw.choice((None, high))}
        return NumericRange(**ends, exclusive_min=exclusive, exclusive_max=other)
    if made == 3:
        return NumericMinimum(exclusive=exclusive)
    if made == 4:
        return NumericMaximum(exclusive=exclusive)
    if made == 5:
        full = draw.choice((None, reach / 2))
        return NumericGraded(cutoff=reach, full_credit=full, mode=mode, decay=decay)
    if made == 6:
        ends = {"min": low, "max": high if high > low else low + 1}
        return NumericRangeGraded(**ends, margin=reach, mode=mode, decay=decay, exclusive_min=exclusive)
    direction: Any = draw.choice(("min", "max"))
    return NumericThresholdGraded(direction=direction, margin=reach, mode=mode, exclusive=exclusive)


def values_to_try(draw: random.Random, words: str, target: float) -> list[float]:
    ends = [float(each.removeprefix("about ")) for each in re.findall(NUMBER, words)]
    around = [end + step for end in ends for step in (0, abs(end) * 1e-6 or 1e-6, -(abs(end) * 1e-6 or 1e-6), 1, -1)]
    return [*around, target, -target, 0.0, some_number(draw), math.inf, -math.inf]


def is_lost_in_the_square(rule: Any, value: float, target: float) -> bool:
    """Whether t is so small that 1 - t² is 1 to a computer, so that full credit seems to end later."""
    if getattr(rule, "decay", None) != "quadratic":
        return False
    linear = rule.model_copy(update={"decay": "linear"})
    return (rule.score(value, target) == 1) != (linear.score(value, target) == 1)


def test_words_and_verdicts_agree() -> None:
    draw = random.Random(24)
    checked = 0
    while checked < DRAWN:
        rule, target = some_comparison(draw), some_number(draw)
        for interval, verdict in (
            (acceptance_of(rule, target), rule.check),
            (fully_credited(rule, target), lambda value, target, rule=rule: rule.score(value, target) == 1),
            (credit_range(rule, target), lambda value, target, rule=rule: rule.score(value, target) > 0),
        ):
            if interval is None:
                continue
            assert interval.description in str(acceptance_words(rule, target))
            for value in values_to_try(draw, interval.description, target):
                if not near_an_end(interval.description, value) and not is_lost_in_the_square(rule, value, target):
                    assert says(interval.description, value) == verdict(value, target), (
                        rule,
                        target,
                        value,
                        interval.description,
                    )
                    checked += 1


@pytest.mark.parametrize(
    ("rule", "expected", "words"),
    [
        (NumericTolerance(tolerance=0.05), 70, "accepts 66.5 to 73.5"),
        (NumericTolerance(tolerance=5), 70, "accepts -280 to 420"),
        (NumericTolerance(tolerance=5, mode="absolute"), "70", "accepts 65 to 75"),
        (NumericTolerance(tolerance=0.05), 0, "accepts only 0"),
        (NumericExact(), 3, "accepts only 3"),
        (NumericMinimum(), 65, "accepts 65 or more"),
        (NumericMaximum(exclusive=True), 65, "accepts less than 65"),
        (NumericRange(), None, "accepts any number"),
        (NumericRange(min=2, max=1), None, "accepts no number"),
        (NumericRange(min=1, max=2, exclusive_min=True), None, "accepts more than 1 up to 2"),
        (NumericTolerance(tolerance=0.1), 1 / 3, "accepts 0.3 to about 0.3666666667"),
        (
            NumericGraded(cutoff=0.1, full_credit=0.05),
            100,
            "accepts 95 to 105; full credit 95 to 105; some credit more than 90 and less than 110",
        ),
        (
            NumericGraded(cutoff=0.2),
            4,
            "accepts 3.2 to 4.8; full credit only 4; some credit more than 3.2 and less than 4.8",
        ),
        (
            NumericThresholdGraded(direction="min", margin=0.2),
            50,
            "accepts 50 or more; full credit 50 or more; some credit more than 40",
        ),
    ],
)
def test_what_is_accepted_is_said_in_numbers(rule: Any, expected: Any, words: str) -> None:
    assert acceptance_words(rule, expected) == words


@pytest.mark.parametrize("expected", [None, "seventy", math.nan, math.inf, [70]])
def test_nothing_is_said_without_an_expected_number(expected: Any) -> None:
    assert acceptance_words(NumericTolerance(tolerance=0.05), expected) is None
    assert acceptance_words(ExactMatch(), expected) is None
