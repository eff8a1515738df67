"""Models as tables and older files write them, in one text."""

from __future__ import annotations

import re

from karenina_gui.schemas.condition import SEPARATOR
from karenina_gui.schemas.result import ModelIdentity

_DISPLAY = re.compile(r"([^:/]*):(.*?)(?: \(([^()]*)\))?(?: \+\[(.*)\])?", re.DOTALL)
NOT_TOLD = "unknown"
"""Interface of a model if a file gives only its name."""


def identity_named(text: str, condition: str | None = None) -> ModelIdentity:
    """The model that a text names.

    `interface:model (config) +[tools]` as today's tables have it, or `provider/model` of older files.

    `condition`: the one under which the model was asked; it ends the name of the configuration, and may hold any sign.
    """
    if match := (_under(condition).fullmatch(text) if condition else None) or _DISPLAY.fullmatch(text):
        interface, name, config, tools = match.groups()
        listed = tools.split(", ") if tools else []
        return ModelIdentity(interface=interface, model_name=name, config_id=config, tools=listed)
    provider, slash, name = text.partition("/")
    if slash and provider and name:
        return ModelIdentity(interface=provider, model_name=name)
    return ModelIdentity(interface=NOT_TOLD, model_name=text)


def _under(condition: str) -> re.Pattern[str]:
    # The name of a condition may hold brackets, which the usual pattern would take for the end of the configuration.
    return re.compile(rf"([^:/]*):(.*?) \((.*{re.escape(SEPARATOR + condition)})\)(?: \+\[(.*)\])?", re.DOTALL)
