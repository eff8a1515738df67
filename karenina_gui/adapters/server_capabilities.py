"""Capabilities of a server (structured output, token limits, temperature, seeds), learned from its error replies."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from karenina_gui.errors import ProviderError
from karenina_gui.schemas.extraction import ExtractionMethod
from karenina_gui.schemas.messages import Message

T = TypeVar("T")
log = logging.getLogger(__name__)

Structure = Literal["strict", "schema", "tool", "json", "text"]
"""Methods for a JSON reply: strict schema, schema, forced tool, JSON mode, or words in the prompt."""
TokenParameter = Literal["max_tokens", "max_completion_tokens"]

_STRUCTURE_WORDS = ("response_format", "schema", "structured", "output_config", "output_format", "tool", "grammar")
_UNKNOWN_WORDS = (
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "extra",
    "not permitted",
    "deprecated",
)


@dataclass(frozen=True)
class ServerCapabilities:
    structure: tuple[Structure, ...]
    """Methods for JSON that are still believed to work, best first; the last one always does."""
    token_parameter: TokenParameter = "max_tokens"
    temperature: bool = True
    """False: the model does not accept one."""
    seed: bool = True
    """False: the server does not accept one."""

    def after(self, refusal: ProviderError, structured: bool) -> ServerCapabilities | None:
        """Capabilities to assume after the server rejected a request; None if the error is about something else."""
        said = str(refusal).lower()
        if not _is_about_request(refusal, said):
            return None
        unknown = _mentions(said, _UNKNOWN_WORDS)
        if self.token_parameter in said and (self._other_token_parameter in said or unknown):
            return replace(self, token_parameter=self._other_token_parameter)
        if "temperature" in said and unknown:
            return replace(self, temperature=False)
        if "seed" in said and self.seed:
            return replace(self, seed=False)
        if structured and _mentions(said, _STRUCTURE_WORDS):
            return self.simpler()
        return None

    @property
    def _other_token_parameter(self) -> TokenParameter:
        return "max_tokens" if self.token_parameter != "max_tokens" else "max_completion_tokens"

    @property
    def method(self) -> ExtractionMethod:
        best = self.structure[0]
        return "schema" if best == "strict" else best

    def simpler(self) -> ServerCapabilities | None:
        """The next method for JSON; None if there is none."""
        return replace(self, structure=self.structure[1:]) if len(self.structure) > 1 else None


def send_with_capabilities(
    memory: MutableMapping[tuple[str, str], ServerCapabilities],
    key: tuple[str, str],
    default: ServerCapabilities,
    structured: bool,
    send: Callable[[ServerCapabilities], T],
) -> T:
    """Send with the last known capabilities, and with fewer while the server rejects it. The result is remembered."""
    capabilities = memory.get(key, default)
    tried = {capabilities}
    while True:
        try:
            # Servers may contradict themselves: capabilities that were rejected must not come again.
            return send(capabilities)
        except ProviderError as refusal:
            following = capabilities.after(refusal, structured)
            if following is None or following in tried:
                raise
            tried.add(following)
            log.info("%s refused a request; asking differently from now on: %s", key[1], following)
            capabilities = memory[key] = following


def with_schema_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with a last user turn that asks for JSON of this schema."""
    wish = (
        "Reply with one JSON object and nothing else: no explanation, no code fence. "
        f"It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    if messages and messages[-1].role == "user":
        return [*messages[:-1], Message.of("user", f"{messages[-1].text}\n\n{wish}")]
    return [*messages, Message.of("user", wish)]


def _mentions(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)


def _is_about_request(refusal: ProviderError, said: str) -> bool:
    in_words = refusal.status in (400, 422) or _no_provider_can(refusal.status, said)
    return refusal.category == "rejected" and in_words


def _no_provider_can(status: int | None, said: str) -> bool:
    """True for OpenRouter's error that no provider of the model accepts a parameter; any other 404 is a wrong name."""
    return status == 404 and "support" in said
