"""Places where a judge could read the expected value before it reads the answer.

A judge that knows the answer tends to find it, so a description, field name, or hint that gives it away makes wrong
answers pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.schemas.template_placeholders import OPEN
from karenina_gui.text.canonical import canonical

LeakPlace = Literal["description", "name", "hint", "choices"]
SHORTEST = 3
"""Characters of the shortest value that counts; shorter ones, such as `p` or `12`, occur by chance."""


@dataclass(frozen=True)
class Leak:
    """An expected value that the judge can read."""

    field: str
    place: LeakPlace
    value: str
    """The part of the expected value that occurs there."""


def leak_sentence(leak: Leak) -> str:
    """Sentences for the author: the leak, and what helps."""
    reads = f"The judge can read the expected value “{leak.value}” in"
    return {
        "description": f"{reads} the description of “{leak.field}”. Describe what to extract without naming it.",
        "name": f"{reads} the name of “{leak.field}”. Choose a neutral name.",
        "hint": f"{reads} the hint of “{leak.field}”. Leave it out.",
        "choices": f"“{leak.field}” offers the judge only one choice, “{leak.value}”. Add wrong ones.",
    }[leak.place]


def leaks(outline: TemplateOutline, shortest: int = SHORTEST) -> list[Leak]:
    """Leaks of a checked template, in the order of its fields. Fields that no judge fills cannot leak.

    `shortest`: characters of the shortest value that counts.
    """
    return [leak for field in outline.fields if not field.is_trace for leak in _of_field(field, outline, shortest)]


def line_of_field(name: str, source: str) -> int | None:
    """Line (from 1) on which a template declares the field; None: on none."""
    match = re.search(rf"^[ \t]+{re.escape(name)}[ \t]*:", source, re.MULTILINE)
    return source.count("\n", 0, match.start()) + 1 if match else None


def _of_field(field: TemplateField, outline: TemplateOutline, shortest: int) -> Iterator[Leak]:
    expected = field.ground_truth if field.primitive else (outline.ground_truth or {}).get(field.name)
    places: dict[LeakPlace, str] = {
        "description": field.description,
        "name": field.name.replace("_", " "),
        "hint": field.extraction_hint or "",
    }
    accepted = [*_texts(expected), *_texts(field.settings.get("substrings"))]
    accepted = [value for value in accepted if len(value.strip()) >= shortest]
    choices = _choices(field, outline)
    if choices is not None and len(choices) == 1:
        yield Leak(field.name, "choices", choices[0])
    for part, text in places.items():
        # A description may list all choices: the expected one among them tells nothing.
        if choices is not None and all(_occurs(choice, text) for choice in choices):
            continue
        leaked = next((value for value in accepted if _occurs(value, text)), None)
        if leaked is not None:
            yield Leak(field.name, part, leaked)


def _texts(value: Any) -> list[str]:
    """Texts and numbers of an expected value. Yes and no are none: they are in every description."""
    if isinstance(value, list | tuple):
        return [text for element in value for text in _texts(element)]
    if isinstance(value, bool) or value is None:
        return []
    return [f"{value:.15g}" if isinstance(value, float) else str(value)]


def _choices(field: TemplateField, outline: TemplateOutline) -> list[str] | None:
    """Texts that the judge chooses from; None: it is free."""
    properties = (outline.judge_schema or {}).get("properties") or {}
    options = (properties.get(field.name) or {}).get("enum")
    if options is None and "const" in (properties.get(field.name) or {}):
        options = [properties[field.name]["const"]]
    # The check of the template reports choices that are not entered yet.
    return None if options is None or options == [OPEN] else [str(option) for option in options]


def _occurs(value: str, text: str) -> bool:
    """True if a text has the value as a whole word, in any case."""
    value, text = canonical(value), canonical(text)
    return re.search(rf"(?<!\w){re.escape(value.strip())}(?!\w)", text, re.IGNORECASE) is not None
