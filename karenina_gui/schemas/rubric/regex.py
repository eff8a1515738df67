"""Traits that a regular expression decides."""

from __future__ import annotations

import re

from pydantic import field_validator

from karenina_gui.schemas.rubric.trait import RubricTrait


class RegexRubricTrait(RubricTrait):
    """True when the pattern is found anywhere in the text (`re.search`), or when it is not, with `invert_result`."""

    pattern: str
    case_sensitive: bool = True
    invert_result: bool = False
    higher_is_better: bool | None = True
    """Direction for analysis, never for scoring; None: neither."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as fault:
            raise ValueError(f"Invalid regex pattern {pattern!r}: {fault}") from fault
        return pattern
