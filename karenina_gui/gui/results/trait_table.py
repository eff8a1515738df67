"""Table of the traits of a result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlencode

from karenina_gui.gui.components.html import Html, icon, link, table, tag, tick
from karenina_gui.gui.results.justification_api import subject_key
from karenina_gui.gui.results.trait_rows import TraitRow, trait_rows
from karenina_gui.schemas.result import ResultRubric


def why(kind: str, name: str) -> Html:
    """Return a link to the justification of a field or trait."""
    target = "#" + urlencode({"why": subject_key(kind, name)})
    return link(target, "why", class_="evidence-ask one-line", aria_label=f"Why {name}?")


def trait_table(
    rubric: ResultRubric, justified: Collection[str] = (), calibrations: Mapping[str, str] | None = None
) -> Html | None:
    """Return the table of traits with scores and their meaning; `justified`: traits with a justification.

    `calibrations`: addresses by trait at which its judge is compared with labels. None: no traits.
    """
    calibrations = calibrations or {}
    rows = trait_rows(rubric)
    if not rows:
        return None
    has_origins = any(row.origin for row in rows)
    cells = [
        (
            _name(row.name, calibrations.get(row.name)),
            _word(row.kind),
            *([_word(row.origin)] if has_origins else []),
            tag("div", *_outcome(row), class_="result-trait"),
            *([why("trait", row.name) if row.name in justified else ""] if justified else []),
        )
        for row in rows
    ]
    titles = ("Trait", "Type", *(["Rubric"] if has_origins else []), "Score", *(["Why"] if justified else []))
    return table(titles, cells, caption="Traits")


def _name(name: str, calibration: str | None) -> Html:
    """Return the name of a trait, with a link to its calibration."""
    ways = None
    if calibration:
        label = f"Calibrate {name}"
        ways = link(calibration, icon("balance"), class_="result-calibrate", aria_label=label, title=label)
    return tag("span", name, ways)


def _word(text: str) -> Html:
    return tag("span", text, class_="one-line")


def _outcome(row: TraitRow) -> list[Html | None]:
    if not row.score and not row.parts:
        return [tag("span", "no score", class_="result-muted")]
    meaning = tag("span", row.meaning, class_="result-muted") if row.meaning else None
    line = tag("div", _score(row) if row.score else None, meaning, class_="result-trait-line line wraps")
    return [
        line if row.score or meaning else None,
        _parts(row.parts) if row.parts else None,
        tag("div", *(_list(title, entries) for title, entries in row.lists), class_="result-trait-lists")
        if row.lists
        else None,
    ]


def _score(row: TraitRow) -> Html:
    return tag("b", row.score) if row.good is None else tick(row.good, yes=row.score, no=row.score)


def _parts(parts: Sequence[tuple[str, str]]) -> Html:
    pairs = (piece for name, value in parts for piece in (tag("dt", name), _value(value)))
    return tag("dl", *pairs, class_="result-trait-parts")


def _value(value: str) -> Html:
    return tag("dd", value) if value else tag("dd", "no value", class_="result-muted")


def _list(title: str, entries: Sequence[str]) -> Html:
    head = tag(
        "div", title, tag("span", f" {len(entries):,}", class_="result-muted"), class_="result-trait-title small strong"
    )
    body = tag("ul", *(tag("li", entry) for entry in entries)) if entries else tag("div", "none", class_="result-muted")
    return tag("div", head, body)
