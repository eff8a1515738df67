"""A result's outcome in words: what it is called, why it came out so, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.parts.number_text import number_written
from karenina_gui.schemas.outcome import Outcome, Reason, outcome_of
from karenina_gui.schemas.result import ResultTemplate, VerificationResult
from karenina_gui.text import join_list


@dataclass(frozen=True, slots=True)
class Ending:
    """How an outcome is called and drawn; the icon tells it apart without colour."""

    title: str
    icon: str
    meaning: str


ENDINGS: dict[Outcome, Ending] = {
    "passed": Ending("Passed", "check_circle", "The answer is right by the template."),
    "wrong": Ending("Wrong", "cancel", "The answer was read and does not match the template."),
    "abstained": Ending("Refused", "do_not_disturb_on", "The model declined, or said too little to judge."),
    "autofail": Ending(
        "Stopped",
        "front_hand",
        "No turns left, no final answer, or no passage that could be quoted.",
    ),
    "error": Ending("Error", "error", "Something broke on the way. It never counts as a wrong answer."),
    "unscored": Ending("No verdict", "remove_circle_outline", "No template was asked, only traits."),
}

SCORED = Ending("Scored", "fact_check", "No template was asked. Traits have been scored.")
"""Instead of `unscored`, where there is a score of a trait to see."""


REASONS: dict[Reason, tuple[str, str]] = {
    "overridden": ("Overridden", "The words differ from the reference; a judge found that they mean the same."),
    "content": ("Wrong", "The answer was read and does not match the template."),
    "abstention": ("Refused", "The model declined to answer, as the refusal check found."),
    "refusal": ("Blocked", "The provider declined the request itself."),
    "sufficiency": ("Insufficient", "The answer says too little to fill in the template."),
    "recursion_limit": ("Turn limit", "The model used up its turns before it had answered."),
    "trace_validation": ("Trace invalid", "The trace does not end in an answer of the model."),
    "deep_judgment": ("No evidence", "For a field, no passage of the answer could be quoted."),
    "deep_judgment_rubric": ("Trait unproven", "For a trait, no passage of the answer could be quoted."),
    "parsing": ("Parse error", "The judge gave no reply that fits the template."),
    "template_validation": ("Template error", "The template cannot be used."),
    "connection": ("Connection", "The provider could not be reached."),
    "timeout": ("Timeout", "The provider, or the agent, took too long."),
    "rate_limit": ("Rate limit", "The provider asked to slow down and did not relent."),
    "server_error": ("Server error", "The provider’s own service failed."),
    "authentication": ("Key refused", "The provider did not accept the key, or there is none."),
    "rejected": ("Rejected", "The provider did not accept the request, or the workspace could not be had."),
    "recording": ("Not recorded", "The recording holds no reply to this request."),
    "tools_unused": ("Tools unused", "The condition wants its tools used, and the model called none. Not scored."),
    "tools_failed": ("Tools failed", "The condition wants a tool to work, and every call of one failed. Not scored."),
    "cancelled": ("Cancelled", "The run was cancelled before this job was done."),
    "unexpected_error": ("Broken", "Something failed that nobody expected, such as the template’s own code."),
}
"""Why a result came out so: title and meaning; in the order in which they are offered."""


def ending(outcome: Outcome, reason: Reason | None = None, *, scored: bool = False) -> Ending:
    """As the reason says it, where there is one; the outcome gives the icon. `scored`: whether any trait was."""
    whole = SCORED if scored and outcome == "unscored" else ENDINGS[outcome]
    return whole if reason is None else Ending(REASONS[reason][0], whole.icon, REASONS[reason][1])


def sentence(result: VerificationResult) -> str:
    """Why it came out so, in one sentence for the head of the page."""
    outcome = outcome_of(result)
    if outcome == "passed":
        return _why_passed(result.template)
    failure = result.metadata.failure
    if outcome == "wrong" and result.template is not None and not _never_compared(result):
        return _why_wrong(result.template)
    return result.error or (failure.reason if failure else "") or ENDINGS[outcome].meaning


def short_sentence(result: VerificationResult) -> str:
    """The same for a cell of a table: `dose_mg = 300, expected 350.`"""
    return sentence(result).removeprefix("The template found ")


ADVICE: dict[str, str] = {
    "authentication": "Enter the key on the page Keys, or set its variable in the environment and start the "
    "application again; then try the failed calls again.",
    "connection": "Check what the message names, the address on the Models page or the command of an MCP server, and "
    "the network; then try the failed calls again.",
    "timeout": "The model took too long. Raise the time limit of the run or of the model, and run once more.",
    "rate_limit": "The provider asked to slow down and did not relent. Try the failed calls again later.",
    "server_error": "The provider's own service failed. Try the failed calls again later.",
    "rejected": "Where the provider did not accept the request, compare the model's name and settings with its guide. "
    "Where the workspace could not be had, put its folder right: in the tab Workspace of the question, or its root in "
    "About and rubric.",
    "recording": "The recording holds no reply to this request: the question, its template or the settings have "
    "changed since. Record the run again, or choose a live model.",
    "cancelled": "The run was cancelled before this job was done.",
    "tools_unused": "Nothing broke: the model did without its tools, so its answer says nothing of the condition. Say "
    "in the condition's system prompt when to use them, or let the condition score answers without them. It is not "
    "asked again by itself: that would count only the answers that happened to use tools.",
    "tools_failed": "Look in the trace at what the tools answered, and put the MCP server right; then run once more. "
    "It is not asked again by itself: that would count only the answers whose tools happened to work.",
    "parsing": "The judge gave no reply that fits the template. Try it again on the page of the run, make the field "
    "descriptions clearer, or choose another judge.",
    "template_validation": "The template cannot be used. Open the question; its problems are marked at their lines.",
    "unexpected_error": "Open the question and try its template with this answer; it shows what the code does.",
    "refusal": "The provider itself declined the request. Rephrase the question, or count it as a refusal.",
    "recursion_limit": "The model used up its turns. Allow more turns in the model's settings if the task needs them.",
    "deep_judgment": "The run asks for a passage for every field, and an answer without one fails. Make the field "
    "descriptions clearer, or ask for reasoning only.",
    "deep_judgment_rubric": "The run asks for a passage for every trait, and an answer without one fails, also where "
    "nothing could be quoted. Judge such traits without passages.",
    "trace_validation": "The trace does not end in an answer of the model, so there was nothing to judge.",
}


def advice(result: VerificationResult) -> str | None:
    """What a person can do about it; None where nothing needs doing."""
    failure = result.metadata.failure
    if failure is not None:
        return ADVICE.get(failure.category)
    return ADVICE["unexpected_error"] if result.error else None


def spoken(value: Any, *, limit: int = 120) -> str:
    """A value as a person would say it: text in quotes, yes and no, lists with commas, `nothing` for None."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number_written(value)
    if isinstance(value, str):
        return f"‘{value if len(value) <= limit else value[: limit - 1] + '…'}’"
    if isinstance(value, list | tuple):
        text = ", ".join(spoken(item, limit=40) for item in value) or "an empty list"
        return text if len(text) <= limit else text[: limit - 1] + "…"
    return str(value)


def _why_passed(template: ResultTemplate | None) -> str:
    if template is None:
        return ENDINGS["passed"].meaning
    if template.embedding_override_applied:
        return "The words differ, but their meaning was judged the same."
    fields = template.field_results or {}
    missed = [name for name, ok in fields.items() if not ok]
    if missed:
        return f"Enough fields match ({len(fields) - len(missed)} of {len(fields)}); not {join_list(missed)}."
    if len(fields) > 1:
        return f"All {len(fields)} fields match."
    read = _differences(template, only_failed=False)
    if len(read) == 1:
        name, found, _ = read[0]
        return f"The template found {name} = {spoken(found)}, as expected."
    patterns = template.regex_validation_results or {}
    if patterns:
        return "The pattern matches." if len(patterns) == 1 else f"All {len(patterns)} patterns match."
    return ENDINGS["passed"].meaning


def _why_wrong(template: ResultTemplate) -> str:
    if template.field_verification_error:
        return f"The template’s check stopped with a message: {template.field_verification_error}"
    parts = [
        f"{name} = {spoken(found)}" + ("" if expected is None else f", expected {spoken(expected)}")
        for name, found, expected in _differences(template, only_failed=True)[:3]
    ]
    if parts and not template.embedding_override_applied:
        return f"The template found {'; '.join(parts)}."
    for name, ok in (template.regex_validation_results or {}).items():
        if not ok:
            return _regex_sentence(name, (template.regex_validation_details or {}).get(name) or {})
    return "The template’s own check said no."


def _never_compared(result: VerificationResult) -> bool:
    """Whether the verdict fell before the template's check, as for an empty answer; where stages tell."""
    return any(record.name == "VerifyTemplate" and record.status == "skipped" for record in result.stages)


def _differences(template: ResultTemplate, *, only_failed: bool) -> list[tuple[str, Any, Any]]:
    """(field, found, expected) of the fields that decided; hand-written templates are compared value by value."""
    found = template.parsed_llm_response or {}
    expected = template.parsed_gt_response or {}
    results = template.field_results
    names = list(results) if results else [name for name in expected if name in found]
    if only_failed:
        names = [n for n in names if not (results[n] if results else found.get(n) == expected.get(n))]
    return [(name, found.get(name), expected.get(name)) for name in names]


def _regex_sentence(name: str, details: dict[str, Any]) -> str:
    matches = details.get("matches_found") or []
    found = ", ".join(spoken(match, limit=40) for match in matches[:3]) if matches else "nothing"
    if "expected" not in details:
        return f"The pattern ‘{name}’ does not match."
    return f"The pattern ‘{name}’ found {found}, expected {spoken(details['expected'])}."
