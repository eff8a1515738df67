"""Random versions of a benchmark: what authors and other programs do to a file."""

from __future__ import annotations

from random import Random
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric

WORDS = ("dose", "enzyme", "mRNA", "“quoted”", "ß", "a\nline", "half-life", "0.5 L/kg")
TRAITS = {"llm_traits": [{"name": "clear", "kind": "literal", "classes": {"no": "n", "yes": "y"}}]}


def entry(text: str, answer: str = "", *, finished: bool = True, **fields: Any) -> BenchmarkEntry:
    return BenchmarkEntry(question=Question(question=text, raw_answer=answer, **fields), finished=finished)


def document(*entries: BenchmarkEntry, **fields: Any) -> BenchmarkDocument:
    return BenchmarkDocument(**{"name": "Doses", "entries": list(entries), **fields})


def any_document(random: Random) -> BenchmarkDocument:
    return document(
        *(_any_entry(random, number) for number in range(random.randint(0, 8))),
        description=random.choice(("", "old")),
        creator=random.choice(("", {"name": "Ada"})),
    )


def edited(before: BenchmarkDocument, random: Random) -> BenchmarkDocument:
    """Another version: questions edited, corrected, deleted, added, and moved."""
    kept = [_edited(each, random) for each in before.entries if random.random() > 0.2]
    added = [_any_entry(random, 100 + number) for number in range(random.randint(0, 3))]
    entries = [*kept, *added]
    random.shuffle(entries)
    return before.model_copy(
        update={
            "entries": entries,
            "description": random.choice(("", "old", "new")),
            "rubric": random.choice((None, Rubric.model_validate(TRAITS))),
            "custom_properties": random.choice(({}, {"license": "CC BY 4.0"})),
        }
    )


def _any_entry(random: Random, number: int) -> BenchmarkEntry:
    made = entry(f"Question {number}: {_text(random)}?", _text(random), finished=random.random() > 0.5)
    made.source = random.choice(({}, {"@type": "DataFeedItem", "x-other": [number]}))
    return _edited(made, random)


def _edited(before: BenchmarkEntry, random: Random) -> BenchmarkEntry:
    fields = before.question.model_dump()
    fields |= dict(random.sample(sorted(_edits(before.question, random).items()), random.randint(0, 4)))
    finished = before.finished if random.random() > 0.3 else not before.finished
    return BenchmarkEntry(question=Question.model_validate(fields), finished=finished, source=before.source)


def _edits(question: Question, random: Random) -> dict[str, Any]:
    other = f"{question.question} {_text(random)}"
    metadata = {"level": random.randint(1, 3), "sample_answers": [{"text": _text(random)}], "previous_ids": ["x"]}
    return {
        # With the id of the text, or with the old one.
        "question": other if random.random() > 0.5 else question.question.replace("?", " ?"),
        "id": random.choice((question.id, Question(question=other, raw_answer="").id)),
        "raw_answer": _text(random),
        "answer_template": random.choice((None, "class Answer(BaseAnswer):\n    x: int = Field(description='x')\n")),
        "keywords": random.sample(WORDS, 2),
        "answer_notes": random.choice((None, "", _text(random))),
        "author": random.choice((None, {"name": "Ada"})),
        "sources": random.choice((None, [], [{"name": "a book"}])),
        "question_rubric": random.choice((None, TRAITS, {"llm_traits": []})),
        "workspace_path": random.choice((None, "task_01")),
        "few_shot_examples": random.choice((None, [{"question": "q", "answer": "a"}])),
        "custom_metadata": {name: metadata[name] for name in random.sample(sorted(metadata), 2)},
    }


def _text(random: Random) -> str:
    return " ".join(random.sample(WORDS, 3))
