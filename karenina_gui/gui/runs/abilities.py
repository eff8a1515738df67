"""What a model cannot do in a run, by its interface: said where it is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karenina_gui.runs.models import ModelShelf
from karenina_gui.schemas.config import ModelConfig

Place = Literal["models", "judges"]
"""What it is chosen for, as `RunChoice` names it."""


def cannot(model: ModelConfig, place: Place, shelf: ModelShelf) -> list[str]:
    """A sentence each; empty: it can do whatever a run may ask of it there."""
    if place == "judges":
        return [] if shelf.keeps_to_schemas(model) else [IN_WORDS]
    sentences = [] if shelf.is_asked(model) else [NOT_ASKED]
    if tools := shelf.tools_in_vain(model):
        sentences.append(f"It can use no tools, and is to use {', '.join(tools)}.")
    return sentences


IN_WORDS = "It cannot be held to a form, so it is asked for JSON in words. Replies that cannot be read are likelier."
NOT_ASKED = "Its answers are recorded: it reads no examples and no added instructions."


def no_judges(names: Sequence[str]) -> str:
    """`a, b only hold recorded answers, so they cannot judge.`"""
    one = len(names) == 1
    holds, it = ("holds", "it") if one else ("hold", "they")
    return f"{', '.join(names)} only {holds} recorded answers, so {it} cannot judge."
