"""A judge that replies as requested, for templates, traits, quotes, risks and reasoning."""

from __future__ import annotations

import json
from typing import Any

from tests.twin import Asked, Reply, Script


class Judge:
    """Replies with these values, and with `quotes` to requests for quotes."""

    def __init__(self, quotes: tuple[str, ...] = ("binds BCL2",), **values: Any) -> None:
        self.quotes = quotes
        self.values = {"target": "BCL2", "reasoning": "So it says.", "abstention_detected": False, **values}
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if asked.schema is None:
            return Reply(text="It names what it says.")
        names = asked.schema["properties"]
        if "confidence" in json.dumps(names):
            passages = [{"text": text, "confidence": "high", "explanation": "It says so."} for text in self.quotes]
            return Reply(data=dict.fromkeys(names, passages))
        if "justification" in json.dumps(names):
            risks = [{"risk": "high", "justification": "Nothing is found."}] * len(self.quotes)
            return Reply(data=dict.fromkeys(names, risks))
        if all("description" not in shape for shape in names.values()):  # the reasoning of a template
            return Reply(data=dict.fromkeys(names, "It names what it says."))
        return Reply(data={name: self.values[name] for name in names if name in self.values})

    def saw(self, text: str) -> bool:
        return text in json.dumps([asked.body for asked in self.asked], ensure_ascii=False)

    @property
    def rounds(self) -> int:
        """Number of requests for quotes."""
        return sum("confidence" in json.dumps(asked.schema) for asked in self.asked)


def says(text: str) -> Script:
    return lambda _: Reply(text=text)
