"""Draw of answers for a calibration: spread over what a judge said, and in an order that gives nothing away."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from karenina_gui.schemas.calibration import AnswerPool, StoredAnswer

JudgedBy = tuple[str, str]
"""Hash of the wording, and name of the judge."""


def main_judge(pool: AnswerPool, current: str) -> JudgedBy | None:
    """Judge and wording by which the draw is spread; None: no judge has read any of these answers.

    The one that read most of them with today's wording (`current`: its hash), else with any wording.
    """
    read = Counter(by for each in pool.answers for by in each.judged)
    order = sorted(read, key=lambda by: (by[0] != current, -read[by], by))
    return order[0] if order else None


def draw(answers: Sequence[StoredAnswer], count: int, seed: int, by: JudgedBy | None) -> list[StoredAnswer]:
    """Draw answers. The same seed gives the same answers in the same order.

    In turn one of each value that the judge gave, so that rare values are among them; of each value first answers to
    questions without a drawn answer.
    """
    random_order = random.Random(seed)
    groups: dict[str, list[StoredAnswer]] = {}
    # Sorted first: the order of the library changes with every run, the draw of a seed should not.
    shuffled = sorted(answers, key=lambda each: each.answer.key)
    random_order.shuffle(shuffled)
    for each in shuffled:
        value = each.judged.get(by) if by else None
        groups.setdefault(repr(value.value) if value else "", []).append(each)
    order = sorted(groups)
    random_order.shuffle(order)
    drawn: list[StoredAnswer] = []
    while len(drawn) < count and any(groups.values()):
        for name in order:
            if groups[name] and len(drawn) < count:
                drawn.append(_take(groups[name], drawn))
    # Shuffled again: otherwise the values would follow each other in turn, which a labeler would notice.
    random_order.shuffle(drawn)
    return drawn


def _take(group: list[StoredAnswer], drawn: Sequence[StoredAnswer]) -> StoredAnswer:
    """Remove and return the first answer to the question with the fewest drawn answers."""
    times = Counter(each.answer.number for each in drawn)
    best = min(group, key=lambda each: times[each.answer.number])
    group.remove(best)
    return best
