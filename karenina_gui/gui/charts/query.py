"""Which chart of a run is shown, of which results: as the query of an address, so that it can be reloaded and sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from karenina_gui.analysis.charts.request import ChartRequest
from karenina_gui.gui.charts.addresses import NAMES
from karenina_gui.gui.charts.charts import CHARTS, ChartKind

SEVERAL = ("answering", "condition")
"""Those of them that may have several values: a comma stands between these."""
SMALLEST, LARGEST = 1e-4, 1e6
"""Half widths that can be wanted."""
CLUSTERED = "keyword"
"""The one way in which questions are put together."""


@dataclass(frozen=True, slots=True)
class ChartQuery:
    """The default is the first chart of all results."""

    chart: ChartKind = CHARTS[0]
    request: ChartRequest = field(default_factory=ChartRequest)
    table: bool = False
    """Whether it is shown as a table."""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> ChartQuery:
        """From an address; what it does not understand, it leaves out."""
        charts = {chart.name: chart for chart in CHARTS}
        given: dict[str, Any] = {
            name: _parts(query[word]) if name in SEVERAL else query[word]
            for name, word in NAMES.items()
            if query.get(word)
        }
        clustered = query.get("clusters") == CLUSTERED
        request = ChartRequest(
            errors_as_failures=query.get("errors") == "fail",
            within=size(query.get("within")),
            clustered=clustered,
            **given,
        )
        return cls(charts.get(query.get("chart", ""), CHARTS[0]), request, query.get("view") == "table")

    def changed(self, **changes: Any) -> ChartQuery:
        """The same chart with another request."""
        return replace(self, request=replace(self.request, **changes))

    def unfiltered(self) -> ChartQuery:
        """The same metric of all results, looked at in the same way."""
        of = self.request
        kept = ChartRequest(
            of.trait, of.errors_as_failures, against=of.against, within=of.within, clustered=of.clustered
        )
        return replace(self, request=kept)

    @property
    def filtered(self) -> bool:
        """Whether some results are left out."""
        return self.unfiltered() != self

    def __str__(self) -> str:
        """As it stands in an address, without the question mark."""
        parts = {"chart": self.chart.name}
        for name, word in NAMES.items():
            value = getattr(self.request, name)
            if value:
                parts[word] = ",".join(map(_escaped, value)) if name in SEVERAL else value
        if self.request.errors_as_failures:
            parts["errors"] = "fail"
        if self.request.clustered:
            parts["clusters"] = CLUSTERED
        if self.request.within is not None:
            parts["within"] = f"{self.request.within:.10g}"
        if self.table:
            parts["view"] = "table"
        return urlencode(parts)

    def results(self, link: Mapping[str, str]) -> str:
        """The query of the results table behind a mark: where it leads, among what this filter shows."""
        request = self.request
        only = {
            "model": request.answering[0] if len(request.answering) == 1 else None,
            "condition": request.condition[0] if len(request.condition) == 1 else None,
            "judge": request.judge,
            "keyword": request.keyword,
            "question": request.question_id,
        }
        return urlencode({word: value for word, value in only.items() if value} | dict(link))


def size(given: object) -> float | None:
    """Of an interval, as an address or a reader gives it, to ten digits; None: it is none that an interval can have."""
    try:
        found = float(f"{float(given):.10g}")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if SMALLEST <= found <= LARGEST else None


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace(",", "%2C")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.replace("%2C", ",").replace("%25", "%") for part in text.split(",") if part)
