"""Scores from an array, for tests of statistics and charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.scores import NOT_RUN, Arm, Floats, Judgment, Scores

NUMBER = Metric("depth", "number", None, None, None)


def scored(values: Floats, metric: Metric = NUMBER, judges: Sequence[Judgment] = ()) -> Scores:
    """`values`: by question, arm, replicate, judgment; NaN: failed job. `judges`: one judge unless given."""
    places = np.indices(values.shape).reshape(4, -1)
    value = np.asarray(values, dtype=float).ravel()
    return Scores(
        metric=metric,
        questions=tuple(f"q{number}" for number in range(values.shape[0])),
        arms=tuple(Arm(chr(ord("A") + number), None) for number in range(values.shape[1])),
        judgments=tuple(judges) or tuple(Judgment("judge", number + 1) for number in range(values.shape[3])),
        question=places[0], arm=places[1], replicate=places[2] + 1, judgment=places[3],
        value=value,
        why=np.where(np.isnan(value), 0, -1).astype(np.int32),
        reasons=("timeout", NOT_RUN),
    )  # fmt: skip
