"""Tests of trait figures: counts, means and deviations, and the direction of the trait."""

from __future__ import annotations

from statistics import stdev

import pytest

from karenina_gui.analysis.trait_figures import TraitFigures, leading_trait, trait_figures
from karenina_gui.gui.pages.runs.overview import trait_view
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.run_counts import ComparisonKey, OfArm, QuestionMeans, RunCounts, RunMeans
from tests.figures.shown import words

HIGH = TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5)
LOW = HIGH.model_copy(update={"higher_is_better": False})
A = ComparisonKey("a")
YES_IS_BAD = TraitScale(kind="boolean", higher_is_better=False)


def test_scores_are_gathered_by_trait_with_the_scale_of_each() -> None:
    counts = RunCounts(
        traits=[(A, {"cites": True, "depth": 3}, 2), (A, {"cites": False, "form.n": 7}, 1)], means=means(depth=3)
    )
    cites, depth, form = trait_figures(counts, {"depth": HIGH, "form": TraitScale(kind="template")})
    assert (cites.name, cites.number, cites.yes, cites.is_boolean, cites.scale) == ("cites", 3, 2, True, None)
    assert (depth.number, depth.mean, depth.deviation, depth.scale) == (2, 3, 0, HIGH)
    assert (form.name, form.scale and form.scale.kind, form.deviation) == ("form.n", "template", None)


def means(**mean: float) -> RunMeans:
    """Means of model a by trait."""
    return RunMeans({OfArm("a", None, trait): QuestionMeans(value, 1) for trait, value in mean.items()})


def test_the_mean_is_that_of_the_questions_and_the_spread_that_of_single_scores() -> None:
    found = TraitFigures("depth", {1: 2, 4: 3, 5: 1}, HIGH, of_questions=QuestionMeans(6.5, 2))
    assert found.mean == 3.25
    assert found.deviation == pytest.approx(stdev([1, 1, 4, 4, 4, 5]))


def test_a_trait_that_was_asked_for_and_never_scored_is_there_and_says_so() -> None:
    counts = RunCounts([(A, "unscored", 4)], traits=[(A, {"depth": 3}, 3)], means=means(depth=3),
                       requested={OfArm("a", None, "depth"): 4, OfArm("a", None, "tone"): 4})  # fmt: skip
    depth, tone = trait_figures(counts, {})
    assert (depth.missing, tone.name, tone.number, tone.missing) == (1, "tone", 0, 4)
    shown = words(str(trait_view([depth, tone])))
    assert "1 of 4 without a score" in shown and "no scores 4 of 4 without a score" in shown


def test_scores_out_of_scale_are_missing_and_counted() -> None:
    arm = OfArm("ada", None, "depth")
    scored = [(ComparisonKey("ada"), {"depth": 2}, 1)]
    counts = RunCounts(traits=scored, requested={arm: 5}, out_of_scale={arm: 3})
    (figures,) = trait_figures(counts, {"depth": TraitScale(kind="score", min_score=1, max_score=5)})
    assert (figures.number, figures.missing, figures.out_of_scale) == (1, 4, 3)
    assert "4 of 5 without a score (3 out of scale)" in words(trait_view([figures]))


def test_a_mean_has_a_place_where_the_scale_has_ends() -> None:
    assert TraitFigures("depth", {4: 1}, HIGH, of_questions=QuestionMeans(4, 1)).scale_position == pytest.approx(0.75)
    assert TraitFigures("hedges", {True: 3, False: 1}, of_questions=QuestionMeans(0.75, 1)).scale_position == 0.75
    assert TraitFigures("hedges", {True: 3, False: 1}).scale_position is None
    assert TraitFigures("length", {40: 1}, TraitScale(kind="score", higher_is_better=True)).scale_position is None


def test_the_better_end_is_the_one_that_the_trait_says() -> None:
    four = QuestionMeans(4, 1)
    assert "higher is better" in str(trait_view([TraitFigures("depth", {4: 1}, HIGH, of_questions=four)]))
    low = str(trait_view([TraitFigures("depth", {4: 1}, LOW, of_questions=four)]))
    assert "lower is better" in low and "rate-poor" in low


def test_a_score_of_one_is_not_taken_for_yes() -> None:
    (depth,) = trait_figures(RunCounts(traits=[(A, {"depth": 1}, 1), (A, {"depth": 0}, 1)]), {"depth": HIGH})
    assert not depth.is_boolean and depth.counts == {1: 1, 0: 1}
    (mixed,) = trait_figures(RunCounts(traits=[(A, {"x": True}, 1), (A, {"x": 3}, 1)]), {})
    assert not mixed.is_boolean and mixed.counts == {1: 1, 3: 1}


def test_the_first_trait_with_a_range_stands_for_a_result_and_never_one_of_classes() -> None:
    form = TraitScale(kind="template", fields={"depth": HIGH})
    tone = TraitScale(kind="literal", classes=["casual", "formal"])
    scales = {"tone": tone, "cites": YES_IS_BAD, "form": form, "length": HIGH}
    assert leading_trait(["tone", "cites", "form.n", "form.depth", "length"], scales) == "form.depth"
    assert leading_trait(["tone", "form.n", "cites"], scales) == "cites"
    assert leading_trait(["tone", "other"], scales) == "other"
    assert leading_trait(["tone"], scales) is None


def test_each_model_under_each_condition_has_a_line_and_it_is_told_what_counts() -> None:
    bare, graph = ComparisonKey("a", "j", "bare"), ComparisonKey("a", "j", "graph")
    counts = RunCounts(
        traits=[
            (bare, {"depth": 1}, 1),
            (bare, {"depth": 2}, 1),
            (graph, {"depth": 5}, 2),
            (graph._replace(judge="k"), {"depth": 4}, 1),
        ],
        means=RunMeans(
            {
                OfArm("a", "bare", "depth"): QuestionMeans(3, 2),
                OfArm("a", "graph", "depth"): QuestionMeans(4.75, 1),
            }
        ),
        requested={OfArm("a", "bare", "depth"): 2, OfArm("a", "graph", "depth"): 9},
    )
    (depth,) = trait_figures(counts, {"depth": HIGH})
    assert {arm: (part.mean, part.number) for arm, part in depth.parts.items()} == {
        "a · bare": (1.5, 2), "a · graph": (4.75, 3),
    }  # fmt: skip
    shown = str(trait_view([depth], 2))
    assert depth.mean is None and "a · bare" in shown and "1.50 2 results · SD 0.71" in words(shown)
    assert "single judgments, 2 per answer" in shown
    assert words(shown).count("without a score") == 1 and "6 of 9 without a score" in shown
    verdicts: list[tuple[ComparisonKey, Outcome, int]] = [(bare, "unscored", 2), (graph, "error", 2)]
    (lacking,) = trait_figures(RunCounts(verdicts, traits=counts.traits[:2]), {})
    assert "no scores" in str(trait_view([lacking])) and lacking.parts["a · graph"].number == 0
    (alone,) = trait_figures(RunCounts(traits=counts.traits[:2]), {})
    assert not alone.parts
    assert "results, one per replicate" in str(trait_view([alone]))


def test_each_kind_is_shown_in_its_own_words() -> None:
    tone = TraitScale(kind="literal", higher_is_better=None, classes=["casual", "formal"])
    shown = str(
        trait_view(
            [
                TraitFigures(
                    "cites",
                    {True: 3, False: 1},
                    TraitScale(kind="boolean", higher_is_better=True),
                    of_questions=QuestionMeans(1.4, 2),
                ),
                TraitFigures("hedges", {True: 3, False: 1}, YES_IS_BAD, of_questions=QuestionMeans(0.75, 1)),
                TraitFigures("depth", {2: 1, 4: 1}, HIGH, of_questions=QuestionMeans(3, 1)),
                TraitFigures("tone", {0: 2, 1: 1, -1: 1}, tone),
            ]
        )
    )
    classes = "casual 2 · formal 1 · none of them 1"
    for told in ("70% yes · 3 of 4 results", "no is better", "SD 1.41", "1 to 5", classes):
        assert told in shown
    assert shown.count("rate-good") == 2 and shown.count("rate-poor") == 1
    assert trait_view([]) is None


def test_figures_of_what_was_counted_are_averaged_on_their_own_scale() -> None:
    f1_means = RunMeans({OfArm("a", None, "effects.f1"): QuestionMeans(1.5, 2)})
    counts = RunCounts(traits=[(A, {"effects.f1": 0.5}, 1), (A, {"effects.f1": 1.0}, 1)], means=f1_means)
    (f1,) = trait_figures(counts, {"effects": TraitScale(kind="metric", higher_is_better=True)})
    assert (f1.mean, f1.scale_position) == (0.75, 0.75)
    assert "0.75 higher is better · 2 results" in words(str(trait_view([f1]))) and "rate-good" in str(trait_view([f1]))
    (neutral,) = trait_figures(counts, {"effects": TraitScale(kind="metric")})
    assert not any(look in str(trait_view([neutral])) for look in ("rate-good", "rate-poor"))
