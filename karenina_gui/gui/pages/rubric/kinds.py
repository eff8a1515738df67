"""Table of the trait kinds that an author can choose, with their texts and initial values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from karenina_gui.schemas.rubric import KeptRubricTrait, OtherRubricTrait, methodology_judge, other_types, trait_type
from karenina_gui.schemas.template_placeholders import OPEN

Record = dict[str, Any]

GROUPS = {
    "llm": "Judged by a model",
    "regex": "Patterns (regex)",
    "callable": "Python functions",
    "metric": "Precision and recall",
    "agentic": "Agent traits",
}
"""{type: heading} in rubric order. Types of other packages follow, see `heading_of_type`."""


OUTCOMES = {
    "boolean": "Yes or no",
    "score": "Score",
    "literal": "Class",
    "template": "Structured score",
}
"""Possible outcomes of a trait judged by a model, an agent or a function."""


@dataclass(frozen=True)
class TraitKind:
    type_name: str
    outcome: str
    """Key of `OUTCOMES`. Empty: the type has only one."""
    title: str
    line: str
    """Description for a user who chooses a kind."""
    icon: str
    blank: Record = field(default_factory=dict)


FUNCTION = f"""def evaluate(text: str) -> bool:
    return "{OPEN}" in text
"""
"""Source of a new function, unfinished until its author replaces the placeholder."""

KINDS: tuple[TraitKind, ...] = (
    TraitKind("llm", "boolean", "Yes or no", "A judge answers yes or no.", "thumbs_up_down", {"kind": "boolean"}),
    TraitKind(
        "llm",
        "score",
        "Score",
        "A judge gives a score.",
        "linear_scale",
        {"kind": "score", "min_score": 1, "max_score": 5},
    ),
    TraitKind("llm", "literal", "Classes", "A judge picks one of your classes.", "category", {"kind": "literal"}),
    TraitKind(
        "llm",
        "template",
        "Structured score",
        "A judge fills in several fields.",
        "list_alt",
        {"kind": {"type": "template", "schema": {"type": "object", "properties": {}}}, "higher_is_better": None},
    ),
    TraitKind(
        "regex",
        "",
        "Pattern",
        "Searches the answer for a regular expression.",
        "manage_search",
        {"pattern": "", "case_sensitive": False, "higher_is_better": True},
    ),
    TraitKind(
        "callable",
        "",
        "Function",
        "Your Python function rates the answer.",
        "code",
        {"kind": "boolean", "source": FUNCTION},
    ),
    TraitKind(
        "metric",
        "",
        "Precision and recall",
        "A judge checks which statements the answer mentions.",
        "checklist",
        {"metrics": ["precision", "recall", "f1"]},
    ),
    TraitKind(
        "agentic",
        "",
        "Agent",
        "An agent investigates the answer and its files.",
        "travel_explore",
        {"kind": "boolean", "higher_is_better": True},
    ),
)


@dataclass(frozen=True)
class ReadyTrait:
    """Predefined trait that needs no further input."""

    type_name: str
    title: str
    line: str
    icon: str
    make: Callable[[], Record]


READY: tuple[ReadyTrait, ...] = (
    ReadyTrait(
        "llm",
        "k-eval scores",
        "A judge compares the answer with the reference answer: three scores, and unsupported claims.",
        "balance",
        lambda: methodology_judge().model_dump(mode="json", exclude_defaults=True),
    ),
)
"""Predefined traits offered with the kinds."""


def kinds() -> tuple[TraitKind, ...]:
    """Return all kinds, including those of other packages."""
    return (*KINDS, *map(_external_kind, other_types().values()))


def heading_of_type(type_name: str) -> str:
    """Return the heading above the traits of a type."""
    return GROUPS.get(type_name) or kind_of(type_name, "").title


def outcome_of(record: Record) -> str:
    """Return the key of `OUTCOMES`. Empty: the type has only one outcome."""
    if "type_name" in record:  # a field `kind` is the type's own
        return ""
    kind = record.get("kind") or ""
    return "template" if isinstance(kind, dict) else str(kind)


def kind_of(type_name: str, outcome: str) -> TraitKind:
    """Return the kind of a trait. `outcome`: as from `outcome_of`."""
    of_type = [kind for kind in KINDS if kind.type_name == type_name]
    if not of_type:
        return _unlisted_kind(type_name)
    return next((kind for kind in of_type if kind.outcome == outcome), of_type[0])


def _unlisted_kind(type_name: str) -> TraitKind:
    kind = trait_type(type_name)
    if kind is not KeptRubricTrait and issubclass(kind, OtherRubricTrait):
        return _external_kind(kind)
    title = type_name.replace("_", " ").capitalize()
    return TraitKind(type_name, "", title, "Unknown trait type.", "extension_off")


@cache
def _external_kind(kind: type[OtherRubricTrait]) -> TraitKind:
    """Build a kind from the schema and docstring of another package's type."""
    schema, type_name = kind.model_json_schema(), str(kind.model_fields["type_name"].default)
    line = str(schema.get("description") or "A trait type from another package.").partition("\n")[0]
    blank = {"type_name": type_name}
    return TraitKind(type_name, "", str(schema["title"]), line, str(schema.get("icon", "extension")), blank)


DIRECTIONS = {
    "": {True: "Yes is better", False: "No is better", None: "Neither is better"},
    "score": {True: "Higher is better", False: "Lower is better", None: "Neither is better"},
    "literal": {True: "Later classes are better", False: "Earlier classes are better", None: "Neither is better"},
    "metric": {True: "Higher is better", False: "Lower is better", None: "Neither is better"},
}
"""Labels of `higher_is_better` by outcome. The first entry is for yes or no."""


def directions(type_name: str, outcome: str) -> dict[Any, str]:
    return DIRECTIONS["metric" if type_name == "metric" else outcome if outcome in DIRECTIONS else ""]


ARROWS = {True: "trending_up", False: "trending_down", None: "trending_flat"}
