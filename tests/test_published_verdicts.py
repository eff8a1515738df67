"""Published answers of real models, verified again: every verdict must equal the published one.

With the commands that a user would type: import the file, verify recorded answers, read the results.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Said
from tests.examples import cases

GSM8K_TEMPLATE = r"""
import re


class Answer(BaseAnswer):
    def ground_truth(self):
        number = re.search(r"A: *(\S+)\s*$", {{raw_answer}}).group(1).replace(",", "")
        digits = ",?".join(re.escape(character) for character in number)
        self.correct = {"number": number}
        self.regex = {"number": {"pattern": rf"A: *{digits}\s*\Z", "expected": 1, "match_type": "count"}}
"""

BIXBENCH_TEMPLATE = r"""
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {"letter": {{raw_answer}}}
        self.regex = {
            "letter": {"pattern": r"<answer>\s*([A-Z])", "expected": self.correct["letter"], "match_type": "exact"}
        }
"""


@pytest.mark.parametrize("models", cases([1], [4]), ids=lambda count: f"{count}-models")
def test_all_verdicts_on_gsm8k_are_the_published_ones(
    here: Callable[..., Said], shared: Path, tmp_path: Path, models: int
) -> None:
    file = shared / "data" / "gsm8k.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    names = list(rows[0]["responses"])[:models]
    import_benchmark(here, tmp_path, file, GSM8K_TEMPLATE, "--question", "question", "--answer", "answer")
    verdicts = verify(here, tmp_path, {model: f"{file}#responses.{model}" for model in names})

    assert verdicts == {(model, row["question"]): row["is_correct"][model] for row in rows for model in names}
    assert [passes(verdicts, model) for model in names] == [89, 156, 146, 224][:models]


@pytest.mark.parametrize(("model", "published"), cases([("claude-3-5-sonnet-latest", 41)], [("gpt-4o", 32)]))
def test_all_296_verdicts_on_bixbench_are_the_published_ones(
    here: Callable[..., Said], shared: Path, tmp_path: Path, model: str, published: int
) -> None:
    file = shared / "data" / f"bixbench-mcq-{model}.csv"
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = ("--question", "question", "--answer", "target", "--id", "short_qid")
    import_benchmark(here, tmp_path, file, BIXBENCH_TEMPLATE, *columns)
    verdicts = verify(here, tmp_path, {model: str(file)})

    assert verdicts == {(model, row["question"]): row["correct"] == "True" for row in rows}
    assert passes(verdicts, model) == published


def import_benchmark(here: Callable[..., Said], folder: Path, source: Path, template: str, *columns: str) -> None:
    (folder / "template.py").write_text(template)
    done = here(folder, "import", str(source), "--output", "benchmark.jsonld", "--template", "template.py", *columns)
    assert done.returncode == 0, done.stderr


def verify(here: Callable[..., Said], folder: Path, answers: dict[str, str]) -> dict[tuple[str, str], bool]:
    """Verdicts by model and question text. `answers`: file of each model's recorded answers."""
    models = [{"id": model, "interface": "manual"} for model in answers]
    (folder / "config.yaml").write_text(yaml.safe_dump({"answering_models": models}))
    traces = [part for model, file in answers.items() for part in ("--traces", f"{model}={file}")]
    files = ("benchmark.jsonld", "--config", "config.yaml", "--output", "results.json")
    done = here(folder, "verify", *files, *traces)
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads((folder / "results.json").read_text())["results"]
    return {
        (r["metadata"]["answering"]["model_name"], r["metadata"]["question_text"]): r["template"]["verify_result"]
        for r in results
    }


def passes(verdicts: dict[tuple[str, str], bool], model: str) -> int:
    return sum(verdict for (name, _), verdict in verdicts.items() if name == model)
