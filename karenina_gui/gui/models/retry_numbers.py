"""The numbers of rules for trying again: what they are called, what they may be, and how rules read in words."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryPolicy

RETRY_PARTS = {
    "max_attempts": ("Retries", "Retries: a whole number, 0 for none."),
    "backoff_min": ("First wait, s", "Waits: 0 seconds or more."),
    "backoff_max": ("Longest wait, s", "Waits: 0 seconds or more."),
    "backoff_multiplier": ("Growth", "Growth: 1 or more; with 2, each wait is twice the one before."),
}
"""Title and rule of each number of a retry budget."""
RETRY_TITLES = {
    "connection": "Connection broke",
    "timeout": "No answer in time",
    "rate_limit": "Too many requests",
    "server_error": "Provider failed",
}
ESCALATION = "longer time limits after a timeout (no effect in this version)"
_USUAL = RetryPolicy()


def number_of(policy: RetryPolicy, category: str, part: str) -> float:
    number: float = getattr(policy.budget(category), part)
    return number


def with_number(policy: RetryPolicy, category: str, part: str, value: Any) -> RetryPolicy:
    """The rules with one number changed. Errors: ValueError with a sentence."""
    rules = policy.model_dump()
    rules[category] = {**rules[category], part: value}
    try:
        changed = RetryPolicy.model_validate(rules)
    except ValidationError:
        raise ValueError(RETRY_PARTS[part][1]) from None
    budget = changed.budget(category)
    if budget.backoff_max < budget.backoff_min:
        raise ValueError("The longest wait is not shorter than the first.")
    return changed


def in_words(policy: RetryPolicy) -> str:
    """Whatever is not as usual: `Too many requests: retries 1, longest wait 9 s`."""
    changed = (
        (RETRY_TITLES[category], _changed(policy, category))
        for category in RETRY_CATEGORIES
        if policy.budget(category) != _USUAL.budget(category)
    )
    said = [f"{title}: {numbers}" for title, numbers in changed]
    return "; ".join([*said, ESCALATION] if policy.timeout_escalation else said) or "as usual"


def _changed(policy: RetryPolicy, category: str) -> str:
    said = []
    for part, (title, _) in RETRY_PARTS.items():
        if (number := number_of(policy, category, part)) != number_of(_USUAL, category, part):
            name, _, unit = title.lower().partition(", ")
            said.append(f"{name} {number:g} {unit}".strip())
    return ", ".join(said)
