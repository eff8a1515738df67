"""Missing output of stages that ran: traits without a score, with advice about them, and checks not performed."""

from __future__ import annotations

from karenina_gui.gui.components.verdicts import ADVICE
from karenina_gui.gui.results.trait_rows import TraitRow, trait_rows
from karenina_gui.schemas.result import ResultRubric, VerificationResult
from karenina_gui.text import quantity, quote_list, verb

STAGES = ("RubricEvaluation", "AgenticRubricEvaluation")
CHECKS = {
    "AbstentionCheck": "abstention_check_performed",
    "SufficiencyCheck": "sufficiency_check_performed",
}
"""Field of a result that says whether the check of a stage was performed."""
CLEARER = "The judge returned no valid score. Make the trait description clearer, or choose a stronger judge."
RETRY = "Retry them on the run’s page. Existing scores are reused at no cost."


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
