"""Diagnosis of a model's connection: its address, key, name, answers, structured output, and MCP servers."""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.mcp_servers import ToolServers
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, ParsedReply
from karenina_gui.adapters.structured_judge import StructuredParser
from karenina_gui.errors import ConfigurationError, ParseError, PortError, ProviderError, RefusalError, ToolServerError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.stop_reasons import has_no_tokens_left
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.text import join_list, plural, quantity
from karenina_gui.text.urls import is_local

CheckState = Literal["ok", "doubt", "failed", "open"]
"""`doubt`: it works, but the user should know something; `open`: not reached, since an earlier step failed."""
Part = Literal["address", "key", "model", "answer", "schema", "recording", "tools"]
PARTS: tuple[Part, ...] = ("address", "key", "model", "answer", "schema")
"""Parts of a model that is called, in this order: each depends on the ones before it."""

_NAMED = 5
"""Models of a server that are named, where none has a similar name."""
_NO_API_STATUS = (301, 302, 303, 307, 308, 404, 405, 501)
"""HTTP statuses that web servers without such an API return."""
_NOT_A_MODEL = ("not found", "not exist", "invalid model", "unknown model", "not a valid model", "no such model")
_NAMED_TOOLS = 8
"""Number of tools that are named per server."""
_LONGEST_LISTING = 20.0
"""Seconds in which a server must have listed its tools; its own limit if that is shorter."""


@dataclass(frozen=True)
class CheckStep:
    """Finding about one part for the user: what is wrong and what to do, or what is known."""

    part: Part
    state: CheckState
    message: str = ""
    server: str = ""
    """Of the part `tools`: the name of the MCP server."""


@dataclass(frozen=True)
class ConnectionReport:
    """Findings about a model."""

    steps: tuple[CheckStep, ...]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """True if the model answers, also as a judge, and its MCP servers are reached."""
        return all(step.state in ("ok", "doubt") for step in self.steps)

    @property
    def message(self) -> str:
        """The most important finding, in one sentence."""
        for state in ("failed", "doubt"):
            for step in self.steps:
                if step.state == state:
                    return step.message
        answers = [step.message for step in self.steps if step.part == "answer"]
        return answers[0] if answers else self.steps[-1].message


def check_connection(model: ModelConfig, spec: AdapterSpec, dependencies: AdapterDependencies) -> ConnectionReport:
    """Check a model with two or three short calls: one for an answer, the others for JSON of a given schema.

    `dependencies` must be for this check alone: what its connections learn about the server is part of the finding.
    """
    started = time.monotonic()
    check = _Check(model, spec, dependencies)
    check.examine()
    steps = tuple(check.findings.get(part, CheckStep(part, "open")) for part in PARTS)
    return ConnectionReport(steps, time.monotonic() - started)


@dataclass
class _Check:
    model: ModelConfig
    spec: AdapterSpec
    dependencies: AdapterDependencies
    findings: dict[Part, CheckStep] = field(default_factory=dict)

    def examine(self) -> None:
        assert self.spec.llm_factory is not None
        try:
            llm = self.spec.llm_factory(self.model, self.dependencies)
        except ConfigurationError as error:
            self._find("address", "failed", str(error))
            return
        except PortError as error:
            self._find("key", "failed", str(error))
            return
        try:
            reply = llm.invoke(LLMRequest((Message.of("user", "Reply with the word OK."),), purpose="connection_check"))
        except ProviderError as fault:
            self._diagnose(fault)
            return
        self._pass_address_and_key()
        self._find("model", "ok", reply.model or "")
        self._look_at(reply)
        self._check_structured(llm)

    def _find(self, part: Part, state: CheckState, message: str = "") -> None:
        self.findings[part] = CheckStep(part, state, message)

    def _pass_address_and_key(self) -> None:
        """Record that an API answered, so the address is right and the key was accepted."""
        environment = self.dependencies.connections.environment
        address = self.spec.address(self.model, environment) if self.spec.address else ""
        self._find("address", "ok", address)
        unsent = self.model.api_key_env is None and is_local(address)
        variable = self.model.api_key_env or self.spec.key_variable
        self._find("key", "ok", "No key needed." if unsent else f"{variable} was accepted.")

    def _look_at(self, reply: LLMResponse) -> None:
        if reply.refusal is not None:
            self._find("answer", "doubt", f"The model declined to reply: {reply.refusal}")
        elif not reply.content.strip() and has_no_tokens_left(reply.stop_reason):
            self._find("answer", "doubt", "The reply was cut off before it began. Increase the maximum output tokens.")
        else:
            self._find("answer", "ok", f"{reply.model or self.model.model_name} replied.")

    def _diagnose(self, fault: ProviderError) -> None:
        """Attribute a failed call to the part that caused it."""
        if not fault.reached or (fault.category == "connection"):
            self._find("address", "failed", str(fault))
        elif fault.category == "authentication":
            self._find("address", "ok")
            self._find("key", "failed", str(fault))
        elif fault.status in _NO_API_STATUS:
            self._name_or_path(fault)
        elif fault.status == 200:
            self._find("address", "failed", self._no_api(fault))
        elif fault.category == "rejected" and any(phrase in _provider_words(fault) for phrase in _NOT_A_MODEL):
            self._wrong_name(fault, self._names())
        else:
            self._pass_address_and_key()
            if fault.category == "timeout":
                # A timeout says nothing about the key.
                del self.findings["key"]
            self._find("answer", "failed", _what_to_do(fault, self.dependencies.calls.request_timeout))

    def _name_or_path(self, fault: ProviderError) -> None:
        """Distinguish a wrong model name from a wrong path: servers answer both with "not found"."""
        names = self._names()
        if names is not None or (fault.status == 404 and "model" in _provider_words(fault)):
            self._wrong_name(fault, names)
        else:
            self._find("address", "failed", self._no_api(fault))

    def _wrong_name(self, fault: ProviderError, names: Sequence[str] | None) -> None:
        self._pass_address_and_key()
        name = str(self.model.model_name)
        if names is not None and name in names:
            self._find("model", "failed", f"The server lists {name}, but the call failed: {fault}")
        else:
            self._find("model", "failed", f"The server has no model {name}. {_advice(name, names or ())}")

    def _no_api(self, fault: ProviderError) -> str:
        status = f" (HTTP {fault.status})" if fault.status != 200 else ""
        return (
            f"The server answers, but not as a model API{status}. "
            "Check the path of the base URL: most end in /v1 or have no path."
        )

    def _names(self) -> list[str] | None:
        """Models that the server lists; None if it has no list."""
        if self.spec.model_names is None:
            return None
        try:
            return self.spec.model_names(self.model, self.dependencies)
        except PortError:
            return None

    def _check_structured(self, llm: LLMPort) -> None:
        if not self.spec.capabilities.structured_output:
            message = "This interface doesn’t support structured output. Judges get the schema in the prompt."
            self._find("schema", "doubt", message)
            return
        request = LLMRequest((Message.of("user", _Marbles.question),), purpose="connection_check")
        try:
            result = StructuredParser(llm).parse_to_pydantic(request, _Marbles())
        except (ParseError, RefusalError):
            self._find("schema", "failed", f"{_POOR_JUDGE}{self._fallback()}")
        except ProviderError as fault:
            self._find("schema", "doubt", f"The model replies, but structured output couldn’t be tested: {fault}")
        else:
            fallback = self._fallback()
            again = " It needed a retry." if len(result.usages) > 1 else ""
            message = "The reply fits the schema."
            self._find("schema", "doubt" if again or fallback else "ok", f"{message}{again}{fallback}")

    def _fallback(self) -> str:
        """Explanation of a fallback that the server required; empty if it accepts schemas."""
        learned = list(self.dependencies.connections.capabilities.values())
        return f" {_FALLBACKS[learned[-1].method]}" if learned and learned[-1].method in _FALLBACKS else ""


_FALLBACKS = {
    "json": "The server only supports JSON mode, so the schema is sent in the prompt.",
    "text": "The server doesn’t enforce schemas, so the schema is sent in the prompt.",
}
_POOR_JUDGE = "The reply doesn’t fit the schema. The model can answer questions, but not judge reliably."


class _Marbles:
    """The smallest structured task for a judge."""

    question = "Read this answer into the fields: “The bag holds three red marbles.”"
    json_schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "How many marbles the bag holds."},
            "color": {"type": "string", "enum": ["red", "blue"], "description": "The color of the marbles."},
        },
        "required": ["count", "color"],
    }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        errors = []
        if type(data.get("count")) is not int:
            errors.append("'count' is not an integer.")
        if data.get("color") not in ("red", "blue"):
            errors.append("'color' is neither 'red' nor 'blue'.")
        return ParsedReply(values=data, errors=tuple(errors))


def _advice(name: str, names: Sequence[str]) -> str:
    if near := nearest(name, names):
        return f"Did you mean {join_list(near, 'or')}?"
    if names:
        more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
        return f"Available: {join_list([*names[:_NAMED], *more])}."
    return "Look up the exact name in the provider’s list of models."


def nearest(mistyped: str, names: Sequence[str]) -> list[str]:
    """At most three names that a mistyped one may have meant, most likely first."""
    by_lower = {name.casefold(): name for name in names}
    mistyped = mistyped.casefold()
    close = difflib.get_close_matches(mistyped, by_lower, n=3, cutoff=0.6)
    holding = [name for name in by_lower if mistyped in name and name not in close]
    return [by_lower[name] for name in [*close, *sorted(holding, key=len)][:3]]


def _provider_words(fault: ProviderError) -> str:
    """The provider's own words in lower case, without our words before them, which contain the model's name."""
    return str(fault).rpartition(f"(HTTP {fault.status})")[2].casefold()


def _what_to_do(fault: ProviderError, seconds: float) -> str:
    if fault.category == "timeout":
        return (
            f"The server accepted the request, but didn’t reply within {seconds:.0f} s. It may be busy or loading "
            "the model. Test again in a minute. Runs use their own timeout."
        )
    if fault.category == "rate_limit":
        pause = f"{fault.retry_after:.0f} s" if fault.retry_after else "a minute"
        return f"{fault} Wait {pause}, then test again. In runs, reduce the concurrent jobs."
    if fault.category == "server_error":
        return f"{fault} The problem is on the provider’s side. Test again later."
    if fault.status in (402, 429):
        return f"{fault} Your account has no credit left. Add credit with the provider."
    return f"{fault} Compare the model’s settings with the provider’s documentation."


def check_tool_servers(model: ModelConfig, environment: Mapping[str, str]) -> tuple[CheckStep, ...]:
    """Return a step for each server, which is opened as for an answer and closed again. No tool is called."""
    servers = model.tool_servers
    if not servers:
        return ()
    with ThreadPoolExecutor(len(servers), thread_name_prefix="mcp-check") as threads:
        return tuple(threads.map(lambda name: _check_server(name, servers[name], model, environment), servers))


def _check_server(name: str, server: ToolServer, model: ModelConfig, environment: Mapping[str, str]) -> CheckStep:
    brief = server.model_copy(update={"connect_seconds": min(server.connect_seconds, _LONGEST_LISTING)})
    try:
        with ToolServers({name: brief}, model, environment, lambda: False) as opened:
            offered = [tool.spec.name for tool in opened.tools[name]]
    except (ToolServerError, ConfigurationError) as error:
        return CheckStep("tools", "failed", str(error), name)
    if not offered:
        return CheckStep("tools", "doubt", "The server has no tools, or none of the allowed ones.", name)
    if lacking := [tool for tool in server.tools or () if tool not in offered]:
        missing = f"The server has no {plural(len(lacking), 'tool')} named {join_list(lacking, 'or')}."
        return CheckStep("tools", "doubt", f"{missing} {_tool_summary(offered)}", name)
    return CheckStep("tools", "ok", _tool_summary(offered), name)


def _tool_summary(offered: list[str]) -> str:
    more = [f"{len(offered) - _NAMED_TOOLS:,} more"] if len(offered) > _NAMED_TOOLS else []
    return f"{quantity(len(offered), 'tool')}: {join_list([*offered[:_NAMED_TOOLS], *more])}."
