"""Questions of a published version, as the run form lists those of a benchmark."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.published_version import PublishedVersion
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.store.library import Library
from karenina_gui.store.question_summaries import PREVIEW


class PublishedQuestions:
    """Published version with its questions, which are read once, because they never change."""

    def __init__(self, library: Library, version: PublishedVersion) -> None:
        self._library = library
        self.version = version

    @property
    def id(self) -> int:
        return self.version.id

    @cached_property
    def rows(self) -> list[QuestionSummary]:
        """Rows in the order of the version. The number of a question that is gone from the benchmark is 0."""
        numbers = {row.id: row.number for row in self._library.questions.summaries(self.version.benchmark_id)}
        return [
            QuestionSummary(
                number=numbers.get(question.id, 0),
                id=question.id,
                position=position,
                text=question.question[:PREVIEW],
                keywords=tuple(question.keywords),
                finished=entry.finished,
                has_template=not is_default_template(question.answer_template),
                template_valid=None,
                has_rubric=bool(question.question_rubric),
                revision=1,
                updated_at=self.version.published_at,
            )
            for position, entry in enumerate(self.document.entries)
            for question in (entry.question,)
        ]

    def question(self, question_id: str) -> Question:
        """Question with this id. Raises `NotFoundError`."""
        return self.document.entry(question_id).question

    @property
    def has_agentic_traits(self) -> bool:
        return any(rubric.agentic_traits for rubric in self._rubrics)

    @property
    def has_deep_traits(self) -> bool:
        """True if any trait requests deep judgment."""
        return any(trait.deep_judgment_enabled for rubric in self._rubrics for trait in rubric.llm_traits)

    @property
    def trait_names(self) -> list[str]:
        """Names of all traits of the version."""
        return list(dict.fromkeys(name for rubric in self._rubrics for name in rubric.names))

    @property
    def question_rubrics(self) -> list[tuple[str, dict[str, Any]]]:
        """(id, saved rubric) of each question with its own traits."""
        questions = [entry.question for entry in self.document.entries]
        return [(question.id, question.question_rubric) for question in questions if question.question_rubric]

    @cached_property
    def _rubrics(self) -> list[Rubric]:
        """All rubrics that can be read; the selection of the run reports the others."""
        rubrics = [self.document.rubric] if self.document.rubric else []
        for entry in self.document.entries:
            with suppress(ValueError):
                rubrics.append(Rubric.model_validate(entry.question.question_rubric or {}))
        return rubrics

    @cached_property
    def document(self) -> BenchmarkDocument:
        return self._library.published.document(self.version.id)
