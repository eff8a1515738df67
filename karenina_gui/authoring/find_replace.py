"""Find and replace over the questions of a benchmark: matches to choose from, checks, and one command that replaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from karenina_gui.authoring.bench import run_samples
from karenina_gui.authoring.changes import ChangeKind
from karenina_gui.authoring.found_texts import (
    REPLACE_PARTS,
    FoundMatch,
    FoundText,
    FoundTexts,
    ReplacePart,
    edit_value,
    edits_of,
    texts_of,
    texts_of_benchmark,
)
from karenina_gui.authoring.pacing import at_half_speed
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.errors import InputError
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem
from karenina_gui.schemas.text_edits import FieldEdits, QuestionTexts, TextSearch
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library
from karenina_gui.text import quantity

MOST_MATCHES = 20_000
"""Matches of one search; the next search finds the rest."""
BATCH_CHARACTERS, BATCH_TEXTS = 1_000_000, 500
"""Size of one request, so that a slow expression is noticed after seconds."""


@dataclass
class ReplaceOutcome:
    """Result of a replacement."""

    matches: int = 0
    questions: list[int] = field(default_factory=list)
    """Numbers of the changed questions."""
    benchmark: bool = False
    """True if the benchmark's own traits changed."""
    refused: list[str] = field(default_factory=list)
    """A sentence for each question that stays as it is."""


class ReplacedBenchmarks(Protocol):
    """The editor of benchmarks, as replacements use it."""

    library: Library

    def edit_benchmark(self, benchmark_id: int, changes: dict[str, Any]) -> Any: ...
    def announce(self, benchmark_id: int, kind: ChangeKind, numbers: Sequence[int]) -> None: ...


class FindReplace:
    """Finds text in questions and replaces chosen matches; safe to use from any thread."""

    def __init__(self, editor: ReplacedBenchmarks, sandbox: Sandbox) -> None:
        self._editor, self._sandbox = editor, sandbox
        self._library = editor.library

    def find(
        self,
        benchmark_id: int,
        search: TextSearch,
        parts: Collection[ReplacePart] = REPLACE_PARTS,
        numbers: Collection[int] | None = None,
    ) -> FoundTexts:
        """Find all matches. `numbers`: questions to search; None: all, and the benchmark's own traits.

        Raises `InputError` for an expression that is invalid or takes too long.
        """
        texts: list[FoundText] = []
        count = 0
        for batch in _batches(self._texts(benchmark_id, parts, numbers) if search.text else []):
            for text, matches in self._matches(search, batch):
                # Numbered through, so that a choice of matches is a set of numbers.
                numbered = [FoundMatch(at, *match) for at, match in enumerate(matches, start=count)]
                texts.append(replace(text, matches=tuple(numbered[: MOST_MATCHES - count])))
                count += len(texts[-1].matches)
                if count == MOST_MATCHES:
                    return FoundTexts(texts, complete=False)
        return FoundTexts(texts)

    def _texts(
        self, benchmark_id: int, parts: Collection[ReplacePart], numbers: Collection[int] | None
    ) -> Iterator[FoundText]:
        if numbers is None and "question_rubric" in parts:
            yield from texts_of_benchmark(self._library.benchmarks.frame(benchmark_id).rubric)
        for row in self._library.text_edits.texts(benchmark_id):
            if numbers is None or row.number in numbers:
                yield from texts_of(row, parts)

    def _matches(
        self, search: TextSearch, batch: Sequence[FoundText]
    ) -> Iterator[tuple[FoundText, Sequence[tuple[int, int, str]]]]:
        outcome = self._sandbox.find(search, [text.text for text in batch])
        if outcome.error is not None:
            raise InputError(outcome.error)
        yield from ((text, matches) for text, matches in zip(batch, outcome.items, strict=True) if matches)

    def check_texts(self, benchmark_id: int, texts_found: FoundTexts) -> dict[int, str]:
        """Reasons against single matches: {id of the match: sentence}. They hold if all matches are replaced.

        Only facts of the benchmark that cost no run of a template, see `check_templates`.
        """
        ids, texts = texts_found.ids, texts_found.of_part("question")
        after: dict[int | None, str] = {
            row.number: str(row.fields["question"]) for row in self._library.text_edits.texts(benchmark_id)
        }
        after |= {text.number: text.with_replacements(ids) for text in texts if text.number in after}
        holders = Counter(after.values())
        reasons: dict[int, str] = {}
        for text in texts:
            if reason := _text_reason(after.get(text.number, ""), holders):
                reasons |= dict.fromkeys((match.id for match in text.matches), reason)
        return reasons

    def check_templates(
        self, benchmark_id: int, matches: FoundTexts, progress: Callable[[int, int], bool] = lambda done, total: True
    ) -> dict[int, str]:
        """Reasons against matches in templates that then have an error, or fail more of their sample answers.

        `progress`: called with (checked, all) before each template; False ends the check.
        """
        texts = matches.of_part("answer_template")
        trusted = self._library.benchmarks.trusts(benchmark_id)
        playground = TemplatePlayground(self._sandbox, lambda: trusted)
        entries = self._library.questions.entries(benchmark_id, [text.number or 0 for text in texts])
        reasons: dict[int, str] = {}
        # A template can only be run as a whole, so the reason holds for all of its matches.
        for done, text in enumerate(at_half_speed(texts)):
            if not progress(done, len(texts)):
                break
            entry = entries.get(text.number or 0)
            reason = entry and _template_reason(playground, entry.question, text, matches.ids)
            if reason:
                reasons |= dict.fromkeys((match.id for match in text.matches), reason)
        return reasons

    def replace(self, benchmark_id: int, matches: FoundTexts, ids: Collection[int]) -> ReplaceOutcome:
        """Replace the chosen matches as one command."""
        outcome = ReplaceOutcome()
        chosen = matches.choose(ids)
        by_number: dict[int | None, list[FoundText]] = {}
        for text in chosen:
            by_number.setdefault(text.number, []).append(text)
        with one_command("replace"):
            if own := by_number.pop(None, []):
                self._replace_own(benchmark_id, own, ids, outcome)
            # Read again, because the whole value is written, not only the match.
            rows = {row.number: row for row in self._library.text_edits.texts(benchmark_id)}
            edits = list(_edits(rows, by_number.values(), ids, outcome))
            done = self._library.text_edits.save(benchmark_id, edits, corrections=True)
        outcome.questions = done.changed
        outcome.refused += [f"Question {rows[number].position:,}: {reason}" for number, reason in done.refused]
        changed = {*done.changed, *([None] if outcome.benchmark else [])}
        outcome.matches = sum(match.id in ids for text in chosen if text.number in changed for match in text.matches)
        self._editor.announce(benchmark_id, "edited", done.changed)
        return outcome

    def _replace_own(
        self, benchmark_id: int, texts: Sequence[FoundText], ids: Collection[int], outcome: ReplaceOutcome
    ) -> None:
        """Replace text in the benchmark's own traits."""
        rubric = self._library.benchmarks.frame(benchmark_id).rubric
        before = rubric.model_dump(mode="json", exclude_defaults=True) if rubric else {}
        try:
            after = edit_value(texts, before, ids)
        except InputError as error:
            outcome.refused.append(f"The benchmark’s traits: {error}")
            return
        self._editor.edit_benchmark(benchmark_id, {"rubric": after})
        outcome.benchmark = True


def _edits(
    rows: Mapping[int, QuestionTexts],
    texts_by_question: Iterable[Sequence[FoundText]],
    ids: Collection[int],
    outcome: ReplaceOutcome,
) -> Iterator[FieldEdits]:
    """Edits of the questions that are still as they were found; the others are noted as refused."""
    for texts in texts_by_question:
        row = rows.get(texts[0].number or 0)
        try:
            if row is not None:
                yield edits_of(row, texts, ids)
            else:
                outcome.refused.append("A question was deleted in the meantime.")
        except InputError as error:
            outcome.refused.append(f"Question {texts[0].position:,}: {error}")


def _batches(texts: Iterable[FoundText]) -> Iterator[list[FoundText]]:
    batch: list[FoundText] = []
    size = 0
    for text in texts:
        if batch and (size + len(text.text) > BATCH_CHARACTERS or len(batch) == BATCH_TEXTS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text.text)
    if batch:
        yield batch


def _text_reason(after: str, holders: Mapping[str, int]) -> str | None:
    if not after.strip():
        return "The question would be empty."
    return "Another question would have the same text." if holders.get(after, 0) > 1 else None


def _template_reason(
    playground: TemplatePlayground, question: Question, text: FoundText, ids: Collection[int]
) -> str | None:
    """Reason against the replacement of all matches of a template; None: it is as good as before."""
    source = text.with_replacements(ids)
    after = playground.check(source)
    wrong = _failing_samples(playground, question, source, after) if after.valid else 0
    if after.valid and not wrong and not after.problems:
        return None
    # Only then does it matter how the template was before.
    before = playground.check(text.text, from_file=True)
    if not after.valid:
        return _error_reason(after.first_error) if before.valid else None
    if not before.valid or wrong > _failing_samples(playground, question, text.text, before):
        return f"{quantity(wrong, 'sample answer')} would have a wrong verdict."
    return _new_warning(before, after)


def _new_warning(before: TemplateOutline, after: TemplateOutline) -> str | None:
    # By their number first, since a warning that stays may quote the text that is replaced.
    if len(after.problems) <= len(before.problems):
        return None
    earlier = {one.message for one in before.problems}
    return next((f"New warning: {one.message}" for one in after.problems if one.message not in earlier), None)


def _error_reason(problem: TemplateProblem | None) -> str:
    line = "" if problem is None or problem.line is None else f" in line {problem.line}"
    return f"The template would have an error{line}."


def _failing_samples(playground: TemplatePlayground, question: Question, source: str, outline: TemplateOutline) -> int:
    samples = sample_answers(question)
    if not samples:
        return 0
    return sum(result.state in ("unexpected", "error") for result in run_samples(playground, source, outline, samples))
