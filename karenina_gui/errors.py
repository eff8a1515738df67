"""Every error that this package raises on purpose.

    KareninaError
    ├── InputError                    what a person gave cannot be used; says what, where and what to do
    │   ├── FileFormatError           a file that cannot be read (carries the path and, where known, the row)
    │   ├── DuplicateQuestionError    a question with this identity is already in the benchmark
    │   ├── NotFoundError             a benchmark, question, run, result or recording that does not exist
    │   ├── ConfigurationError        a run or model configuration that cannot work
    │   ├── WorkspaceError            a job's workspace that cannot be had (a RuntimeError, too)
    │   └── RubricError               traits that cannot be rated together (a ValueError, too)
    ├── NotSavedError                 the computer refuses a write just now; says why
    ├── SandboxError                  author-written code could not be run apart
    ├── RunCancelled                  the run was cancelled; no further model call is made
    └── PortError                     a model could not be reached or understood
        ├── ProviderError             the provider answered with an error, or not at all (has a category)
        │   └── AuthenticationError   the key is missing or refused; names the variable that should hold it
        ├── ParseError                the judge's reply could not be read into the template (keeps the raw reply)
        ├── RefusalError              the provider itself declined to produce the structured reply
        ├── RecordingMiss             a recording has no exchange for this request
        └── AgentExecutionError       an agent's loop broke
            ├── AgentTimeoutError     it ran out of time and left nothing
            └── ToolServerError       an MCP server that it works with cannot be reached, or is gone

Expected outcomes of a verification (a wrong answer, a broken template) are values in the result, not errors.
"""

from __future__ import annotations

from typing import Any, Literal

ProviderFault = Literal["connection", "timeout", "rate_limit", "server_error", "authentication", "rejected"]
"""Why a provider call failed: `rejected` is any other refusal of the request (HTTP 4xx)."""


class KareninaError(Exception):
    """Base of the tree."""


class InputError(KareninaError):
    """A message for the person who gave the input."""


class FileFormatError(InputError):
    """A file that cannot be read; `path` and `row` (1-based) say where."""

    def __init__(self, message: str, *, path: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.row = row


class DuplicateQuestionError(InputError):
    """The benchmark already holds a question with this id."""


class NotFoundError(InputError):
    """Nothing of this name or id exists."""


class ConfigurationError(InputError):
    """The configuration cannot work as it stands."""


class WorkspaceError(InputError, RuntimeError):
    """The workspace of a job cannot be had: no root, no folder, or one that leads outside.

    A `RuntimeError`, as the specification of workspaces has it.
    """


class RubricError(InputError, ValueError):
    """Traits of a benchmark and of a question that cannot be rated together: two have one name, say.

    A `ValueError`, as the specification of the pipeline has it.
    """


class NotSavedError(KareninaError):
    """The library could not be written; `cause` is a clause such as "the disk is full"."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Not saved: {cause}.")
        self.cause = cause


class SandboxError(KareninaError):
    """Author-written code could not be run apart from the application."""


class RunCancelled(KareninaError):
    """The run was cancelled before this call."""


class PortError(KareninaError):
    """A model could not be reached or understood.

    What the error has cost: `usages` (one `adapters.ports.Usage` a reply, in their order), `retries` by
    category, and `model`, which the provider says has replied (None: nobody has). `messages` is what an agent had said
    and done before (empty: nothing).
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.usages: tuple[Any, ...] = ()
        self.retries: dict[str, int] = {}
        self.model: str | None = None
        self.messages: tuple[Any, ...] = ()


class ProviderError(PortError):
    """The provider answered with an error, or not at all.

    `category` drives retries and the outcome; `status` is the HTTP status (None: no answer came); `retry_after` is the
    wait that the provider asked for, in seconds (None: it asked for none); `reached` is whether a server has taken the
    connection at all; `account` is whether nothing is left to pay with, so that no wait helps.
    """

    def __init__(
        self,
        message: str,
        *,
        category: ProviderFault,
        status: int | None = None,
        retry_after: float | None = None,
        reached: bool = True,
        account: bool = False,
    ) -> None:
        super().__init__(message)
        self.reached = reached
        self.account = account
        self.category: ProviderFault = category
        self.status = status
        self.retry_after = retry_after


class AuthenticationError(ProviderError):
    """The key is missing or was refused; never retried."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, category="authentication", status=status)


class ParseError(PortError):
    """The judge's reply could not be read into the template; `raw_response` is what it said."""

    def __init__(self, message: str, *, raw_response: str = "") -> None:
        super().__init__(message)
        self.raw_response = raw_response


class RefusalError(PortError):
    """The provider declined to produce the structured reply; `explanation` is its own wording."""

    def __init__(self, message: str, *, explanation: str = "") -> None:
        super().__init__(message)
        self.explanation = explanation


class RecordingMiss(PortError):
    """The recording holds no exchange for this request."""


class AgentExecutionError(PortError):
    """An agent's loop broke."""


class AgentTimeoutError(AgentExecutionError):
    """An agent ran out of time."""


class ToolServerError(AgentExecutionError):
    """An MCP server could not be reached, or ended while an agent was working with it; `server` is its name."""

    def __init__(self, message: str, *, server: str) -> None:
        super().__init__(message)
        self.server = server
