"""The template of a question that has none: one text field, and a `verify()` that always returns False.

Files need some template for each question, so its text says whether an author has written one.
"""

from __future__ import annotations

import re

_TITLE_LENGTH = 50

_BODY = """

    response: str = Field(description="The answer response")

    def verify(self) -> bool:
        # Default template: returns False to indicate custom verification needed
        return False
"""

_DEFAULT = re.compile(
    r'class Answer\(BaseAnswer\):\n    """Answer template for: (?:(?!""").)*"""' + re.escape(_BODY.rstrip()), re.DOTALL
)


def default_template(question: str) -> str:
    """Source of the default template, the beginning of the question in its docstring."""
    title = question[:_TITLE_LENGTH].replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return f'class Answer(BaseAnswer):\n    """Answer template for: {title}..."""{_BODY}'


def is_default_template(source: str | None) -> bool:
    """Whether nobody has written a template: there is no source, or only the generated one, of whichever question."""
    text = (source or "").replace("\r\n", "\n").strip()
    return not text or _DEFAULT.fullmatch(text) is not None
