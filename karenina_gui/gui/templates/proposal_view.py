"""Drafted template as HTML: findings, fields, difference from the current template, and the replies behind it."""

from __future__ import annotations

from karenina_gui.gui.components.diff_view import diff_table
from karenina_gui.gui.components.expected_found import format_value, with_acceptance
from karenina_gui.gui.components.html import Html, icon, join_html, table, tag
from karenina_gui.gui.prices.price_text import model_in_words
from karenina_gui.gui.templates.comparisons import COMPARISONS
from karenina_gui.gui.templates.outline_view import expected_value, patterns_table
from karenina_gui.gui.templates.problems import plain_message
from karenina_gui.schemas.model_draft import DraftAttempt, DraftFaultKind, Proposal
from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.text import quantity

FAULTS: dict[DraftFaultKind, str] = {
    "call": "Call failed",
    "refusal": "Refused",
    "cut_off": "Cut off",
    "no_code": "No template in the reply",
    "invalid": "Errors",
    "refuses_expected": "Rejects its own expected values",
    "accepts_everything": "Accepts everything",
    "accepts_wrong": "Accepts wrong values",
    "leak": "Gives the answer away",
}
OUTDATED = "The question, reference answer, or notes were edited after this draft."
PASSED = "Accepts its expected values, and rejects wrong ones. Nothing gives the answer away."


def proposal_html(proposal: Proposal, outline: TemplateOutline | None, current: str, outdated: bool) -> Html:
    """HTML of a proposal.

    `outline`: of the drafted template, None without one; `current`: the question's template; `outdated`: the question
    was edited since.
    """
    source = proposal.draft.last.source
    return join_html(
        [
            _head(proposal),
            tag("p", OUTDATED, class_="note note-warn") if outdated else None,
            _findings(proposal),
            *([] if outline is None else [_fields(outline), patterns_table(outline)]),
            _code(current, source) if source else None,
            _replies(proposal),
            tag(
                "details",
                tag("summary", "Prompt"),
                *map(_block, (proposal.instructions, proposal.subject)),
                class_="more",
            ),
        ]
    )


def status_chip(proposal: Proposal) -> Html:
    """Chip with the state of a draft."""
    fault = proposal.draft.fault
    if fault is not None:
        return tag("span", icon("error"), FAULTS[fault.kind], class_="chip chip-bad")
    if proposal.draft.remarks:
        return tag("span", icon("warning"), "Works, with warnings", class_="chip chip-warn")
    return tag("span", icon("check_circle"), "Works", class_="chip chip-good")


def _head(proposal: Proposal) -> Html:
    recorded = proposal.has_recorded_reply and tag(
        "span", "Recorded reply", class_="chip chip-plain", title=f"From “{proposal.recording}”; no model was called"
    )
    return tag(
        "p",
        *(status_chip(proposal), " ", recorded or None, f" Drafted by {model_in_words(proposal.model)}"),
        class_="draft-head",
    )


def _findings(proposal: Proposal) -> Html:
    fault, remarks = proposal.draft.fault, proposal.draft.remarks
    summary = (
        tag("p", PASSED, class_="hint")
        if fault is None
        else tag("p", plain_message(fault.message), class_="note note-bad", role="alert")
    )
    return join_html([summary, *(tag("p", plain_message(remark), class_="note note-warn") for remark in remarks)])


def _fields(outline: TemplateOutline) -> Html | None:
    """Table of the fields in the words of the form; None without fields."""
    if not outline.fields:
        return None
    rows = [
        (
            tag("span", tag("code", field.name), tag("div", field.description, class_="hint")),
            with_acceptance(format_value(expected_value(outline, field)), field.accepts),
            _comparison(field, outline),
        )
        for field in outline.fields
    ]
    return table(("Field", "Expected", "Comparison"), rows, caption="Fields of the draft")


def _comparison(field: TemplateField, outline: TemplateOutline) -> Html:
    comparison = COMPARISONS.get(field.primitive or "")
    schema = ((outline.judge_schema or {}).get("properties") or {}).get(field.name) or {}
    choices = schema.get("enum") and tag("div", f"Choices: {', '.join(map(str, schema['enum']))}", class_="hint")
    return join_html(["Custom code" if comparison is None else comparison.title, choices or None])


def _code(current: str, source: str) -> Html:
    if current.strip():
        return tag(
            "div",
            diff_table(current, source, ("Current template", "Draft")),
            class_="clash-versions draft-diff",
            tabindex="0",
        )
    return tag("details", tag("summary", "Code"), _block(source), class_="more")


def _replies(proposal: Proposal) -> Html:
    attempts = proposal.draft.attempts
    parts = [_reply(number, attempt) for number, attempt in enumerate(attempts, start=1)]
    return tag("details", tag("summary", quantity(len(attempts), "attempt")), *parts, class_="more")


def _reply(number: int, attempt: DraftAttempt) -> Html:
    outcome = (
        "Works" if attempt.fault is None else f"{FAULTS[attempt.fault.kind]}: {plain_message(attempt.fault.message)}"
    )
    return join_html([tag("p", tag("b", f"{number}. "), outcome), _block(attempt.reply) if attempt.reply else None])


def _block(text: str) -> Html:
    return tag("pre", text, class_="code-block box", tabindex="0")
