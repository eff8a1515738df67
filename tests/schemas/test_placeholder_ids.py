"""Ids of placeholder texts."""

from __future__ import annotations

import pytest

from karenina_gui.schemas.placeholder_ids import PLACEHOLDER, is_placeholder
from karenina_gui.schemas.question import question_fingerprint


@pytest.mark.parametrize(
    ("placeholder", "text", "known"),
    [
        (PLACEHOLDER, "Why?", True),
        ("New question 7", "Why?", True),
        ("New question 2 (copy) (copy 3)", "Why?", True),
        (PLACEHOLDER, PLACEHOLDER, False),
        ("Why?", "How?", False),
    ],
)
def test_placeholders_are_known_by_their_ids(placeholder: str, text: str, known: bool) -> None:
    assert is_placeholder(question_fingerprint(placeholder), text) is known
