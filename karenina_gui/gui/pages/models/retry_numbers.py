"""Numbers of retry policies: labels, validation, and a description in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import ValidationError

from karenina_gui.gui.records.form_field import FormField
from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryPolicy

RETRY_PARTS = {
    "max_attempts": ("Retries", "Enter a whole number of retries, 0 or more."),
    "backoff_min": ("Initial delay (s)", "Enter a delay of 0 seconds or more."),
    "backoff_max": ("Maximum delay (s)", "Enter a delay of 0 seconds or more."),
    "backoff_multiplier": (
        "Backoff factor",
        "Enter a factor of 1 or more. With 2, each delay is twice the previous one.",
    ),
}
"""{part of a retry budget: (title, error message)}."""
RETRY_TITLES = {
    "connection": "Connection lost",
    "timeout": "Timeout",
    "rate_limit": "Rate limit",
    "server_error": "Server error",
}
ESCALATION = "longer timeouts after a timeout (not used by this version)"
_PHRASES = {
    "max_attempts": "retries {:g}",
    "backoff_min": "initial delay {:g} s",
    "backoff_max": "maximum delay {:g} s",
    "backoff_multiplier": "backoff factor {:g}",
}
_DEFAULT = RetryPolicy()
T = TypeVar("T")


def retry_fields(
    policy: Callable[[T], RetryPolicy], changes: Callable[[T, RetryPolicy], dict[str, Any]]
) -> dict[tuple[str, str], FormField[T]]:
    """Return a form field for each number of a record's retry policy, by category and part.

    `changes` returns the fields of the record with another policy.
    """

    def number(category: str, part: str) -> FormField[T]:
        return FormField(
            f"retry_policy.{category}.{part}",
            f"{RETRY_TITLES[category]}: {RETRY_PARTS[part][0]}",
            kind="number",
            read=lambda record: number_of(policy(record), category, part),
            write=lambda record, value: changes(record, with_number(policy(record), category, part, value)),
        )

    return {(category, part): number(category, part) for category in RETRY_CATEGORIES for part in RETRY_PARTS}


def number_of(policy: RetryPolicy, category: str, part: str) -> float:
    number: float = getattr(policy.budget(category), part)
    return number


def with_number(policy: RetryPolicy, category: str, part: str, value: Any) -> RetryPolicy:
    """Return the policy with one number changed. Raises `ValueError` if the number is invalid."""
    rules = policy.model_dump()
    rules[category] = {**rules[category], part: value}
    try:
        changed = RetryPolicy.model_validate(rules)
    except ValidationError:
        raise ValueError(RETRY_PARTS[part][1]) from None
    budget = changed.budget(category)
    if budget.backoff_max < budget.backoff_min:
        raise ValueError("The maximum delay must be at least the initial delay.")
    return changed


def in_words(policy: RetryPolicy) -> str:
    """Describe settings other than the default, such as `Rate limit: retries 1, maximum delay 9 s`."""
    changed = (
        (RETRY_TITLES[category], _differences(policy, category))
        for category in RETRY_CATEGORIES
        if policy.budget(category) != _DEFAULT.budget(category)
    )
    parts = [f"{title}: {numbers}" for title, numbers in changed]
    return "; ".join([*parts, ESCALATION] if policy.timeout_escalation else parts) or "default"


def _differences(policy: RetryPolicy, category: str) -> str:
    parts = []
    for part, phrase in _PHRASES.items():
        if (number := number_of(policy, category, part)) != number_of(_DEFAULT, category, part):
            parts.append(phrase.format(number))
    return ", ".join(parts)
