"""Opens ports for model configurations, and owns the connections that they share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from karenina_gui.adapters.adapter_spec import AdapterDependencies
from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.connection_check import CheckStep, ConnectionReport, check_connection, check_tool_servers
from karenina_gui.adapters.connections import Connections
from karenina_gui.adapters.consents import UNLIMITED, Consents
from karenina_gui.adapters.embedding import embedder, embeds_always
from karenina_gui.adapters.keys import KeyRing
from karenina_gui.adapters.ports import AgentPort, Embedder, LLMPort, LLMRequest, ParserPort, Purpose
from karenina_gui.adapters.recording import Recorder, Recordings
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.structured_judge import StructuredParser
from karenina_gui.adapters.web_search import search_tool
from karenina_gui.errors import ConfigurationError, InputError, PortError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text.tree_retry import retry_build


class AdapterFactory:
    """Ports for the models of a run. Thread-safe; must be closed after the run (`with AdapterFactory() as adapters`).

    `environment`: source of keys. `recorder`: records every exchange with a model (None: no recording). `recordings`:
    names that `ModelConfig.recording` may give instead of a path. `consents`: models that would reach anything else
    raise `ConsentError` instead of being opened (default: they may reach everything).
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        recorder: Recorder | None = None,
        recordings: Mapping[str, Path] | None = None,
        consents: Consents = UNLIMITED,
    ) -> None:
        self.keys = environment if isinstance(environment, KeyRing) else KeyRing(environment)
        """Source of keys, including those entered while the application runs."""
        # Its import builds a syntax tree. In the threads of a run, that can fail (see `retry_build`).
        retry_build(lambda: import_module("anyio.abc"))
        self._connections = Connections(self.keys)
        self._recordings = Recordings(recordings or {})
        self._recorder = recorder
        self.consents = consents
        """Servers, variables, and programs that models may reach."""

    def llm(self, model: ModelConfig, calls: CallPolicy | None = None) -> LLMPort:
        """Port for single replies.

        Raises `ConfigurationError`, `ConsentError`, or `AuthenticationError` if its key is missing.
        """
        spec = AdapterRegistry.require(model.interface)
        self.consents.require(model)
        if spec.llm_factory is None:
            raise ConfigurationError(
                f"“{model.id}” only has recorded answers ({spec.title}), so it can’t judge or reply to prompts. "
                "Choose another model."
            )
        dependencies = self._dependencies(model, calls)
        return dependencies.listen(spec.llm_factory(model, dependencies), model)

    def parser(self, model: ModelConfig, calls: CallPolicy | None = None) -> ParserPort:
        """Port for a judge that reads answers into templates. Raises as `llm` does."""
        return StructuredParser(self.llm(model, calls))

    def agent(self, model: ModelConfig, calls: CallPolicy | None = None) -> AgentPort:
        """Port for an agent, or for recorded answers. Raises as `llm` does."""
        spec = AdapterRegistry.require(model.interface)
        self.consents.require(model)
        if spec.agent_factory is None:
            raise ConfigurationError(
                f"“{model.id}” ({spec.title}) can’t run as an agent with tools. "
                "Remove its tools and MCP servers, or choose another interface."
            )
        return spec.agent_factory(model, self._dependencies(model, calls))

    def search(self, tool: str, calls: CallPolicy) -> Callable[[list[str]], list[str]]:
        """Search tool by name; it returns the findings for each query. Raises `ConfigurationError`."""
        return search_tool(tool, self._connections, calls)

    def embedder(self, config: VerificationConfig) -> Embedder | None:
        """Model that compares meanings; None: neither the run nor the variable `EMBEDDING_CHECK` turns it on.

        Raises `ConfigurationError` for an unknown model.
        """
        enabled = config.embedding_check_enabled or embeds_always(self.keys)
        return embedder(config.embedding_check_model) if enabled else None

    def check(self, model: ModelConfig, timeout: float = 20.0) -> ConnectionReport:
        """Check a model with short calls without retries (none for recordings), and list the tools of its MCP servers.

        `timeout`: seconds for each call. Raises `ConsentError`.
        """
        self.consents.require(model)
        report = self._check_model(model, timeout)
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is None or spec.llm_factory is None or spec.agent_factory is None:
            # Its tools would never be called; another check reports that.
            return report
        started = time.monotonic()
        servers = check_tool_servers(model, self.keys)
        seconds = report.seconds + (time.monotonic() - started if servers else 0.0)
        return replace(report, steps=(*report.steps, *servers), seconds=seconds)

    def _check_model(self, model: ModelConfig, timeout: float) -> ConnectionReport:
        try:
            spec = AdapterRegistry.require(model.interface)
            if spec.llm_factory is None:
                self.agent(model)
                return _report_ok("Uses recorded answers. No model is called.")
            if (label := self.recording_label(model)) is not None:
                return _report_ok(f"Replays the recording “{label}”. No model is called.")
        except (InputError, PortError) as error:
            return ConnectionReport((CheckStep("recording", "failed", str(error)),))
        # A check must neither use nor change what the run's connections have learned.
        brief = model.model_copy(update={"retry_policy": RetryPolicy.none(), "request_timeout": timeout})
        connections = Connections(self.keys)
        try:
            return check_connection(
                brief, spec, AdapterDependencies(connections, self._recordings, CallPolicy().of(brief))
            )
        finally:
            connections.close()

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that the model plays back ("sample recording"); None: it is live.

        Raises `NotFoundError`, `FileFormatError`, or `ConfigurationError` if its file cannot be used.
        """
        return self._recordings.of(model).label if model.interface == "replay" else None

    def is_recorded(self, model: ModelConfig, request: LLMRequest) -> bool:
        """True if the model's recording has a reply to this request. Raises as `recording_label` does."""
        return self._recordings.of(model).find(model, request) is not None

    def is_schema_recorded(self, model: ModelConfig, schema: Mapping[str, Any]) -> bool:
        """True if the model's recording has any reply to this response schema. Raises as `recording_label` does."""
        return self._recordings.of(model).has_schema(model, schema)

    def is_purpose_recorded(self, model: ModelConfig, purpose: Purpose) -> bool:
        """True if the model's recording has any reply of this purpose. Raises as `recording_label` does."""
        return self._recordings.of(model).has_purpose(model, purpose)

    def end_calls(self) -> None:
        """End calls in progress on our own connections, and send nothing more. For a cancelled run."""
        self._connections.end_calls()

    def close(self) -> None:
        """Close the connections and complete the recording."""
        try:
            self._connections.close()
        finally:
            if self._recorder is not None:
                self._recorder.close()

    def _dependencies(self, model: ModelConfig, calls: CallPolicy | None) -> AdapterDependencies:
        dependencies = AdapterDependencies(self._connections, self._recordings, (calls or CallPolicy()).of(model))
        return replace(dependencies, listen=self._recorder.listen) if self._recorder else dependencies

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _report_ok(message: str) -> ConnectionReport:
    return ConnectionReport((CheckStep("recording", "ok", message),))
