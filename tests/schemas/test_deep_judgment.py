"""The table of traits that a run judges deeply, in its configuration."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.verification_config import VerificationConfig

TABLE = {
    "global": {"clear": {"enabled": True, "max_excerpts": 2, "fuzzy_match_threshold": None}},
    "question_specific": {"q": {"own": {}, "other": {"enabled": False, "search_enabled": True}}},
}


@pytest.mark.parametrize("table", [TABLE, {}, {"global": {}}, {"question_specific": {"q": {}}}])
def test_the_table_is_written_again_as_it_was_given(table: dict[str, Any]) -> None:
    config = VerificationConfig(deep_judgment_rubric_mode="custom", deep_judgment_rubric_config=table)
    assert config.model_dump(mode="json")["deep_judgment_rubric_config"] == table
    assert VerificationConfig.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "must be an object (name: value pairs)"),
        ({"globl": {}}, ".globl: unknown field; check the spelling"),
        ({"global": {"clear": True}}, ".global.clear: must be an object (name: value pairs)"),
        ({"global": {"clear": {"max_excerpts": 0}}}, ".global.clear.max_excerpts: must be at least 1"),
        ({"global": {"clear": {"max_excerpt": 1}}}, ".global.clear.max_excerpt: unknown field"),
        (
            {"question_specific": {"q": {"own": {"fuzzy_match_threshold": 80}}}},
            ".question_specific.q.own.fuzzy_match_threshold: must be at most 1.0",
        ),
        ({"question_specific": {"own": {"enabled": True}}}, ".question_specific.own.enabled: must be an object"),
    ],
)
def test_a_table_of_another_shape_is_refused_with_the_place_that_is_wrong(table: Any, words: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        VerificationConfig(deep_judgment_rubric_config=table)
    said = first_problem(refusal.value)
    assert said.startswith("deep_judgment_rubric_config")
    assert words in said


def test_custom_mode_without_a_table_says_what_it_needs() -> None:
    with pytest.raises(ValidationError, match=r"needs deep_judgment_rubric_config, such as"):
        VerificationConfig(deep_judgment_rubric_mode="custom")
