"""Python API of a benchmark: write, save, load and run.

benchmark = Benchmark.create("arithmetic")
qid = benchmark.add_question("What is 6 x 7?", raw_answer="42", answer_template=source)
results = benchmark.run_verification(config)
"""

from __future__ import annotations

import inspect
import logging
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Self, overload

from pydantic import ValidationError

from karenina_gui.adapters.consents import UNLIMITED, Consents
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.outage_reporter import OutageReporter
from karenina_gui.adapters.outages import Outage, Outages
from karenina_gui.adapters.recording import Recorder
from karenina_gui.cluster.address import NOT_RECORDED, ClusterAddress
from karenina_gui.cluster.coordinator import RemoteRun
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.example import RECORDINGS
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from karenina_gui.pipeline.verify_job import PipelineTools
from karenina_gui.runs.executor import OnResult, RunControl, open_tools, outages_of
from karenina_gui.runs.failed_jobs import out_of_time_result
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.requirements import check_models
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.runs.run_recipe import RunRecipe
from karenina_gui.runs.selection import Selection
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import TRAIT_TYPES, OtherRubricTrait, Rubric, Trait, field_of
from karenina_gui.schemas.verification_config import VerificationConfig

log = logging.getLogger(__name__)

Template = str | type[BaseAnswer] | None


class Benchmark:
    """Questions in order, a rubric for all of them, and a name. `document`: the underlying data."""

    def __init__(self, document: BenchmarkDocument, workspace_root: str | Path | None = None) -> None:
        self.document = document
        self.workspace_root = Path(workspace_root) if workspace_root is not None else None
        """Workspace root of agent tasks on this computer; never saved with the benchmark."""
        self.trusted = True
        """True: its code may run without a sandbox, and models of its traits may be used. False after `load`."""

    @classmethod
    def create(
        cls,
        name: str,
        description: str = "",
        version: str = "0.1.0",
        creator: str = "",
        workspace_root: str | Path | None = None,
    ) -> Self:
        """Create an empty benchmark."""
        document = BenchmarkDocument(name=name, description=description, version=version, creator=creator)
        return cls(document, workspace_root)

    @classmethod
    def load(cls, path: str | Path, workspace_root: str | Path | None = None) -> Self:
        """Read a checkpoint without running its code. Raises `FileFormatError` and `NotFoundError`."""
        benchmark = cls(load_checkpoint(path), workspace_root)
        benchmark.trusted = False
        return benchmark

    def save(self, path: str | Path) -> Path:
        """Write a checkpoint atomically; returns its path, with `.jsonld` added if missing."""
        self.document.date_modified = datetime.now().isoformat()
        return save_checkpoint(self.document, path)

    # ---------------------------------------------------------------- questions
    @overload
    def add_question(self, question: Question, *, question_id: str | None = None, finished: bool = True) -> str: ...

    @overload
    def add_question(
        self,
        question: str,
        raw_answer: str,
        answer_template: Template = None,
        question_id: str | None = None,
        finished: bool = True,
        **fields: Any,
    ) -> str: ...

    def add_question(
        self,
        question: Question | str,
        raw_answer: str | None = None,
        answer_template: Template = None,
        question_id: str | None = None,
        finished: bool = True,
        **fields: Any,
    ) -> str:
        """Add a question; returns its id: `question_id`, or else the MD5 of the text.

        `answer_template`: source code, or a class whose source can be found. `fields`: other fields of `Question`.
        Raises `DuplicateQuestionError`, and `InputError` for invalid fields.
        """
        values = {"raw_answer": raw_answer, "answer_template": _source(answer_template), "id": question_id, **fields}
        if question_id is not None and not str(question_id).strip():
            raise InputError("question_id is empty: leave it out, and the question’s text decides.")
        return self.document.add(_question(question, values), finished=finished).id

    def get_question(self, question_id: str) -> Question:
        """Return a question. Raises `NotFoundError`."""
        return self.document.entry(question_id).question

    def remove_question(self, question_id: str) -> Question:
        """Remove a question and return it. Raises `NotFoundError`."""
        entry = self.document.entry(question_id)
        self.document.entries.remove(entry)
        return entry.question

    def get_question_ids(self) -> list[str]:
        return [entry.id for entry in self.document.entries]

    def is_finished(self, question_id: str) -> bool:
        """True if the question is marked as finished. Raises `NotFoundError`."""
        return self.document.entry(question_id).finished

    def mark_finished(self, question_id: str, finished: bool = True) -> None:
        """Set the finished mark; only finished questions enter a run. Raises `NotFoundError`."""
        self.document.entry(question_id).finished = finished

    # ---------------------------------------------------------------- rubric
    @property
    def rubric(self) -> Rubric | None:
        """Traits for every question."""
        return self.document.rubric

    def set_global_rubric(self, rubric: Rubric | None) -> None:
        self.document.rubric = rubric

    def add_global_rubric_trait(self, trait: Trait) -> None:
        """Add a trait for every question. Raises `ValueError` if the name is taken."""
        self.document.rubric = _with_trait(self.document.rubric, trait)

    def add_question_rubric_trait(self, question_id: str, trait: Trait) -> None:
        """Add a trait to one question. Raises `NotFoundError`, and `ValueError` if the name is taken."""
        question = self.get_question(question_id)
        own = Rubric.model_validate(question.question_rubric) if question.question_rubric else None
        question.question_rubric = _with_trait(own, trait).model_dump(mode="json")

    # ---------------------------------------------------------------- running
    def select(self, config: VerificationConfig, question_ids: Iterable[str] | None = None) -> Selection:
        """Questions that would run under this configuration, and reasons for the others."""
        if isinstance(question_ids, str):
            raise InputError(f"question_ids should be a list of ids, such as [{question_ids!r}].")
        ids = list(question_ids) if question_ids is not None else None
        for unknown in set(ids or ()) - set(self.get_question_ids()):
            raise NotFoundError(f"This benchmark has no question with the ID {unknown!r}.")
        return self.recipe(config).select(ids)

    def recipe(self, config: VerificationConfig) -> RunRecipe:
        """Return what a run of this benchmark under this configuration is made from."""
        here = LocalBenchmarkState(self.workspace_root, self.trusted)
        return RunRecipe(self.document, config, here)

    def run_verification(
        self,
        config: VerificationConfig,
        question_ids: Iterable[str] | None = None,
        run_name: str | None = None,
        *,
        record: str | Path | None = None,
        on_result: OnResult | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        on_outage: Callable[[Sequence[Outage]], None] | None = None,
        sandbox: Sandbox | None = None,
        cluster: ClusterAddress | None = None,
    ) -> list[VerificationResult]:
        """Run all finished questions, or those in `question_ids`, and return the results in a fixed order.

        The order is: question, answering model, condition, judge, replicate, judge replicate. Jobs without time left
        (`batch_timeout_seconds`) are returned as errors. A failure of one job is a value in its result.

        `record`: file that receives every model exchange. `on_result`: called with each result as it arrives.
        `cancelled`: called before every model call; a cancelled run returns its finished results. `on_outage`: called
        on worker threads with the unavailable models whenever they change (see `provider_wait_seconds`); None: waits
        are logged as warnings. `sandbox` None: one is started for this run. `cluster`: verifies the jobs with the
        keys and packages of its workers; None: that of `config.cluster`, else this process does.

        Raises before the first call `InputError` for a missing answering model, package, or API key, a condition that
        does not apply to a model, or an invalid rubric, and `NotFoundError` for an unknown question.
        """
        recipe = self.recipe(config)
        recipe.check("The run has no answering model: give answering_models.")
        where = _checked_cluster(config, cluster, record)
        selection = self.select(config, question_ids)
        if not selection.chosen:
            why = selection.reasons_text() or "it has none"
            log.warning("No question of %r can run: %s.", self.document.name, why)
            return []
        request = recipe.request(selection, run_name)
        outages = outages_of(config)
        report = on_outage or OutageReporter(log.warning, config.provider_wait_seconds)
        outages.changed.subscribe(lambda: report(outages.now()))
        allowed = self.trusted or config.allow_programs
        consents = UNLIMITED if allowed else Consents.for_models_of(config)
        control = RunControl(cancelled, outages)
        with _open_tools(where, request, consents, record, sandbox, control) as (tools, remote):
            results = collect_results(
                request, tools, on_result=on_result, cancelled=cancelled, outages=outages, elsewhere=remote
            )
        if not cancelled():
            results = _with_late_jobs(request, results, on_result)
        return list(results.values())

    def __len__(self) -> int:
        return len(self.document.entries)

    def __iter__(self) -> Iterator[Question]:
        return (entry.question for entry in self.document.entries)

    def __repr__(self) -> str:
        return f"Benchmark({self.document.name!r}, {len(self)} questions)"


def _question(question: Question | str, values: dict[str, Any]) -> Question:
    """Question with these fields; fields that are None are ignored. Raises `InputError`."""
    values = {name: value for name, value in values.items() if value is not None}
    # The specification reads `tags` as `keywords`.
    if "tags" in values:
        tags = values.pop("tags")
        values.setdefault("keywords", tags)
    try:
        if isinstance(question, str):
            if "raw_answer" not in values:
                raise InputError("A question needs a reference answer: give raw_answer.")
            return Question(question=question, **values)
        if not isinstance(question, Question):
            raise InputError(f"The question should be a text or a Question; this is a {type(question).__name__}.")
        added = question.model_copy(deep=True)
        for name, value in values.items():
            setattr(added, name, value)
    except ValidationError as fault:
        raise InputError(f"This question cannot be added: {first_problem(fault)}") from None
    return added


def _checked_cluster(
    config: VerificationConfig, cluster: ClusterAddress | None, record: str | Path | None
) -> ClusterAddress | None:
    """Cluster of a run; None: this process verifies the jobs. Raises `InputError` for what stands against either."""
    where = cluster or (ClusterAddress(config.cluster) if config.cluster else None)
    if where is None:
        check_models(config)
    elif record is not None:
        raise InputError(NOT_RECORDED)
    return where


@contextmanager
def _open_tools(
    where: ClusterAddress | None,
    request: RunRequest,
    consents: Consents,
    record: str | Path | None,
    sandbox: Sandbox | None,
    control: RunControl,
) -> Iterator[tuple[PipelineTools, RemoteRun | None]]:
    """Open the tools of the pipeline, with a sandbox of their own if none is given, or a cluster at `where`."""
    outages = control.outages or Outages()
    with ExitStack() as stack:
        if where is not None:
            remote = stack.enter_context(RemoteRun(where, request, outages, control.cancelled, consents.agreed))
            yield remote.tools, remote
            return
        recorder = Recorder(Path(record)) if record is not None else None
        adapters = stack.enter_context(AdapterFactory(recorder=recorder, recordings=RECORDINGS, consents=consents))
        cells = sandbox or stack.enter_context(Sandbox())
        yield open_tools(adapters, cells, request.config, control.cancelled, outages), None


def _with_late_jobs(
    request: RunRequest, results: dict[Job, VerificationResult], on_result: OnResult | None
) -> dict[Job, VerificationResult]:
    """Results of all jobs. Jobs that had no time left get an error."""
    complete = {}
    for job in request.jobs:
        result = results.get(job)
        if result is None:
            result = out_of_time_result(request.task(job), request.config.batch_timeout_seconds or 0.0)
            if on_result is not None:
                on_result(job, result)
        complete[job] = result
    return complete


def _source(template: Template) -> str | None:
    if template is None or isinstance(template, str):
        return template
    if not isinstance(template, type):
        raise InputError(
            f"answer_template should be source code as a text, or a class; this is a {type(template).__name__}."
        )
    try:
        return textwrap.dedent(inspect.getsource(template))
    except (OSError, TypeError):
        raise InputError(
            f"The source of the template class {template.__name__} cannot be found. Pass its source code as a text."
        ) from None


def _with_trait(rubric: Rubric | None, trait: Trait) -> Rubric:
    built_in = next((name for name, cls in TRAIT_TYPES.items() if isinstance(trait, cls)), None)
    kind = trait.type_name if isinstance(trait, OtherRubricTrait) else built_in
    if kind is None:
        raise InputError(f"A trait should be one of the trait classes; this is a {type(trait).__name__}.")
    rubric = rubric or Rubric()
    traits = [*rubric.holding(kind), trait]
    return Rubric.model_validate({**dict(rubric), field_of(kind): traits})
