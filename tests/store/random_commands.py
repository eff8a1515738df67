"""Random commands of authors, by everything that edits a library."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.errors import InputError
from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportReport
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, TemplateTest, with_samples
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.capture import LOGGED, UNLOGGED
from karenina_gui.store.library import FILE_NAME, Library

WORDS = ["", "Why?", "How – long?", "“quoted”", "line\nbreak", "\x01 tab\t", "😀 Größe", '{"a": "b"}', "null", "12"]
TEMPLATE = "class Answer(BaseAnswer):\n    x: int = VerifiedField(description='n', ground_truth={})\n"
RUBRIC = {"regex_traits": [{"name": "short", "pattern": "^.{0,9}$"}]}


class RandomAuthor:
    """Author who does anything at all to a library."""

    def __init__(self, library: Library, sandbox: Sandbox, random: Random) -> None:
        self.library, self.random = library, random
        self.editor = BenchmarkEditor(library, sandbox)

    def act(self) -> None:
        """One command; one that the editor refuses changes nothing."""
        benchmarks = self.library.benchmarks.numbers()
        commands = [self.new_benchmark, self.model, self.preset, self.price]
        if benchmarks:
            commands = [*commands, *[self.question] * 6, *[self.add] * 3, *[self.many] * 3, self.about, self.import_]
            commands += [self.presence, *[self.review] * 3, self.duplicates]
        with suppress(InputError):
            self.random.choice(commands)()

    def duplicates(self) -> None:
        benchmark = self.benchmark()
        numbers = [row.number for row in self.library.questions.summaries(benchmark)]
        if len(numbers) > 1:
            one, other = self.random.sample(numbers, 2)
            if self.random.random() < 0.5:
                self.editor.duplicates.keep_both(benchmark, one, other)
            else:
                self.editor.duplicates.keep_one(benchmark, one, other, ["raw_answer", "keywords", "samples"])

    def new_benchmark(self) -> None:
        numbers = self.library.benchmarks.numbers()
        if numbers and self.random.random() < 0.5:
            self.editor.duplicate_benchmark(self.random.choice(numbers))
        else:
            self.editor.create_benchmark(f"b{self.random.randrange(99)}", self.text())

    def presence(self) -> None:
        benchmark = self.benchmark()
        deleted = self.library.benchmarks.list_deleted()
        if deleted and self.random.random() < 0.7:
            self.editor.restore_benchmark(deleted[0].id)
        elif self.random.random() < 0.5:
            self.editor.delete_benchmark(benchmark)

    def about(self) -> None:
        values = {"name": "n" + self.text(), "description": self.text(), "rubric": self.rubric()}
        values |= {"custom_properties": {"k": self.text()}, "version": self.text()}
        name = self.random.choice(sorted(values))
        self.editor.edit_benchmark(self.benchmark(), {name: values[name]})

    def add(self) -> None:
        benchmark = self.benchmark()
        numbers = self.questions(benchmark)
        if numbers and self.random.random() < 0.4:
            self.editor.duplicate_question(benchmark, self.random.choice(numbers))
        else:
            self.editor.add_question(benchmark, self.text(), self.text())

    def import_(self) -> None:
        found = [
            ImportedQuestion(row, Question(question=f"{self.text()} {row}?", raw_answer=self.text()))
            for row in range(1, self.random.randrange(2, 5))
        ]
        report = ImportReport(imported=found, finished=self.random.random() < 0.5)
        self.editor.files.add_questions(self.benchmark(), report)

    def question(self) -> None:
        benchmark = self.benchmark()
        numbers = self.questions(benchmark)
        if not numbers:
            return
        values: dict[str, Callable[[], Any]] = {
            **dict.fromkeys(("question", "raw_answer", "answer_notes"), self.text),
            "keywords": lambda: [self.text()],
            "answer_template": lambda: self.random.choice([TEMPLATE, TEMPLATE + "\n# é", None, "not python ("]),
            "question_rubric": self.rubric,
            "custom_metadata": lambda: with_samples({"m": self.text()}, [SampleAnswer(text=self.text())]),
            "id": lambda: self.random.choice([None, "own", "other"]),
            "finished": lambda: self.random.random() < 0.5,
        }
        chosen = self.random.sample(sorted(values), self.random.choice([1, 1, 1, 2]))
        number = self.random.choice(numbers)
        self.editor.edit(benchmark, number, {name: values[name]() for name in chosen})
        if self.random.random() < 0.2:
            question = self.library.questions.entry(benchmark, number).question
            tests = [(number, question, TemplateTest(True, wrong=1))]
            self.library.questions.note_template_tests(benchmark, tests)

    def many(self) -> None:
        benchmark = self.benchmark()
        numbers = self.questions(benchmark)
        chosen = self.random.sample(numbers, self.random.randrange(len(numbers) + 1))
        deleted = [each.number for each in self.library.questions.list_deleted(benchmark)]
        choice = self.random.randrange(4)
        if choice == 0:
            self.editor.delete_questions(benchmark, chosen)
        elif choice == 1:
            self.editor.restore_questions(benchmark, deleted)
        else:
            self.editor.set_finished(benchmark, chosen, choice == 2)

    def review(self) -> None:
        benchmark = self.benchmark()
        numbers = self.questions(benchmark)
        if not numbers:
            return
        number, reviews = self.random.choice(numbers), self.editor.reviews
        comments = self.library.comments.of(number)
        choice = self.random.randrange(7 if comments else 5)
        if choice == 0:
            reviews.finish(benchmark, numbers, self.random.choice(["", "Ada", "Grace"]))
        elif choice == 1:
            reviews.return_to_author(benchmark, number, "Grace", "x" + self.text())
        elif choice == 2:
            reviews.ask_again(benchmark, number)
        elif choice == 3:
            reviews.separate(benchmark, self.random.random() < 0.5)
        elif choice == 4:
            reviews.comment(benchmark, number, "Ada", "x" + self.text(), self.random.choice([None, "question"]))
        elif choice == 5:
            reviews.set_done(benchmark, self.random.choice(comments), self.random.random() < 0.5)
        else:
            reviews.delete_comment(benchmark, self.random.choice(comments))

    def model(self) -> None:
        models = self.library.models
        entries = models.entries()
        choice = self.random.randrange(4) if entries else 0
        config = ModelConfig(model_name=self.random.choice("abc"), interface="openai_endpoint")
        if choice == 0:
            models.add(self.random.choice("mn"), config)
        elif choice == 1:
            models.update(self.random.choice(entries).number, config)
        elif choice == 2:
            models.rename(self.random.choice(entries).number, self.random.choice("xyz"))
        else:
            models.delete(self.random.choice(entries).number)

    def preset(self) -> None:
        presets = self.library.presets
        known = list(presets.all())
        if known and self.random.random() < 0.4:
            presets.delete(self.random.choice(known))
            return
        fields = {"id": self.random.choice([*known, f"p{self.random.randrange(9)}"]), "name": self.random.choice("pqr")}
        config = VerificationConfig(answering_models=[], parsing_models=[], parsing_only=True)
        presets.save(Preset(**fields, description=self.text(), config=config))

    def price(self) -> None:
        model = self.random.choice(["openai:a", "openai:b"])
        if self.random.random() < 0.4:
            self.library.prices.delete(model)
        else:
            self.library.prices.save(Price(model=model, input=self.random.random(), output=0.1 + 0.2))

    def benchmark(self) -> int:
        return self.random.choice(self.library.benchmarks.numbers())

    def questions(self, benchmark: int) -> list[int]:
        return [row.number for row in self.library.questions.summaries(benchmark)]

    def text(self) -> str:
        return self.random.choice(WORDS)

    def rubric(self) -> dict[str, Any] | None:
        return self.random.choice([None, RUBRIC])


def contents(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of the logged tables, without the columns that go on growing."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            name: [
                {column: row[column] for column in table.columns if column not in UNLOGGED}
                for row in connection.execute(f"SELECT * FROM {name} ORDER BY {table.key}")
            ]
            for name, table in LOGGED.items()
        }


def part(found: dict[str, list[dict[str, Any]]], scope: str) -> list[Any]:
    """The part of the contents that the commands of a scope change."""
    kind, _, number = scope.partition("/")
    if kind == "benchmark":
        own = [row | {"deleted_at": None} for row in found["benchmark"] if row["id"] == int(number)]
        return own + [row for row in found["question"] if row["benchmark_id"] == int(number)]
    if kind == "benchmarks":
        return [(row["id"], row["deleted_at"]) for row in found["benchmark"]]
    return list(found[{"models": "model", "presets": "preset", "prices": "model_price"}[kind]])
