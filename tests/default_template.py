"""The template that other programs write into a file for a question that has none."""

from __future__ import annotations

_BODY = """

    response: str = Field(description="The answer response")

    def verify(self) -> bool:
        # Default template: returns False to indicate custom verification needed
        return False
"""


def default_template(question: str) -> str:
    """Source of the template, the beginning of the question in its docstring."""
    title = question[:50].replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return f'class Answer(BaseAnswer):\n    """Answer template for: {title}..."""{_BODY}'
