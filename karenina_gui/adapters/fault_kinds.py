"""Failures of calls, by what they say about the model's availability."""

from __future__ import annotations

from typing import Literal

from karenina_gui.errors import AuthenticationError, ProviderError
from karenina_gui.schemas.retry import RETRY_CATEGORIES

LONGEST_RETRY_AFTER = 120.0
"""Seconds. A provider that asks for a longer pause counts as unavailable: a shorter wait is futile, and no job must
sleep through a full one."""

FaultKind = Literal["away", "doubtful", "account"]
"""Kind of a failure.

`away`: no request could have been answered; `doubtful`: only this request may be unanswerable; `account`: the key is
rejected, or no credit is left.
"""


def makes_outage(fault: ProviderError) -> bool:
    """True if consecutive failures like this one make an outage.

    A busy provider is retried instead, and an account closes the queue when the retries end.
    """
    return fault.category != "rate_limit" and kind_of_fault(fault) != "account"


def asks_for_long_pause(fault: ProviderError) -> bool:
    return fault.retry_after is not None and fault.retry_after > LONGEST_RETRY_AFTER


def kind_of_fault(fault: ProviderError) -> FaultKind | None:
    """Kind of a failure; None: the provider is available and has rejected this request, or sent an unreadable reply."""
    if fault.account or (isinstance(fault, AuthenticationError) and fault.status != 403):
        return "account"
    if fault.status == 403:
        # Some providers reject single prompts with 403 (content filters), others a key.
        return "doubtful"
    if fault.category not in RETRY_CATEGORIES or fault.status == 200:
        return None
    certain = not fault.reached or fault.category == "rate_limit" or fault.status in (502, 503, 529)
    return "away" if certain else "doubtful"
