"""Public names of `karenina_gui`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import karenina_gui


@pytest.mark.parametrize("name", karenina_gui.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(karenina_gui, name) is not None


OF_EXAMPLES = """
    AdapterRegistry AdapterSpec ArtifactKeys Benchmark BaseAnswer Question StageOrchestrator VerificationConfig
    VerificationContext VerificationResult ModelConfig VerifiedField Field Rubric AgenticRubricTrait LLMRubricTrait
    RegexRubricTrait CallableRubricTrait MetricRubricTrait
"""


@pytest.mark.parametrize("name", OF_EXAMPLES.split())
def test_what_examples_of_the_specification_use_is_public(name: str) -> None:
    assert name in karenina_gui.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bench'"):
        _ = karenina_gui.Bench


@pytest.mark.parametrize(
    "imported", ["import karenina_gui.schemas.question", "from karenina_gui import Benchmark, VerificationConfig"]
)
def test_importing_names_loads_neither_the_application_nor_a_providers_library(imported: str) -> None:
    code = f"import sys\n{imported}\nprint(sorted({{'nicegui', 'sqlmodel', 'openai', 'anthropic'}} & {{*sys.modules}}))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"


def test_type_checkers_see_the_same_names() -> None:
    source = Path(karenina_gui.__file__).read_text()
    block = next(node for node in ast.parse(source).body if isinstance(node, ast.If))
    seen = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {*karenina_gui.__all__} - {"__version__"}
