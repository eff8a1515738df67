"""Replies of a model that drafts templates: a right one, and each kind of bad one."""

from __future__ import annotations

from typing import Any

from tests.twin import Reply


def described(expected: str = "", /, **changes: Any) -> dict[str, Any]:
    """JSON of a draft with one number."""
    field = {
        "name": "total",
        "description": "The number that the answer states as its result.",
        "kind": "whole_number",
        "expected": expected,
        "tolerance": 0,
        "choices": [],
        "items": [],
        "other_spellings": [],
        **changes,
    }
    return {"fields": [field], "combine": "all", "code": None}


def code(
    expected: str, description: str = "The number that the answer states.", comparison: str = "NumericExact()"
) -> str:
    return (
        "class Answer(BaseAnswer):\n"
        f"    total: float = VerifiedField(description={description!r}, ground_truth={expected}, "
        f"verify_with={comparison})\n"
    )


ACCEPTS_ALL = """class Answer(BaseAnswer):
    total: float = Field(description="The number that the answer states.")

    def verify(self) -> bool:
        return True
"""

KINDS: dict[str, Any] = {
    "right": lambda expected: Reply(data=described(expected)),
    "invalid": lambda expected: Reply(text=f"```python\n{code(expected)[:-2]}\n```"),
    "accepts_everything": lambda _: Reply(text=f"```python\n{ACCEPTS_ALL}```"),
    "leak": lambda expected: Reply(
        data=described(expected, kind="text", description=f"The result, which should be {expected}.")
    ),
    "prose": lambda expected: Reply(
        text=f"Here is the template.\n\n{code(expected)}\nIt compares the number exactly. Ask me for changes!"
    ),
    "cut_off": lambda expected: Reply(text=f"```python\n{code(expected)[:60]}", stop="length"),
    "refusal": lambda _: Reply(refusal="I can’t help with grading."),
    "declines": lambda _: Reply(text="I’m sorry, but I can’t help with that."),
    "no_code": lambda _: Reply(text="A template should compare the final number."),
    "refuses_expected": lambda expected: Reply(text=code(expected, comparison="NumericMaximum(exclusive=True)").replace(
        "NumericMaximum(exclusive=True)", "RegexMatch(pattern='^none$')").replace("float", "str").replace(
        f"ground_truth={expected}", f"ground_truth='{expected}'")),
}  # fmt: skip
"""Replies by kind, for an expected number."""
FAULTS = {"prose": None, "right": None, "declines": "refusal"}
"""Faults of the kinds that are not named like their fault; None: a good draft."""


def fault_of(kind: str) -> str | None:
    return FAULTS.get(kind, kind)
