"""Traits in checkpoints: read in every form they come in, written in upstream's own."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import (
    TRAIT_TYPES,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from tests.formats.checkpoints.small_checkpoint import checkpoint, element, rating, resaved


def test_traits_of_a_file_equal_the_traits_that_were_constructed(shared: Path) -> None:
    rubric = load_checkpoint(shared / "checkpoints/04a_all_global_traits_dj_saved.jsonld").rubric
    assert rubric is not None
    constructed = json.loads((shared / "checkpoints/04_traits_as_constructed.json").read_text())
    assert rubric.names == [trait["name"] for trait in constructed]
    for trait, stored in zip(rubric.traits, constructed, strict=True):
        assert type(trait).__name__ == stored.pop("type")
        stored.pop("include_ground_truth", None)  # the file itself has lost it
        read = trait.model_dump(mode="json")
        read.pop("include_ground_truth", None)
        if isinstance(stored.get("kind"), dict):
            assert read.pop("kind")["schema"]["required"] == stored.pop("kind")["schema"]["required"]
        assert read == stored


@pytest.mark.parametrize("level", ["global", "question", "dynamic"])
def test_every_trait_survives_our_own_file_whole(level: str, shared: Path, tmp_path: Path) -> None:
    rubric = Rubric()
    for stored in json.loads((shared / "checkpoints/04_traits_as_constructed.json").read_text()):
        type_name = next(n for n, t in TRAIT_TYPES.items() if t.__name__ == stored["type"])
        stored.pop("type")
        rubric.holding(type_name).append(TRAIT_TYPES[type_name].model_validate(stored))
    if level == "dynamic":
        rubric = Rubric(dynamic=DynamicRubric.model_validate(rubric.model_dump()))
    document = BenchmarkDocument(name="b", rubric=None if level == "question" else rubric)
    dump = rubric.model_dump(mode="json") if level == "question" else None
    document.add(Question(question="Why?", raw_answer="So.", question_rubric=dump))
    again = load_checkpoint(save_checkpoint(document, tmp_path / "b"))
    assert again.rubric == document.rubric
    assert again.entries[0].question == document.entries[0].question


def test_the_trait_ratings_we_write_are_upstreams_own(shared: Path, tmp_path: Path) -> None:
    original = shared / "checkpoints/05_question_rubric_all_types.jsonld"
    document = load_checkpoint(original)
    fresh = BenchmarkDocument(name="b", rubric=document.rubric)
    fresh.add(document.entries[0].question)
    ours = json.loads(save_checkpoint(fresh, tmp_path / "b").read_text())
    theirs = json.loads(original.read_text())
    assert ours["rating"] == theirs["rating"]
    ratings = ours["dataFeedElement"][0]["item"]["rating"]
    for own, other in zip(ratings, theirs["dataFeedElement"][0]["item"]["rating"], strict=True):
        if own["name"] == "unit01":  # a 0..1 score names its kind, so that it does not become a boolean
            own["additionalProperty"] = [p for p in own["additionalProperty"] if p["name"] != "kind"]
        assert own == other


def test_ranges_given_only_by_best_and_worst_are_honoured(shared: Path) -> None:
    rubric = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld").rubric
    assert rubric is not None
    ranges = {t.name: (t.kind, t.min_score, t.max_score) for t in rubric.llm_traits}
    assert ranges == {"old_bool": ("boolean", 1, 5), "old_score": ("score", 1, 5), "old_score7": ("score", 2, 7)}


def test_a_changed_legacy_range_is_written_in_full(shared: Path, tmp_path: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld")
    assert document.rubric is not None
    document.rubric.llm_traits[2].max_score = 9
    data = json.loads(save_checkpoint(document, tmp_path / "c.jsonld").read_text())
    changed = data["rating"][2]
    assert (changed["bestRating"], changed["worstRating"]) == (9.0, 2)
    assert {p["name"]: p["value"] for p in changed["additionalProperty"]} == {"max_score": 9, "min_score": 2}
    assert load_checkpoint(tmp_path / "c.jsonld").rubric == document.rubric


def test_legacy_trait_texts_are_read_kept_and_changed(shared: Path, tmp_path: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld")
    assert document.rubric is not None
    assert document.rubric.regex_traits[0].invert_result
    document.rubric.regex_traits[0].pattern = "y+"
    again = load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld"))
    assert again.rubric == document.rubric
    data = json.loads((tmp_path / "c.jsonld").read_text())
    texts = {p["name"]: p["value"] for p in data["additionalProperty"]}
    assert texts["global_regex_rubric_traits"] == "[]"
    assert "legacy_metric" in texts["global_metric_rubric_traits"]


def test_adding_a_static_trait_keeps_dynamic_ones(tmp_path: Path) -> None:
    dynamic = rating("d", "karenina:GlobalDynamicRubricTrait", dynamic_trait_type="regex", pattern="x", unknown=1)
    document = load_checkpoint(checkpoint(tmp_path, element(), rating=[dynamic]))
    assert document.rubric is not None
    assert document.rubric.is_empty
    document.rubric.regex_traits.append(RegexRubricTrait(name="r", pattern="y"))
    again = load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld"))
    assert again.rubric == document.rubric
    assert again.source["rating"][0] == dynamic


def test_a_changed_trait_keeps_its_unknown_properties(tmp_path: Path) -> None:
    stored = rating("r", "GlobalRegexTrait", pattern="x", note="kept") | {"@id": "urn:1", "color": "red"}
    document = load_checkpoint(checkpoint(tmp_path, element(), rating=[stored]))
    assert document.rubric is not None
    document.rubric.regex_traits[0].pattern = "z"
    saved = json.loads(save_checkpoint(document, tmp_path / "c.jsonld").read_text())["rating"]
    assert saved == [rating("r", "GlobalRegexTrait", pattern="z", note="kept") | {"@id": "urn:1", "color": "red"}]


def test_a_bad_pattern_is_reported_kept_and_can_be_repaired(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element(rating=[rating("r", "karenina:QuestionSpecificRegexTrait", pattern="(", x=1)]))
    document, notes = read_checkpoint(path)
    assert document.entries[0].question.question_rubric is None
    assert len(notes) == 1
    assert "the trait “r” is preserved" in notes[0]
    assert "Invalid regex pattern '('" in notes[0]
    assert resaved(path) == json.loads(path.read_text())
    document.entries[0].question.question_rubric = {"regex_traits": [{"name": "r", "pattern": "a"}]}
    data = json.loads(save_checkpoint(document, path).read_text())
    repaired = data["dataFeedElement"][0]["item"]["rating"]
    assert len(repaired) == 1
    assert {p["name"]: p["value"] for p in repaired[0]["additionalProperty"]}["x"] == 1
    assert read_checkpoint(path)[1] == []


@pytest.mark.parametrize(
    "bad",
    [
        "no object", {"@type": "Rating"},
        rating("t", "karenina:GlobalSomethingElse"), rating("t.x", "GlobalRubricTrait"),
        rating("ok", "GlobalRubricTrait"), rating("t", "karenina:QuestionSpecificRubricTrait"),
        rating("t", "GlobalDynamicRubricTrait", dynamic_trait_type="what"), rating("t", "GlobalCallableTrait"),
    ],
)  # fmt: skip
def test_a_rating_that_gives_no_trait_stays_in_the_file_and_is_reported(bad: Any, tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element(), rating=[rating("ok", "GlobalRubricTrait"), bad])
    document, notes = read_checkpoint(path)
    assert document.rubric is not None
    assert document.rubric.names == ["ok"]
    assert len(notes) == 1
    assert resaved(path) == json.loads(path.read_text())


def test_settings_on_the_rating_itself_and_texts_of_json_are_read(tmp_path: Path) -> None:
    own = rating("a", "GlobalRubricTrait") | {"deep_judgment_enabled": True, "deep_judgment_max_excerpts": 3}
    lists = rating("m", "GlobalMetricRubricTrait", metrics='["f1"]', tp_instructions='["x"]')
    classes = rating("c", "GlobalLLMRubricTrait", 1, 0, kind="literal", classes='{"b": "1", "a": "2"}')
    document = load_checkpoint(checkpoint(tmp_path, element(), rating=[own, lists, classes]))
    rubric = document.rubric
    assert rubric is not None
    assert rubric.llm_traits[0].deep_judgment_max_excerpts == 3
    assert rubric.llm_traits[0].deep_judgment_enabled
    assert rubric.llm_traits[1].classes == {"b": "1", "a": "2"}
    assert rubric.metric_traits[0].tp_instructions == ["x"]
    assert rubric.metric_traits[0].higher_is_better is None
    rubric.llm_traits[0].deep_judgment_enabled = False
    assert load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld")).rubric == rubric


def test_a_score_from_0_to_1_stays_a_score(tmp_path: Path) -> None:
    document = BenchmarkDocument(
        name="b",
        rubric=Rubric(llm_traits=[LLMRubricTrait(name="s", kind="score", min_score=0, max_score=1)]),
    )
    saved = save_checkpoint(document, tmp_path / "b")
    assert load_checkpoint(saved).rubric == document.rubric
    assert '"kind"' in saved.read_text()


def test_callable_code_of_either_form_is_never_decoded_away(tmp_path: Path) -> None:
    pickled = base64.b64encode(b"\x80\x04cos\nsystem\n(S'touch /tmp/never'\ntR.").decode()
    source = base64.b64encode(b"def check(text): return True").decode()
    ratings = [
        rating("p", "GlobalCallableTrait", callable_code=pickled, kind="boolean"),
        rating("s", "GlobalCallableTrait", callable_code=source, kind="boolean"),
    ]
    path = checkpoint(tmp_path, element(), rating=ratings)
    rubric = load_checkpoint(path).rubric
    assert rubric is not None
    assert [t.source for t in rubric.callable_traits] == [None, "def check(text): return True"]
    assert [t.callable_code for t in rubric.callable_traits] == [pickled, source]
    assert resaved(path) == json.loads(path.read_text())


def test_source_code_traits_reach_the_file(tmp_path: Path) -> None:
    trait = CallableRubricTrait(name="c", kind="score", min_score=0, max_score=3, source="def f(t): return 1")
    document = BenchmarkDocument(name="b", rubric=Rubric(callable_traits=[trait]))
    assert load_checkpoint(save_checkpoint(document, tmp_path / "b")).rubric == document.rubric


def test_traits_and_classes_in_another_order_change_places_in_the_file(tmp_path: Path) -> None:
    classes = {"casual": "chatty", "formal": "stiff"}
    ratings = [
        rating("b", "karenina:GlobalRegexTrait", pattern="b"),
        rating("tone", "karenina:GlobalLLMRubricTrait", 1, 0, kind="literal", classes=json.dumps(classes)),
        rating("a", "karenina:GlobalRegexTrait", pattern="a", note="kept"),
    ]
    document = load_checkpoint(checkpoint(tmp_path, element(), rating=ratings))
    assert document.rubric is not None
    document.rubric.regex_traits.reverse()
    tone = document.rubric.llm_traits[0].model_dump(exclude_defaults=True)
    tone["classes"] = {"formal": "stiff", "neutral": "plain", "casual": "chatty"}
    document.rubric.llm_traits[0] = LLMRubricTrait.model_validate(tone)
    saved = json.loads(save_checkpoint(document, tmp_path / "c.jsonld").read_text())["rating"]
    assert [each["name"] for each in saved] == ["a", "tone", "b"]
    assert saved[0] == ratings[2]
    (written,) = [each["value"] for each in saved[1]["additionalProperty"] if each["name"] == "classes"]
    assert list(written) == ["formal", "neutral", "casual"]
    again = load_checkpoint(tmp_path / "c.jsonld")
    assert again.rubric is not None
    assert list(again.rubric.llm_traits[0].classes or ()) == ["formal", "neutral", "casual"]


def test_a_rating_whose_name_was_taken_goes_with_the_trait_that_had_it(tmp_path: Path) -> None:
    twins = [rating("a", "karenina:GlobalRegexTrait", pattern=pattern) for pattern in "xy"]
    document = load_checkpoint(checkpoint(tmp_path, rating=twins))
    again = tmp_path / "again.jsonld"
    assert json.loads(save_checkpoint(document, again).read_text())["rating"] == twins
    document.rubric = None
    assert json.loads(save_checkpoint(document, again).read_text())["rating"] == []
