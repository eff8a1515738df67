"""Primitives for Boolean values and texts."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from karenina_gui.schemas.primitives.normalizers import Normalizer, apply_normalizers, usual_normalizers
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive
from karenina_gui.text.canonical import canonical

REGEX_FLAGS = ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII", "UNICODE", "I", "M", "S", "X", "A", "U")


class BooleanMatch(ComparisonPrimitive):
    """Both are true or both are false, as Python sees truth (a text that is not empty is true).

    No answer (None) is not a no: it passes only where None is expected, unlike upstream.
    """

    def check(self, extracted: Any, expected: Any) -> bool:
        if extracted is None:
            return expected is None
        return bool(extracted) == bool(expected)


class ExactMatch(ComparisonPrimitive):
    """The same text, once both are normalized. No answer (None) is not the text "None", unlike upstream."""

    normalize: list[Normalizer] = Field(default_factory=usual_normalizers)

    def check(self, extracted: Any, expected: Any) -> bool:
        if extracted is None or expected is None:
            return extracted is expected
        return apply_normalizers(str(extracted), self.normalize) == apply_normalizers(str(expected), self.normalize)


class ContainsAny(ComparisonPrimitive):
    """At least one of `substrings` occurs in the text; the expected value plays no part."""

    substrings: list[str]
    normalize: list[Normalizer] = Field(default_factory=list)

    def check(self, extracted: Any, expected: Any) -> bool:
        return any(_occurrences(extracted, self.substrings, self.normalize))


class ContainsAll(ComparisonPrimitive):
    """Every one of `substrings` occurs in the text; the expected value plays no part."""

    substrings: list[str]
    normalize: list[Normalizer] = Field(default_factory=list)

    def check(self, extracted: Any, expected: Any) -> bool:
        return all(_occurrences(extracted, self.substrings, self.normalize))


class RegexMatch(ComparisonPrimitive):
    """The pattern is found somewhere in the text; the expected value plays no part. A broken one raises `re.error`.

    Names in `flags` that are not in `REGEX_FLAGS` change nothing: upstream ignores them, and its files have some.
    """

    pattern: str
    flags: list[str] = Field(default_factory=list)

    @property
    def unknown_flags(self) -> list[str]:
        return [name for name in self.flags if name not in REGEX_FLAGS]

    def check(self, extracted: Any, expected: Any) -> bool:
        flags = re.NOFLAG
        for name in self.flags:
            if name in REGEX_FLAGS:
                flags |= re.RegexFlag[name]
        # Compiled even without an answer, so that a broken pattern raises in every case.
        pattern = re.compile(canonical(self.pattern), flags)
        return extracted is not None and pattern.search(canonical(str(extracted))) is not None


class SemanticMatch(ComparisonPrimitive):
    """Known so that files load; always raises, because a template has no embedding model at hand."""

    threshold: float = Field(default=0.85, ge=0, le=1)

    def check(self, extracted: Any, expected: Any) -> bool:
        raise NotImplementedError(
            "SemanticMatch cannot be evaluated inside a template. Use ExactMatch with synonyms, or ContainsAny, "
            "or turn on the embedding check of the run."
        )


class LiteralMatch(ComparisonPrimitive):
    """Equal as Python compares; nothing is normalized but the form of accents."""

    def check(self, extracted: Any, expected: Any) -> bool:
        return bool(canonical(extracted) == canonical(expected))


def _occurrences(extracted: Any, substrings: list[str], normalizers: list[Normalizer]) -> list[bool]:
    if extracted is None:
        return [False] * len(substrings)
    text = apply_normalizers(str(extracted), normalizers)
    return [apply_normalizers(substring, normalizers) in text for substring in substrings]
