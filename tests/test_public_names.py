"""The names that a person imports from `karenina_gui`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import karenina_gui


@pytest.mark.parametrize("name", karenina_gui.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(karenina_gui, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bench'"):
        _ = karenina_gui.Bench


def test_importing_a_noun_loads_neither_the_application_nor_a_providers_library() -> None:
    code = "import sys, karenina_gui.schemas.question; print(sorted({'nicegui', 'sqlmodel', 'openai', 'anthropic'} & {*sys.modules}))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"
