"""State of one preview, and the grid that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karenina_gui.authoring.found_texts import FoundTexts
from karenina_gui.gui.components.grid import CHECKBOXES, FIXED_COLUMNS, PLACE, Grid


class ReplacePreview:
    """Matches of the last search, and which of them are chosen. Read by the route of its rows in another thread."""

    def __init__(self) -> None:
        self.matches = FoundTexts()
        self.reasons: dict[int, str] = {}
        """Reasons against matches by their ids."""
        self.chosen: set[int] = set()
        self.problem = ""
        """Sentence about a search that is impossible; empty: it is possible."""
        self.settled = True
        """False while a search or its checks go on."""
        self.turn = 0
        """Number of the search, so that an older one stops."""

    def put(self, matches: FoundTexts, reasons: Mapping[int, str], problem: str = "") -> None:
        """Take over the result of a search. Matches with a reason against them are not chosen."""
        self.matches, self.reasons, self.problem = matches, dict(reasons), problem
        self.chosen = matches.ids - self.reasons.keys()

    def refuse(self, reasons: Mapping[int, str]) -> None:
        """Note further reasons."""
        self.reasons |= reasons
        self.chosen -= reasons.keys()

    def is_current(self, turn: int, done: int, total: int) -> bool:
        """Let the check of a search go on, unless there is a later one."""
        return turn == self.turn


_COLUMNS: list[dict[str, Any]] = [
    PLACE | {"width": 60, "tooltipField": "title", ":cellRenderer": "p => kareninaReplace.place(p.data)"},
    {"field": "part", "headerName": "Part", "width": 130},
    *(
        {
            "colId": name,
            "headerName": name.capitalize(),
            "flex": 3,
            "minWidth": 140,
            ":cellRenderer": f"p => kareninaReplace.{name}(p.data)",
        }
        for name in ("before", "after")
    ),
    {
        "field": "reason",
        "headerName": "Problem",
        "flex": 2,
        "minWidth": 110,
        "tooltipField": "reason",
        ":cellRenderer": "p => kareninaReplace.reason(p.data)",
    },
]


def preview_grid() -> Grid:
    """Create the grid. The browser fetches its rows and sends the ids of those that the user has checked."""
    grid = Grid(
        "replace",
        label="Matches",
        empty='<span class="hint">Matches appear here.</span>',
        columns=_COLUMNS,
        loading=False,
        **FIXED_COLUMNS | {"defaultColDef": {"resizable": True, "sortable": False, "suppressMovable": True}},
        **CHECKBOXES,
        rowHeight=44,
        headerHeight=30,
        enableBrowserTooltips=True,
    )
    return grid.classes("list-grid replace-grid wide fills")
