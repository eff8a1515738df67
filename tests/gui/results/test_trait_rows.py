"""The traits of a result as rows, and what their scores mean."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.results.trait_rows import METRIC, TraitRow, trait_rows
from karenina_gui.schemas.result import ResultRubric, TraitScale


def test_traits_of_every_kind_become_rows() -> None:
    rows = trait_rows(
        ResultRubric(
            llm_trait_scores={"tone": 0, "clear": True, "form.count": 2, "form.hedged": False, "form.note": None},
            llm_trait_labels={"tone": "casual"},
            regex_trait_scores={"cites": False},
            callable_trait_scores={"length": 0.5},
            metric_trait_scores={"cover": {"f1": 0.5, "recall": 1.0}},
            trait_provenance={"cites": "question_specific", "tone": "global"},
        )
    )
    assert [(r.name, r.kind, r.score, r.good, r.origin) for r in rows] == [
        ("tone", "judged by a model", "casual", None, "benchmark"),
        ("clear", "judged by a model", "yes", True, ""),
        ("form", "judged by a model", "", None, ""),
        ("cites", "pattern", "no", False, "question"),
        ("length", "function", "0.5", None, ""),
        ("cover", METRIC, "", None, ""),
    ]
    assert rows[2].parts == (("count", "2"), ("hedged", "no"), ("note", ""))
    assert rows[-1].parts == (("F1", "0.500"), ("Recall", "1.000"))


def test_the_lists_of_a_metric_have_names_for_people() -> None:
    lists = {"tp": ["BCL2"], "tn": [], "fp": ["TP53"], "fn": ["MCL1", "BAX"]}
    (row,) = trait_rows(ResultRubric(metric_trait_scores={"m": {"f1": 0.5}}, metric_trait_confusion_lists={"m": lists}))
    assert row.lists == (
        ("Expected, found", ("BCL2",)), ("Expected, missing", ("MCL1", "BAX")), ("Unwanted, found", ("TP53",)),
        ("Unwanted, absent", ()),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("higher_is_better", "score", "good", "meaning"),
    [
        (True, True, True, ""),
        (True, False, False, ""),
        (False, True, False, "no is better"),
        (False, False, True, "no is better"),
        (None, True, None, "neither is better"),
    ],
)
def test_a_yes_is_good_or_bad_as_the_trait_says(
    higher_is_better: bool | None, score: bool, good: bool | None, meaning: str
) -> None:
    scale = TraitScale(kind="boolean", higher_is_better=higher_is_better)
    row = only(regex_trait_scores={"t": score}, trait_scales={"t": scale})
    assert (row.score, row.good, row.meaning) == ("yes" if score else "no", good, meaning)


@pytest.mark.parametrize(
    ("low", "high", "meaning"),
    [
        (0, 4, "0 to 4 · lower is better"),
        (4, 0, "0 to 4 · lower is better"),
        (1, None, "at least 1 · lower is better"),
        (None, 9, "at most 9 · lower is better"),
        (None, None, "lower is better"),
    ],
)
def test_a_score_says_its_range_and_direction(low: int | None, high: int | None, meaning: str) -> None:
    scale = TraitScale(kind="score", min_score=low, max_score=high, higher_is_better=False)
    row = only(callable_trait_scores={"t": 0}, trait_scales={"t": scale})
    assert (row.score, row.good, row.meaning) == ("0", None, meaning)


def test_a_class_is_told_by_its_name_also_where_code_gave_its_place() -> None:
    scale = TraitScale(kind="literal", higher_is_better=True, classes=["short", "long"])
    row = only(callable_trait_scores={"t": 1}, trait_scales={"t": scale})
    assert (row.score, row.meaning) == ("long", "class 2 of 2 · later classes are better")


def test_a_class_that_the_trait_has_not_says_so() -> None:
    row = only(llm_trait_scores={"t": -1}, llm_trait_labels={"t": "odd"})
    assert (row.score, row.meaning) == ("odd", "no valid class")


def test_a_trait_without_a_score_keeps_its_row() -> None:
    row = only(trait_scales={"t": TraitScale(kind="boolean")}, trait_provenance={"t": "global"})
    assert (row.name, row.score, row.parts, row.origin) == ("t", "", (), "benchmark")


def only(**fields: Any) -> TraitRow:
    (row,) = trait_rows(ResultRubric(**fields))
    return row


def test_a_trait_that_an_agent_could_not_score_keeps_its_row_without_one() -> None:
    scores = {"clean": None, "quick": True, "form.bugs": 2, "form.note": None}
    rubric = ResultRubric(agentic_trait_scores=scores, trait_scales={"clean": TraitScale(kind="boolean")})
    assert [(r.name, r.score, r.parts) for r in trait_rows(rubric)] == [
        ("quick", "yes", ()), ("form", "", (("bugs", "2"), ("note", ""))), ("clean", "", ()),
    ]  # fmt: skip
