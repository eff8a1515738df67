"""Traits that are plain functions, run in Monty."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from karenina_gui.sandbox.outcomes import TraitOutcome, TraitOutline
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.text.surrogates import without_surrogates

if TYPE_CHECKING:
    from karenina_gui.sandbox.monty_runner import MontyPool


@dataclass(frozen=True)
class PlainTrait:
    """A source that Monty runs as Python does."""

    source: str
    function: str

    def evaluate(self, texts: Sequence[str], pool: MontyPool) -> tuple[list[TraitOutcome], bool]:
        """Return an outcome for each text, and whether the code raised an error. Raises `CodeStopped`."""
        outcomes = [self._evaluate_text(text, pool) for text in texts]
        return outcomes, any(outcome.fault is not None for outcome in outcomes)

    def outline(self, pool: MontyPool) -> TraitOutline:
        """Function and problems of the trait. Raises `CodeStopped`."""
        from karenina_gui.sandbox.inside.author_errors import author_error
        from karenina_gui.sandbox.monty_runner import CodeStopped

        try:
            with pool.run("", self.source, []) as run:
                run.define()
        except CodeStopped:
            raise
        except BaseException as error:
            fault = author_error(error, {})
            return TraitOutline(problems=[TemplateProblem(message=fault.sentence, line=fault.line)])
        return TraitOutline(function=self.function)

    def _evaluate_text(self, text: str, pool: MontyPool) -> TraitOutcome:
        from karenina_gui.sandbox.inside.author_errors import author_error
        from karenina_gui.sandbox.inside.json_values import as_json
        from karenina_gui.sandbox.inside.traits import check_outcome
        from karenina_gui.sandbox.monty_runner import CodeStopped

        try:
            with pool.run("", self.source, []) as run:
                run.define()
                value: Any = as_json(check_outcome(run.evaluate(self.function, text)))
        except CodeStopped:
            raise
        except BaseException as error:
            fault = author_error(error, {})
            return TraitOutcome(error=fault.text, line=fault.line, fault="error")
        return TraitOutcome(value=without_surrogates(value))


@lru_cache(maxsize=128)
def read_trait(source: str, entry: str | None) -> PlainTrait | None:
    """The trait; None if it needs Python itself. `entry`: its function's name; None: the last one."""
    from karenina_gui.sandbox.inside.code_screen import is_plain_module
    from karenina_gui.sandbox.inside.syntax_tree import syntax_tree

    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    name = entry or next(reversed(functions), None)
    function = functions.get(name or "")
    if name is None or function is None or not is_plain_module(tree) or not _takes_one_text(function):
        return None
    return PlainTrait(source, name)


def _takes_one_text(function: ast.FunctionDef) -> bool:
    arguments = function.args
    return len([*arguments.posonlyargs, *arguments.args]) == 1 and not (arguments.kwonlyargs or arguments.vararg)
