"""`karenina-gui k-eval`: run a k-eval configuration without the application, and write its two files."""

from __future__ import annotations

import argparse
import os
import time
import uuid
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from karenina_gui.commands.outcome import DONE, INTERRUPTED, PARTLY, complain, say, warn
from karenina_gui.errors import InputError
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.k_eval.aggregation import KEvalAggregate, KEvalAnswer, KEvalArm
    from karenina_gui.schemas.result import VerificationResult
    from karenina_gui.schemas.rubric import Rubric
    from karenina_gui.schemas.verification_config import VerificationConfig

NAME = "k-eval"
SUMMARY = "Run a k-eval configuration (YAML) with its dataset (JSONL) and write the two k-eval result files."
DETAILS = """
    CONFIG names the dataset, agent, judge, MCP servers, and conditions, as in k-eval. Every question is asked under
    every condition, as often as the configuration says (default: 3 times). A judge compares each answer with the
    reference answer and gives three scores from 1 to 5: factual adherence, completeness, and helpfulness and clarity.

    The agent is always Claude Code, so its package, karenina-gui[agent], has to be installed:

      name: organelles
      version: "1"
      dataset: {path: questions.jsonl, question_key: question, answer_key: answer}
      agent: {type: claude_code_sdk, model: claude-sonnet-5-5}
      judge: {model: anthropic/claude-sonnet-5-5}
      conditions:
        plain: {system_prompt: Answer briefly.}
      execution: {num_repetitions: 3}

    Unknown settings and missing variables, servers, packages, or API keys are reported before any model is called.
    Write variables as ${NAME} in mcp_servers; the servers get their values at start if you allow it with
    --allow-variable NAME, and they are never written to files. MCP server programs run unsandboxed on this computer.

    Files in the --output folder:
      NAME.json             summary in the format Every Eval Ever 0.2.1, with intervals and standard errors
      NAME.detailed.jsonl   one line per question and condition, with all answers and scores
    --results also writes all results for the application; .json includes the SHA-256 of the dataset and the
    reproducibility record.

    Exit codes:
      0    all answers were fully judged
      1    some answers were not fully judged, or some jobs ended in errors
      2    nothing was run
      130  interrupted; the results so far are written

    Examples:
      karenina-gui k-eval k-eval.yaml --output results
      karenina-gui k-eval k-eval.yaml --output results --results all.json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    from karenina_gui.commands.verify import add_variable_option

    parser.add_argument("config", type=Path, metavar="CONFIG.yaml", help="the configuration")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="folder for the two result files")
    parser.add_argument("--dataset", type=Path, metavar="FILE.jsonl", help="the dataset, if it isn’t where CONFIG says")
    add_variable_option(parser)
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="also write all results, as .json, .csv, .xlsx, or .zip"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    from karenina_gui.benchmark import Benchmark
    from karenina_gui.commands.verify import refuse_variables
    from karenina_gui.formats.k_eval.config_reader import benchmark_of, read_k_eval
    from karenina_gui.formats.k_eval.dataset_reader import read_dataset
    from karenina_gui.runs.requirements import check_models

    k_eval = read_k_eval(options.config, os.environ)
    config = k_eval.run()
    refuse_variables(config, options.allow_variable)
    if k_eval.dataset is None:
        raise InputError(f"{options.config} doesn’t name a dataset.")
    path = options.dataset or k_eval.dataset_path
    questions = read_dataset(path, k_eval.dataset)
    for note in k_eval.notes:
        complain(f"note: {note}")
    check_models(config)
    benchmark = Benchmark(benchmark_of(k_eval, questions, path, reviewed=True))
    return run_and_write(benchmark, config, options.output, options.results)


def run_and_write(benchmark: Benchmark, config: VerificationConfig, folder: Path, results_file: Path | None) -> int:
    """Execute the run and write its files; returns the exit code."""
    from karenina_gui.analysis.methodology import figures
    from karenina_gui.commands.results_file import ResultsFile
    from karenina_gui.commands.verify import (
        Watch,
        jobs_planned,
        record_now,
        sandbox_level,
        verify,
        warn_of_agents,
    )
    from karenina_gui.formats.k_eval.dataset_reader import dataset_hash
    from karenina_gui.formats.k_eval.results_writer import write_k_eval_folder
    from karenina_gui.formats.results.run_info import RunInfo
    from karenina_gui.schemas.canonical import benchmark_hash

    file = ResultsFile(results_file) if results_file else None
    warn_of_agents(benchmark, config)
    total, started, name = jobs_planned(benchmark, config), time.time(), benchmark.document.name
    record = record_now(benchmark, config, name)
    results, interrupted = verify(benchmark, config, Watch(total), name=name)
    # Known only now: the sandbox is chosen when the first code runs.
    record.sandbox_level = sandbox_level(results)
    info = RunInfo(
        str(uuid.uuid4()),
        name,
        config,
        started,
        time.time(),
        total,
        benchmark.rubric,
        benchmark=name,
        benchmark_hash=benchmark_hash(benchmark.document),
        dataset_hash=dataset_hash(benchmark.document),
        figures=figures({}),
        reproducibility=record,
    )
    written = write_k_eval_folder(results, folder, run=info)
    if file is not None:
        file.write(results, info)
    code = _report(results, benchmark.rubric)
    say(f"Wrote {quantity(len(results), 'result')} to {folder}.")
    for path in written:
        say(f"  {path.name}")
    return INTERRUPTED if interrupted else code


def _report(results: list[VerificationResult], rubric: Rubric | None) -> int:
    """Print mean scores of each condition and answers without scores; returns the exit code."""
    from karenina_gui.commands.verify import report_errors
    from karenina_gui.formats.k_eval.aggregation import KEvalAggregate
    from karenina_gui.schemas.outcome import outcome_of

    gathered, unjudged = KEvalAggregate.of(results, rubric), Counter[str]()
    for arm in gathered.arms:
        partly = _print_arm(arm, gathered)
        unjudged.update(_reason(answer.first) for answer in partly if outcome_of(answer.first) != "error")
    for why, count in unjudged.most_common(3):
        warn(f"Not fully judged ({quantity(count, 'answer')}): {why}")
    return PARTLY if report_errors(results) or unjudged else DONE


def _print_arm(arm: KEvalArm, gathered: KEvalAggregate) -> list[KEvalAnswer]:
    """Print the mean scores of a condition, and return its answers that lack scores."""
    answers = [answer for sample in arm.samples.values() for answer in sample.in_order]
    partly = [answer for answer in answers if any(answer.score(metric) is None for metric in gathered.scales)]
    judged = f"{len(answers) - len(partly)} of {quantity(len(answers), 'answer')} fully judged"
    say(f"{arm.model.label}: {', '.join([judged, *_mean_scores(arm, gathered.names)])}")
    return partly


def _mean_scores(arm: KEvalArm, names: Mapping[str, str]) -> list[str]:
    """Mean over questions of each metric that has scores."""
    means = {
        name: [mean for sample in arm.samples.values() if (mean := sample.mean(metric)) is not None]
        for metric, name in names.items()
    }
    return [f"{name.replace('_', ' ')} {fmean(scores):.2f}" for name, scores in means.items() if scores]


def _reason(result: VerificationResult) -> str:
    """Reason for a missing score."""
    from karenina_gui.commands.verify import why_unscored

    failure = result.metadata.failure
    return failure.reason if failure else why_unscored(result) or "It has no score."
