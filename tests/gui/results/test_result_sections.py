"""Tests of the sections of the result page."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.costs import Cost
from karenina_gui.analysis.rates import Rate, summarise
from karenina_gui.analysis.trait_figures import trait_figures
from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.results.sections import head, relatives
from karenina_gui.gui.pages.runs.api import ShownScore, by_question
from karenina_gui.gui.pages.runs.overview import overview, rate_text
from karenina_gui.schemas.messages import to_stored as messages
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result import (
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    StageRecord,
    TraitScale,
    VerificationResult,
)
from karenina_gui.schemas.result_summaries import QuestionPage, ResultSummary, StoredResult
from karenina_gui.schemas.run_counts import ComparisonKey
from tests.agentic_result import call
from tests.figures.shown import words
from tests.row_by_row import counted

HOSTILE = "<img src=x onerror=alert(1)>"


def test_what_a_model_wrote_stays_text_everywhere() -> None:
    template = ResultTemplate(
        raw_llm_response=HOSTILE,
        parsed_llm_response={HOSTILE: HOSTILE},
        parsed_gt_response={HOSTILE: "x"},
        regex_validation_results={HOSTILE: False},
        regex_validation_details={HOSTILE: {"pattern": HOSTILE, "matches_found": [HOSTILE]}},
        verify_result=False,
    )
    shown = stored(result(template, question_text=HOSTILE, raw_answer=HOSTILE))
    parts = [sections.head(shown), sections.answer(shown.result), sections.fields(shown.result)]
    parts += [sections.patterns(shown.result), sections.reference(shown.result)]
    for part in parts:
        assert part is not None
        assert "<img" not in part
        assert "&lt;img" in part


def test_an_agent_that_broke_off_was_reached() -> None:
    broken = result(ResultTemplate(trace_messages=messages(call(1, "list_files", {}, "notes.md"))))
    assert "Nothing was judged. The trace shows what the model did until then." in sections.answer(broken)
    assert "The model was not reached or returned nothing. Nothing was judged." in sections.answer(
        result(ResultTemplate())
    )


def test_partial_credit_is_told_only_where_it_says_more_than_the_verdict() -> None:
    two = {"a": True, "b": False}
    told = result(ResultTemplate(verify_result=False, verify_granular_result=0.5, field_results=two))
    whole = result(ResultTemplate(verify_result=False, verify_granular_result=0.0, field_results=two))
    single = result(ResultTemplate(verify_result=False, verify_granular_result=0.5, field_results={"a": False}))
    assert ["Partial credit" in str(sections.fields(each)) for each in (told, whole, single)] == [True, False, False]


def test_the_steps_are_all_named_and_the_one_that_decided_stands_beside_the_verdict() -> None:
    failed = result(
        ResultTemplate(verify_result=False),
        failure=Failure(category="abstention", stage="AbstentionCheck", reason="The model refused to answer."),
    )
    failed.stages = [
        StageRecord(name="GenerateAnswer", status="ran", seconds=1.5),
        StageRecord(name="AbstentionCheck", status="ran", seconds=0.2),
        StageRecord(name="ParseTemplate", status="skipped", reason="the model refused to answer"),
    ]
    beside = str(sections.notable_steps(failed))
    assert beside.count("stage-chip ") == 1 and "Refusal check" in beside and "stage-decided" in beside
    shown = str(sections.steps(failed))
    assert shown.count("stage-chip ") == 3
    assert shown.count("stage-decided") == 1
    assert "Field extraction skipped: the model refused to answer." in shown
    assert "1.50 s" in shown


def test_what_a_judge_replied_instead_of_fields_is_told_as_text() -> None:
    failure = Failure(category="parsing", stage="ParseTemplate", reason="no JSON", details=f"I cannot. {HOSTILE}")
    shown = str(sections.problem(result(ResultTemplate(), failure=failure)))
    assert "<summary>The judge’s reply</summary>" in shown and "I cannot. &lt;img" in shown


def test_traits_tell_where_they_are_from_only_where_that_is_known() -> None:
    assert "From" not in str(sections.traits(rated(regex_trait_scores={"hedges": True}, scale=False)))


def test_a_part_with_nothing_to_say_is_left_out() -> None:
    plain = result(ResultTemplate(verify_result=True))
    parts = (
        sections.steps,
        sections.notable_steps,
        sections.problem,
        sections.fields,
        sections.patterns,
        sections.traits,
    )
    assert [part(plain) for part in parts] == [None] * 6
    assert sections.tokens(plain, {}) is None


def test_a_bad_yes_has_no_green_tick_and_a_neutral_one_no_mark() -> None:
    shown = str(sections.traits(rated(regex_trait_scores={"hedges": True}, scale=False)))
    assert "outcome-wrong" in shown and "outcome-passed" not in shown and "no is better" in shown
    shown = str(sections.traits(rated(regex_trait_scores={"hedges": True}, scale=None)))
    assert "outcome-" not in shown


def test_traits_show_forms_figures_lists_and_what_has_no_score_as_text() -> None:
    lists = {"tp": [HOSTILE], "fn": [], "fp": []}
    shown = str(
        sections.traits(
            rated(
                llm_trait_scores={"form.n": 1, f"{HOSTILE}.x": HOSTILE},
                metric_trait_scores={"m": {"f1": 1.0}},
                metric_trait_confusion_lists={"m": lists},
                scale=True,
            )
        )
    )
    assert "<img" not in shown
    for told in (
        "<dt>n</dt><dd>1</dd>",
        "Expected, found",
        "Expected, missing",
        "<dt>F1</dt><dd>1.000</dd>",
        "no score",
    ):
        assert told in shown


def test_traits_without_a_score_are_marked_where_they_ran_and_it_is_said_what_to_do() -> None:
    made = rated(scale=True, llm_trait_scores={"depth": 3}, trait_faults={"hedges": "timeout"})
    made = made.model_copy(update={"stages": [StageRecord(name="RubricEvaluation", status="ran", seconds=1.0)]})
    shown = str(sections.notable_steps(made))
    assert "stage-partly" in shown and "stage-ran" not in shown and "1 of 2 traits has no score." in shown
    advised = str(sections.problem(made))
    assert "No score for 1 of 2 traits: “hedges”. The model took too long." in advised and "Retry them" in advised
    whole = rated(scale=True, llm_trait_scores={"hedges": True}).model_copy(update={"stages": made.stages})
    assert "stage-ran" in str(sections.steps(whole)) and sections.problem(whole) is None
    silent = str(sections.problem(rated(scale=True)))
    assert "No score for 1 of 1 trait: “hedges”. The judge returned no valid score." in silent


def test_agent_traits_without_a_score_are_marked_at_their_own_stage() -> None:
    made = rated(scale=True, llm_trait_scores={"hedges": True}, agentic_trait_scores={"clean": None})
    scales = {name: TraitScale(kind="boolean", higher_is_better=True) for name in ("hedges", "clean")}
    assert made.rubric
    made = made.model_copy(update={"rubric": made.rubric.model_copy(update={"trait_scales": scales})})
    names = ("RubricEvaluation", "AgenticRubricEvaluation")
    made = made.model_copy(update={"stages": [StageRecord(name=name, status="ran", seconds=1.0) for name in names]})
    first, second, *_ = str(sections.steps(made)).split("<tr>")[2:]
    assert "stage-ran" in first and "stage-partly" in second and "1 of 1 trait has no score" in second


def test_a_check_that_was_not_performed_gets_no_check_mark() -> None:
    ran = [StageRecord(name="SufficiencyCheck", status="ran", seconds=1.0)]
    made = result(ResultTemplate()).model_copy(update={"stages": ran})
    shown = str(sections.steps(made))
    assert "stage-partly" in shown and "stage-ran" not in shown and "<td>Not performed</td>" in shown
    made = result(ResultTemplate(sufficiency_check_performed=True)).model_copy(update={"stages": ran})
    assert "stage-ran" in str(sections.steps(made))


def test_the_other_replicates_are_links_with_their_verdicts() -> None:
    rows = [summary(1, "passed", replicate=1), summary(2, "wrong", replicate=2)]
    shown = sections.relatives(StoredResult(rows[1], result(ResultTemplate())), rows)
    assert shown is not None
    assert 'href="/runs/3/results/1"' in shown
    assert shown.count("aria-current") == 1
    assert "Passed" in shown
    assert "Wrong" in shown


def test_rates_say_what_they_count_and_list_errors_apart() -> None:
    rows = [summary(1, "passed"), summary(2, "wrong"), summary(3, "error")]
    shown = overview(summarise(counted(rows)), [], Cost())
    assert "50% · 1 of 2 results" in shown
    assert "1 without a verdict" in shown
    assert rate_text(Rate(left_out=3)) == "no verdicts"


def test_the_yes_of_traits_is_counted_and_not_called_good() -> None:
    rows = [summary(n, "unscored", traits={"hedges": n == 1, "depth": 3}) for n in (1, 2, 3)]
    shown = overview(summarise(counted(rows)), trait_figures(counted(rows), {}), Cost())
    assert "33% yes · 1 of 3 results" in shown
    assert "3.00 3 results · SD 0.00" in words(shown)
    assert not any(look in shown for look in ("outcome-passed", "rate-good", "rate-poor", "better"))


def test_the_matrix_counts_replicates_and_shows_what_is_missing_as_nothing() -> None:
    rows = [
        summary(1, "passed", replicate=1),
        summary(2, "wrong", replicate=2),
        summary(3, "passed", answering="b", question_id="q2"),
    ]
    matrix = by_question(QuestionPage(["q", "q2"], rows, 2, [ComparisonKey("a"), ComparisonKey("b")]))
    assert [column["answering"] for column in matrix["columns"]] == ["a", "b"]
    first, second = (row["cells"] for row in matrix["rows"])
    assert (first[0]["passed"], first[0]["judged"], first[0]["outcome"]) == (1, 2, "wrong")
    assert first[1] is None
    assert second[0] is None


def test_the_matrix_has_a_column_for_each_condition() -> None:
    rows = [summary(1, "passed", condition="bare"), summary(2, "wrong", condition="graph")]
    matrix = by_question(
        QuestionPage(["q"], rows, 1, [ComparisonKey("a", None, "bare"), ComparisonKey("a", None, "graph")])
    )
    assert [(c["title"], c["answering"], c["condition"]) for c in matrix["columns"]] == [
        ("bare", "a", "bare"), ("graph", "a", "graph"),
    ]  # fmt: skip
    assert [cell["passed"] for cell in matrix["rows"][0]["cells"]] == [1, 0]
    assert matrix["about"] == "model a"


def test_the_heads_of_the_matrix_say_what_differs_in_two_names_and_the_rest_stands_above() -> None:
    def drawn(*models: ComparisonKey) -> tuple[list[tuple[str, str]], str]:
        matrix = by_question(QuestionPage([], [], 0, list(models)))
        return [(column["group"], column["title"]) for column in matrix["columns"]], matrix["about"]

    a, b = ComparisonKey("a", "j", "bare"), ComparisonKey("b", "k", "bare")
    assert drawn(a, b) == ([("a", "j"), ("b", "k")], "condition bare")
    assert drawn(a) == ([("", "a")], "condition bare · judge j")
    three = (a, ComparisonKey("a", "k", "graph"), ComparisonKey("b", None, "bare"))
    assert drawn(*three) == ([("a · bare", "j"), ("a · graph", "k"), ("b · bare", "no judge")], "")


def test_a_run_of_traits_alone_shows_scores_and_says_nothing_of_verdicts() -> None:
    scores = [{"form.kind": True, "form.depth": 2}, {"form.depth": 5}, {}]
    rows = [summary(n, "unscored" if each else "error", replicate=n, traits=each) for n, each in enumerate(scores)]
    shown = overview(summarise(counted(rows)), trait_figures(counted(rows), {}), Cost())
    assert "2 of 3 results have trait scores" in shown and "no pass or fail" in shown and "outcome-error" in shown
    assert not any(told in shown for told in ("Pass rate", "no verdicts", "No verdict"))
    depth = TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5)
    page = QuestionPage(["q"], rows, 1, [ComparisonKey("a")])
    matrix = by_question(page, ShownScore("form.depth", depth))
    assert matrix["about"] == "Mean of form.depth (1 to 5 · higher is better)"
    assert matrix["rows"][0]["cells"][0]["score"] == {"text": "3.50", "n": 2}
    kind = by_question(page, ShownScore("form.kind"))["rows"][0]["cells"][0]["score"]
    assert kind == {"text": "1 of 1 yes", "n": 1}
    assert by_question(page)["rows"][0]["cells"][0]["score"] is None


def test_reasons_are_counted_after_their_names_and_a_single_one_is_only_named() -> None:
    failed = [summary(n, "error", category="parsing" if n < 2 else "timeout") for n in range(5)]
    assert "(Timeout 3, Parse error 2)" in words(str(overview(summarise(counted(failed)), [], Cost())))
    assert "(Timeout)" in words(str(overview(summarise(counted(failed[2:])), [], Cost())))


def test_the_overview_names_conditions_and_says_that_judgments_are_counted() -> None:
    rows = [
        summary(number, "passed", condition=condition, answering=model, judge_replicate=2)
        for number, (condition, model) in enumerate([("bare", "a"), ("graph", "a"), ("bare", "b"), ("graph", "b")])
    ]
    shown = overview(summarise(counted(rows)), [], Cost())
    assert "Pass rate by model and condition" in shown
    assert "a · graph" in shown
    assert "By condition" in shown
    assert "Each answer has 2 judgments. Counts are of judgments, not answers." in shown


def test_a_result_says_its_condition_and_which_judgment_it_is() -> None:
    here = summary(1, "wrong", condition="graph", judge_replicate=2)
    shown = head(StoredResult(here, result(ResultTemplate(verify_result=False))), 3)
    assert "Condition <b>graph</b>" in shown
    assert "Judgment <b>2 of 3</b>" in shown
    others = relatives(StoredResult(here, result(ResultTemplate())), [here, summary(2, "passed", condition="bare")])
    assert others is not None
    assert "a · graph" in others
    assert "judgment 2" in others


def rated(*, scale: bool | None, **scores: Any) -> VerificationResult:
    """Result with these scores; the trait `hedges` was to be scored in any case."""
    made = result(ResultTemplate())
    scales = {"hedges": TraitScale(kind="boolean", higher_is_better=scale)}
    return made.model_copy(update={"rubric": ResultRubric(trait_scales=scales, **scores)})


def result(template: ResultTemplate, *, failure: Failure | None = None, **metadata: Any) -> VerificationResult:
    model = ModelIdentity(interface="manual", model_name="m")
    return VerificationResult(
        metadata=ResultMetadata(question_id="q", template_id="t", answering=model, failure=failure, **metadata),
        template=template,
    )


def stored(shown: VerificationResult) -> StoredResult:
    return StoredResult(summary(1, "wrong"), shown)


def summary(number: int, outcome: Outcome, **changes: Any) -> ResultSummary:
    fields: dict[str, Any] = {
        "id": number, "run_id": 3, "position": number, "question_id": "q", "question_text": "Q?", "keywords": ("k",),
        "answering": "a", "judge": None, "replicate": None, "outcome": outcome, "passed": outcome == "passed",
        "category": None, "stage": None, "error": None, "seconds": 1.0, "tokens": None, "recording_label": None,
    }  # fmt: skip
    return ResultSummary(**{**fields, **changes})
