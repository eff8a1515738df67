"""Exceptions raised intentionally by this package.

    KareninaError
    ├── InputError                    unusable input; says what is wrong, where, and what to do
    │   ├── FileFormatError           unreadable file (has the path and, if known, the row)
    │   ├── DuplicateQuestionError    the benchmark already has a question with this identity
    │   ├── CannotUndoError           a later change stands against undo or redo; says which, and whose
    │   ├── NotFoundError             unknown benchmark, question, run, result or recording
    │   ├── ConfigurationError        invalid run or model configuration
    │   │   └── ConsentError          the user has not agreed to what a model would reach (has the list)
    │   ├── ClusterError              a cluster that cannot verify the jobs of a run
    │   ├── WorkspaceError            the workspace of a job cannot be created (a RuntimeError, too)
    │   └── RubricError               traits that cannot be merged (a ValueError, too)
    ├── NotSavedError                 the computer refuses a write for now; has the cause
    ├── SandboxError                  author-written code could not be run in the sandbox
    ├── RunCancelled                  the run was cancelled; no further model call is made
    │   └── ModelUnavailable          a job was left because a model is unavailable, for whoever waits for it
    └── PortError                     a model could not be called, or its reply is unusable
        ├── ProviderError             the provider returned an error or no response (has a category)
        │   └── AuthenticationError   missing or rejected key; names its environment variable
        ├── ParseError                a judge's reply could not be parsed (has the raw reply)
        ├── RefusalError              the provider declined to produce the structured reply
        ├── RecordingMiss             a recording has no exchange for this request
        └── AgentExecutionError       an agent failed
            ├── AgentTimeoutError     time limit without an answer
            └── ToolServerError       an MCP server cannot be reached, or has ended

Expected outcomes of a verification (a wrong answer, a broken template) are values in the result, not errors.
"""

from __future__ import annotations

from typing import Any, Literal

ProviderFault = Literal["connection", "timeout", "rate_limit", "server_error", "authentication", "rejected"]
"""Category of a failed provider call. `rejected`: any other client error (HTTP 4xx)."""


class KareninaError(Exception):
    """Base class of all errors of this package. They can be pickled."""

    def __reduce__(self) -> Any:
        # Exceptions are pickled with their arguments alone, and some classes need more to be created.
        return _restore, (type(self), self.args, vars(self))


def _restore(kind: type[KareninaError], arguments: tuple[Any, ...], state: dict[str, Any]) -> KareninaError:
    error = kind.__new__(kind, *arguments)
    vars(error).update(state)
    return error


class InputError(KareninaError):
    """Unusable input. The message is for the user who gave it."""


class FileFormatError(InputError):
    """Unreadable file. `path` and `row` (1-based) locate the problem."""

    def __init__(self, message: str, *, path: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.row = row


class DuplicateQuestionError(InputError):
    """The benchmark already has a question with this id."""


class CannotUndoError(InputError):
    """A command cannot be undone or redone, because something of it was changed since."""


class NotFoundError(InputError):
    """Unknown name or id."""


class ConfigurationError(InputError):
    """Invalid configuration."""


class ConsentError(ConfigurationError):
    """A model would reach what the user has not agreed to. `accesses`: one `adapters.consents.Access` for each."""

    def __init__(self, message: str, accesses: tuple[Any, ...]) -> None:
        super().__init__(message)
        self.accesses = accesses


class WorkspaceError(InputError, RuntimeError):
    """The workspace of a job cannot be created: no root, no folder, or a folder outside the root.

    It is a `RuntimeError` because the specification of workspaces requires it.
    """


class RubricError(InputError, ValueError):
    """Traits of a benchmark and a question that cannot be merged, such as two with the same name.

    It is a `ValueError` because the specification of the pipeline requires it.
    """


class ClusterError(InputError):
    """A cluster that cannot verify the jobs of a run, such as a worker with another version. Ends the run."""


class NotSavedError(KareninaError):
    """The library could not be written. `cause`: a clause such as "the disk is full"."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Not saved: {cause}.")
        self.cause = cause


class SandboxError(KareninaError):
    """Author-written code could not be run in the sandbox."""


class RunCancelled(KareninaError):
    """The run was cancelled before this call."""


class ModelUnavailable(RunCancelled):
    """A call met an unavailable model, for which its process does not wait. `fault`: the provider's last error."""

    def __init__(self, model: tuple[str, str, str], fault: ProviderError) -> None:
        super().__init__(str(fault))
        self.model = model
        self.fault = fault


class PortError(KareninaError):
    """A model could not be called, or its reply is unusable.

    Cost of the failed calls: `usages` (one `CallUsage` for each reply, in order), `retries` by category, and
    `model`, the name that the provider reported (None: no reply). `messages`: partial trace of an agent (empty: none).
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.usages: tuple[Any, ...] = ()
        self.retries: dict[str, int] = {}
        self.model: str | None = None
        self.messages: tuple[Any, ...] = ()


class ProviderError(PortError):
    """The provider returned an error or no response.

    `category`: decides on retries and the outcome. `status`: HTTP status (None: no response). `retry_after`: requested
    wait in seconds (None: not requested). `reached`: True if a server accepted the connection. `account`: True if the
    account has no credit left, so that waiting does not help.
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
    """The key is missing or was rejected. Never retried."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, category="authentication", status=status)


class ParseError(PortError):
    """A judge's reply could not be parsed. `raw_response`: the reply."""

    def __init__(self, message: str, *, raw_response: str = "") -> None:
        super().__init__(message)
        self.raw_response = raw_response


class RefusalError(PortError):
    """The provider declined to produce the structured reply. `explanation`: its own wording."""

    def __init__(self, message: str, *, explanation: str = "") -> None:
        super().__init__(message)
        self.explanation = explanation


class RecordingMiss(PortError):
    """The recording has no exchange for this request."""


class AgentExecutionError(PortError):
    """An agent failed."""


class AgentTimeoutError(AgentExecutionError):
    """An agent reached its time limit."""


class ToolServerError(AgentExecutionError):
    """An MCP server could not be reached, or ended while an agent used it. `server`: its name."""

    def __init__(self, message: str, *, server: str) -> None:
        super().__init__(message)
        self.server = server
