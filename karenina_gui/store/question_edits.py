"""Edits of a question's row: its fields, its id, and everything that depends on them."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from karenina_gui.errors import InputError
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.sample_answer import rename_values
from karenina_gui.store.question_ids import KnownIdentities, identity_after, link_previous_ids
from karenina_gui.store.renamed_targets import rename_calibrations, renamed_field, renamed_trait
from karenina_gui.store.row_mapping import changed_question, entry_of, question_columns, review_after, tested_columns
from karenina_gui.store.tables import QuestionRow


def edit_row(
    session: Session, row: QuestionRow, changes: dict[str, Any], identities: KnownIdentities | None = None
) -> None:
    """Change fields of a question, see `Questions.update`. Its revision is not counted. Raises `InputError`.

    `identities`: texts and ids of its benchmark, for many edits in one transaction; None: they are looked up.
    """
    changes = dict(changes)
    finished = bool(changes.pop("finished", row.finished))
    row.trait_edits = changes.pop("trait_edits", row.trait_edits)
    identity = identity_after(session, row, changes, identities)
    if finished and not identity.id:
        raise InputError("A question without an ID can’t be finished. Write its text first.")
    changed = changed_question(entry_of(row).question, changes, identity.id)
    columns = question_columns(changed)
    if identity.id != row.question_id:
        columns["custom_metadata"] = link_previous_ids(changed.custom_metadata, identity)
    field = renamed_field(row.answer_template, columns["answer_template"])
    if field is not None:
        columns["custom_metadata"] = rename_values(columns["custom_metadata"], *field)
    trait = renamed_trait(row.question_rubric, columns["question_rubric"])
    # Earlier tests were of another template, or of other samples.
    outdated = tested_columns(row, columns)
    identified_by = {"question_id": identity.id, "id_set": identity.id_set}
    row.sqlmodel_update({**columns, **outdated, **identified_by, **review_after(row, columns, finished)})
    rename_calibrations(session, CalibrationTarget(row.benchmark_id, row.id, "field", ""), field)
    rename_calibrations(session, CalibrationTarget(row.benchmark_id, row.id, "trait", ""), trait)
    if identities is not None:
        identities.add(row.question, row.question_id)
