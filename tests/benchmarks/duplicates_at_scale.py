"""Speed of *Find duplicates*: `python tests/benchmarks/duplicates_at_scale.py [QUESTIONS] [ROUNDS]`.

Compares questions of several benchmarks, made up from a fixed vocabulary: unrelated ones, a series that differs in a
number, one hundredth of near copies, and families of 25 variants each. Shows seconds of processor time, and the ratio
to half as many questions: 2 is linear, 4 quadratic.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.formats.tables.similar_questions import repeated_pairs, similar_pairs  # noqa: E402

LENGTH = 14
"""Words of a question."""
FREQUENT = ["what", "which", "is", "the", "of", "in", "a", "does", "for", "and", "how", "by", "with", "to"]
RARE = [f"term{number}" for number in range(5_000)]


def unrelated(count: int, chance: random.Random) -> list[str]:
    return [question(chance) for _ in range(count)]


def series(count: int, chance: random.Random) -> list[str]:
    return [f"Which drug, and how much of it, did trial {number} give?" for number in range(count)]


def copies(count: int, chance: random.Random) -> list[str]:
    """One question in a hundred differs from another one in a word."""
    texts = unrelated(count, chance)
    for place in range(0, count - 1, 100):
        texts[place] = varied(texts[place + 1], chance)
    return texts


def families(count: int, chance: random.Random) -> list[str]:
    """The worst case: each question has 24 variants."""
    return [varied(text, chance) for text in unrelated(count // 25, chance) for _ in range(25)]


def question(chance: random.Random) -> str:
    return " ".join(chance.choice(RARE if chance.random() < 0.5 else FREQUENT) for _ in range(LENGTH)) + "?"


def varied(text: str, chance: random.Random) -> str:
    """The question with one other word."""
    parts = text.split()
    parts[chance.randrange(len(parts))] = chance.choice(RARE)
    return " ".join(parts)


def main(count: int, rounds: int) -> None:
    similar_pairs(["one two", "one three"])  # loads the libraries
    for make in (unrelated, series, copies, families):
        texts = make(count, random.Random(1))
        whole, half, exact = (
            median(seconds(work) for _ in range(rounds))
            for work in (
                partial(similar_pairs, texts),
                partial(similar_pairs, texts[: count // 2]),
                partial(repeated_pairs, texts),
            )
        )
        print(
            f"{make.__name__:<10} {count:7,} questions {whole:6.2f} s   ×{whole / half:.1f} of half as many   "
            f"{len(similar_pairs(texts)):6,} pairs   same wording only {exact:.2f} s"
        )


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
