"""Models as LiteLLM names them (`provider/model`, or a bare name), by the interfaces of this application."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.schemas.model_config import ModelConfig

OLLAMA = "http://localhost:11434/v1"

_LANGCHAIN = {
    "gemini": "google_genai",
    "bedrock": "bedrock_converse",
    "azure": "azure_openai",
    "mistral": "mistralai",
    "groq": "groq",
    "deepseek": "deepseek",
    "xai": "xai",
    "cohere": "cohere",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "huggingface": "huggingface",
    "perplexity": "perplexity",
    "azure_ai": "azure_ai",
}
"""LiteLLM's provider: LangChain's name for it."""


@dataclass(frozen=True)
class TranslatedModel:
    model: ModelConfig
    note: str | None = None
    """Something that does not fit exactly, as a sentence; None: everything fits."""


def translate(name: str, temperature: float | None) -> TranslatedModel:
    """The model with this LiteLLM name; its id is the name as it stands."""
    provider, slash, rest = name.partition("/")
    if not slash:
        return _bare(name, temperature)
    direct = {"anthropic": "claude_tool", "openai": "openai_endpoint", "openrouter": "openrouter"}
    if provider in direct:
        return TranslatedModel(_model(name, direct[provider], rest, temperature))
    if provider in ("ollama", "ollama_chat"):
        note = f"“{name}” uses {OLLAMA}. If Ollama runs elsewhere, change the base URL on the Models page."
        return TranslatedModel(_model(name, "openai_endpoint", rest, temperature, endpoint_base_url=OLLAMA), note)
    if provider == "vertex_ai":
        known = "google_anthropic_vertex" if rest.startswith("claude") else "google_vertexai"
        return _by_langchain(name, known, rest, temperature)
    return _by_langchain(name, _LANGCHAIN.get(provider, provider), rest, temperature)


def _bare(name: str, temperature: float | None) -> TranslatedModel:
    if name.startswith("claude"):
        return TranslatedModel(_model(name, "claude_tool", name, temperature))
    if name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt-")):
        return TranslatedModel(_model(name, "openai_endpoint", name, temperature))
    if name.startswith("gemini"):
        return _by_langchain(name, "google_genai", name, temperature)
    note = f"“{name}” names no provider, so OpenAI is used. To use another, change the base URL on the Models page."
    return TranslatedModel(_model(name, "openai_endpoint", name, temperature), note)


def _by_langchain(name: str, provider: str, model: str, temperature: float | None) -> TranslatedModel:
    if "claude" in model:
        instead = "Or choose the interface Anthropic (claude_tool) on the Models page."
    else:
        instead = "Or choose another interface on the Models page."
    note = f"“{name}” is called through LangChain, which needs its package and its key on this computer. {instead}"
    return TranslatedModel(_model(name, "langchain", model, temperature, model_provider=provider), note)


def _model(name: str, interface: str, model: str, temperature: float | None, **more: str) -> ModelConfig:
    return ModelConfig.model_validate(
        {"id": name, "interface": interface, "model_name": model, "temperature": temperature, **more}
    )
