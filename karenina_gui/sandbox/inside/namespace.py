"""Names that author-written code can use: those without an import, and the modules it may import."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import pydantic

import karenina_gui.sandbox.inside.standard_modules  # noqa: F401  (makes them available)
from karenina_gui.sandbox.inside.provided_names import INJECTED
from karenina_gui.schemas import primitives, rubric
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig

_OURS = ("karenina", "karenina_gui")
_IMPORTABLE = {
    **INJECTED,
    **{name: getattr(primitives, name) for name in ("ComparisonPrimitive", "TracePrimitive", "VerificationPrimitive")},
    **{name: getattr(rubric, name) for name in rubric.__all__ if name[0].isupper()},
    "ModelConfig": ModelConfig,
    "Question": Question,
    "VerificationConfig": VerificationConfig,
    "VerificationResult": VerificationResult,
}


def _load_lazy_names_of_pydantic() -> None:
    # Deprecated names are imported at first access, which a locked process cannot do.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in pydantic.__all__:
            getattr(pydantic, name)


_load_lazy_names_of_pydantic()


class Facade(ModuleType):
    """Stands in for `karenina` and every module in it, at any depth."""

    __all__ = sorted(_IMPORTABLE)
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name in _IMPORTABLE:
            return _IMPORTABLE[name]
        if name.islower() and not name.startswith("_"):
            return self
        raise AttributeError(f"{name} is not available to templates")


FACADE = Facade("karenina")


def new_module(name: str) -> ModuleType:
    """An empty module for author-written code.

    Registered in `sys.modules`, so that annotations written as text resolve.
    """
    module = ModuleType(name)
    module.__dict__.update(INJECTED, __builtins__={**vars(builtins), "__import__": import_for_templates})
    sys.modules[name] = module
    return module


def import_for_templates(
    name: str,
    globals: Mapping[str, Any] | None = None,  # noqa: A002  (as Python calls it)
    locals: Mapping[str, Any] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """Replacement for `__import__`: gives only modules that are loaded already, since no file can be opened."""
    if level:
        raise ImportError("a template is a single file: it cannot use relative imports")
    if name.partition(".")[0] in _OURS:
        return _ours(name, fromlist or ())
    if name not in sys.modules:
        raise ModuleNotFoundError(f"module {name} is not available to templates", name=name)
    return builtins.__import__(name, globals, locals, fromlist or (), level)


def _ours(name: str, imported: Sequence[str]) -> Facade:
    unknown = [item for item in imported if item != "*" and not hasattr(FACADE, item)]
    if unknown:
        raise ImportError(
            f"cannot import {', '.join(unknown)} from {name}: not available to templates, "
            f"which can import {', '.join(Facade.__all__)}"
        )
    return FACADE
