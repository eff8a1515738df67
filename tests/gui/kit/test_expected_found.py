"""Rows of the comparison tables."""

from __future__ import annotations

import pytest

from karenina_gui.gui.kit.expected_found import field_rows, pattern_rows
from karenina_gui.gui.pages.results.stage_names import describe, plain_reason, title
from karenina_gui.gui.pages.run_setup.options import JUDGING_AGENTS
from karenina_gui.schemas.result import ResultTemplate, StageRecord
from karenina_gui.text import duration


def test_fields_stand_in_the_order_of_what_is_expected() -> None:
    rows = field_rows(
        ResultTemplate(
            parsed_gt_response={"b": 1, "a": ["x"]},
            parsed_llm_response={"a": ["x", "y"], "b": None, "extra": "more"},
            field_results={"a": False, "b": None},
            field_scores={"a": 0.5, "b": None},
        )
    )
    assert [(r.name, r.found, r.expected, r.passed, r.score, r.absent) for r in rows] == [
        ("b", "", "1", None, None, True),
        ("a", "x, y", "x", False, 0.5, False),
        ("extra", "more", "", None, None, False),
    ]


def test_an_empty_list_is_told_from_a_field_that_is_absent() -> None:
    (empty, absent) = field_rows(
        ResultTemplate(parsed_gt_response={"a": ["x"], "b": ["x"]}, parsed_llm_response={"a": [], "b": None})
    )
    assert [(row.found, row.absent) for row in (empty, absent)] == [("empty list", False), ("", True)]


def test_a_pattern_row_shows_the_first_matches_and_how_many_there_are() -> None:
    (row,) = pattern_rows(
        ResultTemplate(
            regex_validation_results={"numbers": False},
            regex_validation_details={
                "numbers": {
                    "pattern": r"\d+",
                    "expected": 2,
                    "match_type": "count",
                    "matches_found": ["1", "2", "3", "4", "5", "6"],
                    "match_count": 6,
                    "failure_reason": "Expected 2 matches, got 6",
                }
            },
        )
    )
    assert row.found == "1, 2, 3, 4, 5 … (6 in total)"
    assert row.expected == "count 2"
    assert row.reason == "Expected 2 matches, got 6"


def test_a_skipped_stage_names_its_rule_and_no_duration() -> None:
    record = StageRecord(name="EmbeddingCheck", status="skipped", reason="the fields match already")
    assert title(record) == "Embedding check"
    assert describe(record).startswith("Embedding check skipped: the fields match already. ")
    stopped = StageRecord(name="VerifyTemplate", status="skipped", reason="an earlier stage failed (ParseTemplate)")
    assert "an earlier step failed (Field extraction)." in describe(stopped)
    assert describe(stopped).endswith(" Name in files: VerifyTemplate.")


@pytest.mark.parametrize("name", ["AgenticParseTemplate", "AgenticRubricEvaluation"])
def test_the_steps_of_agents_name_all_that_an_agent_can_be_given(name: str) -> None:
    (context,) = [each for each in JUDGING_AGENTS.options if each.name == "agentic_judge_context"]
    assert set(context.choices) == {"workspace_only", "trace_only", "trace_and_workspace"}
    assert "the workspace, the trace, or both" in describe(StageRecord(name=name, status="ran"))


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (
            "ParseTemplate stopped unexpectedly: KeyError: 'dose'",
            "The step “Field extraction” stopped unexpectedly: Key",
        ),
        ("Trap stopped unexpectedly: OSError: no", "The step “Trap” stopped unexpectedly: OSError: no"),
        (
            "The trace has no final answer: Final AI message has no text content",
            "The trace has no final answer. The last message is empty.",
        ),
        ("The provider’s server failed.", "The provider’s server failed."),
    ],
)
def test_stored_reasons_are_put_in_the_words_of_the_screens(stored: str, shown: str) -> None:
    assert plain_reason(stored).startswith(shown)
    record = StageRecord(name="ParseTemplate", status="failed", reason=stored, seconds=1)
    assert shown.rstrip(".") in describe(record)


def test_durations_read_like_speech() -> None:
    assert [duration(s) for s in (0.0123, 1.239, 42.25, 185, 4320)] == [
        "12 ms",
        "1.24 s",
        "42.2 s",
        "3 min 05 s",
        "1 h 12 min",
    ]
