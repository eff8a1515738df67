"""A model as it stands in the form: every field as typed, so that nothing typed is lost while it is not yet right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from karenina_gui.schemas.config import ModelConfig

TEXTS = ("model_name", "endpoint_base_url", "anthropic_base_url", "api_key_env", "recording", "system_prompt")
NUMBERS: dict[str, type] = {"temperature": float, "max_tokens": int, "request_timeout": float}

LIMITS = {
    "temperature": "The temperature is a number from 0 to 2. Leave it empty to send none.",
    "max_tokens": "At least 1 token, as a whole number. Leave it empty for the usual limit.",
    "request_timeout": "More than 0 seconds. Leave it empty for the time limit of the run.",
}
"""What each number may be, for whoever entered another."""

SHOWN: dict[str, Sequence[str]] = {
    "manual": (),
    "openai_endpoint": ("endpoint_base_url", "api_key_env", "system_prompt", *NUMBERS),
    "openrouter": ("api_key_env", "system_prompt", *NUMBERS),
    "claude_tool": ("anthropic_base_url", "api_key_env", "system_prompt", *NUMBERS),
    "replay": ("recording", "system_prompt", *NUMBERS),
}
"""Fields that an interface makes use of, besides the names."""


@dataclass
class ModelDraft:
    """`values` are the fields of `ModelConfig` as the form has them; `answers` are recorded ones."""

    name: str
    interface: str
    values: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] | None = None
    base: ModelConfig | None = None
    """The configuration that is edited, for the fields that the form does not show."""

    @classmethod
    def of(cls, name: str, model: ModelConfig) -> ModelDraft:
        values = {key: getattr(model, key) for key in (*TEXTS, *NUMBERS)}
        return cls(name, model.interface, values, model.manual_traces, model)

    def problems(self, taken: Sequence[str]) -> dict[str, str]:
        """A sentence for each field that is not right yet, by field; `taken` are the names of the other models."""
        found = {}
        if not self.name.strip():
            found["name"] = "Give the model a name: runs and results call it by that."
        elif self.name.strip() in taken:
            found["name"] = "Another model has this name already."
        if self.interface != "manual" and not self._text("model_name"):
            found["model_name"] = "Write the name by which the provider knows the model."
        if "recording" in self._shown and not self._text("recording"):
            found["recording"] = "Give the file that a run recorded."
        for name in ("endpoint_base_url", "anthropic_base_url"):
            if name in self._shown and self._text(name) and not self._text(name).startswith(("http://", "https://")):
                found[name] = "An address begins with http:// or https://."
        if "api_key_env" in self._shown and self._text("api_key_env") and not self._text("api_key_env").isidentifier():
            found["api_key_env"] = "Write the name of an environment variable, never the key itself."
        return found | (self._refused() if not found else {})

    def config(self) -> ModelConfig:
        """Errors: `pydantic.ValidationError`; `problems` tells them beforehand."""
        kept = self.base.model_dump(exclude_unset=True) if self.base and self.base.interface == self.interface else {}
        given = {name: self._value(name) for name in self._shown}
        given = {name: value for name, value in given.items() if value is not None or name == "temperature"}
        cleared = {name for name in self._shown if name not in given}
        model = self._text("model_name") or self.name.strip()
        fields = {name: value for name, value in kept.items() if name not in cleared} | given
        identity = {"id": self.name.strip(), "interface": self.interface, "model_name": model}
        return ModelConfig.model_validate({**fields, **identity, "manual_traces": self._recorded()})

    @property
    def _shown(self) -> Sequence[str]:
        return SHOWN.get(self.interface, (*TEXTS, *NUMBERS))

    def _recorded(self) -> dict[str, Any] | None:
        return self.answers if self.interface == "manual" else None

    def _text(self, name: str) -> str:
        return str(self.values.get(name) or "").strip()

    def _value(self, name: str) -> Any:
        if name in TEXTS:
            return self._text(name) or None
        number = self.values.get(name)
        return None if number is None else NUMBERS[name](number)

    def _refused(self) -> dict[str, str]:
        try:
            self.config()
        except ValidationError as error:
            return {_place(item): LIMITS.get(_place(item), item["msg"]) for item in error.errors(include_url=False)}
        except (OverflowError, ValueError):  # no whole number: it is beyond all bounds
            return {"max_tokens": LIMITS["max_tokens"]}
        return {}


def _place(item: Any) -> str:
    """The field that an error of pydantic's is shown at."""
    return str(item["loc"][0]) if item["loc"] else "model_name"
