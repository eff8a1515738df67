"""Few-shot examples in front of a question (`FewShotConfig`)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import FewShotConfig, FewShotExampleConfig


@dataclass(frozen=True, slots=True)
class Example:
    question: str
    answer: str

    @property
    def number(self) -> str:
        """Id of the example in a configuration: MD5 of its question, in hexadecimal."""
        # `usedforsecurity=False`: Python builds in FIPS mode reject MD5 otherwise.
        return hashlib.md5(self.question.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Examples:
    chosen: tuple[Example, ...] = ()
    problems: tuple[str, ...] = field(default=())
    """Messages about unusable examples."""

    def before(self, question: str) -> str:
        """Prompt text: examples with answers, then the question. Without examples, the question alone."""
        if not self.chosen:
            return question
        blocks = [f"Question: {example.question}\nAnswer: {example.answer}" for example in self.chosen]
        return "\n\n".join([*blocks, f"Question: {question}\nAnswer:"])


def examples_for(question: Question, config: FewShotConfig | None) -> Examples:
    """Examples for a question: those of its own pool that its mode selects, then the global ones.

    `config` None: no examples. A question with the mode `disabled` gets no global examples either.
    """
    if config is None or config.source == "disabled":
        return Examples()
    own = config.question_configs.get(question.id, FewShotExampleConfig())
    if own.mode == "disabled":
        return Examples()
    pool, problems = _parse_examples(question.few_shot_examples or (), "example")
    global_examples, more = _parse_examples(config.global_examples, "global example")
    chosen = [] if config.source == "global" else _from_pool(pool, own, config, question.id)
    if config.source != "question_pool":
        chosen += global_examples.values()
        problems += more
    return Examples(tuple(chosen), tuple(problems))


def _from_pool(
    pool: dict[int, Example],
    own: FewShotExampleConfig,
    config: FewShotConfig,
    question_id: str,
) -> list[Example]:
    """Examples selected from the pool, without `excluded_examples`."""
    excluded = set(own.excluded_examples or ())
    eligible = {index: example for index, example in pool.items() if not excluded & {index, example.number}}
    mode = config.pool_mode if own.mode == "inherit" else own.mode
    if mode == "custom":
        return _select_by_name(eligible, own.selected_examples or ())
    count = config.pool_k if own.k is None else own.k
    if mode == "k-shot" and count < len(eligible):
        return random.Random(_seed(question_id)).sample(list(eligible.values()), count)
    return list(eligible.values())


def _select_by_name(pool: dict[int, Example], names: Iterable[int | str]) -> list[Example]:
    """Examples in the order of the names. Unknown names are ignored."""
    by_number = {example.number: example for example in pool.values()}
    examples = (pool.get(name) if isinstance(name, int) else by_number.get(name) for name in names)
    return [example for example in examples if example is not None]


def _seed(question_id: str) -> int:
    """Seed that draws the same examples for a question in every run, as upstream does."""
    return int(hashlib.md5(question_id.encode(), usedforsecurity=False).hexdigest(), 16) % 2**31


def _parse_examples(entries: Iterable[Mapping[str, object]], name: str) -> tuple[dict[int, Example], list[str]]:
    """Usable examples by 0-based position, and messages about the others."""
    pool, problems = {}, []
    for index, entry in enumerate(entries):
        question, answer = entry.get("question"), entry.get("answer")
        if isinstance(question, str) and isinstance(answer, str) and question.strip():
            pool[index] = Example(question, answer)
        else:
            problems.append(f"Skipped {name} {index + 1}: it needs a question and an answer.")
    return pool, problems
