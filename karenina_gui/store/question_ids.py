"""Question ids: MD5 of the text, unless results refer to an earlier id or the user set another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from karenina_gui.errors import DuplicateQuestionError, InputError
from karenina_gui.schemas.question import PREVIOUS_IDS, question_fingerprint
from karenina_gui.schemas.result_summaries import QuestionResults, RunOfQuestion
from karenina_gui.store import tables
from karenina_gui.store.question_summaries import among, of_benchmark

row_of = tables.QuestionRow
LONGEST_TEXT = 60
"""Characters of another question's text in an error message."""


@dataclass(frozen=True)
class Identity:
    """The id of a question after an edit."""

    id: str
    id_set: bool
    """True if a user set or kept the id explicitly."""
    previous_id: str | None = None
    """Previous ID, if results refer to it; None: the ID is unchanged or unused."""


class KnownIdentities:
    """Texts and ids of all questions of a benchmark, read once for many edits in one transaction.

    They rule out most clashes without a query for each question; the query words the others.
    """

    def __init__(self, session: Session, benchmark_id: int) -> None:
        rows = session.execute(select(row_of.question, row_of.question_id).where(*of_benchmark(benchmark_id))).all()
        self._texts, self._ids = {text for text, _ in rows}, {question_id for _, question_id in rows}
        runs = tables.RunRow.benchmark_id == benchmark_id
        result, job = tables.ResultRow, tables.JobRow
        of_runs = select(tables.RunRow.id).where(runs)
        of_open_runs = of_runs.where(col(tables.RunRow.done) < col(tables.RunRow.total))
        self._referred = {
            *session.exec(select(result.question_id).where(col(result.run_id).in_(of_runs)).distinct()),
            *session.exec(select(job.question_id).where(col(job.run_id).in_(of_open_runs)).distinct()),
        }

    def has_text(self, text: str) -> bool:
        return text in self._texts

    def has_id(self, question_id: str) -> bool:
        return question_id in self._ids

    def is_referred_to(self, question_id: str) -> bool:
        return bool(question_id) and question_id in self._referred

    def add(self, text: str, question_id: str) -> None:
        """Note an edit. What it replaced stays known, which costs at most a query."""
        self._texts.add(text)
        self._ids.add(question_id)


def identity_after(
    session: Session, row: tables.QuestionRow, changes: dict[str, Any], identities: KnownIdentities | None = None
) -> Identity:
    """The question's id once `changes` are saved.

    An `id` in `changes` is set explicitly; None resets it to the id of the text. Raises `DuplicateQuestionError` if
    another question has the text or the id, and `InputError` for an empty text or an unusable id.
    """
    text = str(changes.get("question", row.question) or "")
    if text != row.question:
        _refuse_text(session, row, text, identities)
    if "id" not in changes and text == row.question:
        return Identity(row.question_id, row.id_set)
    own = question_fingerprint(text) if text.strip() else ""
    refers = _refers(session, row, identities)
    id_ = _explicit_id(changes["id"], own) if "id" in changes else row.question_id if row.id_set or refers else own
    is_set = _is_set(row, changes) and id_ != own
    if id_ == row.question_id:
        return Identity(id_, is_set)
    if identities is None or identities.has_id(id_):
        _refuse_id(session, row, id_, is_own=id_ == own)
    return Identity(id_, is_set, row.question_id if refers else None)


def link_previous_ids(metadata: dict[str, Any] | None, identity: Identity) -> dict[str, Any] | None:
    """Custom metadata with the list of previous ids brought up to date."""
    before = (metadata or {}).get(PREVIOUS_IDS, [])
    if identity.previous_id is None and not isinstance(before, list):
        return metadata  # the user's own metadata field of this name
    ids = _previous_ids(before if isinstance(before, list) else [before], identity)
    others = {name: value for name, value in (metadata or {}).items() if name != PREVIOUS_IDS}
    return {**others, **({PREVIOUS_IDS: ids} if ids else {})} or None


def _previous_ids(before: list[Any], identity: Identity) -> list[Any]:
    ids = [id_ for id_ in before if id_ != identity.id]
    return [*ids, identity.previous_id] if identity.previous_id and identity.previous_id not in ids else ids


def result_count(session: Session, benchmark_id: int, question_id: str) -> int:
    """Number of results in this benchmark's runs that refer to the id."""
    result = tables.ResultRow
    of_runs = select(tables.RunRow.id).where(tables.RunRow.benchmark_id == benchmark_id)
    counted = select(func.count()).select_from(result)
    return session.exec(counted.where(col(result.run_id).in_(of_runs), result.question_id == question_id)).one()


def results_of_question(session: Session, benchmark_id: int, question_id: str) -> QuestionResults:
    """Results of the benchmark's runs that refer to the id, by run."""
    result, run = tables.ResultRow, tables.RunRow
    counted = select(run.id, run.name, run.deleted_at, func.count(), func.max(col(result.id)))  # type: ignore[call-overload]
    counted = counted.join(result, col(result.run_id) == col(run.id)).group_by(col(run.id)).order_by(col(run.id).desc())
    rows = session.execute(counted.where(run.benchmark_id == benchmark_id, result.question_id == question_id)).all()
    latest = max((last for *_, last in rows), default=None)
    text = None if latest is None else session.exec(select(result.question_text).where(result.id == latest)).one()
    runs = tuple(RunOfQuestion(run_id, name, count) for run_id, name, gone, count, _ in rows if gone is None)
    return QuestionResults(runs, sum(count for _, _, gone, count, _ in rows if gone is not None), text)


def is_referred_to(session: Session, benchmark_id: int, question_id: str) -> bool:
    """True if results refer to the id, or unfinished jobs that may still produce results."""
    if result_count(session, benchmark_id, question_id):
        return True
    job = tables.JobRow
    open_runs = select(tables.RunRow.id).where(
        tables.RunRow.benchmark_id == benchmark_id, col(tables.RunRow.done) < col(tables.RunRow.total)
    )
    planned = select(job.id).where(col(job.run_id).in_(open_runs), job.question_id == question_id).limit(1)
    return session.exec(planned).first() is not None


def refuse_taken(session: Session, benchmark_id: int, question_id: str, text: str) -> None:
    """Raise `DuplicateQuestionError` if another question has the id that a new question of this text would get."""
    if question_id and (other := _holder(session, benchmark_id, question_id)):
        raise DuplicateQuestionError(_taken_message(session, other, is_own=question_id == question_fingerprint(text)))


def place_of(session: Session, row: tables.QuestionRow) -> int:
    """Place of a question in the list, from 1."""
    earlier = (col(row_of.position) < row.position) | (
        (col(row_of.position) == row.position) & (col(row_of.id) <= row.id)
    )
    return session.exec(select(func.count()).select_from(row_of).where(*of_benchmark(row.benchmark_id), earlier)).one()


def naming(session: Session, row: tables.QuestionRow) -> str:
    """Label of a question with its place in the list, such as `Question 3 (“Who was first?”)`."""
    return f"Question {place_of(session, row)} (“{shorten(row.question)}”)"


def holders(session: Session, benchmark_id: int, question_ids: Iterable[str]) -> dict[str, int]:
    """Numbers by id of the questions that have these ids."""
    statement = select(row_of.question_id, row_of.id).where(
        *of_benchmark(benchmark_id), among(row_of.question_id, question_ids)
    )
    return {question_id: number for question_id, number in session.exec(statement).all() if number is not None}


def still_deleted_message(session: Session, text: str, holder: int) -> str:
    """Sentence about a question that can’t be restored because `holder` has its id."""
    other = naming(session, session.get_one(tables.QuestionRow, holder))
    return f"“{shorten(text)}” stays deleted: {other} has the same ID. Delete that one first, or change its ID."


def shorten(text: str) -> str:
    """Start of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"


def _refers(session: Session, row: tables.QuestionRow, identities: KnownIdentities | None) -> bool:
    """True if results refer to the question's id, or unfinished jobs."""
    if identities is not None:
        return identities.is_referred_to(row.question_id)
    return bool(row.question_id) and is_referred_to(session, row.benchmark_id, row.question_id)


def _explicit_id(value: Any, own: str) -> str:
    if not own:
        raise InputError("Write the question first. An ID needs a text.")
    if value is None:
        return own
    text = str(value).strip()
    if not text:
        raise InputError("Enter an ID, or use the ID of the text.")
    if not text.isprintable():
        raise InputError("The ID contains an unsupported character, such as a line break. Remove it.")
    return text


def _is_set(row: tables.QuestionRow, changes: dict[str, Any]) -> bool:
    return changes["id"] is not None if "id" in changes else row.id_set


def _refuse_id(session: Session, row: tables.QuestionRow, question_id: str, *, is_own: bool) -> None:
    if other := _holder(session, row.benchmark_id, question_id):
        raise DuplicateQuestionError(_taken_message(session, other, is_own=is_own))


def _refuse_text(session: Session, row: tables.QuestionRow, text: str, identities: KnownIdentities | None) -> None:
    if row.question_id and not text.strip():
        raise InputError("A question needs a text. Write one, or delete the question.")
    if identities is not None and not identities.has_text(text):
        return
    same = (*of_benchmark(row.benchmark_id), col(row_of.question) == text, col(row_of.id) != row.id)
    other = session.exec(select(row_of).where(*same).limit(1)).first() if text.strip() else None
    if other is not None:
        raise DuplicateQuestionError(
            f"{naming(session, other)} has the same text. Change the text here, or delete one of the two questions."
        )


def _holder(session: Session, benchmark_id: int, question_id: str) -> tables.QuestionRow | None:
    return session.exec(select(row_of).where(*of_benchmark(benchmark_id), row_of.question_id == question_id)).first()


def _taken_message(session: Session, other: tables.QuestionRow, *, is_own: bool) -> str:
    name = naming(session, other)
    if not is_own:
        return f"{name} already has the ID “{other.question_id}”. Choose another ID."
    if question_fingerprint(other.question) == other.question_id:
        return f"{name} has the same text. Change the text here, or set another ID."
    return f"{name} still has the ID of this text. Set another ID for one of the two questions."
