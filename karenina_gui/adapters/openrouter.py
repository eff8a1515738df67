"""Interface `openrouter`: models of many providers with one key, in OpenAI's protocol."""

from __future__ import annotations

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.openai_endpoint import OpenAILLM, names_at
from karenina_gui.adapters.ports import LLMPort, PortCapabilities
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.schemas.model_config import ModelConfig

ADDRESS = "https://openrouter.ai/api/v1"
KEY_VARIABLE = "OPENROUTER_API_KEY"


def open_llm(model: ModelConfig, dependencies: AdapterDependencies) -> LLMPort:
    return OpenAILLM(model, dependencies, _endpoint)


def model_names(model: ModelConfig, dependencies: AdapterDependencies) -> list[str]:
    return names_at(_endpoint(model, dependencies), dependencies)


def _endpoint(model: ModelConfig, dependencies: AdapterDependencies) -> Endpoint:
    return dependencies.connections.endpoint(ADDRESS, model.endpoint_api_key, model.api_key_env, KEY_VARIABLE)


SPEC = AdapterSpec(
    name="openrouter",
    title="OpenRouter",
    description="Models of many providers through openrouter.ai. Model names look like provider/model.",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=open_llm,
    takes_seed=lambda model: True,
    agent_factory=tool_loop(open_llm),
    address=lambda model, environment: ADDRESS,
    model_names=model_names,
    key_variable=KEY_VARIABLE,
    takes_addresses=False,
)
