"""Composition of the outcomes of several fields into one verdict.

A template names its strategy in a nested class; without one, every field must pass:

    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="a"), AllOf(conditions=[...])])

Partial credit depends on the outermost node only, and on all fields, whatever its conditions name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny


class StrategyNode(BaseModel, ABC):
    """One node of a strategy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    @abstractmethod
    def label(self) -> str:
        """Name in results: `all_of`, `any_of`, `at_least_n(2)`."""

    @abstractmethod
    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        """Verdict from the outcomes by field; None counts as failed. Raises `KeyError` for a missing field."""

    @abstractmethod
    def field_names(self) -> Iterator[str]:
        """Names of the fields in this node, repeated ones included."""

    def credit(self, contributions: list[float]) -> float:
        """Part of the fields' contributions (weight · score) that counts."""
        return sum(contributions)


class FieldCheck(StrategyNode):
    """The field passes."""

    field: str

    @property
    def label(self) -> str:
        return f"field_check({self.field})"

    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        return bool(results[self.field])

    def field_names(self) -> Iterator[str]:
        yield self.field


class _Group(StrategyNode):
    conditions: list[SerializeAsAny[StrategyNode]]

    def field_names(self) -> Iterator[str]:
        for condition in self.conditions:
            yield from condition.field_names()

    def _evaluate_all(self, results: Mapping[str, bool | None]) -> list[bool]:
        return [condition.evaluate(results) for condition in self.conditions]


class AllOf(_Group):
    """Every condition holds; with no conditions, true."""

    @property
    def label(self) -> str:
        return "all_of"

    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        return all(self._evaluate_all(results))


class AnyOf(_Group):
    """At least one condition holds; with no conditions, false. Partial credit is that of the best field."""

    @property
    def label(self) -> str:
        return "any_of"

    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        return any(self._evaluate_all(results))

    def credit(self, contributions: list[float]) -> float:
        return max(contributions, default=0.0)


class AtLeastN(_Group):
    """At least `n` conditions hold. Partial credit is that of the `n` best fields."""

    n: int = Field(ge=0)

    @property
    def label(self) -> str:
        return f"at_least_n({self.n})"

    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        return sum(self._evaluate_all(results)) >= self.n

    def credit(self, contributions: list[float]) -> float:
        return sum(sorted(contributions, reverse=True)[: self.n])


def strategy_of(template: type[BaseModel]) -> StrategyNode:
    """Strategy of a template; without one, all of its fields. Raises `TypeError` for an invalid one."""
    declared = getattr(template, "VerificationStrategy", None)
    if declared is None:
        return ALL_FIELDS
    strategy = getattr(declared, "verify_strategy", None)
    if not isinstance(strategy, StrategyNode):
        raise TypeError(
            "VerificationStrategy.verify_strategy must be FieldCheck, AllOf, AnyOf or AtLeastN, "
            f"not {type(strategy).__name__}."
        )
    return strategy


class _AllFields(AllOf):
    """Every field of the template."""

    def evaluate(self, results: Mapping[str, bool | None]) -> bool:
        # The fields are known only when a template is evaluated, so there are no conditions to look at.
        return all(bool(passed) for passed in results.values())


ALL_FIELDS = _AllFields(conditions=[])
"""Strategy of a template without its own."""
