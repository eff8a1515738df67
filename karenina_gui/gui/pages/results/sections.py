"""Sections of a result page as markup. None: the section is empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from karenina_gui.analysis.costs import PARTIAL_CREDIT, RESULT_TIME, STEP_COST, TOKENS, cost, dollars, is_exact
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.expected_found import FieldRow, field_rows, format_value, pattern_rows, with_acceptance
from karenina_gui.gui.kit.figure_links import figure_link
from karenina_gui.gui.kit.html import Html, icon, join_html, link, mark, table, tag, tick
from karenina_gui.gui.kit.verdicts import ADVICE, advice, sentence
from karenina_gui.gui.pages.prices.price_text import at_least, in_words, model_in_words, reasons
from karenina_gui.gui.pages.results.evidence_markup import highlight_quotes, quotes
from karenina_gui.gui.pages.results.judged_text import JudgedText, has_ended_early, judged_text, part_judged
from karenina_gui.gui.pages.results.justification_api import agentic_traits, is_agentic, subject_key
from karenina_gui.gui.pages.results.stage_names import describe, plain_reason, stage_reason, title
from karenina_gui.gui.pages.results.trait_rows import TraitRow, trait_rows
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.extraction import in_order, method_in_words
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.outcome import outcome_of, reason_of
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.result import Failure, ResultRubric, ResultTemplate, StageRecord, VerificationResult
from karenina_gui.schemas.result_summaries import ResultSummary, StoredResult
from karenina_gui.schemas.usage import TOTAL, by_step, spending_of
from karenina_gui.text import duration, join_list, quantity, quote_list, size_in_words, verb

LONGEST_WHOLE = 100_000
"""Maximum bytes of a whole trace that the page repeats as text."""
STAGES = ("RubricEvaluation", "AgenticRubricEvaluation")
CHECKS = {
    "AbstentionCheck": "abstention_check_performed",
    "SufficiencyCheck": "sufficiency_check_performed",
}
"""Field of a result that says whether the check of a stage was performed."""
CLEARER = "The judge returned no valid score. Make the trait description clearer, or choose a stronger judge."
RETRY = "Retry them on the run’s page. Existing scores are reused at no cost."


def head(stored: StoredResult, judgments: int = 1, version: str = "") -> Html:
    """Return question, verdict with the steps that decided it, and facts; `judgments`: judgments per answer in the run.

    `version`: published version of the benchmark that the run asked; empty: nothing was published before.
    """
    result = stored.result
    outcome = mark(outcome_of(result), reason_of(result), scored=stored.summary.only_scored, after=":")
    verdict = tag("div", outcome, plain_reason(sentence(result)), class_="result-head-verdict")
    label = _recording_text(result)
    sample = (
        tag("span", icon("replay"), f" {label}", class_="chip chip-plain", title="Replayed from a recording")
        if label
        else None
    )
    return join_html(
        [
            tag("h1", result.metadata.question_text),
            tag("div", verdict, notable_steps(result), class_="result-head-line flow"),
            tag(
                "div",
                tag("div", *_fact_list(_facts(stored, judgments)), sample, class_="result-head-facts flow hint"),
                tag(
                    "details",
                    tag("summary", "All steps and facts"),
                    tag("div", *_fact_list(_more_facts(stored, version)), class_="result-head-facts flow hint"),
                    steps(result),
                    class_="stage-all",
                ),
                class_="result-head-line flow",
            ),
        ]
    )


def _fact_list(facts: Sequence[tuple[str, str | Html]]) -> list[Html]:
    return [tag("span", f"{name} ", tag("b", value)) for name, value in facts if value]


def notable_steps(result: VerificationResult) -> Html | None:
    """Return the steps that decided the result, failed, or lack an output; None: no such step."""
    chips = [chip for record, chip in _chips(result) if _is_notable(record, result)]
    return tag("ol", *(tag("li", chip) for chip in chips), class_="stages", aria_label="Steps") if chips else None


def steps(result: VerificationResult) -> Html | None:
    """Return all steps in order; the deciding one is outlined."""
    rows = [
        (
            chip,
            tag("code", record.name),
            record.status,
            _took(record),
            stage_reason(record) or missing_output(result, record.name).capitalize(),
        )
        for record, chip in _chips(result)
    ]
    headers = ("Step", "Name in files", "Status", "Time", "Why")
    return table(headers, rows, caption="Steps of this result", numeric=(3,)) if rows else None


def _chips(result: VerificationResult) -> list[tuple[StageRecord, Html]]:
    decided, records = _deciding_stage(result), [_with_reason(record, result) for record in result.stages]
    return [
        (record, _chip(record, decided=record.name == decided, lacks=missing_output(result, record.name)))
        for record in records
    ]


def _is_notable(record: StageRecord, result: VerificationResult) -> bool:
    lacks = record.status == "ran" and missing_output(result, record.name)
    return record.name == _deciding_stage(result) or record.status == "failed" or bool(lacks)


def problem_title(result: VerificationResult) -> str:
    """Return the heading of `problem`."""
    return "What to do" if advice(result) or advice_on_traits(result) else "Remarks"


def problem(result: VerificationResult) -> Html | None:
    """Return advice about an error, and the warnings of the run. The error itself is in `head`."""
    notes = []
    if advised := advice(result):
        tone = "note note-bad" if outcome_of(result) == "error" else "note"
        notes.append(tag("div", icon("lightbulb"), tag("div", advised, _details(result.metadata.failure)), class_=tone))
    if advised := advice_on_traits(result):
        notes.append(tag("div", icon("lightbulb"), tag("div", advised), class_="note note-warn"))
    notes += [
        tag("div", icon("warning"), tag("div", warning), class_="note note-warn")
        for warning in result.metadata.warnings
    ]
    return join_html(notes) if notes else None


def reference(result: VerificationResult) -> Html | None:
    """Return the reference answer."""
    raw = result.metadata.raw_answer
    return tag("div", raw, class_="result-pre prose") if raw else None


def answer(result: VerificationResult) -> Html:
    """Return the judged text, or the reason why nothing was judged."""
    judged = judged_text(result)
    if not judged.text:
        return join_html([tag("div", judged.note, class_="result-muted result-read"), _unread_answer(judged, result)])
    if not judged.whole:
        note = tag("p", judged.note, class_="result-muted result-read") if judged.note else None
        return join_html([note, _region(judged.text, result, "Answer text")])
    sentence_about_trace = f"The {part_judged(result, judged)} was judged."
    caption = judged.note or (f"Final message. {sentence_about_trace}" if judged.final else sentence_about_trace)
    last = _region(judged.final, result, "Final message") if judged.final else None
    return join_html([tag("p", caption, class_="result-muted result-read"), last, _full_trace(judged, result)])


def _unread_answer(judged: JudgedText, result: VerificationResult) -> Html | None:
    """Return the answer of a result that an agent judged by its own investigation; None: no such answer."""
    if not judged.final or not result.investigations or has_ended_early(result):
        return None
    return _region(judged.final, result, "Final message")


def _details(failure: Failure | None) -> Html | None:
    """Return the judge's reply if it could not be parsed, and the details of imported results."""
    if failure is None or not failure.details:
        return None
    name = "The judge’s reply" if failure.category == "parsing" else "Details"
    reply = tag("div", failure.details, class_="result-pre prose", tabindex="0", role="region", aria_label=name)
    return tag("details", tag("summary", name), reply, class_="result-reply")


def _full_trace(judged: JudgedText, result: VerificationResult) -> Html:
    """Return the text form of a trace; a long one is only in the trace view."""
    length = len(judged.text.encode("utf-8", "replace"))
    if length > LONGEST_WHOLE:
        text = f"The judged trace is {size_in_words(length)} long. Read it on the right, message by message."
        return tag("p", text, class_="result-muted")
    return tag(
        "details",
        tag("summary", f"Full trace as judged ({size_in_words(length)})"),
        _region(judged.text, result, "Full trace as judged"),
        class_="result-whole",
        open=None if judged.final else "",
    )


def _region(text: str, result: VerificationResult, label: str) -> Html:
    return tag(
        "div",
        highlight_quotes(text, quotes(result)),
        class_="result-pre result-answer prose",
        tabindex="0",
        aria_label=label,
        role="region",
    )


def fields(result: VerificationResult) -> Html | None:
    """Return the table of fields: found, expected, verdict."""
    template = result.template
    rows = field_rows(template) if template else []
    if template is None or not rows:
        return None
    scored = any(row.score is not None for row in rows)
    columns = _field_columns(compared=template.field_results is not None, scored=scored, justified=is_agentic(result))
    cells = [[cell(row) for _, cell in columns] for row in rows]
    made = table([header for header, _ in columns], cells, caption="Fields", numeric=[4] if scored else [])
    return join_html([made, *_pass_rule(template)])


def _field_columns(*, compared: bool, scored: bool, justified: bool) -> list[tuple[str, Callable[[FieldRow], Any]]]:
    """Return the headers with their cells. `justified`: each field has a justification."""
    columns: list[tuple[str, Callable[[FieldRow], Any]]] = [
        ("Field", lambda row: tag("code", row.name, class_="result-code")),
        ("Found", lambda row: tag("span", "no value", class_="result-muted") if row.absent else row.found),
        ("Expected", lambda row: with_acceptance(row.expected, row.accepts)),
    ]
    if compared:
        columns.append(("Comparison", _verdict))
    if scored:
        columns.append(("Partial credit", _partial_credit))
    if justified:
        columns.append(("Why", lambda row: why("field", row.name)))
    return columns


def _verdict(row: FieldRow) -> Html:
    return tick(row.passed, none="no value" if row.absent else "not compared")


def _partial_credit(row: FieldRow) -> Html | str:
    return "" if row.score is None else figure_link(PARTIAL_CREDIT, f"{row.score:.2f}")


def patterns(result: VerificationResult) -> Html | None:
    """Return the table of regular expressions of the template."""
    rows = pattern_rows(result.template) if result.template else []
    if not rows:
        return None
    cells = [
        (
            tag("code", row.name, class_="result-code"),
            tag("code", row.pattern, class_="result-code"),
            row.expected,
            row.found,
            tag("span", tick(row.passed), title=row.reason),
        )
        for row in rows
    ]
    return table(("Name", "Pattern", "Expected", "Found", "Verdict"), cells, caption="Patterns")


def traits(result: VerificationResult, calibrations: Mapping[str, str] | None = None) -> Html | None:
    """Return the table of traits; `calibrations`: addresses by trait, see `trait_table`."""
    justified = agentic_traits(result) if is_agentic(result) else ()
    return trait_table(result.rubric, justified, calibrations) if result.rubric else None


STEPS = PURPOSE_TITLES | {"total": "Total"}


def tokens(result: VerificationResult, prices: Mapping[str, Price]) -> Html | None:
    """Return tokens and cost by step and model, as reported by providers."""
    whole, methods = cost(spending_of(result), prices), result.extractions or {}
    priced = {step: (used, prices.get(used.model)) for step, used in by_step(result).items()}
    costs = {step: at_least(dollars(*of), exact=is_exact(*of)) for step, of in priced.items()}
    costs[TOTAL] = in_words(whole)
    rows = [
        (*_token_cells(step, figures, costs.get(step, "")), *([_output_method(result, step)] if methods else []))
        for step, figures in _usage(result).items()
        if isinstance(figures, dict)
    ]
    if not rows:
        return reasons(whole)
    titles = ("Calls for", "Model", "Input", "Output", "Total", "Cost", *(["Output method"] if methods else []))
    return join_html([table(titles, rows, caption="Tokens and cost", numeric=(2, 3, 4, 5)), reasons(whole)])


def _usage(result: VerificationResult) -> dict[str, Any]:
    """Return the reported tokens by step, the total last."""
    usage: dict[str, Any] = (result.template.usage_metadata if result.template else None) or {}
    # Steps without reported tokens are listed too, because a provider may report none.
    called: dict[str, Any] = {step: {} for step in result.extractions or {}}
    return {**{step: figures for step, figures in (called | usage).items() if step != TOTAL}, **usage}


def _token_cells(step: str, figures: Mapping[str, Any], dollars_in_words: str) -> list[Any]:
    counts = (figures.get(name) for name in ("input_tokens", "output_tokens", "total_tokens"))
    return [
        STEPS.get(step, step.replace("_", " ")),
        model_in_words(str(figures.get("model") or "")),
        *(figure_link(TOKENS, _count(count)) for count in counts),
        figure_link(STEP_COST, dollars_in_words),
    ]


def _output_method(result: VerificationResult, step: str) -> str:
    """Return the output method of the judge in this step; empty: it was not called."""
    return ", ".join(method_in_words(method) for method in in_order((result.extractions or {}).get(step, ())))


def relatives(stored: StoredResult, rows: Sequence[ResultSummary]) -> Html | None:
    """Return links to all results of this question in the run, by model and condition."""
    if len(rows) < 2:
        return None
    groups: dict[str, list[ResultSummary]] = {}
    several = len({row.judge for row in rows}) > 1
    for row in rows:
        model = combined_name(row.answering, row.condition)
        groups.setdefault(f"{model} · judge {row.judge}" if several else model, []).append(row)
    lines = []
    for name, members in groups.items():
        links = (_relative(row, here=row.id == stored.summary.id) for row in members)
        lines += [tag("span", name), tag("span", *links, class_="flow gap-4")]
    return tag("div", *lines, class_="replicates")


def _facts(stored: StoredResult, judgments: int) -> list[tuple[str, str | Html]]:
    summary, meta = stored.summary, stored.result.metadata
    return [
        (
            "Model",
            summary.answering
            if summary.answering == meta.answering.model_name
            else f"{summary.answering} ({meta.answering.model_name})",
        ),
        ("Condition", summary.condition or ""),
        ("Judge", summary.judge or "none"),
        ("Replicate", str(summary.replicate or "")),
        ("Judgment", f"{summary.judge_replicate} of {judgments}" if summary.judge_replicate else ""),
        ("Time", figure_link(RESULT_TIME, took) if (took := duration(summary.seconds)) else ""),
        ("Tokens", figure_link(TOKENS, used) if (used := _count(summary.tokens)) else ""),
    ]


def _more_facts(stored: StoredResult, version: str) -> list[tuple[str, str | Html]]:
    summary = stored.summary
    return [
        ("Date", day_and_time(stored.result.metadata.timestamp)),
        ("Keywords", ", ".join(summary.keywords)),
        ("Benchmark", version),
    ]


def _chip(record: StageRecord, *, decided: bool, lacks: str = "") -> Html:
    """Return the chip of a stage; `lacks`: missing output of a stage that ran."""
    icons = {"ran": "check", "skipped": "redo", "failed": "close"}
    look = "partly" if lacks and record.status == "ran" else record.status
    tooltip = describe(record) + (f" {lacks}." if lacks else "") + (" This step decided the result." if decided else "")
    return tag(
        "button",
        icon(icons.get(look, "warning")),
        title(record),
        tag("i", "skipped" if record.status == "skipped" else _took(record)),
        class_=f"stage-chip stage-{look} line" + (" stage-decided" if decided else ""),
        type="button",
        title=tooltip,
        aria_label=f"{title(record)}: {tooltip}",
    )


def _recording_text(result: VerificationResult) -> str | None:
    """Return the label of the recording, and which part was played back if not both."""
    label, meta = result.recording_label, result.metadata
    parts = {"answer": meta.answering, "judge": meta.parsing}
    live = [part for part, model in parts.items() if model is not None and model.interface not in PLAYED_BACK]
    if not label or not live:
        return label
    return f"{label}: {join_list([part for part in parts if part not in live])} only"


def _deciding_stage(result: VerificationResult) -> str | None:
    if result.metadata.failure is not None:
        return result.metadata.failure.stage
    if result.template is not None and result.template.embedding_override_applied:
        return "EmbeddingCheck"
    ran = [record.name for record in result.stages if record.status == "ran"]
    return "VerifyTemplate" if "VerifyTemplate" in ran else None


def _with_reason(record: StageRecord, result: VerificationResult) -> StageRecord:
    """Show an embedding check that had nothing to do as skipped, with a reason."""
    template = result.template
    # The stage runs after every failed field check, even if it is turned off.
    idle = record.name == "EmbeddingCheck" and record.status == "ran" and record.reason is None
    if not idle or template is None:
        return record
    if template.embedding_check_performed or template.embedding_similarity_score is not None:
        return record
    return record.model_copy(update={"status": "skipped", "reason": "turned off, or nothing to compare"})


def _took(record: StageRecord) -> str:
    return "" if record.status == "skipped" else duration(record.seconds)


def _pass_rule(template: ResultTemplate) -> list[Html]:
    """Return the pass rule unless all fields must pass, and the partial credit."""
    lines: list[str | Html] = []
    strategy = template.composition_strategy
    if strategy and strategy != "all_of":
        lines.append(f"{pass_rule(strategy)}.")
    if _has_partial_credit(template):
        lines.append(figure_link(PARTIAL_CREDIT, f"Partial credit: {format_value(template.verify_granular_result)}"))
    return [tag("p", line, class_="result-muted result-after") for line in lines]


def _has_partial_credit(template: ResultTemplate) -> bool:
    """Return True if partial credit differs from the verdict and there are several fields."""
    credit = template.verify_granular_result
    return credit is not None and len(template.field_results or {}) != 1 and credit != template.verify_result


def _relative(row: ResultSummary, *, here: bool) -> Html:
    numbers = [f"replicate {row.replicate}"] if row.replicate else []
    numbers += [f"judgment {row.judge_replicate}"] if row.judge_replicate else []
    name = " ".join(numbers)
    return link(
        f"/runs/{row.run_id}/results/{row.id}",
        name,
        mark(row.outcome, row.category, scored=row.only_scored),
        class_="replicate",
        aria_current="page" if here else None,
    )


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def unscored_traits(rubric: ResultRubric | None, stage: str | None = None) -> tuple[list[str], int]:
    """Return the names of traits without a score and the number of all, of one stage or of both."""
    if rubric is None:
        return [], 0
    of_agents = {name.partition(".")[0] for name in rubric.agentic_trait_scores or ()}
    meant = [row for row in trait_rows(rubric) if stage is None or (row.name in of_agents) == (stage == STAGES[1])]
    return [row.name for row in meant if not _is_scored(row)], len(meant)


def _is_scored(row: TraitRow) -> bool:
    return bool(row.score or row.parts or row.lists)


def missing_output(result: VerificationResult, stage: str) -> str:
    """Format `2 of 3 traits have no score` or `not performed`; empty: the stage has all of its output."""
    if performed := CHECKS.get(stage):
        return "" if result.template is None or getattr(result.template, performed) else "not performed"
    if stage not in STAGES:
        return ""
    names, every = unscored_traits(result.rubric, stage)
    have = verb(len(names), "has", "have")
    return f"{len(names):,} of {quantity(every, 'trait')} {have} no score" if names else ""


def advice_on_traits(result: VerificationResult) -> str | None:
    """Return advice. None: each trait has a score, or traits were not scored at all."""
    rubric = result.rubric
    names, every = unscored_traits(rubric)
    if rubric is None or not names:
        return None
    faults = dict.fromkeys((rubric.trait_faults or {}).values())
    todo = [ADVICE[fault] for fault in faults if fault in ADVICE and fault != "parsing"] or [CLEARER]
    again = [RETRY] if faults else []
    listed = quote_list(names)
    start = f"No score for {len(names):,} of {quantity(every, 'trait')}: {listed}."
    return " ".join([start, *todo, *again])


def pass_rule(strategy: str) -> str:
    """Clause about a strategy, from its label in results: `any_of`, `at_least_n(2)`, `field_check(dose)`."""
    if match := re.fullmatch(r"at_least_n\((\d+)\)", strategy):
        return f"Passes if {match[1]} or more fields or groups of fields pass"
    if match := re.fullmatch(r"field_check\((\w+)\)", strategy):
        return f"Passes if the field {match[1]} passes"
    return "Passes if one or more fields or groups of fields pass" if strategy == "any_of" else f"Rule: {strategy}"


def why(kind: str, name: str) -> Html:
    """Return a link to the justification of a field or trait."""
    target = "#" + urlencode({"why": subject_key(kind, name)})
    return link(target, "why", class_="evidence-ask one-line", aria_label=f"Why {name}?")


def trait_table(
    rubric: ResultRubric, justified: Collection[str] = (), calibrations: Mapping[str, str] | None = None
) -> Html | None:
    """Return the table of traits with scores and their meaning; `justified`: traits with a justification.

    `calibrations`: addresses by trait at which its judge is compared with labels. None: no traits.
    """
    calibrations = calibrations or {}
    rows = trait_rows(rubric)
    if not rows:
        return None
    has_origins = any(row.origin for row in rows)
    cells = [
        (
            _name(row.name, calibrations.get(row.name)),
            _word(row.kind),
            *([_word(row.origin)] if has_origins else []),
            tag("div", *_outcome(row), class_="result-trait"),
            *([why("trait", row.name) if row.name in justified else ""] if justified else []),
        )
        for row in rows
    ]
    titles = ("Trait", "Type", *(["Rubric"] if has_origins else []), "Score", *(["Why"] if justified else []))
    return table(titles, cells, caption="Traits")


def _name(name: str, calibration: str | None) -> Html:
    """Return the name of a trait, with a link to its calibration."""
    ways = None
    if calibration:
        label = f"Calibrate {name}"
        ways = link(calibration, icon("balance"), class_="result-calibrate", aria_label=label, title=label)
    return tag("span", name, ways)


def _word(text: str) -> Html:
    return tag("span", text, class_="one-line")


def _outcome(row: TraitRow) -> list[Html | None]:
    if not row.score and not row.parts:
        return [tag("span", "no score", class_="result-muted")]
    meaning = tag("span", row.meaning, class_="result-muted") if row.meaning else None
    line = tag("div", _score(row) if row.score else None, meaning, class_="result-trait-line line wraps")
    return [
        line if row.score or meaning else None,
        _parts(row.parts) if row.parts else None,
        tag("div", *(_list(title, entries) for title, entries in row.lists), class_="result-trait-lists")
        if row.lists
        else None,
    ]


def _score(row: TraitRow) -> Html:
    return tag("b", row.score) if row.good is None else tick(row.good, yes=row.score, no=row.score)


def _parts(parts: Sequence[tuple[str, str]]) -> Html:
    pairs = (piece for name, value in parts for piece in (tag("dt", name), _value(value)))
    return tag("dl", *pairs, class_="result-trait-parts")


def _value(value: str) -> Html:
    return tag("dd", value) if value else tag("dd", "no value", class_="result-muted")


def _list(title: str, entries: Sequence[str]) -> Html:
    head = tag(
        "div", title, tag("span", f" {len(entries):,}", class_="result-muted"), class_="result-trait-title small strong"
    )
    body = tag("ul", *(tag("li", entry) for entry in entries)) if entries else tag("div", "none", class_="result-muted")
    return tag("div", head, body)
