"""Filter and order of a results table as a query string."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args
from urllib.parse import urlencode

from karenina_gui.gui.kit.verdicts import REASONS
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result_summaries import GroupKey, ResultFilter, ResultSort, SortKey

NAMES = {
    "text": "text",
    "answering": "model",
    "condition": "condition",
    "judge": "judge",
    "question_id": "question",
    "keyword": "keyword",
    "category": "reason",
    "trait": "trait",
    "failed_field": "field",
}
"""Plain filters and their parameters."""

YES_OR_NO = {
    "yes": (True, False),
    "no": (False, False),
    "yes-or-none": (True, True),
    "no-or-none": (False, True),
}
"""Values of a trait filter: (score, whether results without a score match)."""
OF_CHARTS = ("chart", "view", "errors", "clusters", "within", "metric", "against", "models", "conditions")
"""Parameters of the charts of a run, which its table passes on."""
GROUPS: dict[str, GroupKey] = {
    "question": "question_id",
    "model": "answering",
    "reason": "category",
    "field": "failed_field",
}
"""Values of the parameter for groups."""
LONGEST_TEXT = 1000
"""Maximum characters of a search text, as servers limit the length of URLs."""
LONGEST_NUMBER = 10
"""Maximum digits of a number."""


@dataclass(frozen=True, slots=True)
class ResultQuery:
    """Filter and order of a results table."""

    filter: ResultFilter = field(default_factory=ResultFilter)
    sort: ResultSort = field(default_factory=ResultSort)
    group: GroupKey | None = None
    """Filter by which the page lists groups of results; None: by none."""
    of_charts: tuple[tuple[str, str], ...] = ()
    """Parameters of the charts, to return to them."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ResultQuery:
        """Parse a query string; unknown and invalid parameters are ignored."""
        values: dict[str, Any] = {name: query[word] for name, word in NAMES.items() if query.get(word)}
        if values.get("category") not in REASONS:
            values.pop("category", None)
        outcomes = tuple(o for o in query.get("outcome", "").split(",") if o in get_args(Outcome))
        replicate = query.get("replicate", "")
        trait_is, trait_or_none = YES_OR_NO.get(query.get("is", "") if "trait" in values else "", (None, False))
        result_filter = ResultFilter(
            outcomes=cast(tuple[Outcome, ...], outcomes),
            # The sqlite3 module raises OverflowError for integers above 64 bits.
            replicate=int(replicate) if replicate.isdecimal() and len(replicate) < LONGEST_NUMBER else None,
            trait_is=trait_is,
            trait_or_none=trait_or_none,
            **values,
        )
        group = GROUPS.get(query.get("group", ""))
        return cls(result_filter, _sort(query.get("sort", "")), group, parameters(query, OF_CHARTS))

    def with_changes(self, **changes: Any) -> ResultQuery:
        """Return a copy with changed filters and the same order."""
        return replace(self, filter=replace(self.filter, **changes))

    @property
    def filtered(self) -> bool:
        return self.filter != ResultFilter()

    def __str__(self) -> str:
        """Return the query string without the question mark; empty: the whole table in its default order."""
        parts = {word: value for name, word in NAMES.items() if (value := getattr(self.filter, name))}
        if self.filter.outcomes:
            parts["outcome"] = ",".join(self.filter.outcomes)
        if self.filter.replicate is not None:
            parts["replicate"] = str(self.filter.replicate)
        if self.filter.trait_is is not None:
            chosen = (self.filter.trait_is, self.filter.trait_or_none)
            parts["is"] = dict(zip(YES_OR_NO.values(), YES_OR_NO, strict=True))[chosen]
        if self.sort != ResultSort():
            parts["sort"] = ("-" if self.sort.descending else "") + self.sort.key
        if self.group is not None:
            parts["group"] = dict(zip(GROUPS.values(), GROUPS, strict=True))[self.group]
        return urlencode(parts | dict(self.of_charts))

    def after(self, path: str) -> str:
        """Append this query to `path`."""
        query = str(self)
        return f"{path}?{query}" if query else path


def parameters(query: Mapping[str, str], words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return these parameters of a query, without empty ones."""
    return tuple((word, query[word]) for word in words if query.get(word))


def _sort(word: str) -> ResultSort:
    key = word.removeprefix("-")
    if key not in get_args(SortKey):
        return ResultSort()
    return ResultSort(cast(SortKey, key), descending=word.startswith("-"))
