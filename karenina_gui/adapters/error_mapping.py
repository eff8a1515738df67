"""Conversion of the SDKs' exceptions to ours: a category that decides about retries, a message without keys."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from karenina_gui.adapters.connections import KEY_SIGN, Endpoint
from karenina_gui.errors import AuthenticationError, ProviderError, ProviderFault
from karenina_gui.text.secrets import without_secrets
from karenina_gui.text.surrogates import without_surrogates

_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|ant)-[\w*.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
_USER = re.compile(r"(?<=//)[^/\s]*@")
"""Name and password in a URL."""
_LONGEST_QUOTE = 600
"""Characters to show of a provider's own message."""


def to_provider_error(error: Exception, model: str, endpoint: Endpoint) -> ProviderError:
    """Convert an SDK's exception by its class names, which OpenAI's, Anthropic's and related SDKs share."""
    # By name, since importing an SDK only to compare classes would cost its loading time.
    kinds = {kind.__name__ for kind in type(error).__mro__}
    where = f"{model} at {endpoint.host}"
    if "APIStatusError" in kinds:
        status: Any = error
        return fault_of_status(int(status.status_code), status.body, status.response.headers, where, endpoint)
    if "APITimeoutError" in kinds or "TimeoutException" in kinds:
        reached = not any(type(cause).__name__ == "ConnectTimeout" for cause in _causes(error))
        return ProviderError(
            f"{where} didn’t reply in time. Try again, or increase the timeout.", category="timeout", reached=reached
        )
    if "APIConnectionError" in kinds or "HTTPError" in kinds:
        return _connection_fault(error, where, endpoint)
    if "APIResponseValidationError" in kinds or isinstance(error, ValueError):
        return unreadable(where)
    return ProviderError(f"{where}: {redact(str(error), endpoint)}", category="rejected")


def _connection_fault(error: Exception, where: str, endpoint: Endpoint) -> ProviderError:
    if unreached := _connection_problem(error, endpoint):
        return ProviderError(unreached, category="connection", reached=False)
    cause = redact(str(error.__cause__ or error), endpoint)
    return ProviderError(f"The connection to {where} failed: {cause}", category="connection")


def fault_of_body(body: Any, where: str, endpoint: Endpoint) -> ProviderError:
    """Error of a reply with status 200 that holds an error instead of an answer, or cannot be read."""
    # OpenRouter and others report an upstream failure with status 200 and an `error` in the body, or in the choice.
    inner = error_in(body)
    if not inner:
        return unreadable(where)
    code = str(inner.get("code")) if isinstance(inner, dict) else ""
    status = int(code) if code.isdigit() else 500
    message = _provider_words({"error": inner}, endpoint)
    return ProviderError(f"{where}: {message}", category=_category(status, ""), status=status)


def error_in(body: Any) -> Any:
    """The error in a body of status 200, or in its first choice; None: there is none."""
    if not isinstance(body, dict):
        return None
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return body.get("error") or (first.get("error") if isinstance(first, dict) else None) or None


def fault_of_stop(stop_reason: str, where: str) -> ProviderError:
    """Error of a reply that the provider could not finish, according to its stop reason."""
    return ProviderError(
        f"{where} failed while it was replying (stop reason: {stop_reason}).", category="server_error", status=500
    )


def listed_names(ask: Callable[[], Any], endpoint: Endpoint) -> list[str]:
    """Names in a server's list of models. Raises `ProviderError`, also for a reply that is not a list."""
    fault = None
    try:
        names = endpoint.without_key([str(model.id) for model in ask().data])
    except Exception as error:
        # A server without such an API may answer with anything.
        fault = to_provider_error(error, "The list of models", endpoint)
    # Raised outside of the `except` block: the SDK's exception, as its context, holds the request with the key.
    if fault is not None:
        raise fault
    return names


def explain_without_tools(refusal: ProviderError) -> None:
    """Add advice to the error of a request with tools if the tools were rejected."""
    if refusal.category == "rejected" and _NO_TOOLS.search(str(refusal)):
        advice = (
            "The model or its server doesn’t support tools. Choose another model, enable tools on the server, or "
            "remove tools and MCP servers."
        )
        refusal.args = (f"{refusal} {advice}",)


_NO_TOOLS = re.compile(
    r"(not support|that support|unsupported|unknown|unrecognized)\W*(\w+\W+){0,3}?(tools?|function.call\w*)\b"
    r"|\btools?\b\W+(\w+\W+){0,4}?(not supported|unsupported|not permitted|not allowed|requires? --)",
    re.IGNORECASE,
)
"""Wordings of servers that accept no tools at all, as opposed to errors in one tool."""


def unreadable(where: str) -> ProviderError:
    return ProviderError(
        f"{where} sent an unreadable reply. Check that the base URL is that of a model API.",
        category="server_error",
        status=200,
    )


def redact(text: str, endpoint: Endpoint) -> str:
    """Sanitize text from others: no key, nothing that looks like one, no password, no terminal control sequences."""
    text = without_secrets(plain(text), endpoint.secrets)
    return without_surrogates(_USER.sub("", _KEY_LIKE.sub(KEY_SIGN, text)))


def plain(text: str) -> str:
    """Remove terminal control sequences and other invisible characters."""
    return _CONTROL.sub("", text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of the `Retry-After` header (seconds or an HTTP date); None if there is none."""
    # OpenAI and Azure send this header as well, which is more precise.
    value = headers.get("retry-after-ms")
    if value is not None and _number(value) is not None:
        return max(0.0, float(value) / 1000)
    value = headers.get("retry-after", "")
    if (seconds := _number(value)) is not None:
        return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _connection_problem(error: Exception, endpoint: Endpoint) -> str | None:
    """Reason why no server accepted the connection, and advice; None: one did, or the reason is unknown."""
    host = endpoint.host
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return (
                f"Couldn’t find the host {urlsplit(f'//{host}').hostname}. Check the base URL and your network "
                "connection."
            )
        if isinstance(cause, ssl.SSLCertVerificationError):
            return (
                f"This computer doesn’t trust the certificate of {host} ({cause.verify_message}). "
                "Check the base URL, or ask the administrator of the server."
            )
        if isinstance(cause, ssl.SSLError):
            return f"{host} doesn’t support HTTPS. Start the base URL with http:// if the server is your own."
        if isinstance(cause, ConnectionRefusedError):
            return f"No server responds at {host}. Check that it is running."
        if type(cause).__name__ == "ConnectError" and "refused" in str(cause).lower():
            return f"No server responds at {host}. Check that it is running."
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, from the outermost to the first."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def fault_of_status(
    status: int, body: Any, headers: Mapping[str, str], where: str, endpoint: Endpoint
) -> ProviderError:
    """Error for an HTTP error status. `body`: its JSON, or its text."""
    quote = _provider_words(body, endpoint)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(str(body))):
        message = _sentence(f"{where} rejected the key (HTTP {status}){quote and ': ' + quote}")
        return AuthenticationError(f"{message} Check the key in {endpoint.key_variable}.", status=status)
    category = _category(status, str(body))
    return ProviderError(
        f"{where}: {_HEADLINES.get(category, 'request rejected')} (HTTP {status}){quote and ': ' + quote}",
        category=category,
        status=status,
        retry_after=retry_after(headers),
        account=status == 402 or (400 <= status < 500 and bool(_NOTHING_LEFT.search(str(body)))),
    )


_BAD_KEY = re.compile(r"API.key (is )?(not valid|invalid|expired)|API_KEY_INVALID", re.IGNORECASE)
"""Google's wordings of an invalid or expired key, which it reports with status 400."""
_NOTHING_LEFT = re.compile(
    r"insufficient_quota|insufficient (balance|credits?)|credit balance is too low|billing.hard.limit"
    r"|specified API usage limits",
    re.IGNORECASE,
)
"""Wordings of an account without credit, whatever the HTTP status."""

_HEADLINES: dict[ProviderFault, str] = {
    "rate_limit": "too many requests",
    "server_error": "provider error",
    "timeout": "no reply in time",
}


def _category(status: int, body: str) -> ProviderFault:
    if status == 429:
        # OpenAI sends 429 for an exhausted account, too, but no wait helps.
        return "rejected" if "insufficient_quota" in body else "rate_limit"
    if status in (408, 504):
        return "timeout"
    if status in (401, 403):
        return "authentication"
    # 409: another request holds a lock, which passes.
    return "server_error" if status >= 500 or status == 409 else "rejected"


def _provider_words(body: Any, endpoint: Endpoint) -> str:
    """The provider's own words from an error body; empty if there are none (such as a proxy's HTML page)."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message") or inner.get("detail") or inner if isinstance(inner, dict) else inner
    text = str(body or "").strip()
    return "" if text.startswith("<") else _shorten(redact(text, endpoint))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
