"""Outcomes of results in words: names, reasons and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.kit.number_text import number_written
from karenina_gui.schemas.outcome import TITLES, Outcome, Reason, outcome_of
from karenina_gui.schemas.result import ResultTemplate, VerificationResult
from karenina_gui.text import join_list


@dataclass(frozen=True, slots=True)
class OutcomeStyle:
    """Name and icon of an outcome. The icon distinguishes it without color."""

    title: str
    icon: str
    meaning: str


_STYLES: dict[Outcome, tuple[str, str]] = {
    "passed": ("check_circle", "The answer is correct according to the template."),
    "wrong": ("cancel", "The answer does not match the template."),
    "abstained": ("do_not_disturb_on", "The model refused, or its answer says too little."),
    "autofail": ("front_hand", "Turn limit reached, no final answer, or no supporting quote."),
    "error": ("error", "A technical failure, which does not count as a wrong answer."),
    "unscored": ("remove_circle_outline", "Only traits were evaluated, or an imported file contains no verdict."),
}
"""Icon and meaning of each outcome."""
ENDINGS: dict[Outcome, OutcomeStyle] = {
    outcome: OutcomeStyle(title, *_STYLES[outcome]) for outcome, title in TITLES.items()
}

SCORED = OutcomeStyle("Scored", "fact_check", "Evaluated by traits only; no template was used. The traits have scores.")
"""In place of `unscored` if a trait has a score."""
RUNNING = OutcomeStyle("Running", "pending", "The job is not finished yet.")
VARIES = OutcomeStyle("Varies", "contrast", "Some answers to this question passed and some did not.")
"""Ending of several results of one question."""


def looks() -> dict[str, tuple[str, str]]:
    """Return {look: (icon, word)} of all endings for tables in the browser."""
    every: list[tuple[str, OutcomeStyle]] = [
        *ENDINGS.items(),
        ("scored", SCORED),
        ("going", RUNNING),
        ("varies", VARIES),
    ]
    return {look: (ending.icon, ending.title) for look, ending in every}


REASONS: dict[Reason, tuple[str, str]] = {
    "overridden": ("Overridden", "The wording differs from the expected value; a judge found the meaning the same."),
    "content": ("Wrong", "The answer does not match the template."),
    "abstention": ("Refused", "The model declined to answer, according to the refusal check."),
    "refusal": ("Blocked", "The provider blocked the request or reply."),
    "sufficiency": ("Insufficient", "The answer lacks the information to fill the template."),
    "recursion_limit": ("Turn limit", "The model reached its turn limit before it answered."),
    "trace_validation": ("Trace invalid", "The trace does not end with an answer from the model."),
    "deep_judgment": ("No quote", "At least one field has no supporting quote from the answer."),
    "deep_judgment_rubric": ("No trait quote", "At least one trait has no supporting quote from the answer."),
    "parsing": ("Parse error", "The judge’s reply doesn’t fit the response schema."),
    "template_validation": ("Template error", "The template does not work."),
    "connection": ("Connection", "The provider could not be reached."),
    "timeout": ("Timeout", "The provider or the agent took too long."),
    "rate_limit": ("Rate limit", "The provider’s rate limit was reached, and retries did not help."),
    "server_error": ("Server error", "The provider’s server failed."),
    "authentication": ("No valid key", "The API key is missing, or the provider rejected it."),
    "rejected": ("Rejected", "The provider rejected the request, or the workspace could not be opened."),
    "recording": ("Not recorded", "The recording has no reply to this request."),
    "tools_unused": ("Tools unused", "The condition requires an MCP tool call, and the model made none. Not scored."),
    "tools_failed": (
        "Tools failed",
        "The condition requires a successful tool call, and all failed. Not scored.",
    ),
    "cancelled": ("Stopped", "The run was stopped before this job finished."),
    "unexpected_error": ("Internal error", "Unexpected error, for example in the template code."),
}
"""Title and meaning of each reason, in the order of the filter."""


def outcome_style(outcome: Outcome, reason: Reason | None = None, *, scored: bool = False) -> OutcomeStyle:
    """Return the ending of a result by reason, else by outcome; `scored`: True if a trait has a score."""
    whole = SCORED if scored and outcome == "unscored" else ENDINGS[outcome]
    return whole if reason is None else OutcomeStyle(REASONS[reason][0], whole.icon, REASONS[reason][1])


def sentence(result: VerificationResult) -> str:
    """Return the reason of the outcome in one sentence."""
    outcome = outcome_of(result)
    if outcome == "passed":
        return _why_passed(result.template)
    failure = result.metadata.failure
    if outcome == "wrong" and result.template is not None and not _never_compared(result):
        return _why_wrong(result.template)
    return result.error or (failure.reason if failure else "") or ENDINGS[outcome].meaning


ADVICE: dict[str, str] = {
    "authentication": "Enter the key on the API keys page, or set its environment variable and restart the "
    "application. Then retry the failed calls.",
    "connection": "Check your network and what the message names: the base URL on the Models page, or the command of "
    "an MCP server. Then retry the failed calls.",
    "timeout": "The model took too long. Raise Call timeout of the model or of the run, or an agent’s time limit, and "
    "run again.",
    "rate_limit": "The provider limits how many requests you can send. Retry the failed calls later.",
    "server_error": "The provider’s server failed. Retry the failed calls later.",
    "rejected": "If the provider rejected the request, check the model’s name and settings. If the workspace could not "
    "be opened, check its folder in the question’s Workspace tab and the workspace root in Benchmark details.",
    "recording": "The recording has no reply to this request: it was made with other options, or the question, its "
    "template, or the settings changed since. Record the run again, or choose a model that is not a recording.",
    "cancelled": "The run was stopped before this job finished. Retry the failed calls to run it.",
    "tools_unused": "This is not an error: the model answered without tools, so the answer does not count for this "
    "condition. Say in the condition’s system prompt when to use them, or turn off the requirement. It is not retried "
    "automatically, because that would keep only answers that happen to use tools.",
    "tools_failed": "See in the trace what the tools returned, fix the MCP server, and run again. It is not retried "
    "automatically, because that would keep only answers whose tools happen to work.",
    "parsing": "The judge’s reply doesn’t fit the response schema, that is, the fields of the template. Retry it on "
    "the run’s page, make the field descriptions clearer, or choose another judge.",
    "template_validation": "Open the question; its template’s problems are marked at their lines.",
    "unexpected_error": "Open the question and try its template with this answer to see what the code does.",
    "refusal": "The provider blocked the request or reply, so the job counts as not answered. Rephrasing the question "
    "may help.",
    "recursion_limit": "The model reached its turn limit. If the task needs more turns, raise the limit in the model’s "
    "settings.",
    "deep_judgment": "Deep judgment requires a quote for every field, and fails an answer without one. Make the field "
    "descriptions clearer, or set deep judgment to Reasoning.",
    "deep_judgment_rubric": "Deep judgment requires a quote for every trait, and fails an answer without one, even if "
    "there is nothing to quote. Turn off quotes for such traits.",
    "trace_validation": "The trace does not end with an answer from the model, so there was nothing to judge.",
}


def advice(result: VerificationResult) -> str | None:
    """Return advice for the user; None: nothing to do."""
    failure = result.metadata.failure
    if failure is not None:
        return ADVICE.get(failure.category)
    return ADVICE["unexpected_error"] if result.error else None


def quote_value(value: Any, *, limit: int = 120) -> str:
    """Format a value: text in quotes, yes and no, lists with commas, `no value` for None."""
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number_written(value)
    if isinstance(value, str):
        return f"“{_cut_off(value, limit)}”"
    if isinstance(value, list | tuple):
        return _cut_off(", ".join(quote_value(item, limit=40) for item in value) or "an empty list", limit)
    return str(value)


def _cut_off(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _why_passed(template: ResultTemplate | None) -> str:
    if template is None:
        return ENDINGS["passed"].meaning
    if template.embedding_override_applied:
        return "The wording differs, but a judge found the meaning the same."
    fields = template.field_results or {}
    if reason := _why_fields_passed(fields):
        return reason
    read = _differences(template, only_failed=False)
    if len(read) == 1:
        name, value, _ = read[0]
        return f"{name} = {quote_value(value)}, as expected."
    patterns = template.regex_validation_results or {}
    if patterns:
        return "The pattern matches." if len(patterns) == 1 else f"All {len(patterns)} patterns match."
    return ENDINGS["passed"].meaning


def _why_fields_passed(fields: Mapping[str, bool | None]) -> str | None:
    """Return the reason if there are several fields, or one without a match."""
    missed = [name for name, ok in fields.items() if not ok]
    if missed:
        return f"Enough fields match ({len(fields) - len(missed)} of {len(fields)}). No match: {join_list(missed)}."
    if len(fields) < 2:
        return None
    return "Both fields match." if len(fields) == 2 else f"All {len(fields)} fields match."


def _why_wrong(template: ResultTemplate) -> str:
    if template.field_verification_error:
        return f"The template’s code failed: {template.field_verification_error}"
    parts = [_difference_text(*difference) for difference in _differences(template, only_failed=True)[:3]]
    if parts and not template.embedding_override_applied:
        return f"{'; '.join(parts)}."
    return _why_patterns_failed(template) or "The template’s code returned no match."


def _why_patterns_failed(template: ResultTemplate) -> str | None:
    """Return the sentence about the first pattern that failed."""
    failed = next((name for name, ok in (template.regex_validation_results or {}).items() if not ok), None)
    if failed is None:
        return None
    return _regex_sentence(failed, (template.regex_validation_details or {}).get(failed) or {})


def _difference_text(name: str, value: Any, expected: Any) -> str:
    """Format `dose = 5, expected 7`."""
    suffix = "" if expected is None else f", expected {quote_value(expected)}"
    return f"{name} = {quote_value(value)}{suffix}"


def _never_compared(result: VerificationResult) -> bool:
    """Return True if the result was decided before the template's check, as for an empty answer."""
    return any(record.name == "VerifyTemplate" and record.status == "skipped" for record in result.stages)


def _differences(template: ResultTemplate, *, only_failed: bool) -> list[tuple[str, Any, Any]]:
    """Return (field, found, expected) of the fields that decided."""
    extracted = template.parsed_llm_response or {}
    expected = template.parsed_gt_response or {}
    # Hand-written templates report no results by field, so that values are compared.
    matches = template.field_results or {
        name: extracted[name] == value for name, value in expected.items() if name in extracted
    }
    names = [name for name, is_match in matches.items() if not (only_failed and is_match)]
    return [(name, extracted.get(name), expected.get(name)) for name in names]


def _regex_sentence(name: str, details: dict[str, Any]) -> str:
    matches = details.get("matches_found") or []
    match_text = ", ".join(quote_value(match, limit=40) for match in matches[:3]) if matches else "no match"
    if "expected" not in details:
        return f"The pattern “{name}” does not match."
    return f"The pattern “{name}” found {match_text}, expected {quote_value(details['expected'])}."
