"""A run configuration saved under a name."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from pydantic import BaseModel, Field, field_validator

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

LONGEST_NAME = 100
LONGEST_DESCRIPTION = 500


def _now() -> str:
    return datetime.now(UTC).isoformat()


class Preset(BaseModel):
    """A saved configuration.

    Names and limits follow upstream's preset files. Contains no keys, only their variables.
    """

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    description: str = Field(default="", max_length=LONGEST_DESCRIPTION)
    config: VerificationConfig
    created_at: str = Field(default_factory=_now)
    """ISO 8601, like `updated_at`."""
    updated_at: str = Field(default_factory=_now)

    @field_validator("name", mode="before")
    @classmethod
    def _strip_name(cls, name: object) -> object:
        return name.strip() if isinstance(name, str) else name

    @field_validator("description", mode="before")
    @classmethod
    def _none_is_empty(cls, description: object) -> object:
        return "" if description is None else description

    @field_validator("config")
    @classmethod
    def _without_keys(cls, config: VerificationConfig) -> VerificationConfig:
        # On loading, too: a file from elsewhere may contain keys.
        return config.model_copy(
            update={
                "answering_models": [_without_key(model) for model in config.answering_models],
                "parsing_models": [_without_key(model) for model in config.parsing_models],
            }
        )


def _without_key(model: ModelConfig) -> ModelConfig:
    return model.model_copy(update={"endpoint_api_key": None, "anthropic_api_key": None})
