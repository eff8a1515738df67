"""Default template that other programs write into a file for a question without one."""

from __future__ import annotations

_BODY = """

    response: str = Field(description="The answer response")

    def verify(self) -> bool:
        # Default template: returns False to indicate custom verification needed
        return False
"""


def default_template(question: str) -> str:
    """Source of the template, with the beginning of the question in its docstring."""
    title = question[:50].replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return f'class Answer(BaseAnswer):\n    """Answer template for: {title}..."""{_BODY}'
