"""Fields and traits that get another name: their calibrations and the values of sample answers follow."""

from __future__ import annotations

import ast
import re
from typing import Any

from sqlmodel import Session, col, update

from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.store.tables import CalibrationRow
from karenina_gui.text.tree_retry import retry_build

Rename = tuple[str, str]
"""Old and new name."""
_DECLARED = re.compile(r"^[ \t]+(\w+)[ \t]*:", re.MULTILINE)


def renamed_field(before: str | None, after: str | None) -> Rename | None:
    """Field of a template that alone got another name; `before` and `after`: its source, None without one."""
    before, after = before or "", after or ""
    # Most edits change no declaration, and many templates may be edited at once.
    if before == after or _DECLARED.findall(before) == _DECLARED.findall(after):
        return None
    rename = _rename_of(_field_names(before), _field_names(after))
    # A template that differs in more than the name is another one. Descriptions may contain either name.
    names = re.compile("|".join(rf"\b{name}\b" for name in rename or ()))
    return rename if rename and names.sub("", before) == names.sub("", after) else None


def renamed_trait(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Rename | None:
    """Trait that alone got another name; `before` and `after`: the rubric as stored, None without one."""
    if before == after:
        return None
    old, new = _traits(before or {}), _traits(after or {})
    rename = _rename_of([name for name, _ in old], [name for name, _ in new])
    return rename if rename and [rest for _, rest in old] == [rest for _, rest in new] else None


def rename_calibrations(session: Session, of: CalibrationTarget, rename: Rename | None) -> None:
    """Give the calibrations of a trait or field its new name; `of.name` is ignored."""
    if rename is None:
        return
    old, new = rename
    session.flush()  # the log names a command for its first change
    same = [getattr(CalibrationRow, name) == getattr(of, name) for name in ("benchmark_id", "kind")]
    of_question = col(CalibrationRow.question).is_not_distinct_from(of.number)
    session.exec(update(CalibrationRow).where(*same, of_question, col(CalibrationRow.name) == old).values(name=new))


def _rename_of(before: list[str], after: list[str]) -> Rename | None:
    """The only name that differs, in the same position; None: none or several."""
    changed = [names for names in zip(before, after, strict=False) if names[0] != names[1]]
    return changed[0] if len(before) == len(after) and len(changed) == 1 else None


def _field_names(source: str) -> list[str]:
    """Fields of the template’s classes; empty if the source is not Python."""
    try:
        tree = retry_build(lambda: ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    parts = (part for node in classes for part in node.body if isinstance(part, ast.AnnAssign))
    return [part.target.id for part in parts if isinstance(part.target, ast.Name)]


def _traits(rubric: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Names of all traits, each with the rest of the trait."""
    lists = (traits for traits in rubric.values() if isinstance(traits, list))
    traits = [dict(trait) for some in lists for trait in some if isinstance(trait, dict)]
    return [(str(trait.pop("name", "")), trait) for trait in traits]
