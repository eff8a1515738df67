"""Real answers of real models, verified again: every verdict must equal the published one.

The same commands that a person would type: import the file, verify recorded answers, read the results.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

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


def test_all_1600_verdicts_on_gsm8k_are_the_published_ones(shared: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (shared / "data" / "gsm8k.jsonl").read_text().splitlines()]
    import_benchmark(
        tmp_path, shared / "data" / "gsm8k.jsonl", GSM8K_TEMPLATE, "--question", "question", "--answer", "answer"
    )
    models = list(rows[0]["responses"])
    ids = {text: key for key, text in question_ids(tmp_path)}
    verdicts = verify(tmp_path, {m: {ids[row["question"]]: row["responses"][m] for row in rows} for m in models})

    published = {(m, ids[row["question"]]): row["is_correct"][m] for row in rows for m in models}
    assert verdicts == published
    assert [sum(verdicts[m, key] for key in ids.values()) for m in models] == [89, 156, 146, 224]


@pytest.mark.parametrize(("model", "passes"), [("gpt-4o", 32), ("claude-3-5-sonnet-latest", 41)])
def test_all_296_verdicts_on_bixbench_are_the_published_ones(
    shared: Path, tmp_path: Path, model: str, passes: int
) -> None:
    file = shared / "data" / f"bixbench-mcq-{model}.csv"
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = ("--question", "question", "--answer", "target", "--id", "short_qid")
    import_benchmark(tmp_path, file, BIXBENCH_TEMPLATE, *columns)
    verdicts = verify(tmp_path, {model: {row["short_qid"]: row["llm_response"] for row in rows}})

    assert verdicts == {(model, row["short_qid"]): row["correct"] == "True" for row in rows}
    assert sum(verdicts.values()) == passes


def import_benchmark(folder: Path, source: Path, template: str, *columns: str) -> None:
    (folder / "template.py").write_text(template)
    command(folder, "import", source, "--output", "benchmark.jsonld", "--template", "template.py", *columns)


def question_ids(folder: Path) -> list[tuple[str, str]]:
    """(id, text) of every question in the imported benchmark."""
    benchmark = json.loads((folder / "benchmark.jsonld").read_text())
    return [(entry["@id"], entry["item"]["text"]) for entry in benchmark["dataFeedElement"]]


def verify(folder: Path, answers: dict[str, dict[str, str]]) -> dict[tuple[str, str], bool]:
    """The verdict by model and question id."""
    for model, traces in answers.items():
        (folder / f"{model}.json").write_text(json.dumps(traces))
    models = [{"id": model, "interface": "manual"} for model in answers]
    (folder / "config.yaml").write_text(yaml.safe_dump({"answering_models": models}))
    traces_options = [part for model in answers for part in ("--traces", f"{model}={model}.json")]
    output = ("--config", "config.yaml", "--output", "results.json")
    command(folder, "verify", "benchmark.jsonld", *output, *traces_options)
    results: list[dict[str, Any]] = json.loads((folder / "results.json").read_text())["results"]
    return {
        (r["metadata"]["answering"]["model_name"], r["metadata"]["question_id"]): r["template"]["verify_result"]
        for r in results
    }


def command(folder: Path, *arguments: str | Path) -> None:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "karenina_gui", *map(str, arguments)], cwd=folder, capture_output=True, text=True
    )
    print(f"$ karenina-gui {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}", end="")
    print(f"({time.perf_counter() - started:.1f} s)")
    assert done.returncode == 0
