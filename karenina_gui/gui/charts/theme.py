"""How figures look: colours that are told apart also by people who are colour-blind, and never colour alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from karenina_gui.gui.charts.marks import IN_A_ROW
from karenina_gui.schemas.outcome import Outcome

FONT = 'Inter, "Segoe UI", Roboto, system-ui, sans-serif'
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down", "pentagon", "hourglass")
"""Of plotly, each easily told from its neighbours."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True)
class Look:
    """Of one arm or outcome: each of the three is enough to tell it from the others near it."""

    colour: str
    symbol: str
    """Of its marks."""
    dash: str = "solid"
    """Of its lines."""
    glyph: str = ""
    """The symbol as a letter, for cells of a heatmap."""


@dataclass(frozen=True)
class Theme:
    """Colours of one surrounding, light or dark; sizes in pixels."""

    dark: bool
    background: str
    text: str
    muted: str
    """Of axis titles and remarks."""
    grid: str
    """Of thin lines behind the marks."""
    zero: str
    """Of the line at no difference."""
    band: str
    """Of shaded areas behind the marks."""
    accent: str
    """Where there is nothing to tell apart."""
    colours: tuple[str, ...]
    """Okabe and Ito 2008, without those that this background hides."""
    outcomes: Mapping[Outcome | None, Look]
    """None: the job has not run."""

    def arm(self, place: int) -> Look:
        """Of the arm at this place of `Scores.arms`: colour, symbol and dash go round at different lengths."""
        return Look(self.colours[place % len(self.colours)], SYMBOLS[place % len(SYMBOLS)], DASHES[place % len(DASHES)])

    def axis(self, title: str = "", **more: Any) -> dict[str, Any]:
        """An axis of a layout."""
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
        """Of a figure: what all have, and `more` of its own; it fills its place unless `height` is given."""
        return {
            "paper_bgcolor": self.background,
            "plot_bgcolor": self.background,
            "font": {"family": FONT, "size": 12, "color": self.text},
            "colorway": list(self.colours),
            "margin": {"l": 12, "r": 20, "t": 12, "b": 44},
            "hoverlabel": {"font": {"family": FONT, "size": 12}, "align": "left"},
            "hovermode": "closest",
            "dragmode": False,
            "showlegend": False,
            "legend": self.legend(0),
            **more,
        }

    def with_legend(
        self, entries: int, *, shown: bool = True, left: int = 12, row: int = 40, below: int = 62, **more: Any
    ) -> dict[str, Any]:
        """Part of a layout: a legend of so many, with `more` of its own, and margins that leave room for it.

        `row`: above the plot, where the legend stands in a row there; `shown` False: there is none.
        """
        above = row if shown and entries <= IN_A_ROW else 12
        return {
            "showlegend": shown,
            "legend": self.legend(entries) | more,
            "margin": {"l": left, "r": 20, "t": above, "b": below},
        }

    def legend(self, entries: int) -> dict[str, Any]:
        """Above the plot while there are few entries, else beside it, one below the other."""
        if entries <= IN_A_ROW:
            return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"color": self.text}}
        return {
            "orientation": "v", "x": 1.01, "xanchor": "left", "y": 1, "yanchor": "top", "tracegroupgap": 0,
            "font": {"color": self.text, "size": 12},
        }  # fmt: skip


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
        "passed": Look("#009e73", "circle", glyph="✓"),
        "wrong": Look("#d55e00", "x", glyph="✗"),
        "abstained": Look("#e69f00", "diamond-open", glyph="–"),
        "autofail": Look("#cc79a7", "triangle-up", glyph="!"),
        "error": Look("#5a6270", "square-open", glyph="E"),
        "unscored": Look("#56b4e9", "circle-open", glyph="○"),
        None: Look("#eceef2", "line-ew-open", glyph="·"),
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
    outcomes={**LIGHT.outcomes, "passed": Look("#2fbf92", "circle", glyph="✓"),
              "wrong": Look("#f08a4b", "x", glyph="✗"), "error": Look("#a0a9b6", "square-open", glyph="E"),
              None: Look("#2c313b", "line-ew-open", glyph="·")},
)  # fmt: skip
