"""Contents of the code editor in the Template tab: completions, arguments, and messages of problems."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

from karenina_gui.gui.pages.templates.comparisons import settings_of
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.schemas.composition import AllOf, AnyOf, AtLeastN, FieldCheck
from karenina_gui.schemas.primitives import PRIMITIVES
from karenina_gui.schemas.primitives.normalizers import SynonymMap
from karenina_gui.schemas.template import TemplateProblem

OTHERS = {
    "Answer": ("class", "the class that every template defines"),
    "BaseAnswer": ("class", "base class of Answer"),
    "VerifiedField": ("function", "a field with its expected value and comparison"),
    "Field": ("function", "a field that your verify() checks"),
    "Literal": ("class", "one of the given values"),
    "description": ("property", "what the judge looks for"),
    "ground_truth": ("property", "expected value"),
    "verify_with": ("property", "how values are compared"),
    "extraction_hint": ("property", "how the judge should write the value"),
    "weight": ("property", "weight in the partial credit"),
    "self.correct": ("property", "expected values of a hand-written template"),
    "self.regex": ("property", "patterns to look for in the answer"),
    "VerificationStrategy": ("class", "how field results form the verdict"),
    "verify_strategy": ("property", "AllOf, AnyOf, AtLeastN…"),
}


CLASSES: tuple[type, ...] = (
    *(kind for name, kind in PRIMITIVES.items() if name != "SemanticMatch"),  # it only makes files load
    SynonymMap,
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
)


def with_plain_messages(problems: Sequence[TemplateProblem]) -> list[TemplateProblem]:
    """Return problems with the messages that the editor shows."""
    return [problem.model_copy(update={"message": plain_message(problem.message)}) for problem in problems]


def completions() -> list[dict[str, str]]:
    """Return the completions for CodeMirror: label, type, detail."""
    rows = [{"label": name, "type": kind, "detail": detail} for name, (kind, detail) in OTHERS.items()]
    return rows + [{"label": kind.__name__, "type": "class", "detail": meaning(kind)} for kind in CLASSES]


def arguments() -> dict[str, list[dict[str, Any]]]:
    """Return the arguments of each call: label, detail, and the source of the values to choose from."""
    fields: dict[str, list[dict[str, Any]]] = {
        "VerifiedField": [_argument(name, OTHERS[name][1]) for name in FIELD_ARGUMENTS],
        "Field": [_argument("description", OTHERS["description"][1])],
    }
    fields["VerifiedField"][2]["values"] = [
        f"{name}()" if not settings_of(name) else f"{name}(" for name in PRIMITIVES if name != "SemanticMatch"
    ]
    for kind in CLASSES:
        if kind.__name__ in PRIMITIVES:
            settings = settings_of(kind.__name__)
            fields[kind.__name__] = [
                _argument(setting.name, setting.title.lower(), setting.options) for setting in settings
            ]
        else:
            fields[kind.__name__] = [_argument(name, "") for name in getattr(kind, "model_fields", {})]
    return fields


FIELD_ARGUMENTS = ("description", "ground_truth", "verify_with", "extraction_hint", "weight")


def _argument(name: str, detail: str, options: Sequence[str] = ()) -> dict[str, Any]:
    return {"label": name, "detail": detail, "values": [f'"{option}"' for option in options]}


def meaning(kind: type) -> str:
    """Return the first clause of a class docstring."""
    return re.split(r"[.;(]\s", (inspect.getdoc(kind) or "").split("\n")[0] + " ")[0].strip()
