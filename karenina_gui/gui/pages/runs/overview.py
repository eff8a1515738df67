"""Summary of a run: pass rates by model and by keyword, trait scores, and cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.figures import MEAN
from karenina_gui.analysis.costs import RESULT_COST, RUN_COST, TOKENS, Cost
from karenina_gui.analysis.rates import NO_VERDICT, OUTCOMES, PASS_RATE, Rate, Summary
from karenina_gui.analysis.trait_figures import SINGLE_SPREAD, TRAIT_MEAN, TRAIT_MISSING, TRAIT_RESULTS, TraitFigures
from karenina_gui.gui.kit.figure_links import figure_heading, figure_link
from karenina_gui.gui.kit.html import Html, icon, join_html, link, mark, table, tag
from karenina_gui.gui.kit.verdicts import REASONS
from karenina_gui.gui.pages.prices.price_text import at_least, in_dollars, in_words, model_in_words, reasons
from karenina_gui.gui.pages.results.trait_rows import scale_in_words
from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.extraction import method_in_words
from karenina_gui.schemas.outcome import JUDGED, Outcome
from karenina_gui.text import join_list, percent, quantity, verb

WEIGHED = "Means and percentages weight each question equally."

Intervals = Mapping[str, tuple[float, float]]
"""95% CI of the pass rate by model and condition."""


def overview(
    summary: Summary,
    traits: Sequence[TraitFigures],
    spent: Cost,
    results: str = "",
    ends: Intervals | None = None,
) -> Html:
    """HTML of the pass rates (by model and condition, by judge, by keyword), the traits, and the cost.

    Results without a verdict are counted apart. Without verdicts, the rates are omitted. `results`: address of the
    table that outcomes lead to; empty: to none. `ends`: intervals; None: not computed.
    """
    if not summary.outcomes:
        return tag("p", "No results yet.", class_="result-muted")
    pass_rates = _pass_rates(summary, ends or {})
    weighed = tag("p", WEIGHED, class_="result-muted") if pass_rates or any(map(_has_mean, traits)) else None
    scored = trait_view(traits, summary.judgments, conditions=bool(summary.by_condition))
    counts = [_outcomes(summary, results), _judgments(summary), *_extractions(summary)]
    return join_html([*counts, weighed, *pass_rates, scored, _cost(spent)])


def rate_text(rate: Rate) -> str:
    """Format a rate: `77% · 23 of 30 results`, or a text if there are no verdicts."""
    if rate.value is None:
        return "no verdicts"
    return f"{percent(rate.value)} · {rate.passed:,} of {quantity(rate.judged, 'result')}"


def excluded_text(rate: Rate) -> str:
    """Format the counts of results without a verdict: `2 without a verdict`; empty if there are none."""
    return f"{rate.left_out:,} without a verdict" if rate.left_out else ""


def _pass_rates(summary: Summary, ends: Intervals) -> list[Html]:
    by_model = "Pass rate by model and condition" if summary.by_condition else "Pass rate by model"
    tables = [
        (by_model, summary.by_model, ends),
        ("By condition", summary.by_condition if 1 < len(summary.by_condition) < len(summary.by_model) else {}, {}),
        ("By judge", summary.by_judge if len(summary.by_judge) > 1 else {}, {}),
        ("By keyword", summary.by_keyword, {}),
    ]
    return [_rates(*about) for about in tables if about[1] and not summary.only_traits]


def intervals(finding: Finding) -> Intervals:
    """Intervals in the table of scores by configuration; empty: the scores are not verdicts."""
    if finding.metric.trait is not None:
        return {}
    rows = (dict(zip(finding.table.columns, row, strict=True)) for row in finding.table.rows)
    return {
        combined_name(str(row["Model"]), None if row["Condition"] is None else str(row["Condition"])): (low, high)
        for row in rows
        for low, high in [(row["95% CI low"], row["95% CI high"])]
        if isinstance(low, float) and isinstance(high, float)
    }


def _outcomes(summary: Summary, results: str) -> Html:
    counts: list[tuple[Outcome, int]] = [
        (outcome, summary.outcomes.get(outcome, 0)) for outcome in (*JUDGED, "error", "unscored")
    ]
    marks = (
        tag(
            "span",
            link(f"{results}?outcome={outcome}", mark(outcome), class_="overview-outcome")
            if results
            else mark(outcome),
            figure_link(OUTCOMES, f" {count:,}", _reasons(summary, outcome)),
            class_="overview-count",
        )
        for outcome, count in counts
        if count and not (summary.only_traits and outcome == "unscored")
    )
    return tag("div", _scored_count(summary), *marks, class_="overview-counts flow")


def _scored_count(summary: Summary) -> Html | None:
    """Number of scored results in a run without verdicts; else None."""
    if not summary.only_traits:
        return None
    every = sum(summary.outcomes.values())
    text = f"{summary.scored:,} of {quantity(every, 'result')} {verb(every, 'has', 'have')} trait scores. "
    return tag(
        "span",
        figure_link(TRAIT_RESULTS, text),
        tag("small", "Rubric only: no pass or fail.", class_="result-muted"),
    )


def _judgments(summary: Summary) -> Html | None:
    """Explain the unit of the counts if it is not the answer."""
    if summary.judgments < 2:
        return None
    text = f"Each answer has {quantity(summary.judgments, 'judgment')}. Counts are of judgments, not answers."
    return tag("p", text, class_="result-muted")


def _extractions(summary: Summary) -> list[Html]:
    """Note for each judge with several output methods."""
    return [
        tag(
            "div",
            icon("info"),
            tag(
                "div",
                f"Judge {judge} did not always use the same output method: ",
                ", ".join(f"{_ways(methods)} for {number:,}" for methods, number in ways.items()),
                " results. Judgments may differ where no schema is enforced. See Tokens and cost in each result.",
            ),
            class_="note",
        )
        for judge, ways in summary.mixed_extraction.items()
    ]


def _ways(methods: str) -> str:
    return join_list([method_in_words(method) for method in methods.split(", ")])


def _reasons(summary: Summary, outcome: Outcome) -> Html | None:
    """Reasons with counts, `(Timeout 3, Connection 2)`; None if the outcome has only one."""
    every = summary.outcomes[outcome]
    parts = [
        REASONS[reason][0] + (f" {number:,}" if number < every else "")
        for (of, reason), number in summary.reasons.items()
        if of == outcome
    ]
    return tag("small", f" ({', '.join(parts)})", class_="result-muted") if parts else None


def _cost(spent: Cost) -> Html | None:
    """Cost of the run; None if no model was called."""
    if not spent.by_model and not spent.untold:
        return None
    rows = [
        (
            model_in_words(model_cost.tokens.model),
            figure_link(TOKENS, f"{model_cost.tokens.input:,}"),
            figure_link(TOKENS, f"{model_cost.tokens.output:,}"),
            figure_link(RUN_COST, at_least(model_cost.dollars, exact=model_cost.exact)),
        )
        for model_cost in spent.by_model
    ]
    per_result = (
        figure_link(RESULT_COST, f" · {in_dollars(spent.dollars / spent.results)} per result")
        if spent.is_known and spent.results
        else None
    )
    return tag(
        "section",
        figure_heading("Cost", RUN_COST),
        tag("p", figure_link(RUN_COST, tag("b", in_words(spent))), per_result, class_="overview-cost"),
        table(("Model", "Input tokens", "Output tokens", "Cost"), rows, caption="Cost by model", numeric=(1, 2, 3)),
        reasons(spent),
        class_="overview-part",
    )


def _rates(name: str, rates: Mapping[str, Rate], ends: Intervals) -> Html:
    rows = (part for key, rate in rates.items() for part in _row(key, rate, ends.get(key)))
    return tag("section", figure_heading(name, PASS_RATE), tag("div", *rows, class_="rate"), class_="overview-part")


def _row(key: str, rate: Rate, ends: tuple[float, float] | None) -> tuple[Html, Html, Html]:
    share = f"width:{100 * (rate.value or 0):.1f}%"
    bar = tag("span", tag("span", style=share), class_="rate-bar", aria_hidden="true")
    left_out = excluded_text(rate)
    pass_rate = figure_link(PASS_RATE, rate_text(rate))
    interval = f"95% CI {percent(ends[0])} to {percent(ends[1])}" if ends else None
    figures = tag(
        "span",
        pass_rate,
        tag("small", figure_link(MEAN, interval)) if interval else None,
        tag("small", figure_link(NO_VERDICT, left_out)) if left_out else None,
        class_="rate-n",
    )
    return tag("span", key, class_="rate-key breaks"), bar, figures


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
    advice = _COMPARED if any(trait.parts for trait in traits) else _INTERVALS
    return tag("p", f"Counts are of {counted}. {advice}", class_="result-muted")


_COMPARED = "See Charts for comparisons with confidence intervals."
_INTERVALS = "See Charts for confidence intervals."


def _has_mean(trait: TraitFigures) -> bool:
    return not _is_literal(trait)


def _rows(trait: TraitFigures) -> Iterator[Html]:
    if not trait.parts:
        yield from _row_trait_view(trait, scale_in_words(trait.scale))
        return
    yield tag("span", trait.name, tag("small", scale_in_words(trait.scale)), class_="rate-head")
    for part in trait.parts.values():
        yield from _row_trait_view(part, "")


def _row_trait_view(trait: TraitFigures, scale: str) -> tuple[Html, Html, Html]:
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
