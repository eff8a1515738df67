"""Addresses of models: by number, which lasts when a model is renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from karenina_gui.schemas.saved_model import SavedModel


def address(number: int | None) -> str:
    """None: no model in particular."""
    return "/models" if number is None else f"/models?id={number}"


def address_by_name(name: str) -> str:
    """Of the model that has this name when the address is opened."""
    return f"/models?name={quote(name, safe='')}"


def number_in(query: Mapping[str, str], models: Sequence[SavedModel]) -> int | None:
    """The number of the model that an address means by its query: without one the first, None if there are no models.

    0, which no model has, where the query names none of these.
    """
    if "name" in query:
        return next((each.number for each in models if each.name == query["name"]), 0)
    if "id" in query:
        return next((each.number for each in models if str(each.number) == query["id"]), 0)
    return models[0].number if models else None
