"""URLs of models. They use the model's number, which a rename does not change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from karenina_gui.schemas.saved_model import SavedModel


def address(number: int | None) -> str:
    """Return the URL of a model. None: the Models page."""
    return "/models" if number is None else f"/models?id={number}"


def address_by_name(name: str) -> str:
    """Return the URL of the model that has this name when the URL is opened."""
    return f"/models?name={quote(name, safe='')}"


def number_in(query: Mapping[str, str], models: Sequence[SavedModel]) -> int | None:
    """Return the number of the model that a query selects; without one, the first model.

    None: there are no models. 0, which no model has: the query names none of these models.
    """
    if "name" in query:
        return next((model.number for model in models if model.name == query["name"]), 0)
    if "id" in query:
        return next((model.number for model in models if str(model.number) == query["id"]), 0)
    return models[0].number if models else None
