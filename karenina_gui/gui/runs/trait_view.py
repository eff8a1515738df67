"""HTML of the traits of a run: share of yes, mean and standard deviation, or classes, with the better direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karenina_gui.analysis.trait_figures import SINGLE_SPREAD, TRAIT_MEAN, TRAIT_MISSING, TRAIT_RESULTS, TraitFigures
from karenina_gui.gui.components.figure_links import figure_heading, figure_link
from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.results.trait_rows import scale_in_words
from karenina_gui.text import percent, quantity


def trait_view(traits: Sequence[TraitFigures], judgments: int = 1, *, conditions: bool = False) -> Html | None:
    """Table of traits, by model and condition; None if there are no scores.

    `judgments`: number of judgments per answer; `conditions`: True if the run has conditions.
    """
    if not traits:
        return None
    rows = (part for trait in traits for part in _rows(trait))
    parted = "Traits by model and condition" if conditions else "Traits by model"
    title = parted if any(trait.parts for trait in traits) else "Traits"
    body = tag("div", *rows, class_="rate")
    return tag(
        "section",
        figure_heading(title, TRAIT_MEAN),
        _what_counts(traits, judgments),
        body,
        class_="overview-part",
    )


def _what_counts(traits: Sequence[TraitFigures], judgments: int) -> Html:
    counted = f"single judgments, {judgments} per answer" if judgments > 1 else "results, one per replicate and judge"
    sentences = [f"Counts are of {counted}."]
    if any(map(_has_mean, traits)):
        sentences.insert(0, "Means and percentages weight each question equally.")
    sentences.append(_COMPARED if any(trait.parts for trait in traits) else _INTERVALS)
    return tag("p", " ".join(sentences), class_="result-muted")


_COMPARED = "See Charts for comparisons with confidence intervals."
_INTERVALS = "See Charts for confidence intervals."


def _has_mean(trait: TraitFigures) -> bool:
    return not _is_literal(trait)


def _rows(trait: TraitFigures) -> Iterator[Html]:
    if not trait.parts:
        yield from _row(trait, scale_in_words(trait.scale))
        return
    yield tag("span", trait.name, tag("small", scale_in_words(trait.scale)), class_="rate-head")
    for part in trait.parts.values():
        yield from _row(part, "")


def _row(trait: TraitFigures, scale: str) -> tuple[Html, Html, Html]:
    if not trait.number:
        return _row_without_scores(trait)
    missing = _missing(trait)
    parts = [
        figure_link(TRAIT_RESULTS, classes) if (classes := _classes(trait)) else None,
        tag("span", scale) if scale else None,
        *_number(trait),
        figure_link(TRAIT_MISSING, missing) if missing else None,
    ]
    small = join_html([piece for part in parts if part is not None for piece in (" · ", part)][1:])
    text = _figures(trait)
    mean = figure_link(TRAIT_MEAN, text) if text else None
    figures = tag("span", mean, tag("small", small) if small else None, class_="rate-n rate-wrap")
    return tag("span", trait.name, class_="rate-key breaks"), _bar(trait), figures


def _row_without_scores(trait: TraitFigures) -> tuple[Html, Html, Html]:
    lacking = tag("small", figure_link(TRAIT_MISSING, _missing(trait))) if trait.requested else None
    none = tag("span", "no scores", lacking, class_="rate-n rate-wrap")
    return tag("span", trait.name, class_="rate-key breaks"), tag("span"), none


def _figures(trait: TraitFigures) -> str | None:
    if trait.mean is None or _is_literal(trait):
        return None
    if trait.is_boolean:
        return f"{percent(trait.mean)} yes · {trait.yes:,} of {quantity(trait.number, 'result')}"
    return f"{trait.mean:.2f}"


def _missing(trait: TraitFigures) -> str:
    """Format missing scores: `6 of 60 without a score (4 out of scale)`; empty if there are none."""
    outside = f" ({trait.out_of_scale:,} out of scale)" if trait.out_of_scale else ""
    return f"{trait.missing:,} of {trait.requested:,} without a score{outside}" if trait.missing else ""


def _bar(trait: TraitFigures) -> Html:
    """Bar in the color of the trait's direction; the text beside it has the same content."""
    if trait.scale_position is None or _is_literal(trait):
        return tag("span")
    better = trait.scale.higher_is_better if trait.scale else None
    look = "" if better is None else "rate-good" if better else "rate-poor"
    share = tag("span", style=f"width:{100 * trait.scale_position:.1f}%", class_=look or None)
    return tag("span", share, class_="rate-bar", aria_hidden="true")


def _classes(trait: TraitFigures) -> str:
    """Format counts of classes in their order: `casual 2 · formal 1`."""
    if not _is_literal(trait):
        return ""
    classes = (trait.scale.classes if trait.scale else None) or []
    # -1 stands for a score outside the classes.
    names = [*range(len(classes)), -1]
    return " · ".join(
        f"{classes[at] if at >= 0 else 'none of them'} {trait.counts[at]:,}" for at in names if trait.counts.get(at)
    )


def _number(trait: TraitFigures) -> Iterator[Html]:
    if trait.is_boolean or _is_literal(trait):
        return
    yield figure_link(TRAIT_RESULTS, quantity(trait.number, "result"))
    if trait.deviation is not None:
        yield figure_link(SINGLE_SPREAD, f"SD {trait.deviation:.2f}")


def _is_literal(trait: TraitFigures) -> bool:
    return trait.scale is not None and trait.scale.kind == "literal" and bool(trait.scale.classes)
