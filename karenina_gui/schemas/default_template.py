"""The template of a question that has none: one text field, and a `verify()` that always returns False.

Files need some template for each question, so its text says whether an author has written one.
"""

from __future__ import annotations

import re

_HEAD = r'class Answer\(BaseAnswer\):\n    """Answer template for: (?:(?!""").)*"""'
"""The beginning of the question stands in it."""
_BODY = """

    response: str = Field(description="The answer response")

    def verify(self) -> bool:
        # Default template: returns False to indicate custom verification needed
        return False"""
_DEFAULT = re.compile(_HEAD + re.escape(_BODY), re.DOTALL)


def is_default_template(source: str | None) -> bool:
    """Whether nobody has written a template: there is no source, or only the generated one, of whichever question."""
    text = (source or "").replace("\r\n", "\n").strip()
    return not text or _DEFAULT.fullmatch(text) is not None
