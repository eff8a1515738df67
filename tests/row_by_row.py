"""Statistics of a run computed row by row, as a reference for those in SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

from karenina_gui.schemas.outcome import JUDGED, Outcome, Reason
from karenina_gui.schemas.result_summaries import ResultSummary
from karenina_gui.schemas.run_counts import ComparisonKey, OfArm, QuestionMeans, RunCounts, RunMeans


def counted(rows: Iterable[ResultSummary]) -> RunCounts:
    """Rows in memory, counted as the library counts a run."""
    rows = list(rows)
    verdicts: Counter[tuple[ComparisonKey, Outcome]] = Counter()
    keywords: Counter[tuple[tuple[str, ...], Outcome]] = Counter()
    reasons: Counter[tuple[Outcome, Reason]] = Counter()
    traits: list[tuple[ComparisonKey, dict[str, bool | int | float], int]] = []
    for row in rows:
        verdicts[ComparisonKey(row.answering, row.judge, row.condition), row.outcome] += 1
        if row.category is not None:
            reasons[row.outcome, row.category] += 1
        keywords[row.keywords, row.outcome] += 1
        traits.append((ComparisonKey(row.answering, row.judge, row.condition), row.traits, 1))
    return RunCounts(
        [(*verdict, number) for verdict, number in verdicts.items()],
        [(*reason, number) for reason, number in reasons.most_common()],
        [(*words, number) for words, number in keywords.items()],
        traits,
        max((row.judge_replicate or 1 for row in rows), default=1),
        means=run_means(rows),
        requested=_asked(rows),
        last=max((row.id for row in rows), default=0),
    )


def run_means(rows: Sequence[ResultSummary]) -> RunMeans:
    arms = {
        OfArm(*arm): found for arm, found in means(rows, lambda row: (row.answering, row.condition), verdict).items()
    }
    for trait in {name for row in rows for name in row.traits}:
        of_trait = means(rows, lambda row: (row.answering, row.condition), lambda row, of=trait: row.traits.get(of))
        arms |= {OfArm(*arm, trait): found for arm, found in of_trait.items()}
    return RunMeans(
        arms,
        {key: found for key, found in means(rows, lambda row: row.condition, verdict).items() if key is not None},
        {key: found for key, found in means(rows, lambda row: row.judge, verdict).items() if key is not None},
        means(rows, lambda row: row.keywords, verdict),
    )


def verdict(row: ResultSummary) -> float | None:
    return float(row.outcome == "passed") if row.outcome in JUDGED else None


def means(
    rows: Iterable[ResultSummary], by: Callable[[ResultSummary], Any], value: Callable[[ResultSummary], float | None]
) -> dict[Any, QuestionMeans]:
    """Mean over judgments, then answers, then questions."""
    groups: dict[Any, dict[str, dict[Any, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        if (score := value(row)) is not None:
            groups[by(row)][row.question_id][row.answering, row.condition, row.replicate].append(float(score))
    return {
        key: QuestionMeans(sum(fmean(map(fmean, answers.values())) for answers in of_key.values()), len(of_key))
        for key, of_key in groups.items()
    }


def _asked(rows: Sequence[ResultSummary]) -> dict[OfArm, int]:
    """Traits of a question: those of any of its rows, or all traits if all its rows failed."""
    told: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.outcome != "error":
            told[row.question_id] |= row.traits.keys()
    every = {name for row in rows for name in row.traits}
    found: Counter[OfArm] = Counter()
    for row in rows:
        for name in told.get(row.question_id, every):
            found[OfArm(row.answering, row.condition, name)] += 1
    return dict(found)
