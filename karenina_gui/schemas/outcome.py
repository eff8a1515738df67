"""Outcome of a verification in one word, shared by all counts and rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from karenina_gui.schemas.result import GROUP_OF, FailureCategory, VerificationResult
from karenina_gui.text import quantity

Outcome = Literal["passed", "wrong", "abstained", "autofail", "error", "unscored"]
"""Outcome of one verification.

- passed: the verdict is true.
- wrong: it is false because of the content of the answer.
- abstained: the model declined, or the answer held too little.
- autofail: the model's work ended before an answer (turn limit, broken trace).
- error: something of ours or the provider's failed, which says nothing about the model.
- unscored: no template was to be evaluated.
"""

TITLES: dict[Outcome, str] = {
    "passed": "Passed",
    "wrong": "Wrong",
    "abstained": "Not answered",
    "autofail": "Auto-failed",
    "error": "Error",
    "unscored": "No verdict",
}
"""Name of each outcome for people, in the order in which outcomes are listed."""

OUTCOMES: tuple[Outcome, ...] = tuple(TITLES)

Reason = FailureCategory | Literal["overridden"]
"""Reason of an outcome: the category of the failure, or `overridden`.

overridden: the fields differ from the reference, but a judge found that they mean the same.
"""

JUDGED: tuple[Outcome, ...] = ("passed", "wrong", "abstained", "autofail")
"""Outcomes in the denominator of a pass rate."""


def judged_count(outcomes: Mapping[Outcome, int]) -> int:
    """Denominator of a run's pass rate, given the number of results by outcome.

    0 if no template was evaluated, so that nothing could pass: refusals next to results with traits only do not make a
    rate of 0%.
    """
    compared = outcomes.get("passed", 0) + outcomes.get("wrong", 0)
    if outcomes.get("unscored", 0) and not compared:
        return 0
    return sum(outcomes.get(outcome, 0) for outcome in JUDGED)


NO_FINAL_MESSAGE = {
    "Empty or whitespace-only trace": "The model was not reached or returned nothing.",
    "Last message in trace is not an AI message": "The trace does not end with a message from the model.",
    "Final AI message has no text content": "The last message is empty.",
    "The model wrote down its thoughts, but no answer": "The model wrote its thoughts, but no answer after them. It "
    "may need more output tokens.",
}
"""Sentences for the reasons, as results store them, why a trace has no final answer."""


def no_message_of(result: VerificationResult) -> str | None:
    """Reason why the result failed without a text to judge, a key of `NO_FINAL_MESSAGE`; None: it did not."""
    if outcome_of(result) not in ("wrong", "autofail"):
        return None
    invalid = reason_of(result) == "trace_validation"
    return result.trace_extraction_error or ("Last message in trace is not an AI message" if invalid else None)


def unread_note(reasons: Mapping[str, int], total: int) -> str:
    """Note on a run in which most jobs failed for one reason of `no_message_of`; empty: they did not.

    `reasons`: number of results by reason. `total`: number of all results.
    """
    reason, count = max(reasons.items(), key=lambda item: item[1], default=("", 0))
    if count * 2 <= total:
        return ""
    note = (
        f"{count:,} of {quantity(total, 'result')} failed without a text to judge. {NO_FINAL_MESSAGE.get(reason, '')}"
    )
    return f"{note} For recorded conversations, choose the judged text when you import them."


WORTH_ANOTHER_TRY: tuple[FailureCategory, ...] = (
    "timeout",
    "connection",
    "rate_limit",
    "server_error",
    "authentication",
    "rejected",
    "cancelled",
)
"""Failures of calls that say nothing about the answer and may have passed since."""

RetryClass = Literal["calls", "replies", "faults", "traits"]
"""Results that a run may retry.

- calls: a model or an MCP server could not be reached, rejected the call, or had no valid key.
- replies: the judge's reply could not be parsed.
- faults: something failed inside the application.
- traits: there is a verdict, but a trait has no score because of one of these.
"""

RETRIED: dict[RetryClass, tuple[FailureCategory, ...]] = {
    "calls": WORTH_ANOTHER_TRY,
    "replies": ("parsing",),
    "faults": ("unexpected_error",),
}
"""Failure categories that each class retries; results of `traits` have any category."""


def retry_class(category: str | None) -> RetryClass | None:
    """Retry class of a failure category; None: it is not retried."""
    return next((kind for kind, categories in RETRIED.items() if category in categories), None)


def traits_worth_another_try(result: VerificationResult) -> int:
    """Number of traits without a score because of a failure that says nothing about the answer."""
    faults = (result.rubric and result.rubric.trait_faults) or {}
    return sum(retry_class(fault) is not None for fault in faults.values())


def is_worth_another_try(result: VerificationResult) -> bool:
    """True if a resumed run would repeat this job."""
    return retry_class(reason_of(result)) is not None or traits_worth_another_try(result) > 0


def reason_of(result: VerificationResult) -> Reason | None:
    """Reason of the outcome; None: it passed by the template alone, or nothing was judged."""
    failure = result.metadata.failure
    if failure is not None:
        return failure.category
    overridden = result.passed and result.template is not None and result.template.embedding_override_applied
    return "overridden" if overridden else None


_OUTCOME_OF_GROUP: dict[str, Outcome] = {"content": "wrong", "abstained": "abstained", "autofail": "autofail"}


def outcome_of(result: VerificationResult) -> Outcome:
    """Outcome of one result. A failure of infrastructure is `error`, never `wrong`."""
    if result.passed:
        return "passed"
    failure = result.metadata.failure
    if failure is not None:
        return _OUTCOME_OF_GROUP.get(GROUP_OF[failure.category], "error")
    if not result.completed_without_errors:
        return "error"
    return "unscored" if result.passed is None else "wrong"
