"""Prices page: token prices of each model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.kit.elements import button, empty_state, heading, pane, scrolling, text_input, toolbar
from karenina_gui.gui.kit.html import join_html, link, tag
from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import interface_title
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.prices import Price
from karenina_gui.text import join_list

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

EXPLANATION = (
    "US dollars per million tokens. Gray prices are the list prices of large providers; prices that you enter replace "
    "them. Without a price, the cost of a run is unknown, not zero: enter 0 for free models. Prices apply to all runs, "
    "including past ones."
)
FIELDS = {"input": "Input", "output": "Output", "cache_read": "Cache read", "cache_creation": "Cache write"}
AS_INPUT = "as input"
"""Placeholder of an empty cache price."""
NEEDED = {"input": "input price", "output": "output price"}
"""Prices that are required."""
MOST = 1_000_000
"""Maximum price in dollars per million tokens; higher values are typing errors."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/prices`."""
    PricesPage(window).draw()


class PricesPage:
    def __init__(self, window: Window) -> None:
        self._window = window
        self._prices = window.services.runs.prices
        self._rows: dict[str, PriceRow] = {}

    def draw(self) -> None:
        with pane("Prices"):
            with toolbar():
                heading("Prices", 1)
            with scrolling():
                self._content = ui.element("div").classes("prices")
        self._window.listen(self._window.services.prices_changed, self._follow)
        self._window.listen(self._window.services.models_changed, lambda _news: self._draw_rows())
        self._draw_rows()

    def _draw_rows(self) -> None:
        """Update the rows; rows of models that are still listed stay, because the user may be typing there."""
        prices = self._prices.all()
        models = self._models(prices)
        listed = self._prices.list_prices(models)
        if not models or not self._rows:
            self._draw_frame(empty=not models)
        for model in [model for model in self._rows if model not in models]:
            self._rows.pop(model).delete()
        for index, model in enumerate(models, start=1):  # the first row is the head
            if model not in self._rows:
                with self._table:
                    self._rows[model] = PriceRow(self._window, model, prices.get(model), listed.get(model))
                self._rows[model].move(target_index=index)

    def _draw_frame(self, *, empty: bool) -> None:
        self._content.clear()
        self._rows.clear()
        with self._content:
            if empty:
                self._nothing_yet()
                return
            ui.label(EXPLANATION).classes("prices-about")
            self._table = ui.element("div").classes("card").props('role="table" aria-label="Prices by model"')
            with self._table:
                _head()

    def _models(self, priced: Iterable[str]) -> list[str]:
        """List models that are saved, used by a result, or priced, in alphabetical order."""
        saved = (
            f"{model.interface}:{model.model_name}" for model in self._window.services.library.models.all().values()
        )
        models = {*saved, *self._window.services.library.prices.used(), *priced}
        # Recordings cost nothing.
        return sorted((model for model in models if _interface(model) not in PLAYED_BACK), key=_by_name)

    def _nothing_yet(self) -> None:
        with empty_state(
            "payments",
            "No models with costs yet",
            "Models that you add and models of imported runs appear here. Replayed recordings cost nothing.",
        ):
            button("Models", lambda: ui.navigate.to("/models"), icon="smart_toy")

    def _follow(self, model: str) -> None:
        if model in self._rows:
            self._rows[model].show(self._prices.all().get(model))
        else:
            self._draw_rows()


class PriceRow(ui.element):
    """Row of one model; its price is saved once input and output prices are entered, and deleted if not."""

    def __init__(self, window: Window, model: str, price: Price | None, listed: Price | None) -> None:
        super().__init__("div")
        self._window, self.model = window, model
        self._entered = _figures(_own(price))
        self._listed = listed
        name = model.partition(":")[2] or model
        with self.classes("price-row").props('role="row"'):
            with ui.element("div").classes("price-model").props('role="rowheader"'):
                ui.label(name).classes("price-name")
                ui.label(interface_title(_interface(model))).classes("hint")
            self._fields = {field: self._field(name, field) for field in FIELDS}
            with ui.element("div").props('role="cell"').classes("price-state hint"):
                self._state = ui.html("").props('role="status"')
        self._show_missing()

    def show(self, price: Price | None) -> None:
        """Show a price that another window has entered; incomplete input stays while there is no price."""
        price = _own(price)
        if price == self._price():
            return
        figures = _figures(price)
        for field, bound in self._fields.items():
            if figures[field] != self._entered[field]:
                bound.show(_text(figures[field]))
        self._entered = figures
        self._show_missing()

    def _field(self, name: str, field: str) -> BoundField:
        with ui.element("div").props('role="cell"').classes("price-cell"):
            box = text_input(
                f"{FIELDS[field]}: {name}", _text(self._entered[field]), placeholder=self._placeholder(field)
            )
            box.props('prefix="$" inputmode="decimal"')
            return BoundField(box, partial(self._enter, field))

    async def _enter(self, field: str, text: Any) -> str | None:
        try:
            value = number_in(str(text)) if str(text).strip() else None
        except ValueError as error:
            return str(error)
        if str(text).strip() and (value is None or not 0 <= value <= MOST):
            return f"Enter a number from 0 to {MOST:,}, such as 2.50."
        self._entered[field] = None if value is None else float(value)
        await self._save()
        return None

    async def _save(self) -> None:
        prices = self._window.services.library.prices
        # An incomplete price is not kept: costs that rest on it would be too low.
        if price := self._price():
            await self._window.write(prices.save, price)
        else:
            await self._window.write(prices.delete, self.model)
        self._show_missing()
        self._window.note_saved()
        self._window.services.prices_changed.emit(self.model)

    def _price(self) -> Price | None:
        """Return the entered price, or None if it is incomplete."""
        return None if self.missing is not None else Price.model_validate({"model": self.model, **self._entered})

    @property
    def missing(self) -> str | None:
        """Missing prices in words; None: the price is complete."""
        entered = {field for field, value in self._entered.items() if value is not None}
        if {"input", "output"} <= entered:
            return None
        if not entered:
            return ""
        return join_list([price for field, price in NEEDED.items() if field not in entered])

    def _placeholder(self, field: str) -> str:
        listed = getattr(self._listed, field) if self._listed else None
        return _text(listed) or (AS_INPUT if field.startswith("cache") else "")

    def _show_missing(self) -> None:
        missing = self.missing
        if self._listed is None or self._listed.listing is None:
            text = "" if missing is None else f"Unknown: enter the {missing}." if missing else "Unknown"
            self._state.set_content(tag("span", text))
            return
        listing = self._listed.listing
        source = link(listing.address, listing.provider) if listing.address else listing.provider
        as_of = f" as of {listing.as_of}" if listing.as_of else ""
        if missing is None:
            self._state.set_content(tag("span", "Your own price"))
        else:
            entered = f" To use your own price, enter the {missing}." if missing else ""
            text = join_html(["List price of ", source, f"{as_of} ({listing.list}).", entered])
            self._state.set_content(tag("span", text))


def _head() -> None:
    with ui.element("div").classes("price-row price-head hint").props('role="row"'):
        for title in ("Model", *FIELDS.values()):
            ui.label(title).props('role="columnheader"')
        ui.label("Status").classes("sr-only").props('role="columnheader"')


def _figures(price: Price | None) -> dict[str, float | None]:
    return {field: None if price is None else getattr(price, field) for field in FIELDS}


def _text(value: float | None) -> str:
    # Without an exponent: `0.0000001`, not `1e-07`.
    return "" if value is None else f"{value:.10f}".rstrip("0").rstrip(".")


def _own(price: Price | None) -> Price | None:
    """Return the price unless it is a list price."""
    return price if price is not None and price.listing is None else None


def _interface(model: str) -> str:
    return model.partition(":")[0] if ":" in model else ""


def _by_name(model: str) -> tuple[str, str]:
    return (model.partition(":")[2] or model).casefold(), model
