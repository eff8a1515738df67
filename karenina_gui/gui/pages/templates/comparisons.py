"""Comparisons as the form names and explains them: titles, examples, and names of their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from karenina_gui.schemas.primitives import PRIMITIVES
from karenina_gui.schemas.template_placeholders import OPEN
from karenina_gui.text import join_list

SettingKind = Literal["number", "whole_number", "text", "lines", "yes_no", "choice", "flags", "normalize"]


@dataclass(frozen=True)
class ComparisonText:
    title: str
    example: str
    """One sentence that shows what passes."""

    @property
    def hint(self) -> str:
        """The example marked as one, so that its values are not taken for those of the field above it."""
        is_example = self.example.startswith(("Expected ", "With ", "From ", "At most "))
        return f"Example: {self.example[0].lower()}{self.example[1:]}" if is_example else self.example


COMPARISONS: Mapping[str, ComparisonText] = {
    "BooleanMatch": ComparisonText("Same value", "Expected yes: yes passes, no fails."),
    "ExactMatch": ComparisonText("Same text", "Expected BCL2: “bcl2” passes as long as case is ignored."),
    "ContainsAny": ComparisonText("Contains one of", "With BCL2 and BCL-2: “the BCL-2 protein” passes."),
    "ContainsAll": ComparisonText(
        "Contains all of", "With liver and kidney: “kidney and liver” passes, “liver” fails."
    ),
    "RegexMatch": ComparisonText("Matches a pattern", r"With \d+ mg: “20 mg daily” passes, “20 grams” fails."),
    "LiteralMatch": ComparisonText("Exactly the same", "Case and spaces count. Expected p53: “P53” fails."),
    "SemanticMatch": ComparisonText(
        "Similar in meaning", "Templates cannot check this. Use another comparison, or the run’s embedding check."
    ),
    "NumericExact": ComparisonText("Same number", "Expected 3: 3 and 3.0 pass, 3.01 fails."),
    "NumericTolerance": ComparisonText("Within a tolerance", "Expected 100 with 5%: 96 and 104 pass, 94 fails."),
    "NumericRange": ComparisonText(
        "In a range", "From 60 to 80: 72 passes. The range decides, not the expected value."
    ),
    "NumericMinimum": ComparisonText("At least the expected value", "Expected 100: 100 and 250 pass, 99 fails."),
    "NumericMaximum": ComparisonText("At most the expected value", "Expected 100: 100 and 3 pass, 101 fails."),
    "NumericGraded": ComparisonText(
        "Partial credit by distance", "Expected 100, none from 20%: 100 gets full credit, 110 half, 125 none."
    ),
    "NumericRangeGraded": ComparisonText(
        "Partial credit around a range", "From 60 to 80 with margin 10: 70 gets full credit, 85 half, 90 none."
    ),
    "NumericThresholdGraded": ComparisonText(
        "Partial credit beyond a limit", "At least 100 with margin 10%: 100 gets full credit, 95 half, 90 none."
    ),
    "SetContainment": ComparisonText(
        "Same items, any order", "Expected liver, kidney: “kidney, liver” passes, “Kidney, liver” fails."
    ),
    "OrderedMatch": ComparisonText("Same items, same order", "Expected G1, S, G2: “S, G1, G2” fails."),
    "DateMatch": ComparisonText("Same day", "Expected 2021-03-03: “March 3, 2021” passes."),
    "DateTolerance": ComparisonText("Close in time", "Expected 2021-03-03 with 2 days: 2021-03-05 passes."),
    "DateRange": ComparisonText("In a period", "From 2021-01-01 to 2021-12-31: 2021-07-04 passes."),
    "TraceContains": ComparisonText("Text in the answer", "With p < 0.05: passes if the answer contains exactly this."),
    "TraceRegex": ComparisonText("Pattern in the answer", r"With \d+ mg: passes if the answer has “20 mg” anywhere."),
    "TraceLength": ComparisonText("Length of the answer", "At most 100 words: passes for a short answer."),
}
"""Every comparison, by its class name."""

SETTINGS: Mapping[str, str] = {
    "tolerance": "Tolerance",
    "mode": "Measured",
    "min": "From",
    "max": "To",
    "exclusive_min": "Lower end excluded",
    "exclusive_max": "Upper end excluded",
    "exclusive": "Value itself excluded",
    "normalize": "Ignore",
    "substrings": "Texts, one per line",
    "pattern": "Pattern",
    "flags": "Options",
    "threshold": "Similarity",
    "cutoff": "No credit from",
    "full_credit": "Full credit up to",
    "decay": "Credit falls",
    "margin": "Margin",
    "direction": "Direction",
    "min_overlap": "Items in common",
    "format": "Date format",
    "unit": "Unit",
    "count_min": "Minimum occurrences",
    "substring": "Text",
}
"""Titles of settings."""

TITLES: Mapping[tuple[str, str], str] = {
    ("SetContainment", "mode"): "Passes with",
    ("DateRange", "min"): "From (YYYY-MM-DD)",
    ("DateRange", "max"): "To (YYYY-MM-DD)",
}
"""Titles of settings that mean something else in one comparison."""

HINTS: Mapping[str, str] = {
    "format": "optional, such as %d.%m.%y",
}
"""Hints of settings whose title does not say what to enter."""

STARTS: Mapping[str, Mapping[str, Any]] = {
    "ContainsAny": {"substrings": [OPEN], "normalize": ["lowercase"]},
    "ContainsAll": {"substrings": [OPEN], "normalize": ["lowercase"]},
    "RegexMatch": {"pattern": OPEN, "flags": ["IGNORECASE"]},
    "NumericTolerance": {"tolerance": 0.05, "mode": "relative"},
    "NumericRange": {"min": OPEN, "max": OPEN},
    "NumericGraded": {"cutoff": 0.2, "mode": "relative"},
    "NumericRangeGraded": {"min": OPEN, "max": OPEN, "margin": OPEN},
    "NumericThresholdGraded": {"direction": "min", "margin": 0.1, "mode": "relative"},
    "DateTolerance": {"tolerance": 1, "unit": "days"},
    "DateRange": {"min": OPEN, "max": OPEN},
    "TraceContains": {"substring": OPEN},
    "TraceRegex": {"pattern": OPEN},
    "TraceLength": {"max": 100, "unit": "words"},
}
"""Settings with which a comparison begins once it is selected; the others begin with none."""

OPTIONS: Mapping[str, str] = {
    "relative": "in % of the expected value",
    "absolute": "in the value’s unit",
    "linear": "evenly",
    "quadratic": "slowly at first",
    "max": "at most",
    "min": "at least",
    "exact": "exactly the expected items",
    "subset": "only expected items, not all",
    "superset": "all expected items and more",
    "overlap": "some expected items",
    "days": "days",
    "hours": "hours",
    "minutes": "minutes",
    "chars": "characters",
    "words": "words",
}
"""Titles of the options of settings."""

FLAGS: Mapping[str, str] = {
    "IGNORECASE": "Ignore case",
    "MULTILINE": "^ and $ also match at the ends of each line",
    "DOTALL": "The dot also matches line breaks",
}
"""Options of patterns that the form offers."""

NORMALIZERS: Mapping[str, str] = {
    "lowercase": "case",
    "strip": "surrounding spaces",
    "remove_punctuation": "punctuation",
    "collapse_whitespace": "repeated spaces",
}
"""Differences between texts that a comparison can ignore."""

SHARES = ("tolerance", "cutoff", "full_credit", "margin")
"""Settings that are fractions of the expected value, shown in percent, where `mode` is `relative`."""


@dataclass(frozen=True)
class Setting:
    """One setting of a comparison."""

    comparison: str
    name: str
    kind: SettingKind
    default: Any
    """None: it has none, or its default is None."""
    options: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return TITLES.get((self.comparison, self.name), SETTINGS[self.name])

    @property
    def hint(self) -> str:
        return HINTS.get(self.name, "")


def settings_of(comparison: str) -> list[Setting]:
    """Settings of a comparison, in their order."""
    return [_setting(comparison, name, field) for name, field in PRIMITIVES[comparison].model_fields.items()]


def _setting(comparison: str, name: str, field: FieldInfo) -> Setting:
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    options = _options(field.annotation)
    return Setting(comparison, name, "choice" if options else _kind(name, field.annotation), default, options)


def _kind(name: str, annotation: Any) -> SettingKind:
    if name in _LISTS:
        return _LISTS[name]
    kinds: dict[Any, SettingKind] = {float: "number", int: "whole_number", bool: "yes_no", str: "text"}
    return kinds.get(_without_none(annotation), "lines")


_LISTS: Mapping[str, SettingKind] = {"flags": "flags", "normalize": "normalize"}
"""Lists that are shown as choices."""


def _options(annotation: Any) -> tuple[str, ...]:
    bare = _without_none(annotation)
    return tuple(map(str, get_args(bare))) if get_origin(bare) is Literal else ()


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        return get_args(annotation)[0]
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return _without_none(kinds[0]) if len(kinds) == 1 else annotation


def settings_in_words(comparison: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Titles and values of settings as the form shows them, in the form's order.

    Defaults are left out, except for what a comparison of texts ignores, which authors overlook.
    """
    relative = values.get("mode") == "relative"
    changed = [
        (setting.title, _value_in_words(setting.name, values[setting.name], relative=relative))
        for setting in settings_of(comparison)
        if setting.name in values and (setting.name == "normalize" or values[setting.name] != setting.default)
    ]
    return [(title, value) for title, value in [*changed, ("Also accept", _other_names(values))] if value]


def _other_names(values: Mapping[str, Any]) -> str:
    """Names of the expected value that a comparison of texts also accepts."""
    tables = (normalizer for normalizer in values.get("normalize") or () if isinstance(normalizer, Mapping))
    return join_list([str(name) for table in tables for name in table.get("mapping") or ()])


def _value_in_words(name: str, value: Any, *, relative: bool) -> str:
    if isinstance(value, list):
        return join_list([_NAMES.get(str(item), str(item)) for item in value if not isinstance(item, Mapping)])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if relative and name in SHARES and isinstance(value, int | float):
        return f"{value * 100:g}%"
    return f"{value:g}" if isinstance(value, float) else _NAMES.get(str(value), str(value))


_NAMES: Mapping[str, str] = {**OPTIONS, **FLAGS, **NORMALIZERS}
