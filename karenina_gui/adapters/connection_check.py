"""Diagnosis of a model's connection: its address, key, name, answers, and structured output."""

from __future__ import annotations

import difflib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, ParsedReply
from karenina_gui.adapters.spec import AdapterSpec, Wiring
from karenina_gui.adapters.structured import StructuredParser
from karenina_gui.errors import ConfigurationError, ParseError, PortError, ProviderError, RefusalError
from karenina_gui.schemas.addresses import is_local
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.stop_reasons import is_cut_off

CheckState = Literal["ok", "doubt", "failed", "open"]
"""`doubt`: it works, but the user should know something; `open`: not reached, since an earlier step failed."""
Part = Literal["Address", "Key", "Model", "Answer", "Structured replies"]
PARTS: tuple[Part, ...] = ("Address", "Key", "Model", "Answer", "Structured replies")
"""Checked parts, in this order: each depends on the ones before it."""

_NO_API_STATUS = (301, 302, 303, 307, 308, 404, 405, 501)
"""HTTP statuses that web servers without such an API return."""
_NOT_A_MODEL = ("not found", "not exist", "invalid model", "unknown model", "not a valid model", "no such model")


@dataclass(frozen=True)
class CheckStep:
    """Finding about one part for the user: what is wrong and what to do, or what is known."""

    title: str
    state: CheckState
    message: str = ""


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
        answers = [step.message for step in self.steps if step.title == "Answer"]
        return answers[0] if answers else self.steps[-1].message


def check_connection(model: ModelConfig, spec: AdapterSpec, wiring: Wiring) -> ConnectionReport:
    """Check a model with two or three short calls: one for an answer, the others for JSON of a given schema.

    `wiring` must be for this check alone: what its connections learn about the server is part of the finding.
    """
    started = time.monotonic()
    check = _Check(model, spec, wiring)
    check.examine()
    steps = tuple(check.findings.get(part, CheckStep(part, "open")) for part in PARTS)
    return ConnectionReport(steps, time.monotonic() - started)


@dataclass
class _Check:
    model: ModelConfig
    spec: AdapterSpec
    wiring: Wiring
    findings: dict[Part, CheckStep] = field(default_factory=dict)

    def examine(self) -> None:
        assert self.spec.llm_factory is not None
        try:
            llm = self.spec.llm_factory(self.model, self.wiring)
        except ConfigurationError as error:
            self._find("Address", "failed", str(error))
            return
        except PortError as error:
            self._find("Key", "failed", str(error))
            return
        try:
            reply = llm.invoke(LLMRequest((Message.of("user", "Reply with the word OK."),), purpose="connection_check"))
        except ProviderError as fault:
            self._diagnose(fault)
            return
        self._pass_address_and_key()
        self._find("Model", "ok", reply.model or "")
        self._look_at(reply)
        self._check_structured(llm)

    def _find(self, part: Part, state: CheckState, message: str = "") -> None:
        self.findings[part] = CheckStep(part, state, message)

    def _pass_address_and_key(self) -> None:
        """Record that an API answered, so the address is right and the key was accepted."""
        environment = self.wiring.connections.environment
        address = self.spec.address(self.model, environment) if self.spec.address else ""
        self._find("Address", "ok", address)
        unsent = self.model.api_key_env is None and is_local(address)
        variable = self.model.api_key_env or self.spec.key_variable
        self._find("Key", "ok", "None is needed." if unsent else f"The one in {variable} is accepted.")

    def _look_at(self, reply: LLMResponse) -> None:
        if reply.refusal is not None:
            self._find("Answer", "doubt", f"It declined to reply: {reply.refusal}")
        elif not reply.content.strip() and is_cut_off(reply.stop_reason):
            self._find("Answer", "doubt", "Its reply was cut off before it began. Allow more tokens.")
        else:
            self._find("Answer", "ok", f"{reply.model or self.model.model_name} answers.")

    def _diagnose(self, fault: ProviderError) -> None:
        """Attribute a failed call to the part that caused it."""
        if not fault.reached or (fault.category == "connection"):
            self._find("Address", "failed", str(fault))
        elif fault.category == "authentication":
            self._find("Address", "ok")
            self._find("Key", "failed", str(fault))
        elif fault.status in _NO_API_STATUS:
            self._name_or_path(fault)
        elif fault.status == 200:
            self._find("Address", "failed", self._no_api(fault))
        elif fault.category == "rejected" and any(words in _provider_words(fault) for words in _NOT_A_MODEL):
            self._wrong_name(fault, self._names())
        else:
            self._pass_address_and_key()
            if fault.category == "timeout":
                # A timeout says nothing about the key.
                del self.findings["Key"]
            self._find("Answer", "failed", _what_to_do(fault, self.wiring.calls.request_timeout))

    def _name_or_path(self, fault: ProviderError) -> None:
        """Distinguish a wrong model name from a wrong path: servers answer both with "not found"."""
        names = self._names()
        if names is not None or (fault.status == 404 and "model" in _provider_words(fault)):
            self._wrong_name(fault, names)
        else:
            self._find("Address", "failed", self._no_api(fault))

    def _wrong_name(self, fault: ProviderError, names: Sequence[str] | None) -> None:
        self._pass_address_and_key()
        wanted = str(self.model.model_name)
        if names is not None and wanted in names:
            self._find("Model", "failed", f"The server lists {wanted}, but does not let it answer: {fault}")
        else:
            self._find("Model", "failed", f"The server has no model named {wanted}. {_advice(wanted, names or ())}")

    def _no_api(self, fault: ProviderError) -> str:
        status = f" (HTTP {fault.status})" if fault.status != 200 else ""
        return (
            f"Something answers at this address, but it is no API for models{status}. "
            "Check what follows the name of the server: most addresses end with /v1 or with nothing."
        )

    def _names(self) -> list[str] | None:
        """Models that the server lists; None if it has no list."""
        if self.spec.model_names is None:
            return None
        try:
            return self.spec.model_names(self.model, self.wiring)
        except PortError:
            return None

    def _check_structured(self, llm: LLMPort) -> None:
        if not self.spec.capabilities.structured_output:
            words = "This interface cannot hold a model to a schema: judges are asked for JSON in words."
            self._find("Structured replies", "doubt", words)
            return
        request = LLMRequest((Message.of("user", _Marbles.question),), purpose="connection_check")
        try:
            result = StructuredParser(llm).parse_to_pydantic(request, _Marbles())
        except (ParseError, RefusalError):
            self._find("Structured replies", "failed", f"{_POOR_JUDGE}{self._fallback()}")
        except ProviderError as fault:
            self._find("Structured replies", "doubt", f"It answers, but this could not be tested: {fault}")
        else:
            fallback = self._fallback()
            again = " It needed a second try." if len(result.usages) > 1 else ""
            words = (
                f"It keeps to a schema.{again}"
                if not fallback
                else f"It keeps to a schema only of its own will.{again}"
            )
            self._find("Structured replies", "doubt" if again or fallback else "ok", f"{words}{fallback}")

    def _fallback(self) -> str:
        """Explanation of a fallback that the server required; empty if it accepts schemas."""
        learned = list(self.wiring.connections.dialects.values())
        told = {"json": "The server knows JSON mode only", "text": "The server does not enforce schemas"}
        if not learned or learned[-1].method not in told:
            return ""
        return f" {told[learned[-1].method]}, so the schema is asked for in words."


_POOR_JUDGE = "It answers, but does not keep to a schema: it can answer questions, but will be a poor judge."


class _Marbles:
    """The smallest structured task for a judge."""

    question = "Read this answer into the fields: “The bag holds three red marbles.”"
    json_schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "How many marbles the bag holds."},
            "colour": {"type": "string", "enum": ["red", "blue"], "description": "The colour of the marbles."},
        },
        "required": ["count", "colour"],
    }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        errors = []
        if type(data.get("count")) is not int:
            errors.append("'count' is not an integer.")
        if data.get("colour") not in ("red", "blue"):
            errors.append("'colour' is neither 'red' nor 'blue'.")
        return ParsedReply(values=data, errors=tuple(errors))


def _advice(wanted: str, names: Sequence[str]) -> str:
    if near := nearest(wanted, names):
        return f"Did you mean {_either(near)}?"
    if names:
        some = ", ".join(names[:5])
        return f"It has {some}{f' and {len(names) - 5:,} more' if len(names) > 5 else ''}."
    return "Look up the exact name in the provider's list of models."


def nearest(wanted: str, names: Sequence[str]) -> list[str]:
    """At most three names that a mistyped one may have meant, most likely first."""
    by_lower = {name.casefold(): name for name in names}
    wanted = wanted.casefold()
    close = difflib.get_close_matches(wanted, by_lower, n=3, cutoff=0.6)
    holding = [name for name in by_lower if wanted in name and name not in close]
    return [by_lower[name] for name in [*close, *sorted(holding, key=len)][:3]]


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _provider_words(fault: ProviderError) -> str:
    """The provider's own words in lower case, without our words before them, which contain the model's name."""
    return str(fault).rpartition(f"(HTTP {fault.status})")[2].casefold()


def _what_to_do(fault: ProviderError, seconds: float) -> str:
    if fault.category == "timeout":
        return (
            f"The server took the request, but sent no answer within {seconds:.0f} s. It may be busy, or loading the "
            "model: test again in a minute. Runs wait as long as the time limit says."
        )
    if fault.category == "rate_limit":
        pause = f"Wait {fault.retry_after:.0f} s" if fault.retry_after else "Wait a minute"
        return f"{fault} {pause} and test again. In runs, fewer jobs at the same time help."
    if fault.category == "server_error":
        return f"{fault} Nothing is wrong on your side: test again later."
    if fault.status in (402, 429):
        return f"{fault} The account has no credit left: see to that at the provider."
    return f"{fault} Compare the settings of the model with the provider's guide."
