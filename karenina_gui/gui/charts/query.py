"""Chart and filters as a query string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from karenina_gui.gui.pages.results.query import OF_CHARTS, ResultQuery, parameters

SEVERAL = ("answering", "condition")
"""Parameters with several values, separated by commas."""
SEVERAL_WORDS = ("model", "condition")
"""Their names in the URL."""
SMALLEST, LARGEST = 1e-4, 1e6
"""Minimum and maximum target half width."""
CLUSTERED = "keyword"
"""Value of the parameter for clustered intervals."""
NAMES = {
    "trait": "metric",
    "answering": "model",
    "condition": "condition",
    "judge": "judge",
    "keyword": "keyword",
    "question_id": "question",
    "against": "against",
}
"""Fields of `ChartRequest` and their names in the URL."""
FILTERS_OF_RESULTS = {
    "text": "search",
    "outcome": "outcome",
    "reason": "reason",
    "trait": "score",
    "is": "score",
    "replicate": "replicate",
    "field": "field",
}
"""Filters of the results table that charts cannot apply, by their parameters, with their names for users."""
OF_RESULTS = (*FILTERS_OF_RESULTS, "group", "sort")
"""Parameters of the results table, which the charts pass on."""
WITHIN = ("chart", "view", "errors", "clusters", "within", *NAMES.values(), *OF_RESULTS)
"""All parameters that the URL accepts."""


@dataclass(frozen=True, slots=True)
class ChartQuery:
    """Selected chart and filters; the default is the first chart of all results."""

    chart: ChartKind = CHARTS[0]
    request: ChartRequest = field(default_factory=ChartRequest)
    table: bool = False
    """True: show the table in place of the figure."""
    of_results: tuple[tuple[str, str], ...] = ()
    """Parameters of the results table, to return to it."""

    @classmethod
    def from_results(cls, query: ResultQuery) -> ChartQuery:
        """Return the chart and the filters that `as_results` turned into this query."""
        values = dict(parse_qsl(str(query)))
        values |= {word: _escape(values[word]) for word in SEVERAL_WORDS if word in values}
        return cls.from_query({word: values[f"{word}s"] for word in SEVERAL_WORDS if f"{word}s" in values} | values)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ChartQuery:
        """Parse a query string; unknown and invalid parameters are ignored."""
        charts = {chart.name: chart for chart in CHARTS}
        parts: dict[str, Any] = {
            name: _parts(query[word]) if name in SEVERAL else query[word]
            for name, word in NAMES.items()
            if query.get(word)
        }
        clustered = query.get("clusters") == CLUSTERED
        request = ChartRequest(
            errors_as_failures=query.get("errors") == "fail",
            within=size(query.get("within")),
            clustered=clustered,
            **parts,
        )
        of_results = parameters(query, OF_RESULTS)
        return cls(charts.get(query.get("chart", ""), CHARTS[0]), request, query.get("view") == "table", of_results)

    def with_changes(self, **changes: Any) -> ChartQuery:
        """Return the same chart with a changed request."""
        return replace(self, request=replace(self.request, **changes))

    def without_filters(self) -> ChartQuery:
        """Return the same metric and view without filters."""
        of = self.request
        request = ChartRequest(
            of.trait, of.errors_as_failures, against=of.against, within=of.within, clustered=of.clustered
        )
        return replace(self, request=request)

    @property
    def filtered(self) -> bool:
        """Return True if a filter excludes results."""
        return self.without_filters() != self

    def __str__(self) -> str:
        """Return the query string without the question mark."""
        parts = {"chart": self.chart.name}
        for name, word in NAMES.items():
            value = getattr(self.request, name)
            if value:
                parts[word] = ",".join(map(_escape, value)) if name in SEVERAL else value
        if self.request.errors_as_failures:
            parts["errors"] = "fail"
        if self.request.clustered:
            parts["clusters"] = CLUSTERED
        if self.request.within is not None:
            # Ten digits hide rounding: 0.1 + 0.2 must be 0.3 in the URL.
            parts["within"] = f"{self.request.within:.10g}"
        if self.table:
            parts["view"] = "table"
        return urlencode(parts | dict(self.of_results))

    def as_results(self) -> ResultQuery:
        """Return the query of the results table with the same filters."""
        return ResultQuery.from_query(self._results_parameters({}) | dict(self.of_results))

    def results(self, link: Mapping[str, str]) -> str:
        """Return the query of the results table for a mark, combined with the filters; it leads back to the chart."""
        return urlencode(self._results_parameters(link))

    def _results_parameters(self, link: Mapping[str, str]) -> dict[str, str]:
        values = dict(parse_qsl(str(self)))
        # The results table has one value per filter.
        several = {
            f"{word}s": values[word] for word in SEVERAL_WORDS if word in values and len(_parts(values[word])) > 1
        }
        of_charts = {word: value for word, value in values.items() if word in OF_CHARTS}
        request = self.request
        only = {
            "model": request.answering[0] if len(request.answering) == 1 else None,
            "condition": request.condition[0] if len(request.condition) == 1 else None,
            "judge": request.judge,
            "keyword": request.keyword,
            "question": request.question_id,
        }
        return {word: value for word, value in only.items() if value} | dict(link) | of_charts | several


def size(value: object) -> float | None:
    """Parse a half width, rounded to ten digits; None: not a valid half width."""
    try:
        width = float(f"{float(value):.10g}")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return width if SMALLEST <= width <= LARGEST else None


def _escape(name: str) -> str:
    # Names of models and conditions can contain the comma that separates them.
    return name.replace("%", "%25").replace(",", "%2C")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.replace("%2C", ",").replace("%25", "%") for part in text.split(",") if part)
