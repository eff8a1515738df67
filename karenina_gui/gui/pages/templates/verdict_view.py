"""Verdict on a trial answer as HTML: overall, by field and pattern, and the code's output."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.kit.expected_found import format_value, with_acceptance
from karenina_gui.gui.kit.html import Html, icon, join_html, table, tag, tick
from karenina_gui.gui.pages.templates.outline_view import comparison_text
from karenina_gui.gui.pages.templates.problems import plain_error
from karenina_gui.schemas.template import TemplateField, TemplateOutline, TemplateVerdict


def verdict_view(verdict: TemplateVerdict, outline: TemplateOutline) -> Html:
    if verdict.error:
        line = f" (line {verdict.error_line})" if verdict.error_line else ""
        return join_html([problem_view(f"{plain_error(verdict.error)}{line}"), _output(verdict)])
    whole = tick(verdict.passed, yes="Passes", no="Fails", none="No verdict")
    partial = (
        tag("span", f"partial credit {verdict.granular:.2f}", class_="hint") if _has_partial_credit(verdict) else None
    )
    return join_html(
        [
            tag("div", whole, partial, class_="try-whole"),
            _fields(verdict, outline),
            _patterns(verdict),
            _output(verdict),
        ]
    )


def problem_view(message: str, *, hint: bool = False) -> Html:
    """Return a message shown in place of a verdict."""
    if hint:
        return tag("p", message, class_="hint")
    return tag("div", icon("warning"), tag("div", message), class_="note note-warn", role="alert")


def _fields(verdict: TemplateVerdict, outline: TemplateOutline) -> Html | None:
    if not outline.fields:
        return None
    results, scores = verdict.field_results or {}, verdict.field_scores or {}
    scored = any(score not in (None, 0.0, 1.0) for score in scores.values())
    truth = verdict.ground_truth or {}
    rows = [
        (
            tag("code", field.name),
            _found_value(field, verdict),
            with_acceptance(format_value(truth.get(field.name)), field.accepts),
            _mark(field, results, truth.get(field.name), verdict.parsed.get(field.name)),
            *([_score(scores.get(field.name))] if scored else []),
        )
        for field in outline.fields
    ]
    headers = ["Field", "Found", "Expected", "Verdict", *(["Score"] if scored else [])]
    return table(headers, rows, caption="Field verdicts", numeric=[4] if scored else [])


def _found_value(field: TemplateField, verdict: TemplateVerdict) -> Html | str:
    if field.is_trace:
        return "in the answer"
    return format_value(verdict.parsed.get(field.name)) or tag("span", "no value", class_="hint")


def _mark(field: TemplateField, results: dict[str, bool | None], expected: Any, extracted: Any) -> Html:
    neither = "no value" if results else "by verify()"
    no = difference(field, expected, extracted)
    return tag("span", tick(results.get(field.name), no=no, none=neither), title=comparison_text(field))


def difference(field: TemplateField, expected: Any, extracted: Any) -> str:
    """Say what makes a value differ from the expected one: `missing: liver; too much: heart`."""
    if _differs_only_in_case(field, expected, extracted):
        ignorable = "normalize" in field.settings
        return "differs only in case: check “case” under Ignore to accept it" if ignorable else "differs only in case"
    if not (isinstance(expected, list) and isinstance(extracted, list)):
        return "differs"
    parts = _item_differences(field, expected, extracted)
    texts = [f"{what}: {', '.join(items)}" for what, items in parts.items() if items]
    return "; ".join(texts) or ("in another order" if field.primitive == "OrderedMatch" else "differs")


def _item_differences(field: TemplateField, expected: list[Any], extracted: list[Any]) -> dict[str, list[str]]:
    """Items that are missing, too much, or differ only in case."""
    mode = field.settings.get("mode", "exact")
    needed, items = _items(field, expected), _items(field, extracted)
    missing = [] if mode == "subset" else _without(needed, items)
    surplus = _without(items, needed) if mode in ("exact", "subset") else []
    other_missing, other_surplus = _unlike(missing, surplus), _unlike(surplus, missing)
    return {
        "missing": other_missing,
        "too much": other_surplus,
        "only case differs": _without(surplus, other_surplus),
    }


def _without(items: list[str], others: list[str]) -> list[str]:
    return [item for item in items if item not in others]


def _unlike(items: list[str], others: list[str]) -> list[str]:
    """Items that differ from each of the others in more than case."""
    keys = {item.casefold() for item in others}
    return [item for item in items if item.casefold() not in keys]


def _items(field: TemplateField, items: list[Any]) -> list[str]:
    """Items as the comparison tells them apart."""
    texts = [str(item) for item in items]
    return [text.lower() for text in texts] if "lowercase" in field.settings.get("normalize", ()) else texts


def _differs_only_in_case(field: TemplateField, expected: Any, extracted: Any) -> bool:
    """True for texts or lists of texts that are equal in lower case; their order counts unless they are sets."""
    one, other = ([value] if isinstance(value, str) else value for value in (expected, extracted))
    if not (isinstance(one, list) and isinstance(other, list) and all(isinstance(item, str) for item in one + other)):
        return False
    collect = set if field.primitive == "SetContainment" else list
    return collect(one) != collect(other) and collect(map(str.casefold, one)) == collect(map(str.casefold, other))


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def _patterns(verdict: TemplateVerdict) -> Html | None:
    if not verdict.regex.performed:
        return None
    rows = []
    for name, passed in verdict.regex.results.items():
        details = verdict.regex.details.get(name) or {}
        # A short pattern can match hundreds of times.
        matches = ", ".join(format_value(match) for match in (details.get("matches_found") or [])[:5])
        reason = str(details.get("failure_reason") or details.get("error") or "")
        rows.append(
            (
                tag("code", name),
                matches or tag("span", "no match", class_="hint"),
                format_value(details.get("expected")),
                tag("span", tick(passed), title=reason or None),
            )
        )
    return table(("Name", "Found", "Expected", "Verdict"), rows, caption="Pattern verdicts")


def _output(verdict: TemplateVerdict) -> Html | None:
    if not verdict.stdout:
        return None
    return join_html(
        [tag("div", "Output", class_="h3"), tag("pre", verdict.stdout, class_="code-block box", tabindex="0")]
    )


def _has_partial_credit(verdict: TemplateVerdict) -> bool:
    """Return True if a failed answer has partial credit."""
    score = verdict.granular
    return not verdict.passed and isinstance(score, int | float) and not isinstance(score, bool) and score > 0
