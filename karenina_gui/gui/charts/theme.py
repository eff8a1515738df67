"""Colors, symbols and layout of figures. Nothing is distinguished by color alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from karenina_gui.gui.charts.plot_elements import IN_A_ROW
from karenina_gui.schemas.outcome import Outcome

FONT = 'Inter, "Segoe UI", Roboto, system-ui, sans-serif'
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down", "pentagon", "hourglass")
"""Plotly symbols, each distinct from its neighbors."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True)
class SeriesStyle:
    """Appearance of an arm or outcome. Color, symbol and dash each identify it among its neighbors."""

    colour: str
    symbol: str
    """Symbol of marks."""
    dash: str = "solid"
    """Dash of lines."""
    glyph: str = ""
    """Symbol as a character, for heat map cells."""


def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast on a color such as `#009e73` (WCAG 2.2)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    luminance = sum(weight * level for weight, level in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    # Both have the same contrast where (L + 0.05)² = 1.05 · 0.05.
    return "#000000" if luminance > 0.179 else "#ffffff"


@dataclass(frozen=True)
class Theme:
    """Colors of light or dark mode; sizes in pixels."""

    dark: bool
    background: str
    text: str
    muted: str
    """Color of axis titles and remarks."""
    grid: str
    """Color of grid lines."""
    zero: str
    """Color of the line at zero."""
    band: str
    """Color of shaded areas."""
    accent: str
    """Color of single series."""
    colours: tuple[str, ...]
    """Okabe & Ito 2008, without colors of low contrast on this background."""
    outcomes: Mapping[Outcome | None, SeriesStyle]
    """Appearance of each outcome. None: the job has not run."""

    def arm(self, index: int) -> SeriesStyle:
        """Return the appearance of the arm at an index of `Scores.arms`."""
        # The lists differ in length, so that arms with the same color differ in symbol or dash.
        return SeriesStyle(
            self.colours[index % len(self.colours)], SYMBOLS[index % len(SYMBOLS)], DASHES[index % len(DASHES)]
        )

    def axis(self, title: str = "", **more: Any) -> dict[str, Any]:
        """Return an axis of a layout."""
        return {
            "title": {"text": title, "font": {"color": self.muted, "size": 12}, "standoff": 8},
            "gridcolor": self.grid,
            "linecolor": self.grid,
            "zeroline": False,
            "tickfont": {"color": self.text, "size": 12},
            "automargin": True,
            **more,
        }

    def layout(self, **more: Any) -> dict[str, Any]:
        """Return a layout with common defaults and `more`; it fills its container unless `height` is given."""
        return {
            "paper_bgcolor": self.background,
            "plot_bgcolor": self.background,
            "font": {"family": FONT, "size": 12, "color": self.text},
            "colorway": list(self.colours),
            "margin": {"l": 12, "r": 20, "t": 12, "b": 44},
            # Plotly would write on the color of the series, and not every one of them has enough contrast.
            "hoverlabel": {
                "bgcolor": self.background,
                "bordercolor": self.muted,
                "font": {"family": FONT, "size": 12, "color": self.text},
                "align": "left",
            },
            "hovermode": "closest",
            # Dragging would zoom, and keep touch screens from scrolling the page.
            "dragmode": False,
            "showlegend": False,
            "legend": self.legend(0),
            **more,
        }

    def with_legend(
        self, entries: int, *, is_shown: bool = True, left: int = 12, row: int = 40, below: int = 62, **more: Any
    ) -> dict[str, Any]:
        """Return layout options with a legend and margins for it.

        `row`: pixels above the plot for a legend in one row. `is_shown` False: no legend.
        """
        above = row if is_shown and entries <= IN_A_ROW else 12
        return {
            "showlegend": is_shown,
            "legend": self.legend(entries) | more,
            "margin": {"l": left, "r": 20, "t": above, "b": below},
        }

    def legend(self, entries: int) -> dict[str, Any]:
        """Return a legend above the plot for few entries, otherwise beside it."""
        if entries <= IN_A_ROW:
            return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"color": self.text}}
        return {
            "orientation": "v",
            "x": 1.01,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "tracegroupgap": 0,
            "font": {"color": self.text, "size": 12},
        }


LIGHT = Theme(
    dark=False,
    background="#ffffff",
    text="#1c2127",
    muted="#59616d",
    grid="#e3e6eb",
    zero="#59616d",
    band="rgba(89, 97, 109, 0.13)",
    accent="#0072b2",
    colours=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#e69f00"),
    outcomes={
        "passed": SeriesStyle("#009e73", "circle", glyph="✓"),
        "wrong": SeriesStyle("#d55e00", "x", glyph="✗"),
        "abstained": SeriesStyle("#e69f00", "diamond-open", glyph="–"),
        "autofail": SeriesStyle("#cc79a7", "triangle-up", glyph="!"),
        "error": SeriesStyle("#5a6270", "square-open", glyph="E"),
        "unscored": SeriesStyle("#56b4e9", "circle-open", glyph="○"),
        None: SeriesStyle("#eceef2", "line-ew-open", glyph="·"),
    },
)
DARK = replace(
    LIGHT,
    dark=True,
    background="#1b1e24",
    text="#e4e7ec",
    muted="#a0a9b6",
    grid="#343a45",
    zero="#a0a9b6",
    band="rgba(160, 169, 182, 0.18)",
    accent="#56b4e9",
    colours=("#56b4e9", "#e69f00", "#2fbf92", "#e09cc3", "#f0e442", "#5a9fe0", "#ffffff", "#f08a4b"),
    outcomes={
        **LIGHT.outcomes,
        "passed": SeriesStyle("#2fbf92", "circle", glyph="✓"),
        "wrong": SeriesStyle("#f08a4b", "x", glyph="✗"),
        "abstained": SeriesStyle("#f0e442", "diamond-open", glyph="–"),
        "error": SeriesStyle("#a0a9b6", "square-open", glyph="E"),
        None: SeriesStyle("#2c313b", "line-ew-open", glyph="·"),
    },
)
