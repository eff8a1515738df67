"""Tests of quotes in the answer and in the list."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.pages.results.evidence_markup import evidence, highlight_quotes, quotes
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, VerificationResult
from karenina_gui.schemas.result_evidence import ResultDeepJudgment, ResultDeepJudgmentRubric

ANSWER = "Venetoclax binds BCL2 with <high> affinity."


def result(excerpts: dict[str, Any] | None, reasoning: dict[str, str] | None = None) -> VerificationResult:
    return VerificationResult(
        metadata=ResultMetadata(
            question_id="q", template_id="t", answering=ModelIdentity(interface="manual", model_name="m")
        ),
        deep_judgment=ResultDeepJudgment(
            deep_judgment_performed=True, extracted_excerpts=excerpts, attribute_reasoning=reasoning
        ),
    )


def test_overlapping_passages_are_marked_with_all_that_they_support() -> None:
    found = quotes(result({"target": [{"text": "Venetoclax binds BCL2"}], "strength": [{"text": "BCL2 with <high>"}]}))
    html = highlight_quotes(ANSWER, found)
    assert '<mark class="passage-mark" title="Supports the field target">Venetoclax binds </mark>' in html
    assert '<mark class="passage-mark" title="Supports the field target, the field strength">BCL2</mark>' in html
    assert "&lt;high&gt;" in html
    assert html.index("[1]") < html.index("[2]")


def test_an_inexact_passage_is_marked_where_it_is_meant_and_an_invented_one_nowhere() -> None:
    found = quotes(result({"target": [{"text": "binds BCL-2 with"}, {"text": "It was withdrawn in 1999 in Peru"}]}))
    html = highlight_quotes(ANSWER, found)
    assert html.count("<mark") == 1
    assert "[2]" not in html


def test_each_field_has_its_passages_with_what_is_known_of_them() -> None:
    excerpt = {
        "text": "binds BCL2", "confidence": "high", "similarity_score": 0.97, "explanation": "It names it.",
        "hallucination_risk": "high", "hallucination_justification": "No page knows it.",
    }  # fmt: skip
    html = evidence(result({"target": [excerpt], "year": []}, {"target": "So it is BCL2.", "year": "No year."})) or ""
    assert "judge’s confidence: high · 97% match · web search: likely hallucinated" in html
    assert "No page knows it." in html
    assert html.count("No quote from the answer supports it.") == 1
    assert "No year." in html


def test_reasoning_alone_says_nothing_of_passages() -> None:
    html = evidence(result(None, {"target": "So it is BCL2."})) or ""
    assert "So it is BCL2." in html
    assert "No passage" not in html


def test_strange_excerpts_of_traits_in_an_opened_file_break_nothing() -> None:
    opened = result(None)
    strange = {"a": "text", "b": [None, {"text": None}, {"text": 7, "similarity_score": "x"}]}
    opened.deep_judgment_rubric = ResultDeepJudgmentRubric(extracted_rubric_excerpts=strange)
    assert "<q>7</q>" in (evidence(opened) or "")


def with_traits(fields: dict[str, Any] | None = None) -> VerificationResult:
    judged = result(fields)
    if fields is None:
        judged.deep_judgment = None
    judged.deep_judgment_rubric = ResultDeepJudgmentRubric(
        deep_judgment_rubric_performed=True,
        extracted_rubric_excerpts={"target": [{"text": "high affinity"}], "clear": []},
        rubric_trait_reasoning={"target": "It aims well.", "clear": "It is plain.", "free": "No words needed."},
        trait_metadata={"target": {}, "clear": {}, "free": {}, "depth": {"error": "judge: it is <down>."}, "odd": 7},
    )
    return judged


def test_fields_and_traits_of_one_name_stand_apart_and_are_told_apart_in_words() -> None:
    judged = with_traits({"target": [{"text": "binds BCL2"}]})
    html = evidence(judged) or ""
    field, trait = html.split("<dt>")[1:3]
    assert ">field</span>" in field
    assert "binds BCL2" in field
    assert ">trait</span>" in trait
    assert "affinity" in trait
    assert "It aims well." in trait
    assert 'title="Supports the trait target"' in highlight_quotes("with high affinity", quotes(judged))


def test_fields_alone_need_no_word() -> None:
    assert ">field<" not in (evidence(result({"target": [{"text": "binds BCL2"}]})) or "")


def test_only_a_trait_that_was_asked_for_passages_lacks_them() -> None:
    lines = {part.partition(">")[2].partition("<")[0]: part for part in (evidence(with_traits()) or "").split("<dt>")}
    assert [name for name, part in lines.items() if "No quote from the answer supports it." in part] == ["clear"]


def test_what_kept_a_trait_from_being_judged_stands_with_it() -> None:
    html = evidence(with_traits()) or ""
    assert html.count("Judging failed") == 1
    assert "Judging failed: judge: it is &lt;down&gt;." in html
