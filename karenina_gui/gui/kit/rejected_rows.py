"""List of a file's rows with a remark about each, under a heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.kit.html import table
from karenina_gui.gui.kit.quoting import aria_label

LISTED = 200


def rejected_rows(
    title: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    download: Callable[[], None] | None = None,
) -> None:
    """List of rows, or nothing if there are none; `download` exports all rows, listed or not."""
    if not rows:
        return
    with ui.element("div").classes("import-head line"):
        ui.label(f"{title}: {len(rows):,}").classes("h3")
        if download is not None:
            ui.space()
            button("Download CSV", download, icon="download", look="quiet")
    lines = list(rows[:LISTED])
    if len(rows) > LISTED:
        lines.append(("…", f"{len(rows) - LISTED:,} more"))
    numeric = [0] if all(row[0].replace(",", "").isdecimal() for row in rows[:LISTED]) else []
    made = ui.html(table(headers, lines, caption=title, numeric=numeric)).classes("import-report")
    made.props(f'tabindex="0" role="region" {aria_label(title)}')
