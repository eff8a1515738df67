"""Judge model of one answer, with an account of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from karenina_gui.adapters.ports import (
    AgentConfig,
    AgentResult,
    CallUsage,
    LLMRequest,
    ParsePortResult,
    ParseTarget,
    Ports,
    Purpose,
)
from karenina_gui.errors import (
    AgentExecutionError,
    AgentTimeoutError,
    InputError,
    ParseError,
    PortError,
    ProviderError,
    RecordingMiss,
    RefusalError,
    ToolServerError,
)
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool

T = TypeVar("T")
_AGAIN = Message.of("user", "Your reply was empty. Reply to the message above.")


class UsageCounter(Protocol):
    """Counter of tokens and retries, including those of failed calls."""

    question_id: str
    job: Job

    @property
    def seed(self) -> int | None:
        """Seed of all judge calls; None: no seed."""
        ...

    def count(
        self, purpose: Purpose, model: ModelConfig, usages: tuple[CallUsage, ...], retries: dict[str, int]
    ) -> None: ...

    def turn(self, number: int) -> None:
        """Report that an agent begins turn `number`, from 1."""
        ...

    def count_failed(self, error: PortError | InputError, model: ModelConfig, purpose: Purpose) -> None: ...


class Judge:
    """Judge of one answer. Every call is counted in the account of its job, including failed ones.

    All calls raise the errors of the port, and `InputError` for a model that cannot be called.
    """

    def __init__(self, model: ModelConfig, ports: Ports, account: UsageCounter) -> None:
        self.model = model
        self.calls = 0
        """Number of replies received."""
        self._ports = ports
        self._account = account

    def ask(self, purpose: Purpose, messages: tuple[Message, ...], target: ParseTarget) -> dict[str, Any]:
        """Values of the reply as checked by `target`."""
        return self.parse(purpose, messages, target).reply.values

    def parse(self, purpose: Purpose, messages: tuple[Message, ...], target: ParseTarget) -> ParsePortResult:
        request = self._request(purpose, messages)
        result = self._count_failure(purpose, lambda: self._ports.parser(self.model).parse_to_pydantic(request, target))
        self._count(purpose, result.usages, result.retries)
        return result

    def write(self, purpose: Purpose, messages: tuple[Message, ...]) -> str:
        """Reply in free text, asked for once more if it is empty. Raises `ParseError` then, and `RefusalError`."""
        text = self._write(purpose, messages) or self._write(purpose, (*messages, _AGAIN))
        if not text:
            raise ParseError("The judge’s reply is empty, even after a retry.")
        return text

    def _write(self, purpose: Purpose, messages: tuple[Message, ...]) -> str:
        request = self._request(purpose, messages)
        response = self._count_failure(purpose, lambda: self._ports.llm(self.model).invoke(request))
        self._count(purpose, (response.usage,), response.retries)
        if response.refusal is not None:
            raise RefusalError(f"The judge declined to reply: {response.refusal}", explanation=response.refusal)
        return response.content.strip()

    def run(
        self,
        messages: tuple[Message, ...],
        tools: Sequence[Tool],
        servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        """Run an agent for this job. The job's ids and seed replace those in `config`."""
        account = self._account
        config = replace(
            config,
            question_id=account.question_id,
            replicate=account.job.replicate,
            judge_replicate=account.job.judge_replicate,
            seed=account.seed,
            on_turn=account.turn,
        )
        result = self._count_failure(
            config.purpose, lambda: self._ports.agent(self.model).run(messages, tools, servers, config)
        )
        self._count(config.purpose, (result.usage,), result.retries)
        return result

    def _request(self, purpose: Purpose, messages: tuple[Message, ...]) -> LLMRequest:
        account = self._account
        return LLMRequest(
            messages,
            purpose,
            replicate=account.job.replicate,
            question_id=account.question_id,
            judge_replicate=account.job.judge_replicate,
            seed=account.seed,
        )

    def _count_failure(self, purpose: Purpose, call: Callable[[], T]) -> T:
        """Return the result of `call`. If it fails, count its cost before the error is raised."""
        try:
            return call()
        except (PortError, InputError) as error:
            self.calls += len(error.usages) if isinstance(error, PortError) else 0
            self._account.count_failed(error, self.model, purpose)
            raise

    def _count(self, purpose: Purpose, usages: tuple[CallUsage, ...], retries: dict[str, int]) -> None:
        self.calls += len(usages)
        self._account.count(purpose, self.model, usages, retries)


def model_error_text(model: ModelConfig, error: PortError | InputError) -> str:
    """Message of the error, starting with the model's id."""
    return str(error) if str(error).startswith(f"{model.id} ") else f"{model.id}: {error}"


def category_of(error: PortError | InputError) -> FailureCategory:
    """Failure category of the error."""
    if isinstance(error, ProviderError):
        return error.category
    if isinstance(error, RecordingMiss):
        return "recording"
    if isinstance(error, InputError):
        return "rejected"
    if isinstance(error, AgentTimeoutError):
        return "timeout"
    if isinstance(error, ToolServerError):
        return "connection"
    if isinstance(error, AgentExecutionError):
        return "unexpected_error"
    return "parsing"
