"""What became of one verification, in one word, so that every count and every rate uses the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from karenina_gui.schemas.result import GROUP_OF, FailureCategory, VerificationResult

Outcome = Literal["passed", "wrong", "abstained", "autofail", "error", "unscored"]
"""
- passed: the verdict is true.
- wrong: it is false because of what the answer says.
- abstained: the model declined, or the answer held too little.
- autofail: the model's work ended before an answer (turn limit, broken trace).
- error: something of ours or the provider's broke, which says nothing about the model.
- unscored: nothing was to be judged by template.
"""

Reason = FailureCategory | Literal["overridden"]
"""Why it came out so: the category of the failure, or

- overridden: the fields differ from the reference, and a judge found that they mean the same.
"""

JUDGED: tuple[Outcome, ...] = ("passed", "wrong", "abstained", "autofail")
"""Outcomes that count in the denominator of a pass rate."""


def judged(outcomes: Mapping[Outcome, int]) -> int:
    """Denominator of the pass rate of a run with so many results of each outcome.

    0 where no template was asked, so that nothing could pass: refusals alone, beside results that have traits only, are
    no rate of 0%.
    """
    compared = outcomes.get("passed", 0) + outcomes.get("wrong", 0)
    if outcomes.get("unscored", 0) and not compared:
        return 0
    return sum(outcomes.get(outcome, 0) for outcome in JUDGED)


WORTH_ANOTHER_TRY: tuple[FailureCategory, ...] = (
    "timeout", "connection", "rate_limit", "server_error", "authentication", "rejected", "cancelled",
)  # fmt: skip
"""Failures of calls that say nothing of the answer and may have passed since."""

RetryClass = Literal["calls", "replies", "faults", "traits"]
"""
- calls: a model or an MCP server could not be reached, or turned the call away.
- replies: the judge's reply could not be read.
- faults: something broke inside the application.
- traits: there is a verdict, but a trait has no score because of one of these.
"""

RETRIED: dict[RetryClass, tuple[FailureCategory, ...]] = {
    "calls": WORTH_ANOTHER_TRY,
    "replies": ("parsing",),
    "faults": ("unexpected_error",),
}
"""Categories of the results that each class tries again; those of `traits` have any category."""


def retry_class(category: str | None) -> RetryClass | None:
    """The class of a result by the category of its failure; None: it stays as it is."""
    return next((kind for kind, categories in RETRIED.items() if category in categories), None)


def traits_worth_another_try(result: VerificationResult) -> int:
    """How many traits have no score because of a failure that says nothing of the answer."""
    faults = (result.rubric and result.rubric.trait_faults) or {}
    return sum(retry_class(fault) is not None for fault in faults.values())


def is_worth_another_try(result: VerificationResult) -> bool:
    """Whether a run that goes on would do this job again."""
    return retry_class(reason_of(result)) is not None or traits_worth_another_try(result) > 0


def reason_of(result: VerificationResult) -> Reason | None:
    """None: it passed by the template alone, or nothing was judged."""
    failure = result.metadata.failure
    if failure is not None:
        return failure.category
    overridden = result.passed and result.template is not None and result.template.embedding_override_applied
    return "overridden" if overridden else None


_OUTCOME_OF_GROUP: dict[str, Outcome] = {"content": "wrong", "abstained": "abstained", "autofail": "autofail"}


def outcome_of(result: VerificationResult) -> Outcome:
    """The outcome of one result; a failure of infrastructure is `error` and never `wrong`."""
    if result.passed:
        return "passed"
    failure = result.metadata.failure
    if failure is not None:
        return _OUTCOME_OF_GROUP.get(GROUP_OF[failure.category], "error")
    if not result.completed_without_errors:
        return "error"
    return "unscored" if result.passed is None else "wrong"
