"""Texts of questions that are found and replaced, and the edits of a replacement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


class TextSearch(BaseModel):
    """Text to look for, and what replaces it."""

    model_config = ConfigDict(frozen=True)

    text: str
    replacement: str = ""
    """With `is_regex`, `$1` or `${name}` stands for a group, `$&` for the whole match, and `$$` for a dollar sign."""
    match_case: bool = False
    whole_words: bool = False
    is_regex: bool = False


@dataclass(frozen=True, slots=True)
class QuestionTexts:
    """Texts of one question."""

    number: int
    position: int
    """From 1."""
    finished: bool
    fields: Mapping[str, Any]
    """Stored values by name: texts, keywords, and the rubric."""


@dataclass(frozen=True, slots=True)
class FieldEdits:
    """Edits of one question, each of a value as it was found."""

    number: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EditsOutcome:
    """Result of edits of many questions."""

    changed: list[int]
    refused: list[tuple[int, str]]
    """Number and reason of each question that stays as it is."""
