"""Capabilities of a server (structured output, token limits, temperature, seeds, system role).

They are learned from its error replies.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
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
    # Anthropic, with thinking; Kimi; Anthropic, beside `top_p`.
    "may only be set",
    "only 1 is allowed",
    "cannot both be",
)
_NO_SYSTEM_ROLE = re.compile(
    r"system\W+(role|messages?|prompts?|instructions?)\W+(is |are )?(not|un)\W?(supported|allowed|enabled|permitted)"
    r"|not support\W+(the )?\W*system\b|only user and assistant roles|developer instruction is not enabled",
    re.IGNORECASE,
)
_HIGHEST_LIMIT = re.compile(
    # OpenAI; Anthropic; Groq; DeepSeek; Bedrock and Gemini.
    r"at most (\d+) (?:completion |output )?tokens|> (\d+), which is the maximum|less than or equal to `?(\d+)"
    r"|valid range of max_\w+ is \[1, (\d+)\]|model limit of (\d+)|from 1 (?:\(inclusive\) )?to (\d+)",
    re.IGNORECASE,
)
"""Wordings of the largest number of output tokens that a model accepts."""
# vLLM, OpenRouter and OpenAI; Anthropic.
_CONTEXT = re.compile(r"context length (?:is|of)(?: only)? (\d+)|context limit: \d+ \+ \d+ > (\d+)", re.IGNORECASE)
_INPUT = re.compile(
    r"(\d+) input tokens|\((\d+) of text input|\((\d+) in the messages|context limit: (\d+) \+", re.IGNORECASE
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
    system_role: bool = True
    """False: the model's template has none, so its text is sent with the first message of the user."""
    max_tokens: int | None = None
    """Largest token limit that the model accepts; None: unknown."""
    room: int | None = None
    """Output tokens that fit into the context window beside one request; None: not about a single request."""

    def after(self, refusal: ProviderError, structured: bool) -> ServerCapabilities | None:
        """Capabilities to assume after the server rejected a request; None if the error is about something else."""
        message = str(refusal).lower()
        # Some servers report the failure of a chat template as their own.
        if self.system_role and _NO_SYSTEM_ROLE.search(message):
            return replace(self, system_role=False)
        if not _is_about_request(refusal, message):
            return None
        if (limited := self._with_lower_limit(message)) is not None:
            return limited
        unknown = _mentions(message, _UNKNOWN_WORDS)
        if self.token_parameter in message and (self._other_token_parameter in message or unknown):
            return replace(self, token_parameter=self._other_token_parameter)
        if "temperature" in message and unknown:
            return replace(self, temperature=False)
        if "seed" in message and self.seed:
            return replace(self, seed=False)
        if structured and _mentions(message, _STRUCTURE_WORDS):
            return self.simpler()
        return None

    def _with_lower_limit(self, message: str) -> ServerCapabilities | None:
        """Capabilities with the token limit that the server names; None: it names none, or one that was tried."""
        if (context := _CONTEXT.search(message)) and (used := _INPUT.search(message)):
            room = _number(context) - _number(used)
            return replace(self, room=room) if room > 0 and room != self.room else None
        limited = _mentions(message, ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxtokens"))
        most = _HIGHEST_LIMIT.search(message) if limited else None
        return replace(self, max_tokens=_number(most)) if most and _number(most) != self.max_tokens else None

    def limit(self, configured: int) -> int:
        """Token limit to send in place of the configured one."""
        return min(limit for limit in (configured, self.max_tokens, self.room) if limit is not None)

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
            capabilities = following
            # The next request may be shorter.
            memory[key] = replace(following, room=None)


def with_schema_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with a last user turn that asks for JSON of this schema."""
    wish = (
        "Reply with one JSON object and nothing else: no explanation, no code fence. "
        f"It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    if messages and messages[-1].role == "user":
        return [*messages[:-1], Message.of("user", f"{messages[-1].text}\n\n{wish}")]
    return [*messages, Message.of("user", wish)]


def thinks(extra: Mapping[str, Any]) -> bool:
    """True if a Claude model was told to think. Its API then refuses every temperature but the default."""
    thinking = extra.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") != "disabled"


def without_system_role(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with the system prompt at the beginning of the first message of the user."""
    prompt = "\n\n".join(message.text for message in messages if message.role == "system" and message.text)
    rest = [message for message in messages if message.role != "system"]
    if not prompt:
        return tuple(rest)
    if rest and rest[0].role == "user":
        return (Message.of("user", f"{prompt}\n\n{rest[0].text}"), *rest[1:])
    return (Message.of("user", prompt), *rest)


def _number(match: re.Match[str]) -> int:
    """The only number that the pattern has captured."""
    return int(next(group for group in match.groups() if group))


def _mentions(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def _is_about_request(refusal: ProviderError, message: str) -> bool:
    in_words = refusal.status in (400, 422) or _no_provider_can(refusal.status, message)
    return refusal.category == "rejected" and in_words


def _no_provider_can(status: int | None, message: str) -> bool:
    """True for OpenRouter's error that no provider of the model accepts a parameter; any other 404 is a wrong name."""
    return status == 404 and "support" in message
