"""The public face: a benchmark that is written, kept, and run in Python.

benchmark = Benchmark.create("arithmetic")
qid = benchmark.add_question("What is 6 x 7?", raw_answer="42", answer_template=source)
results = benchmark.run_verification(config)
"""

from __future__ import annotations

import inspect
import logging
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, Self, overload

from pydantic import ValidationError

from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.outages import Outage
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.example import RECORDINGS
from karenina_gui.formats.checkpoint import load_checkpoint, save_checkpoint
from karenina_gui.runs import conditions
from karenina_gui.runs.expansion import Job
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.runs.selection import Selection, Wanted, candidates_of, select
from karenina_gui.runs.unfinished import out_of_time_result
from karenina_gui.runs.verification import OnResult, open_tools, outages_of
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import TRAIT_TYPES, OtherRubricTrait, Rubric, Trait, field_of
from karenina_gui.schemas.summaries import OnThisComputer

log = logging.getLogger(__name__)

Template = str | type[BaseAnswer] | None


class Benchmark:
    """Questions in order, a rubric for all of them, and a name. `document` is the data behind it."""

    def __init__(self, document: BenchmarkDocument, workspace_root: str | Path | None = None) -> None:
        self.document = document
        self.workspace_root = Path(workspace_root) if workspace_root is not None else None
        """Where agent tasks find their files on this machine; never saved with the benchmark."""
        self.trusted = True
        """Its code may run on a computer that has no lock for it, and the models of its traits may be used.

        False for a benchmark from a file.
        """

    @classmethod
    def create(
        cls,
        name: str,
        description: str = "",
        version: str = "0.1.0",
        creator: str = "",
        workspace_root: str | Path | None = None,
    ) -> Self:
        """An empty benchmark."""
        document = BenchmarkDocument(name=name, description=description, version=version, creator=creator)
        return cls(document, workspace_root)

    @classmethod
    def load(cls, path: str | Path, workspace_root: str | Path | None = None) -> Self:
        """Read a checkpoint; no code in it is run. Errors: `FileFormatError`, `NotFoundError`."""
        benchmark = cls(load_checkpoint(path), workspace_root)
        benchmark.trusted = False
        return benchmark

    def save(self, path: str | Path) -> Path:
        """Write a checkpoint, whole or not at all; returns where it stands (`.jsonld` is added where it is missing)."""
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
        """Add a question; returns its id (MD5 of the text, unless `question_id` overrides it).

        `answer_template`: source, or a class whose source can be found. `fields`: further fields of `Question`.
        Errors: `DuplicateQuestionError`; `InputError` for what a question cannot be made of.
        """
        given = {"raw_answer": raw_answer, "answer_template": _source(answer_template), "id": question_id, **fields}
        if question_id is not None and not str(question_id).strip():
            raise InputError("question_id is empty: leave it out, and the question's text decides.")
        return self.document.add(_question(question, given), finished=finished).id

    def get_question(self, question_id: str) -> Question:
        """Errors: `NotFoundError`."""
        return self.document.entry(question_id).question

    def remove_question(self, question_id: str) -> Question:
        """Take a question out and return it. Errors: `NotFoundError`."""
        entry = self.document.entry(question_id)
        self.document.entries.remove(entry)
        return entry.question

    def get_question_ids(self) -> list[str]:
        return [entry.id for entry in self.document.entries]

    def is_finished(self, question_id: str) -> bool:
        """Errors: `NotFoundError`."""
        return self.document.entry(question_id).finished

    def mark_finished(self, question_id: str, finished: bool = True) -> None:
        """Only finished questions enter a run. Errors: `NotFoundError`."""
        self.document.entry(question_id).finished = finished

    # ---------------------------------------------------------------- rubric
    @property
    def rubric(self) -> Rubric | None:
        """Traits that hold for every question."""
        return self.document.rubric

    def set_global_rubric(self, rubric: Rubric | None) -> None:
        self.document.rubric = rubric

    def add_global_rubric_trait(self, trait: Trait) -> None:
        """Errors: ValueError when the name is taken."""
        self.document.rubric = _with_trait(self.document.rubric, trait)

    def add_question_rubric_trait(self, question_id: str, trait: Trait) -> None:
        """Errors: `NotFoundError`; ValueError when the name is taken."""
        question = self.get_question(question_id)
        own = Rubric.model_validate(question.question_rubric) if question.question_rubric else None
        question.question_rubric = _with_trait(own, trait).model_dump(mode="json")

    # ---------------------------------------------------------------- running
    def select(self, config: VerificationConfig, question_ids: Iterable[str] | None = None) -> Selection:
        """Which questions would run under this configuration, and why the others would not."""
        if isinstance(question_ids, str):
            raise InputError(f"question_ids should be a list of ids, such as [{question_ids!r}].")
        wanted = list(question_ids) if question_ids is not None else None
        for unknown in set(wanted or ()) - set(self.get_question_ids()):
            raise NotFoundError(f"This benchmark has no question with the id {unknown!r}.")
        return select(candidates_of(self.document), self.document.rubric, config, Wanted(question_ids=wanted))

    def run_verification(
        self,
        config: VerificationConfig,
        question_ids: Iterable[str] | None = None,
        run_name: str | None = None,
        *,
        record: str | Path | None = None,
        on_result: OnResult | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        on_outage: Callable[[Sequence[Outage]], None] = lambda outages: None,
        sandbox: Sandbox | None = None,
    ) -> list[VerificationResult]:
        """Run every finished question (of `question_ids`; None: all) and return the results in a stable order.

        Order: question, answering model, condition, judge, replicate, judge replicate. `record`: file that receives
        every model exchange. `on_result` is called as each result is there; `cancelled` is asked before every model
        call, and a cancelled run returns what it has; jobs for which `batch_timeout_seconds` left no time come back as
        errors that say so. `on_outage` is told, from worker threads, which models are waited for (see
        `provider_wait_seconds`) whenever that changes.
        `sandbox` None: one is started for this run.
        Errors: a fault of one job is a value in its result. `InputError` before the first call: no answering model, a
        condition under which one cannot be asked, or a rubric that cannot be used. `NotFoundError`: an unknown
        question.
        """
        if not config.answering_models:
            raise InputError("The run has no answering model: give answering_models.")
        conditions.refuse(config)
        selection = self.select(config, question_ids)
        if not selection.chosen:
            why = "; ".join(f"{count} {reason}" for reason, count in selection.reasons.items()) or "it has none"
            log.warning("No question of %r can run: %s.", self.document.name, why)
            return []
        selection.refuse_rubric_faults()
        request = RunRequest(
            self.document,
            config,
            selection.chosen,
            run_name,
            OnThisComputer(self.workspace_root, self.trusted),
            own_models_allowed=self.trusted,
        )
        with ExitStack() as stack:
            recorder = Recorder(Path(record)) if record is not None else None
            adapters = stack.enter_context(Adapters(recorder=recorder, recordings=RECORDINGS))
            cells = sandbox or stack.enter_context(Sandbox())
            outages = outages_of(config)
            outages.listen(lambda: on_outage(outages.now()))
            tools = open_tools(adapters, cells, config, cancelled, outages)
            results = collect_results(request, tools, on_result=on_result, cancelled=cancelled, outages=outages)
        if not cancelled():
            results = _with_the_late(request, results, on_result)
        return list(results.values())

    def __len__(self) -> int:
        return len(self.document.entries)

    def __iter__(self) -> Iterator[Question]:
        return (entry.question for entry in self.document.entries)

    def __repr__(self) -> str:
        return f"Benchmark({self.document.name!r}, {len(self)} questions)"


def _question(question: Question | str, given: dict[str, Any]) -> Question:
    """The question with what is given (None: it is not). Errors: `InputError`."""
    given = {name: value for name, value in given.items() if value is not None}
    if "tags" in given:
        tags = given.pop("tags")
        given.setdefault("keywords", tags)
    try:
        if isinstance(question, str):
            if "raw_answer" not in given:
                raise InputError("A question needs a reference answer: give raw_answer.")
            return Question(question=question, **given)
        if not isinstance(question, Question):
            raise InputError(f"The question should be a text or a Question; this is a {type(question).__name__}.")
        added = question.model_copy(deep=True)
        for name, value in given.items():
            setattr(added, name, value)
    except ValidationError as fault:
        raise InputError(f"This question cannot be added: {first_problem(fault)}") from None
    return added


def _with_the_late(
    request: RunRequest, results: dict[Job, VerificationResult], on_result: OnResult | None
) -> dict[Job, VerificationResult]:
    """All jobs of the run; those for which its time did not suffice say so."""
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
