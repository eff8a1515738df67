"""Meanings of the columns of exported result tables, for their readers.

Most names are upstream's and say little to someone who has not read its code.
"""

from __future__ import annotations

MEANINGS: dict[str, str] = {
    "question_id": "ID of the question.",
    "success": "True if nothing failed: neither the answer nor the job.",
    "error": "Message of the error, or the reason why the answer failed.",
    "question_text": "The question.",
    "raw_llm_response": "The model’s answer as text; of an agent, the whole conversation.",
    "parsed_gt_response": "Expected values by field (JSON).",
    "parsed_llm_response": "Values that the judge found by field (JSON).",
    "template_verification_performed": "True if the answer template was evaluated.",
    "verify_result": "Verdict: true if the answer passed, false if it failed, empty if it was not judged.",
    "verify_granular_result": "Partial credit, from 0 to 1.",
    "rubric_evaluation_performed": "True if traits were scored.",
    "keywords": "Keywords of the question (JSON).",
    "question_specific_rubrics": "Scores of traits that belong to single questions, by name (JSON).",
    "answering_model": "Model that answered: its interface, name, and tools.",
    "parsing_model": "Judge: its interface and name.",
    "replicate": "Number of the replicate, from 1; empty if the run has only one per question.",
    "execution_time": "Duration of the job in seconds.",
    "timestamp": "Local time at which the job ended.",
    "answering_system_prompt": "System prompt of the answering model.",
    "parsing_system_prompt": "System prompt of the judge.",
    "run_name": "Name of the run.",
    "export_timestamp": "Time of the export.",
    "karenina_version": "Version of this application.",
    "job_id": "ID of the run.",
    "embedding_check_performed": "True if the embedding check compared expected and found values.",
    "embedding_similarity_score": "Similarity of expected and found values in the embedding check, at most 1.",
    "embedding_override_applied": "True if the embedding check let the answer pass after all.",
    "embedding_model_used": "Model of the embedding check.",
    "answering_mcp_servers": "MCP servers whose tools the answering model had (JSON).",
    "deep_judgment_mode": "Deep judgment of fields: disabled, reasoning_only, or full (with quotes).",
    "deep_judgment_performed": "True if fields had deep judgment.",
    "extracted_excerpts": "Quotes from the answer by field (JSON).",
    "attribute_reasoning": "The judge’s reasoning by field (JSON).",
    "deep_judgment_stages_completed": "Parts of the deep judgment of fields that were completed (JSON).",
    "deep_judgment_model_calls": "Number of calls for the deep judgment of fields.",
    "deep_judgment_excerpt_retry_count": "Number of times the judge was asked again for quotes of fields.",
    "attributes_without_excerpts": "Fields for which no quote was found (JSON).",
    "deep_judgment_search_enabled": "True if quotes were checked by web search.",
    "hallucination_risk_assessment": "Risk by field that the answer made something up, by web search (JSON).",
    "deep_judgment_rubric_performed": "True if traits had deep judgment.",
    "extracted_rubric_excerpts": "Quotes from the answer by trait (JSON).",
    "rubric_trait_reasoning": "The judge’s reasoning by trait (JSON).",
    "deep_judgment_rubric_scores": "Scores of traits with deep judgment (JSON).",
    "standard_rubric_scores": "Scores of traits judged by a model without deep judgment (JSON).",
    "trait_metadata": "Details of the deep judgment of each trait (JSON).",
    "traits_without_valid_excerpts": "Traits for which no quote was found (JSON).",
    "rubric_hallucination_risk_assessment": "Risk by trait that the answer made something up, by web search (JSON).",
    "total_deep_judgment_model_calls": "Number of calls for the deep judgment of traits.",
    "total_traits_evaluated": "Number of traits with a completed deep judgment.",
    "total_excerpt_retries": "Number of times the judge was asked again for quotes of traits.",
    "metric_trait_confusion_lists": "Traits of precision and recall: statements found, missed, and unwanted (JSON).",
    "metric_trait_metrics": "Traits of precision and recall: precision, recall, and the other figures of each (JSON).",
    "usage_metadata": "Tokens of the calls, by step (JSON).",
    "agent_metrics": "Tool-using answers: turns, tool calls, and failed calls (JSON).",
    "outcome": (
        "Outcome: passed, wrong, abstained (not answered), autofail (auto-failed), error, or unscored (no verdict)."
    ),
    "completed_without_errors": "True if the job ended without an error; a wrong answer is not an error.",
    "failure_category": "Kind of failure, such as content (wrong answer), abstention (refused), or parsing.",
    "failure_stage": "Step in which it failed.",
    "failure_reason": "Reason of the failure, as on the page of the result.",
    "raw_answer": "Reference answer of the question, not the answer of the model.",
    "result_id": "ID of the result.",
    "sandbox_level": "Sandbox in which code of the benchmark ran.",
    "recording_label": "Recording from which the replies came; empty: from the models themselves.",
    "extractions": (
        "Output method of the judge, by step: schema (enforced schema), tool (forced tool), json (JSON mode), or text "
        "(plain text) (JSON)."
    ),
    "template_id": "ID of the answer template; it changes with the code.",
    "trait_kinds": "Types of the traits, by name (JSON); llm: a judge model scores the trait.",
    "trait_labels": "Classes that the judge chose, by trait (JSON).",
    "trait_scales": "Scales of the traits, by name (JSON).",
    "caveats": (
        "Notes on how the result came about, such as retries_used (a call was repeated) or partial_content (the answer "
        "was cut off) (JSON)."
    ),
    "field_results": "True or false for each field of the template (JSON).",
    "field_scores": "Partial credit of each field, from 0 to 1 (JSON).",
    "composition_strategy": "Fields that must pass: all_of (all), any_of (at least one), or at_least_n (at least n).",
    "abstention_check_performed": "True if the judge checked whether the model refused to answer.",
    "abstention_detected": "True if the model refused to answer.",
    "abstention_override_applied": "True if the refusal decided the outcome.",
    "abstention_reasoning": "The judge’s reasoning on the refusal.",
    "sufficiency_check_performed": "True if the judge checked whether the answer can fill the fields.",
    "sufficiency_detected": "True if the answer can fill the fields.",
    "sufficiency_override_applied": "True if an insufficient answer decided the outcome.",
    "sufficiency_reasoning": "The judge’s reasoning on the sufficiency.",
    "workspace_files_changed": "Number of files that an agent left changed; empty if there was no workspace.",
    "condition": "Condition under which the model was asked.",
    "judge_replicate": "Number of the judgment of the answer, from 1; empty if each answer is judged once.",
    "cut_cells": "Excel only: columns of the row whose text was cut at Excel’s limit.",
}
"""{column: meaning}, in the order of the CSV export."""

TRAIT = "rubric_"
"""A trait's column begins so."""
OF_TRAIT = "Score of the trait “{name}”, which belongs to the whole benchmark."


def column_meaning(name: str) -> str:
    """Meaning of a column, that of a trait included. Raises `KeyError` for a column that no export has."""
    if name not in MEANINGS and name.startswith(TRAIT):
        return OF_TRAIT.format(name=name.removeprefix(TRAIT))
    return MEANINGS[name]
