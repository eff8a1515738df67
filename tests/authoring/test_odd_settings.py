"""Settings and expected values that make no sense: the check of wrong values ends for each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from karenina_gui.authoring.mutations import mutation_cases
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.sandbox import Sandbox

NUMBERS = ("float('nan')", "float('inf')", "-float('inf')", "10**400", "1e308", "-1e308", "0", "None", "'x'")
DATES = ("'0001-01-01'", "'9999-12-31T23:59-12:00'", "'2020-02-30'", "''", "None", "5")
OF_NUMBERS = (
    "NumericTolerance(tolerance={0})",
    "NumericRange(min={0}, max={1})",
    "NumericGraded(cutoff={0}, mode='absolute')",
    "NumericRangeGraded(min={0}, max={1}, margin=1)",
    "NumericThresholdGraded(direction='max', margin={0})",
)
OF_DATES = (
    "DateMatch(format='%q')",
    "DateMatch(format='%Y %Y')",
    "DateTolerance(tolerance=10**12)",
    "DateTolerance(tolerance=999999999)",
    "DateRange(min={0}, max={1})",
)
OF_LISTS = (
    "SetContainment(mode='overlap', min_overlap=9)",
    "SetContainment(mode='overlap', min_overlap=-9)",
    "OrderedMatch()",
)


def _fields() -> Iterator[tuple[str, str, str]]:
    for comparison, (low, high), kind in product(OF_NUMBERS, product(NUMBERS, NUMBERS), ("int", "float")):
        if "{1}" in comparison or high == NUMBERS[0]:
            yield kind, "5", comparison.format(low, high)
    for comparison, expected, kind in product(("NumericExact()", "NumericMinimum()"), NUMBERS, ("int", "float | None")):
        yield kind, expected, comparison
    for comparison, (low, high), kind in product(OF_DATES, product(DATES, DATES), ("str", "date")):
        yield kind, low, comparison.format(low, high)
    for comparison, expected in product(OF_LISTS, ("[]", "[None]", "[[1]]", "'x'", "None", "[float('nan')]")):
        yield "list[str]", expected, comparison


@pytest.mark.parametrize("part", range(4))
def test_wrong_values_are_tried_or_left_out_whatever_the_settings(part: int, sandbox: Sandbox) -> None:
    playground = TemplatePlayground(sandbox)
    for kind, expected, comparison in [*_fields()][part::4]:
        source = (
            "from datetime import date\n\nclass Answer(BaseAnswer):\n"
            f'    x: {kind} = VerifiedField(description="x", ground_truth={expected}, verify_with={comparison})\n'
        )
        outline = playground.check(source)
        for case in mutation_cases(source, outline, playground):
            assert outline.valid, (source, case)
