"""`karenina-gui verify`: run a benchmark without the application."""

from __future__ import annotations

import argparse
import logging
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from karenina_gui.commands.outcome import DONE, INTERRUPTED, PARTLY, complain, printable, say, warn
from karenina_gui.commands.recorded_answers import with_traces
from karenina_gui.commands.results_file import ResultsFile
from karenina_gui.commands.worker import add_cluster_options
from karenina_gui.errors import ConfigurationError, InputError
from karenina_gui.schemas.problems import all_problems
from karenina_gui.schemas.sendable import unsendable
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from karenina_gui.benchmark import Benchmark
    from karenina_gui.cluster.address import ClusterAddress
    from karenina_gui.schemas.job import Job
    from karenina_gui.schemas.outcome import Outcome
    from karenina_gui.schemas.reproducibility import Reproducibility
    from karenina_gui.schemas.result import VerificationResult
    from karenina_gui.schemas.verification_config import VerificationConfig

NAME = "verify"
SUMMARY = "Run the finished questions of a benchmark and write the results to a file."
DETAILS = """
    CONFIG is a YAML (or JSON) file with models and settings, or a preset exported from the application, which names
    all settings. Minimal example:

      answering_models:
        - {id: claude, interface: claude_tool, model_name: claude-sonnet-5-5}
        - {id: local, interface: openai_endpoint, model_name: my-model, endpoint_base_url: "http://localhost:8000/v1"}
        - {id: recorded, interface: manual}
      parsing_models:
        - {id: judge, interface: claude_tool, model_name: claude-sonnet-5-5}
      replicate_count: 3

    Compare models under several conditions; the first one is the baseline:

      conditions:
        - {name: without graph, mcp_servers: {}}
        - name: with graph
          system_prompt: Look everything up in the graph.
          mcp_servers: {graph: {url: "http://127.0.0.1:8000/mcp", headers: {Authorization: "Bearer ${GRAPH_TOKEN}"}}}
          settings: {temperature: 0.7}
          require_mcp_tool_use: true
      judge_replicates: 2

    If a provider is down, a key is rejected, or an account has no credit left during the run, the run waits for up to
    10 minutes, or as set here. Jobs that are still blocked then end in errors:

      provider_wait_seconds: 3600

    Judges are optional if no template needs one. API keys never belong in the file: they come from ANTHROPIC_API_KEY,
    OPENAI_API_KEY, OPENROUTER_API_KEY, or the variable named by api_key_env. Missing keys are reported before any
    model is called. Other variables, and a provider’s key for another server, are sent only with
    --allow-variable NAME. Programs of mcp_servers are started with your permissions.

    Answers that you already have are given with --traces, for a model whose interface is manual:
      NAME=answers.json         {"question id or text": answer}; an answer is a text, a list of messages (as OpenAI,
                                Anthropic, Gemini, or karenina write them), or a list of either, one per replicate
      NAME=answers.csv          or .jsonl: one answer per line, with columns such as question_id, response, replicate
      NAME=answers.jsonl#COLUMN if the column with the answers has another name; use dots for nested objects
      NAME=results.json         exported results: JSON, CSV, or XLSX

    Exit codes:
      0    all jobs were completed; whether answers passed is in the results
      1    some jobs ended in errors (such as an unreachable model or an invalid template), or a trait has no score;
           all results are written
      2    nothing was run; the message says what to change
      130  interrupted; the results so far are written

    Examples:
      karenina-gui verify mine.jsonld --config config.yaml --output results.json
      karenina-gui verify mine.jsonld --config config.yaml --output results.csv --traces recorded=answers.json
      karenina-gui verify mine.jsonld --config config.yaml --output results.json --record exchanges.json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", type=Path, metavar="BENCHMARK.jsonld", help="the benchmark to run")
    parser.add_argument(
        "--config", type=Path, required=True, metavar="CONFIG.yaml", help="models, judges, replicates, checks"
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="RESULTS",
        help="result file: .json (complete), .csv (table), .xlsx, .parquet, or .zip (k-eval files)",
    )
    _add_answer_options(parser)
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="record all model calls, for models with the interface replay",
    )
    parser.add_argument(
        "--workspace-root", type=Path, metavar="FOLDER", help="folder with the workspaces of agent tasks"
    )
    _add_permission_options(parser)
    parser.add_argument("--name", metavar="NAME", help="name of the run, saved with every result")
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="let the workers of a Dask cluster verify the jobs; ADDRESS is that of its scheduler, such as "
        "tcp://127.0.0.1:8786",
    )
    add_cluster_options(parser)


def _add_answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--traces",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="recorded answers for the answering model NAME (its ID in CONFIG); may be repeated",
    )
    parser.add_argument(
        "--traces-model",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="take the answers of MODEL for NAME from a file with several models (default: NAME itself); an empty "
        "MODEL takes all",
    )
    parser.add_argument(
        "--traces-by-id",
        action="store_true",
        help="match recorded answers by question ID even if their question texts differ",
    )
    parser.add_argument(
        "--dialogues",
        choices=("last", "whole", "specified"),
        help="part of recorded conversations to judge: the last message of the model (default for dialogues), the "
        "whole dialogue with the user’s messages, or, as specified, the last message only if it is the model’s "
        "(default for others)",
    )


def _add_permission_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-programs",
        action="store_true",
        help="let agent traits of the benchmark use models of their own, which may start programs on this computer, "
        "unsandboxed, and get answers and your keys at their own URLs; only for a benchmark whose author you trust",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run code of the benchmark that needs full Python even if this computer has no sandbox for it: it can do "
        "anything that you can, and only its time is limited; includes --allow-programs; only for a benchmark whose "
        "author you trust",
    )
    add_variable_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    file = ResultsFile(options.output)
    config = _apply_permissions(read_configuration(options.config), options)
    from karenina_gui.benchmark import Benchmark  # loads the engine, which invalid input does not need
    from karenina_gui.formats.results.run_info import RunInfo
    from karenina_gui.runs.requirements import check_models

    benchmark = Benchmark.load(options.benchmark, options.workspace_root)
    benchmark.trusted = options.trust
    config = with_traces(config, options, benchmark)
    if not options.trust:
        refuse_variables(config, options.allow_variable)
    cluster = cluster_of(config, options)
    if cluster is None:
        check_models(config)
    warn_of_agents(benchmark, config)
    total = jobs_planned(benchmark, config)
    started = time.time()
    record = record_now(benchmark, config, options.name)
    results, interrupted = verify(
        benchmark, config, Watch(total), name=options.name, record=options.record, cluster=cluster
    )
    record.sandbox_level = sandbox_level(results)
    info = RunInfo(
        str(uuid.uuid4()), options.name, config, started, time.time(), total, benchmark.rubric, reproducibility=record
    )
    file.write(results, info)
    code = report(results, file.path)
    return INTERRUPTED if interrupted else code


def verify(
    benchmark: Benchmark,
    config: VerificationConfig,
    watch: Watch,
    *,
    name: str | None,
    record: Path | None = None,
    cluster: ClusterAddress | None = None,
) -> tuple[list[VerificationResult], bool]:
    """Execute the run; returns the results, and True if the user interrupted it."""
    from karenina_gui.adapters.outage_reporter import OutageReporter

    interrupted = threading.Event()

    def interrupt(_signal: int, _frame: object) -> None:
        interrupted.set()
        # A second Ctrl+C raises KeyboardInterrupt and ends the command at once.
        for number in before:
            signal.signal(number, signal.default_int_handler)
        complain("Interrupted. Stopping calls and writing the results so far…")

    # SIGTERM is what job schedulers and `timeout` send.
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, interrupt)
    try:
        with watch, _quiet_stages():
            results = benchmark.run_verification(
                config,
                run_name=name,
                record=record,
                cluster=cluster,
                on_result=watch.count,
                on_outage=OutageReporter(watch.print_line, config.provider_wait_seconds),
                cancelled=interrupted.is_set,
            )
    except KeyboardInterrupt:  # the second Ctrl+C
        return watch.results, True
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return results, interrupted.is_set()


def cluster_of(config: VerificationConfig, options: argparse.Namespace) -> ClusterAddress | None:
    """Cluster of the run; None: this process verifies the jobs. Raises `InputError`."""
    from karenina_gui.cluster.address import ClusterAddress

    if not (address := options.cluster or config.cluster):
        return None
    where = ClusterAddress(address, options.insecure_cluster, options.tls_ca, options.tls_cert, options.tls_key)
    where.check()
    return where


@contextmanager
def _quiet_stages() -> Iterator[None]:
    """Suppress the pipeline's warnings about failed jobs, which the final report summarizes."""
    log = logging.getLogger("karenina_gui.pipeline.orchestrator")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _apply_permissions(config: VerificationConfig, options: argparse.Namespace) -> VerificationConfig:
    """Configuration with the permissions given on the command line."""
    # A configuration file may come from elsewhere, so it cannot allow the benchmark to start programs.
    if config.allow_programs and not (options.allow_programs or options.trust):
        warn("allow_programs in the configuration is ignored. Use --allow-programs.")
    return config.model_copy(update={"allow_programs": options.allow_programs or options.trust})


def add_variable_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-variable",
        action="append",
        default=[],
        metavar="NAME",
        help="let the configuration send the value of this environment variable to servers and programs that it names; "
        "a provider’s own key, sent to the provider, needs no permission; may be repeated",
    )


def refuse_variables(config: VerificationConfig, allowed: Collection[str]) -> None:
    """Raise `InputError` if the configuration would send the value of a variable that the user has not allowed.

    The file may come from elsewhere. To name it is to agree to its servers and programs, but not to hand out secrets.
    """
    from karenina_gui.adapters.consents import accesses_of, models_of

    accesses = {access: None for model in models_of(config) for access in accesses_of(model)}
    sent = [f"{access}" for access in accesses if set(access.variables) - set(allowed)]
    if sent:
        names = sorted({name for access in accesses for name in access.variables} - set(allowed))
        options = " ".join(f"--allow-variable {name}" for name in names)
        lines = "".join(f"\n  {line}" for line in sent)
        raise InputError(
            f"The configuration uses environment variables outside of their usual provider. It would{lines}\n"
            f"If you trust it, add {options}"
        )


def warn_of_agents(benchmark: Benchmark, config: VerificationConfig) -> None:
    """Warn of everything that agents may do on this computer."""
    from karenina_gui.adapters.consents import Consents
    from karenina_gui.runs.agent_safety import started_programs, unagreed_accesses

    traits = benchmark.select(config).agentic_traits
    if config.allow_unconfined_commands:
        warn(
            "allow_unconfined_commands is set. Without a sandbox, commands of agents and the tools of Claude Code can "
            "read, change, and delete anything that you can."
        )
    for program in started_programs(config, traits):
        owner = f"the trait “{program.of}”" if program.from_trait else program.of
        if program.from_trait and not config.allow_programs:
            warn(f"Not started: {program.command}, for {owner}. See --allow-programs.")
        else:
            warn(f"Starting unsandboxed on this computer: {program.command}, for {owner}.")
    if not config.allow_programs:
        for reach in unagreed_accesses(config, traits, Consents.for_models_of(config)):
            if reach.access.kind == "server":
                warn(f"{reach.user} would {reach.access}. It is not called. See --allow-programs.")


def jobs_planned(benchmark: Benchmark, config: VerificationConfig) -> int:
    """Number of jobs. Raises `InputError` with the reasons if there are none."""
    from karenina_gui.schemas.job import expand

    selection = benchmark.select(config)
    reasons = selection.reasons_text()
    if scenarios := len(benchmark.document.scenarios):
        warn(f"Not run: {quantity(scenarios, 'scenario')} of the benchmark. Only questions are run.")
    if not selection.chosen:
        raise InputError(f"No questions of “{benchmark.document.name}” can run: {reasons or 'it has none'}.")
    if reasons:
        warn(f"Questions skipped: {reasons}.")
    return len(expand(selection.chosen, config))


def sandbox_level(results: Iterable[VerificationResult]) -> str:
    """Sandbox level of author-written code; empty: no such code ran."""
    return next((result.sandbox_level for result in results if result.sandbox_level), "")


def record_now(benchmark: Benchmark, config: VerificationConfig, name: str | None) -> Reproducibility:
    """Reproducibility record of a run that starts now."""
    from karenina_gui.runs.reproducibility import record_of

    recipe = benchmark.recipe(config)
    request = recipe.request(recipe.select(), name)
    return record_of(request, datetime.now(UTC).isoformat(timespec="milliseconds"), "")


def report(results: list[VerificationResult], output: Path) -> int:
    """Print a summary of the results, and return the exit code."""
    _print_outcomes(results)
    from karenina_gui.schemas.outcome import no_message_of, unread_note

    if unread := unread_note(Counter(filter(None, map(no_message_of, results))), len(results)):
        say(unread)
    say(f"Wrote {quantity(len(results), 'result')} to {output}.")
    unscored = [result for result in results if result.rubric is not None and result.rubric.without_score]
    for why, count in Counter(map(why_unscored, unscored)).most_common(3):
        warn(f"Not fully scored ({quantity(count, 'result')}): {why or 'a judge could not be called'}")
    return PARTLY if report_errors(results) or unscored else DONE


def _print_outcomes(results: list[VerificationResult]) -> None:
    """Print the outcomes of each answering model on a line."""
    from karenina_gui.schemas.outcome import outcome_of

    outcomes: dict[str, Counter[Outcome]] = {}
    for result in results:
        outcomes.setdefault(result.metadata.answering.label, Counter())[outcome_of(result)] += 1
    for model, counts in outcomes.items():
        say(f"{model}: {', '.join(_outcome_counts(counts))}")


def _outcome_counts(counts: Counter[Outcome]) -> Iterator[str]:
    """Number of results by outcome, in the words of the application."""
    from karenina_gui.schemas.outcome import TITLES, judged_count

    judged = judged_count(counts)
    yield f"{counts['passed']} of {judged} passed" if judged else "no verdicts"
    for outcome in ("wrong", "abstained", "autofail"):
        if counts[outcome]:
            yield f"{counts[outcome]} {TITLES[outcome].lower()}"
    if counts["error"]:
        yield quantity(counts["error"], "error")
    if counts["unscored"] and judged:
        yield f"{counts['unscored']} with {TITLES['unscored'].lower()}"


def why_unscored(result: VerificationResult) -> str | None:
    """Reason why a trait has no score, from the result's warnings; None: every trait has one."""
    reasons = ("no score", "No trait was scored", "counts as missing")
    return next((warning for warning in result.metadata.warnings if any(part in warning for part in reasons)), None)


def report_errors(results: list[VerificationResult]) -> bool:
    """Print the most frequent errors; True if there are any."""
    from karenina_gui.schemas.outcome import outcome_of

    errors = Counter(result.error or "no message" for result in results if outcome_of(result) == "error")
    for message, count in errors.most_common(5):
        complain(f"error: {message} ({quantity(count, 'job')})")
    return bool(errors)


@dataclass
class Watch:
    """Progress bar on stderr, if that is a terminal, and the results so far."""

    total: int
    results: list[VerificationResult] = field(default_factory=list)

    def __enter__(self) -> Watch:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("Verifying"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[so_far]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("Verifying", total=self.total, so_far="")
        self._counts: Counter[Outcome] = Counter()
        self._scored = 0
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def count(self, _job: Job, result: VerificationResult) -> None:
        from karenina_gui.schemas.outcome import outcome_of

        self.results.append(result)
        outcome = outcome_of(result)
        self._counts[outcome] += 1
        self._scored += bool(outcome == "unscored" and result.rubric and why_unscored(result) is None)
        self._progress.update(self._task, advance=1, so_far=self._so_far())

    def print_line(self, text: str) -> None:
        """Print a line above the progress bar."""
        # Without markup, since messages of providers may contain square brackets.
        self._progress.console.print(printable(text), markup=False)

    def _so_far(self) -> str:
        """Counts of passed, scored and failed jobs."""
        from karenina_gui.schemas.outcome import judged_count

        passed = [f"{self._counts['passed']} passed"] if judged_count(self._counts) else []
        scored = [f"{self._scored} scored"] if self._counts["unscored"] else []
        return ", ".join([*passed, *scored, quantity(self._counts["error"], "error")])


def read_configuration(path: Path) -> VerificationConfig:
    """Read a configuration. A saved preset, which wraps it in `config`, is accepted too.

    A relative path in `recording` is resolved next to the file. Raises `ConfigurationError` with the position of each
    problem.
    """
    from karenina_gui.formats.yaml_text import read_mapping

    data = read_mapping(path, "it should begin with  answering_models:")
    if {"dataset", "conditions"} <= data.keys():
        raise ConfigurationError(
            f"{path} is a k-eval configuration with its own questions. Run it with  karenina-gui k-eval {path} "
            "--output FOLDER"
        )
    data = data["config"] if isinstance(data.get("config"), dict) else data
    for model in [*_models(data, "answering_models"), *_models(data, "parsing_models")]:
        recording = model.get("recording")
        if isinstance(recording, str) and (path.parent / recording).is_file():
            model["recording"] = str((path.parent / recording).resolve())
    try:
        config = VerificationConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigurationError(_complaints(path, all_problems(error, VerificationConfig))) from None
    if problems := list(_unsendable(config)):
        raise ConfigurationError(_complaints(path, problems))
    return config


def _unsendable(config: VerificationConfig) -> Iterator[tuple[str, str]]:
    for name, models in (("answering_models", config.answering_models), ("parsing_models", config.parsing_models)):
        for index, model in enumerate(models):
            if (why := unsendable(model)) is not None:
                yield f"{name}.{index}", why


def _models(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    models = data.get(key)
    return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []


def _complaints(path: Path, problems: Iterable[tuple[str, str]]) -> str:
    # Without the values, because a value may be a key.
    lines = [f"  {where or 'as a whole'}: {message}" for where, message in problems]
    return "\n".join([f"Invalid configuration {path}:", *lines])
