"""Base class of stages: name, declared artifacts, condition, and execution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from karenina_gui.pipeline.artifacts import Key
from karenina_gui.pipeline.context import VerificationContext


class Stage(ABC):
    """One step of the pipeline.

    `requires` and `produces` are validated before a job and enforced at every access. `consults` lists artifacts of
    earlier stages that are read if they exist, `overrides` artifacts of other stages that this one may replace.
    """

    name: ClassVar[str]
    requires: ClassVar[list[Key[Any]]] = []
    produces: ClassVar[list[Key[Any]]] = []
    consults: ClassVar[list[Key[Any]]] = []
    overrides: ClassVar[list[Key[Any]]] = []

    def should_run(self, context: VerificationContext) -> bool:
        """False if an earlier stage has set an error or this stage's own condition is not met."""
        return self.why_not(context) is None

    def why_not(self, context: VerificationContext) -> str | None:
        """Reason why this stage is skipped, as text for users; None: it runs."""
        if context.error is not None:
            return (
                f"an earlier stage failed ({context.failed_stage})" if context.failed_stage else "the job cannot start"
            )
        return self.rule(context)

    def rule(self, context: VerificationContext) -> str | None:
        """This stage's own condition, in addition to the absence of errors; None: it runs."""
        return None

    @abstractmethod
    def execute(self, context: VerificationContext) -> None: ...

    def may_read(self, key: str) -> bool:
        return any(key in keys for keys in (self.requires, self.consults, self.produces, self.overrides))

    def may_write(self, key: str) -> bool:
        return key in self.produces or key in self.overrides
