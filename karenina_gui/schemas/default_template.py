"""The template of a question that has none: one text field, and a `verify()` that always returns False.

Files need a template for each question, so its text tells if an author has written one.
"""

from __future__ import annotations

import re

# Must not run past the end of the docstring, or a whole template behind it would match.
_HEAD = r'class Answer\(BaseAnswer\):\n    """Answer template for: (?:(?!""").)*"""'
"""Contains the beginning of the question."""
_BODY = """

    response: str = Field(description="The answer response")

    def verify(self) -> bool:
        # Default template: returns False to indicate custom verification needed
        return False"""
_DEFAULT = re.compile(_HEAD + re.escape(_BODY), re.DOTALL)


def is_default_template(source: str | None) -> bool:
    """True if no author has written a template: there is no source, or only the generated one of any question."""
    # Git and editors on Windows change line breaks.
    text = (source or "").replace("\r\n", "\n").strip()
    return not text or _DEFAULT.fullmatch(text) is not None
