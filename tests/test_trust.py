"""Code that needs full Python, on a computer without a sandbox for it, through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from karenina_gui import Benchmark

WITHOUT_LOCK = """
import sys
from karenina_gui.sandbox import isolation_level, sandbox

sandbox.probe = lambda rung: isolation_level.probe(5)
from karenina_gui.__main__ import main

sys.exit(main(sys.argv[1:]))
"""
NO_FORK = "import os; del os.fork"
CONFIG = """
answering_models:
  - {id: recorded, interface: manual}
"""
NEEDS_PYTHON = """
import statistics

class Answer(BaseAnswer):
    def ground_truth(self):
        mean = statistics.mean([40, 44])
        self.regex = {"value": {"pattern": "[0-9]+", "expected": str(mean), "match_type": "exact"}}
"""


@pytest.mark.parametrize(("trusted", "system"), [(False, ""), (True, ""), (True, NO_FORK)])
def test_only_a_trusted_benchmark_runs_code_without_a_lock(tmp_path: Path, trusted: bool, system: str) -> None:
    benchmark = Benchmark.create("Means")
    benchmark.add_question("What is the mean of 40 and 44?", "42", answer_template=NEEDS_PYTHON, finished=True)
    benchmark.save(tmp_path / "means.jsonld")
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "answers.json").write_text(json.dumps({"What is the mean of 40 and 44?": "It is 42."}))
    options = ["--config", "config.yaml", "--output", "results.json", "--traces", "recorded=answers.json"]
    trust = ["--trust"] if trusted else []
    command = [sys.executable, "-c", system + WITHOUT_LOCK, "verify", "means.jsonld", *options, *trust]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    written = json.loads((tmp_path / "results.json").read_text())
    (result,) = written["results"]
    assert trusted is ('"trusted": true' in json.dumps(written))
    if trusted:
        assert done.returncode == 0, done.stderr
        assert result["template"]["verify_result"] is True
        assert result["template"]["template_execution"] == "unlocked"
    else:
        assert done.returncode == 1
        assert "If you trust the author" in json.dumps(result, ensure_ascii=False)
