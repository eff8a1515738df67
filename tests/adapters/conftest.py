"""Models whose provider is the twin, over both protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMRequest, ParsedReply
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from tests.twin import Script, Twin

QUICK = RetryBudget(max_attempts=2, backoff_min=0.001, backoff_max=0.002)
CALLS = CallPolicy(
    retry=RetryPolicy(connection=QUICK, timeout=QUICK, rate_limit=QUICK, server_error=QUICK), request_timeout=5
)
KEY = "sk-very-secret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "unit": {"type": "string"}},
    "required": ["value", "unit"],
}


@dataclass(frozen=True)
class ValueAndUnit:
    """A parse target as a template gives it: an integer and a unit, either of which the judge may leave null."""

    json_schema: dict[str, Any] = field(default_factory=lambda: SCHEMA)

    def check(self, data: dict[str, Any]) -> ParsedReply:
        missing = [f"'{name}' is missing." for name in ("value", "unit") if name not in data]
        if not isinstance(data.get("value", 0), int | None):
            missing.append(f"'value' is not an integer: {data['value']!r}.")
        nulls = tuple(name for name in ("value", "unit") if name in data and data[name] is None)
        return ParsedReply(values=data, nulls=nulls, errors=tuple(missing))


@pytest.fixture
def play() -> Iterator[Callable[[Script], Twin]]:
    """Starts a twin that plays a script."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(Twin(script))


@pytest.fixture
def adapters() -> Iterator[AdapterFactory]:
    with AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters:
        yield adapters


@pytest.fixture(params=["openai_endpoint", "claude_tool"])
def model_at(request: pytest.FixtureRequest) -> Callable[..., ModelConfig]:
    """A model of the interface under test at the twin's address."""

    def model(twin: Twin, **settings: Any) -> ModelConfig:
        address = "endpoint_base_url" if request.param == "openai_endpoint" else "anthropic_base_url"
        given = {"model_name": "m", "interface": request.param, "api_key_env": "TWIN_KEY", address: twin.address}
        return ModelConfig.model_validate({**given, **settings})

    return model


def question(text: str = "What is 6 x 7?", **settings: Any) -> LLMRequest:
    return LLMRequest((Message.of("system", "Be brief."), Message.of("user", text)), **settings)


def parsing(**settings: Any) -> LLMRequest:
    return question("Read the answer: 42 kg", purpose="parsing", **settings)
