"""A model in the form: what is not right yet is said at its field, and nothing that the form does not show is lost."""

from __future__ import annotations

import pytest

from karenina_gui.gui.models.draft import ModelDraft
from karenina_gui.schemas.config import ModelConfig


def test_a_model_comes_back_from_its_form_unchanged() -> None:
    model = ModelConfig(
        id="gpt",
        model_name="gpt-5",
        interface="openai_endpoint",
        endpoint_base_url="https://example.org/v1",
        api_key_env="MY_KEY",
        temperature=None,
        extra_kwargs={"seed": 7},
        mcp_urls_dict={"db": "http://localhost:1"},
    )
    assert ModelDraft.of("gpt", model).config() == model


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("model_name", " ", "the provider knows the model"),
        ("endpoint_base_url", "localhost:8000", "begins with http://"),
        ("api_key_env", "sk-123 456", "never the key itself"),
        ("temperature", 3.0, "a number from 0 to 2"),
        ("temperature", float("inf"), "a number from 0 to 2"),
        ("max_tokens", float("inf"), "At least 1 token"),
        ("max_tokens", 0, "At least 1 token"),
        ("request_timeout", -1.0, "More than 0 seconds"),
    ],
)
def test_each_mistake_is_told_at_its_field(field: str, value: object, words: str) -> None:
    draft = ModelDraft.of("gpt", ModelConfig(id="gpt", model_name="gpt-5", interface="openai_endpoint"))
    draft.values[field] = value
    assert words in draft.problems([])[field]


def test_a_name_is_needed_and_taken_once_only() -> None:
    draft = ModelDraft.of("a", ModelConfig(id="a", model_name="m", interface="claude_tool"))
    assert "name" in draft.problems(["b", "a"])
    draft.name = "  "
    assert "Give the model a name" in draft.problems([])["name"]


def test_another_interface_leaves_behind_what_it_does_not_know() -> None:
    draft = ModelDraft.of("r", ModelConfig(id="r", model_name="m", interface="replay", recording="example"))
    draft.interface = "claude_tool"
    assert draft.config().recording is None
    draft.interface = "replay"
    assert draft.config().recording == "example"


def test_a_replay_needs_its_recording() -> None:
    draft = ModelDraft("r", "replay", {"model_name": "m"})
    assert draft.problems([]) == {"recording": "Give the file that a run recorded."}


def test_recorded_answers_need_no_name_of_a_provider() -> None:
    draft = ModelDraft("mine", "manual", answers={"q": "42"})
    assert draft.problems([]) == {}
    assert draft.config().manual_traces == {"q": "42"}
