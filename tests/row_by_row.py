"""Figures of a run by looking at each row: what the database counts is held against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from karenina_gui.schemas.outcome import Outcome, Reason
from karenina_gui.schemas.summaries import Asked, ResultSummary, RunCounts


def counted(rows: Iterable[ResultSummary]) -> RunCounts:
    """Rows in hand, counted as the library counts a run."""
    rows = list(rows)
    verdicts: Counter[tuple[Asked, Outcome]] = Counter()
    keywords: Counter[tuple[tuple[str, ...], Outcome]] = Counter()
    reasons: Counter[tuple[Outcome, Reason]] = Counter()
    traits: list[tuple[Asked, dict[str, bool | int | float], int]] = []
    for row in rows:
        verdicts[Asked(row.answering, row.judge, row.condition), row.outcome] += 1
        if row.category is not None:
            reasons[row.outcome, row.category] += 1
        keywords[row.keywords, row.outcome] += 1
        traits.append((Asked(row.answering, row.judge, row.condition), row.traits, 1))
    return RunCounts(
        [(*verdict, number) for verdict, number in verdicts.items()],
        [(*reason, number) for reason, number in reasons.most_common()],
        [(*words, number) for words, number in keywords.items()],
        traits,
        max((row.judge_replicate or 1 for row in rows), default=1),
    )
