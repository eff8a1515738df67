"""Find and replace over the questions of a benchmark: matches to choose from, checks, and one command that replaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
    edited,
    edits_of,
    texts_of,
    texts_of_benchmark,
)
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.errors import InputError
from karenina_gui.sandbox import Sandbox, TextSearch
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.schemas.template import TemplateOutline
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
        if not search.text:
            return FoundTexts()
        rows = self._library.text_edits.texts(benchmark_id)
        texts = [text for row in rows if numbers is None or row.number in numbers for text in texts_of(row, parts)]
        if numbers is None and "question_rubric" in parts:
            rubric = self._library.benchmarks.frame(benchmark_id).rubric
            texts = [*texts_of_benchmark(rubric), *texts]
        found: list[FoundText] = []
        count = 0
        for batch in _batches(texts):
            outcome = self._sandbox.find(search, [text.text for text in batch])
            if outcome.error is not None:
                raise InputError(outcome.error)
            for text, matches in zip(batch, outcome.items, strict=True):
                if matches := matches[: MOST_MATCHES - count]:
                    numbered = tuple(FoundMatch(count + at, *match) for at, match in enumerate(matches))
                    found.append(replace(text, matches=numbered))
                    count += len(matches)
            if count >= MOST_MATCHES:
                return FoundTexts(found, complete=False)
        return FoundTexts(found)

    def check_texts(self, benchmark_id: int, found: FoundTexts) -> dict[int, str]:
        """Reasons against single matches: {id of the match: sentence}. They hold if all matches are replaced.

        Only facts of the benchmark that cost no run of a template, see `check_templates`.
        """
        ids, texts = found.ids, [text for text in found.texts if text.part == "question"]
        after: dict[int | None, str] = {
            row.number: str(row.fields["question"]) for row in self._library.text_edits.texts(benchmark_id)
        }
        after |= {text.number: text.replaced(ids) for text in texts if text.number in after}
        holders = Counter(after.values())
        reasons: dict[int, str] = {}
        for text in texts:
            if reason := _text_reason(after.get(text.number, ""), holders):
                reasons |= dict.fromkeys((match.id for match in text.matches), reason)
        return reasons

    def check_templates(
        self, benchmark_id: int, found: FoundTexts, progress: Callable[[int, int], bool] = lambda done, total: True
    ) -> dict[int, str]:
        """Reasons against matches in templates that then no longer compile, or fail more of their sample answers.

        `progress`: called with (checked, all) before each template; False ends the check.
        """
        texts = [text for text in found.texts if text.part == "answer_template"]
        trusted = self._library.benchmarks.trusts(benchmark_id)
        playground = TemplatePlayground(self._sandbox, lambda: trusted)
        reasons: dict[int, str] = {}
        entries = self._library.questions.entries(benchmark_id, [text.number for text in texts if text.number])
        for done, text in enumerate(texts):
            if not progress(done, len(texts)):
                break
            entry = entries.get(text.number or 0)
            if entry is not None and (reason := _template_reason(playground, entry.question, text, found.ids)):
                reasons |= dict.fromkeys((match.id for match in text.matches), reason)
        return reasons

    def replace(self, benchmark_id: int, found: FoundTexts, ids: Collection[int]) -> ReplaceOutcome:
        """Replace the chosen matches as one command."""
        outcome = ReplaceOutcome()
        chosen = found.chosen(ids)
        by_number: dict[int | None, list[FoundText]] = {}
        for text in chosen:
            by_number.setdefault(text.number, []).append(text)
        with one_command("replace"):
            own = by_number.pop(None, [])
            if own:
                self._replace_own(benchmark_id, own, ids, outcome)
            rows = {row.number: row for row in self._library.text_edits.texts(benchmark_id)}
            edits = []
            for number, texts in by_number.items():
                try:
                    edits.append(edits_of(rows[number or 0], texts, ids))
                except KeyError:
                    outcome.refused.append("A question was deleted meanwhile.")
                except InputError as error:
                    outcome.refused.append(f"Question {texts[0].place:,}: {error}")
            done = self._library.text_edits.replace(benchmark_id, edits)
        outcome.questions = done.changed
        outcome.refused += [f"Question {rows[number].place:,}: {reason}" for number, reason in done.refused]
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
            after = edited(texts, before, ids)
        except InputError as error:
            outcome.refused.append(f"The benchmark’s traits: {error}")
            return
        self._editor.edit_benchmark(benchmark_id, {"rubric": after})
        outcome.benchmark = True


def _batches(texts: Sequence[FoundText]) -> Iterator[list[FoundText]]:
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
    source = text.replaced(ids)
    before, after = playground.check(text.text, from_file=True), playground.check(source)
    if not after.valid:
        if not before.valid:
            return None
        problem = after.first_error
        line = "" if problem is None or problem.line is None else f" Line {problem.line}."
        return f"The template would no longer compile.{line}"
    wrong = _failing_samples(playground, question, source, after)
    if wrong and (not before.valid or wrong > _failing_samples(playground, question, text.text, before)):
        return f"{quantity(wrong, 'sample answer')} would have a wrong verdict."
    return None


def _failing_samples(playground: TemplatePlayground, question: Question, source: str, outline: TemplateOutline) -> int:
    samples = sample_answers(question)
    if not samples:
        return 0
    return sum(each.state in ("unexpected", "error") for each in run_samples(playground, source, outline, samples))
