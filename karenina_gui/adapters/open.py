"""Opens ports for model configurations; owns the connections that they share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from karenina_gui.adapters.calls import CallPolicy
from karenina_gui.adapters.connection_check import CheckStep, ConnectionReport, check_connection
from karenina_gui.adapters.connections import Connections
from karenina_gui.adapters.embedding import embedder, embeds_always
from karenina_gui.adapters.keys import KeyRing
from karenina_gui.adapters.ports import AgentPort, Embedder, LLMPort, LLMRequest, ParserPort
from karenina_gui.adapters.recording import Recorder, Recordings
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.searching import search_tool
from karenina_gui.adapters.spec import Wiring
from karenina_gui.adapters.structured import StructuredParser
from karenina_gui.adapters.tool_server_check import check_tool_servers
from karenina_gui.errors import ConfigurationError, InputError, PortError
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.retry import RetryPolicy


class Adapters:
    """Ports for the models of a run. Thread-safe; close it when the run is over (`with Adapters() as adapters`).

    `environment` is where keys come from. `recorder` (None: nothing is recorded) sees every exchange with a model.
    `recordings` names recordings that `ModelConfig.recording` may give instead of a path.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        recorder: Recorder | None = None,
        recordings: Mapping[str, Path] | None = None,
    ) -> None:
        self.keys = environment if isinstance(environment, KeyRing) else KeyRing(environment)
        """Where keys come from, with those that are entered while the application runs."""
        self._connections = Connections(self.keys)
        self._recordings = Recordings(recordings or {})
        self._recorder = recorder

    def llm(self, model: ModelConfig, calls: CallPolicy | None = None) -> LLMPort:
        """Single replies of the model. Errors: `ConfigurationError`, `AuthenticationError` when its key is missing."""
        spec = AdapterRegistry.require(model.interface)
        if spec.llm_factory is None:
            raise ConfigurationError(
                f"'{model.id}' ({spec.title}) cannot judge or reply to prompts: it only holds answers. "
                "Choose another model for this."
            )
        wiring = self._wiring(model, calls)
        return wiring.listen(spec.llm_factory(model, wiring), model)

    def parser(self, model: ModelConfig, calls: CallPolicy | None = None) -> ParserPort:
        """The model as a judge that reads answers into templates. Errors: as `llm`."""
        return StructuredParser(self.llm(model, calls))

    def agent(self, model: ModelConfig, calls: CallPolicy | None = None) -> AgentPort:
        """The model as an agent, or its recorded answers. Errors: as `llm`."""
        spec = AdapterRegistry.require(model.interface)
        if spec.agent_factory is None:
            raise ConfigurationError(
                f"'{model.id}' ({spec.title}) cannot run as an agent with tools. "
                "Take its tools and MCP servers out, or choose another interface."
            )
        return spec.agent_factory(model, self._wiring(model, calls))

    def search(self, tool: str, calls: CallPolicy) -> Callable[[list[str]], list[str]]:
        """A search tool by name: gives what is found for each query. Errors: `ConfigurationError`."""
        return search_tool(tool, self._connections, calls)

    def embedder(self, config: VerificationConfig) -> Embedder | None:
        """What compares meanings; None: neither the run nor the variable `EMBEDDING_CHECK` switches that on.

        Errors: `ConfigurationError` for an unknown model.
        """
        wanted = config.embedding_check_enabled or embeds_always(self.keys)
        return embedder(config.embedding_check_model) if wanted else None

    def check(self, model: ModelConfig, timeout: float = 20.0) -> ConnectionReport:
        """Short calls without retries (none for what is recorded), and a look at the tools of its MCP servers.

        `timeout`: seconds for each call.
        """
        report = self._check_model(model, timeout)
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is None or spec.llm_factory is None or spec.agent_factory is None:
            return report  # tools would be in vain, which is told elsewhere
        started = time.monotonic()
        servers = check_tool_servers(model, self.keys)
        seconds = report.seconds + (time.monotonic() - started if servers else 0.0)
        return replace(report, steps=(*report.steps, *servers), seconds=seconds)

    def _check_model(self, model: ModelConfig, timeout: float) -> ConnectionReport:
        try:
            spec = AdapterRegistry.require(model.interface)
            if spec.llm_factory is None:
                self.agent(model)
                return _found("Recorded answers are at hand; no model is called.")
            if (label := self.recording_label(model)) is not None:
                return _found(f"Plays back the recording '{label}'; no model is called.")
        except (InputError, PortError) as error:
            return ConnectionReport((CheckStep("Recording", "failed", str(error)),))
        brief = model.model_copy(update={"retry_policy": RetryPolicy.none(), "request_timeout": timeout})
        connections = Connections(self.keys)
        try:
            return check_connection(brief, spec, Wiring(connections, self._recordings, CallPolicy().of(brief)))
        finally:
            connections.close()

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that the model plays back ("sample recording"); None: it plays back none.

        Errors: `NotFoundError`, `FileFormatError`, `ConfigurationError` when its file cannot be used.
        """
        return self._recordings.of(model).label if model.interface == "replay" else None

    def is_recorded(self, model: ModelConfig, request: LLMRequest) -> bool:
        """Whether the recording that the model plays back has a reply to this request. Errors: as `recording_label`."""
        return self._recordings.of(model).find(model, request) is not None

    def end_calls(self) -> None:
        """Ends calls under way, as far as their connections are ours; no further one is sent. For a cancelled run."""
        self._connections.end_calls()

    def close(self) -> None:
        """Closes the connections and completes the recording."""
        try:
            self._connections.close()
        finally:
            if self._recorder is not None:
                self._recorder.close()

    def _wiring(self, model: ModelConfig, calls: CallPolicy | None) -> Wiring:
        wiring = Wiring(self._connections, self._recordings, (calls or CallPolicy()).of(model))
        return replace(wiring, listen=self._recorder.listen) if self._recorder else wiring

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _found(message: str) -> ConnectionReport:
    return ConnectionReport((CheckStep("Recording", "ok", message),))
