"""What a server understands of structured output and token limits, learned from its refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from karenina_gui.errors import ProviderError
from karenina_gui.schemas.messages import Message

T = TypeVar("T")

Structure = Literal["strict", "schema", "tool", "text"]
"""How a JSON reply is asked for: enforced schema, schema as a wish, a forced tool, or words in the prompt."""
TokenParameter = Literal["max_tokens", "max_completion_tokens"]

_STRUCTURE_WORDS = ("response_format", "schema", "structured", "output_config", "output_format", "tool", "grammar")
_UNKNOWN_WORDS = ("unsupported", "not supported", "unknown", "unrecognized", "unexpected", "extra", "not permitted")


@dataclass(frozen=True)
class Dialect:
    structure: tuple[Structure, ...]
    """Ways to ask for JSON that are still believed to work, best first; the last one always does."""
    token_parameter: TokenParameter = "max_tokens"

    def after(self, refusal: ProviderError, structured: bool) -> Dialect | None:
        """What to try next when the server has refused a request; None: the refusal is about something else."""
        said = str(refusal).lower()
        if refusal.category != "rejected" or refusal.status not in (400, 404, 422):
            return None
        other: TokenParameter = "max_tokens" if self.token_parameter != "max_tokens" else "max_completion_tokens"
        if self.token_parameter in said and (other in said or any(word in said for word in _UNKNOWN_WORDS)):
            return replace(self, token_parameter=other)
        if structured and any(word in said for word in _STRUCTURE_WORDS):
            return self.simpler()
        return None

    def simpler(self) -> Dialect | None:
        """The next way to ask for JSON; None: there is none."""
        return replace(self, structure=self.structure[1:]) if len(self.structure) > 1 else None


def spoken(
    memory: MutableMapping[tuple[str, str], Dialect],
    key: tuple[str, str],
    default: Dialect,
    structured: bool,
    send: Callable[[Dialect], T],
) -> T:
    """Sends in the dialect that the server is known to understand, and in a simpler one when it refuses."""
    dialect = memory.get(key, default)
    tried = {dialect}
    while True:
        try:
            return send(dialect)
        except ProviderError as refusal:
            following = dialect.after(refusal, structured)
            if following is None or following in tried:
                raise
            tried.add(following)
            dialect = memory[key] = following


def with_schema_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The conversation with a last user turn that asks for JSON of this schema."""
    wish = (
        "Reply with one JSON object and nothing else: no explanation, no code fence. "
        f"It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    if messages and messages[-1].role == "user":
        return [*messages[:-1], Message.of("user", f"{messages[-1].text}\n\n{wish}")]
    return [*messages, Message.of("user", wish)]
