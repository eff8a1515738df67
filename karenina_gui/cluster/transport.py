"""Messages between the coordinator of a run and its workers: plain data without keys."""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, SecretStr

from karenina_gui.adapters.consents import Access
from karenina_gui.adapters.outages import ModelKey
from karenina_gui.errors import InputError, ModelUnavailable, ProviderError
from karenina_gui.example import RECORDINGS
from karenina_gui.pipeline.generated_answer import Generation
from karenina_gui.runs.request import RunRequest
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult

PACKAGE = "karenina-gui"


@dataclass(frozen=True)
class RunContext:
    """Data that all jobs of a run have in common. Sent to each worker once."""

    request: RunRequest
    """Without its questions, each of which travels with its jobs."""
    agreed: tuple[Access, ...] | None
    """Programs and addresses that models may reach (see `Consents`); None: all."""
    waits: bool
    """True: the coordinator waits for unavailable models. False: calls to them fail."""
    workspaces: bool
    """True: agents of the run work in folders of the workspace root."""
    commands: bool
    """True: they may run commands."""
    tells_steps: bool
    """True: somebody watches the progress of jobs."""


@dataclass(frozen=True)
class JobOrder:
    """One job for a worker. Without an answer, the worker hands over the one that it generates, and does not judge."""

    question: Question
    job: Job
    answer: Generation | None = None
    counted: bool = True
    """See `verify`."""
    replies: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Replies of judges that the job has already (see `JudgeMemory`)."""
    faults: Mapping[ModelKey, ProviderError] = field(default_factory=dict)
    """Models for which the coordinator has waited in vain, with the error of each."""


@dataclass(frozen=True)
class JobOutcome:
    """End of an order."""

    worker: str
    """Address of the worker."""
    result: VerificationResult | None = None
    """None: the answer is to be judged, unless one of the following says why there is none."""
    answer: Generation | None = None
    replies: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    unavailable: ModelUnavailable | None = None
    cancelled: bool = False
    problem: str = ""
    """Reason why the worker cannot take part in the run; empty: it can."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, SecretStr):
            raise InputError("A key was about to be sent to a cluster. Keys come from the workers’ environment alone.")
        return NotImplemented


def dumps(value: Any) -> bytes:
    """Pickle plain data. Raises `InputError` if there is a key in it."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def refuse_keys(*settings: BaseModel | None) -> None:
    """Raise `InputError` that names the models among these settings that hold a key."""
    names = [str(model.id) for model in _models(settings)]
    if names:
        raise InputError(
            f"Keys are never sent to a cluster, and the settings of {', '.join(dict.fromkeys(names))} hold one. Name "
            "an environment variable in api_key_env, and set it where the workers are started."
        )


def _models(value: object) -> Iterator[ModelConfig]:
    """Models with a key among these settings."""
    if isinstance(value, ModelConfig) and (value.endpoint_api_key or value.anthropic_api_key):
        yield value
    parts: Iterable[object] = ()
    if isinstance(value, BaseModel):
        parts = vars(value).values()
    elif isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    for part in parts:
        yield from _models(part)


@cache
def recordings_hash() -> str:
    """Hash of the recordings that come with the product."""
    digest = hashlib.sha256()
    for path in RECORDINGS.values():
        digest.update(path.read_bytes())
    return digest.hexdigest()
