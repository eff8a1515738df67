"""What the guide tells developers, held against what there is; installed as a package, it works from a fresh start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from tests.outside.conftest import shown_files

PLAY = """
import sys
from karenina_gui import Benchmark, ModelConfig, Rubric, VerificationConfig

benchmark = Benchmark.create("b")
benchmark.add_question("Is it short?", raw_answer="yes")
assert not {"word_count", "length_note", "echo"} & {*sys.modules}, "a package was loaded before it was needed"
benchmark.set_global_rubric(Rubric(other_traits=[{"type_name": "word_count", "name": "short", "most": 9}]))
echo = ModelConfig(model_name="parrot", interface="echo")
config = VerificationConfig(answering_models=[echo], evaluation_mode="rubric_only")
(result,) = benchmark.run_verification(config)
print(result.rubric.other_trait_scores, [stage.name for stage in result.stages][1:5], result.metadata.warnings)
"""


def test_the_guide_shows_a_file_for_each() -> None:
    assert [*shown_files()] == ["word_count.py", "length_note.py", "echo.py"]
    text = CHAPTERS["extend"].markdown
    assert text.count("```python") == len(shown_files()), "a block of code that no test runs"


def test_an_installed_package_brings_all_three(folder: Path) -> None:
    install(folder)
    assert played(folder) == (
        "{'short': True} ['RecursionLimitAutoFail', 'TraceValidationAutoFail', 'LengthNote', 'RubricEvaluation'] []"
    )


def test_a_package_that_cannot_be_loaded_is_named_and_the_others_are_there(folder: Path) -> None:
    install(folder)
    (folder / "word_count.py").write_text("import nothing_of_that_name")
    said = played(folder)
    assert said.startswith("None [")
    assert "'short' has no score" in said
    assert "Couldn’t load the package “toys”: No module named 'nothing_of_that_name'." in said
    assert "'LengthNote'" in said


def install(folder: Path) -> None:
    """As the guide says, with the modules at the top: what an installer writes beside the files."""
    (block,) = re.findall(r"^```toml\n(.*?)^```$", CHAPTERS["extend"].markdown, re.DOTALL | re.MULTILINE)
    points = tomllib.loads(block)["project"]["entry-points"]
    assert {f"{name}.py" for name in points["karenina_gui"]} == shown_files().keys()
    lines = [f"{name} = {module.removeprefix('my_package.')}" for name, module in points["karenina_gui"].items()]
    info = folder / "toys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[karenina_gui]", *lines]))


def played(folder: Path) -> str:
    """What a fresh process prints that finds the package on its path."""
    paths = [str(folder), str(Path(__file__).parents[2])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", PLAY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
