"""The example run as simply as it can be, for tests of other things than conditions and judges."""

from __future__ import annotations

from karenina_gui import example
from karenina_gui.schemas.verification_config import VerificationConfig


def plain_run() -> VerificationConfig:
    """No conditions and one judge: a quarter of the jobs, 72."""
    whole = example.run_configuration()
    return whole.model_copy(update={"conditions": [], "parsing_models": whole.parsing_models[:1]})
