"""HTML of the traits of a run: share of yes, mean and standard deviation, or classes, with the better direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karenina_gui.analysis.trait_figures import SINGLE_SPREAD, TRAIT_MEAN, TRAIT_MISSING, TRAIT_RESULTS, TraitFigures
from karenina_gui.gui.components.figure_links import figure_heading, figure_link
from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.results.trait_rows import scale_in_words
from karenina_gui.text import percent, quantity


def trait_view(found: Sequence[TraitFigures], judgments: int = 1, *, conditions: bool = False) -> Html | None:
    """Table of traits, by model and condition; None if there are no scores.

    `judgments`: number of judgments per answer; `conditions`: True if the run has conditions.
    """
    if not found:
        return None
    rows = (part for each in found for part in _rows(each))
    parted = "Traits by model and condition" if conditions else "Traits by model"
    title = parted if any(each.parts for each in found) else "Traits"
    body = tag("div", *rows, class_="rate")
    return tag(
        "section",
        figure_heading(title, TRAIT_MEAN),
        _what_counts(found, judgments),
        body,
        class_="overview-part",
    )


def _what_counts(found: Sequence[TraitFigures], judgments: int) -> Html:
    counted = f"single judgments, {judgments} per answer" if judgments > 1 else "results, one per replicate and judge"
    words = [f"Counts are of {counted}."]
    if any(map(_has_mean, found)):
        words.insert(0, "Means and percentages weight each question equally.")
    words.append(_COMPARED if any(each.parts for each in found) else _INTERVALS)
    return tag("p", " ".join(words), class_="result-muted")


_COMPARED = "See Charts for comparisons with confidence intervals."
_INTERVALS = "See Charts for confidence intervals."


def _has_mean(found: TraitFigures) -> bool:
    return not _is_literal(found)


def _rows(found: TraitFigures) -> Iterator[Html]:
    if not found.parts:
        yield from _row(found, scale_in_words(found.scale))
        return
    yield tag("span", found.name, tag("small", scale_in_words(found.scale)), class_="rate-head")
    for part in found.parts.values():
        yield from _row(part, "")


def _row(found: TraitFigures, scale: str) -> tuple[Html, Html, Html]:
    if not found.number:
        return _row_without_scores(found)
    missing = _missing(found)
    parts = [
        figure_link(TRAIT_RESULTS, classes) if (classes := _classes(found)) else None,
        tag("span", scale) if scale else None,
        *_number(found),
        figure_link(TRAIT_MISSING, missing) if missing else None,
    ]
    small = join_html([piece for part in parts if part is not None for piece in (" · ", part)][1:])
    told = _figures(found)
    mean = figure_link(TRAIT_MEAN, told) if told else None
    figures = tag("span", mean, tag("small", small) if small else None, class_="rate-n rate-wrap")
    return tag("span", found.name, class_="rate-key"), _bar(found), figures


def _row_without_scores(found: TraitFigures) -> tuple[Html, Html, Html]:
    lacking = tag("small", figure_link(TRAIT_MISSING, _missing(found))) if found.asked else None
    none = tag("span", "no scores", lacking, class_="rate-n rate-wrap")
    return tag("span", found.name, class_="rate-key"), tag("span"), none


def _figures(found: TraitFigures) -> str | None:
    if found.mean is None or _is_literal(found):
        return None
    if found.is_boolean:
        return f"{percent(found.mean)} yes · {found.yes:,} of {quantity(found.number, 'result')}"
    return f"{found.mean:.2f}"


def _missing(found: TraitFigures) -> str:
    """Format missing scores: `6 of 60 without a score (4 out of scale)`; empty if there are none."""
    outside = f" ({found.out_of_scale:,} out of scale)" if found.out_of_scale else ""
    return f"{found.missing:,} of {found.asked:,} without a score{outside}" if found.missing else ""


def _bar(found: TraitFigures) -> Html:
    """Bar in the color of the trait's direction; the text beside it has the same content."""
    if found.place is None or _is_literal(found):
        return tag("span")
    better = found.scale.higher_is_better if found.scale else None
    look = "" if better is None else "rate-good" if better else "rate-poor"
    share = tag("span", style=f"width:{100 * found.place:.1f}%", class_=look or None)
    return tag("span", share, class_="rate-bar", aria_hidden="true")


def _classes(found: TraitFigures) -> str:
    """Format counts of classes in their order: `casual 2 · formal 1`."""
    if not _is_literal(found):
        return ""
    classes = (found.scale.classes if found.scale else None) or []
    # -1 stands for a score outside the classes.
    names = [*range(len(classes)), -1]
    return " · ".join(
        f"{classes[at] if at >= 0 else 'none of them'} {found.counts[at]:,}" for at in names if found.counts.get(at)
    )


def _number(found: TraitFigures) -> Iterator[Html]:
    if found.is_boolean or _is_literal(found):
        return
    yield figure_link(TRAIT_RESULTS, quantity(found.number, "result"))
    if found.deviation is not None:
        yield figure_link(SINGLE_SPREAD, f"SD {found.deviation:.2f}")


def _is_literal(found: TraitFigures) -> bool:
    return found.scale is not None and found.scale.kind == "literal" and bool(found.scale.classes)
