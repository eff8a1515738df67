"""Part of a run on one worker: verifies jobs with adapters and a sandbox of its own."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import pickle
import threading
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version as version_of
from typing import Any

from distributed import Worker, WorkerPlugin

from karenina_gui.adapters.consents import Consents
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.judge_memory import JudgeMemory, RememberingPorts
from karenina_gui.adapters.outages import Line, ModelKey, Outages
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.cluster.transport import PACKAGE, JobOrder, JobOutcome, RunContext, dumps, recordings_hash
from karenina_gui.errors import InputError, KareninaError, ModelUnavailable, RunCancelled
from karenina_gui.example import RECORDINGS
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.pipeline.verify_job import PipelineTools, verify
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.requirements import check_models
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox

log = logging.getLogger(__name__)

STEPS_PAUSE = 0.2
"""Seconds between two reports of steps."""
_TEMPLATE = "class Answer(BaseAnswer):\n    pass\n"


class RunOnWorker(WorkerPlugin):  # type: ignore[misc]
    """A run on one worker, which Dask installs on each, also on those that join later."""

    def __init__(self, name: str, topic: str, context: RunContext) -> None:
        """`topic`: for messages to the coordinator."""
        self.name = name
        self.topic = topic
        self.version = version_of(PACKAGE)
        self.recordings = recordings_hash()
        self.context = dumps(context)

    async def setup(self, worker: Worker) -> None:
        self._worker = worker
        self._stack = ExitStack()
        self._cancelled = threading.Event()
        self._steps: deque[tuple[str, str, int | None]] = deque()
        self._reports = False
        self.problem = ""
        try:
            await asyncio.to_thread(self._open)
        except (KareninaError, OSError) as error:
            self.problem = str(error)
        except Exception as error:
            log.exception("This worker can’t be prepared for a run")
            self.problem = f"{type(error).__name__}: {error}"
        if self.problem:
            self.problem = f"The worker {worker.name} at {worker.contact_address} can’t be used. {self.problem}"

    async def teardown(self, worker: Worker) -> None:
        self.end()
        await asyncio.to_thread(self._stack.close)

    def end(self) -> None:
        self._cancelled.set()
        if not self.problem:
            self._adapters.end_calls()

    def perform(self, order: bytes) -> bytes:
        """See `tasks.perform`."""
        return dumps(self._carry_out(pickle.loads(order)))

    def _carry_out(self, order: JobOrder) -> JobOutcome:
        """Generate an answer, or judge one."""
        outcome = JobOutcome(self._worker.contact_address, problem=self.problem)
        if self.problem:
            return outcome
        task = self._context.request.task(order.job, order.question)
        memory = JudgeMemory(order.replies)
        ports = RememberingPorts(self._ports(order), memory)
        try:
            result, answer = verify(
                task,
                replace(self._tools, ports=ports),
                answer=order.answer,
                counted=order.counted,
                on_answer=_hand_over,
                on_step=partial(self._note_step, order.job.key) if self._context.tells_steps else None,
            )
        except _AnswerReady as ready:
            return replace(outcome, answer=ready.answer)
        except ModelUnavailable as unavailable:
            return replace(outcome, unavailable=unavailable, replies=memory.replies())
        except RunCancelled:
            return replace(outcome, cancelled=True)
        return replace(outcome, result=result, answer=answer, replies=memory.replies())

    def _open(self) -> None:
        """Open what the run needs. Raises `InputError` with what this worker lacks."""
        if (own := version_of(PACKAGE)) != self.version:
            raise InputError(f"It has version {own} of {PACKAGE}, but the run is of version {self.version}.")
        if recordings_hash() != self.recordings:
            raise InputError("Its copy of karenina-gui has other recordings. Install the same package everywhere.")
        self._context: RunContext = pickle.loads(self.context)
        config, root = self._context.request.config, self._context.request.here.workspace_root
        check_models(config)
        if self._context.workspaces and root is not None and not os.access(root, os.W_OK | os.X_OK):
            raise InputError(f"It can’t write to the workspace root {root}. All workers must share that folder.")
        consents = Consents(agreed=self._context.agreed)
        self._adapters = self._stack.enter_context(AdapterFactory(recordings=RECORDINGS, consents=consents))
        for model in (*config.answering_models, *config.parsing_models):
            self._adapters.recording_label(model)
        sandbox = _sandbox()
        sandbox.outline(_TEMPLATE, trust=self._context.request.here.trusted)
        self._tools: PipelineTools = open_tools(self._adapters, sandbox, config, self._cancelled.is_set)
        box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands)
        if self._context.commands and box.refusal:
            raise InputError(box.refusal)

    def _ports(self, order: JobOrder) -> RunPorts:
        ports = self._tools.ports
        assert isinstance(ports, RunPorts)
        return replace(ports, calls=replace(ports.calls, outages=_Outages(order) if self._context.waits else None))

    def _note_step(self, job: str, stage: str, turn: int | None) -> None:
        self._steps.append((job, stage, turn))
        if not self._reports:
            self._reports = True
            self._worker.loop.add_callback(self._worker.loop.call_later, STEPS_PAUSE, self._report_steps)

    def _report_steps(self) -> None:
        self._reports = False
        steps = []
        with suppress(IndexError):
            while True:
                steps.append(self._steps.popleft())
        self._worker.log_event(self.topic, {"worker": self._worker.contact_address, "steps": steps})


class _AnswerReady(RunCancelled):
    """The job was left with its answer, which the coordinator saves before it is judged."""

    def __init__(self, answer: GeneratedAnswer) -> None:
        super().__init__("The answer waits to be saved.")
        self.answer = answer


def _hand_over(answer: GeneratedAnswer) -> None:
    # What an agent left in its workspace, and cannot travel completely, can only be judged there.
    if answer.workspace is None or (answer.left is not None and answer.left.complete):
        raise _AnswerReady(answer)


class _Outages(Outages):
    """Registry of one order: calls leave the job in place of waiting, or fail if the coordinator has waited in vain."""

    def __init__(self, order: JobOrder) -> None:
        super().__init__(Patience(waits_here=False))
        self._faults = order.faults

    def line_of(self, key: ModelKey, name: str) -> Line:
        line = super().line_of(key, name)
        if fault := self._faults.get(key):
            line.fail(fault)
        return line


@cache
def _sandbox() -> Any:
    """The sandbox of this process, shared by all runs."""
    sandbox = Sandbox()
    atexit.register(sandbox.close)
    return sandbox
