"""Calibrations of fields and traits that get another name."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.store.tables import CalibrationRow
from karenina_gui.text.tree_retry import retry_build


def follow_renamed_field(session: Session, target: CalibrationTarget, before: str | None, after: str | None) -> None:
    """Rename the calibrations of a question's field; `before` and `after`: source of the template, None without one."""
    if before != after and (draws := _draws(session, target)):
        _rename(draws, _field_names(before or ""), _field_names(after or ""))


def follow_renamed_trait(
    session: Session, target: CalibrationTarget, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> None:
    """Rename the calibrations of a trait; `before` and `after`: rubric as stored, None without one."""
    if before != after and (draws := _draws(session, target)):
        _rename(draws, _trait_names(before or {}), _trait_names(after or {}))


def _rename(draws: Sequence[CalibrationRow], before: list[str], after: list[str]) -> None:
    """A name is another one if it alone differs, in the same position."""
    changed = [names for names in zip(before, after, strict=False) if names[0] != names[1]]
    if len(before) != len(after) or len(changed) != 1:
        return
    old, new = changed[0]
    for draw in draws:
        if draw.name == old:
            draw.name = new


def _draws(session: Session, target: CalibrationTarget) -> Sequence[CalibrationRow]:
    statement = select(CalibrationRow).where(
        CalibrationRow.benchmark_id == target.benchmark_id,
        CalibrationRow.kind == target.kind,
        col(CalibrationRow.question).is_not_distinct_from(target.number),
    )
    return session.exec(statement).all()


def _field_names(source: str) -> list[str]:
    """Fields of the template’s classes; empty if the source is not Python."""
    try:
        classes = [node for node in retry_build(lambda: ast.parse(source)).body if isinstance(node, ast.ClassDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    parts = (part for node in classes for part in node.body if isinstance(part, ast.AnnAssign))
    return [part.target.id for part in parts if isinstance(part.target, ast.Name)]


def _trait_names(rubric: dict[str, Any]) -> list[str]:
    lists = (traits for traits in rubric.values() if isinstance(traits, list))
    return [str(trait.get("name")) for traits in lists for trait in traits if isinstance(trait, dict)]
