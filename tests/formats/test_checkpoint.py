"""Checkpoints load and save with nothing lost, and a change changes only what was changed."""

from __future__ import annotations

import base64
import copy
import json
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.rubric import (
    TRAIT_TYPES,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    RegexRubricTrait,
    Rubric,
)

ALL_FILES = [
    "01_minimal_default_template", "02_ids_metadata_workspace_fewshot", "04a_all_global_traits_dj_saved",
    "05_question_rubric_all_types", "07_template_zoo", "08_scenario", "10_legacy_input",
]  # fmt: skip


def element(text: str = "Why?", **item: Any) -> dict[str, Any]:
    return {"@type": "DataFeedItem", "@id": text, "item": {"@type": "Question", "text": text, **item}}


def checkpoint(folder: Path, *elements: Any, **root: Any) -> Path:
    path = folder / "bench.jsonld"
    path.write_text(json.dumps({"@type": "DataFeed", "name": "b", **root, "dataFeedElement": list(elements)}))
    return path


def rating(name: str, additional_type: str, best: float = 1, worst: float = 0, **properties: Any) -> dict[str, Any]:
    listed = [{"@type": "PropertyValue", "name": k, "value": v} for k, v in properties.items()]
    return {
        "@type": "Rating", "name": name, "bestRating": best, "worstRating": worst,
        "additionalType": additional_type, "additionalProperty": listed,
    }  # fmt: skip


def resaved(path: Path) -> Any:
    return json.loads(save_checkpoint(load_checkpoint(path), path.with_name("again.jsonld")).read_text())


@pytest.mark.parametrize("name", ALL_FILES)
def test_an_untouched_upstream_file_comes_back_byte_for_byte(name: str, shared: Path, tmp_path: Path) -> None:
    original = shared / f"checkpoints/{name}.jsonld"
    saved = save_checkpoint(load_checkpoint(original), tmp_path / "copy.jsonld")
    assert saved.read_bytes() == original.read_bytes()


@pytest.mark.parametrize("name", ALL_FILES)
def test_questions_read_as_upstream_sees_them(name: str, shared: Path) -> None:
    document = load_checkpoint(shared / f"checkpoints/{name}.jsonld")
    expected = json.loads((shared / f"checkpoints/{name}.expected.json").read_text())
    assert [document.name, document.description, document.version] == [
        expected["name"], expected["description"], expected["version"],
    ]  # fmt: skip
    assert [entry.finished for entry in document.entries] == [q["finished"] for q in expected["questions"]]
    for entry, seen in zip(document.entries, expected["questions"], strict=True):
        question = entry.question
        assert question.question == seen["question"]
        assert question.raw_answer == seen["raw_answer"]
        assert (question.answer_template or "") == seen["answer_template"]
        assert question.date_created == seen["date_created"]
        assert question.date_modified == seen["date_modified"]
        assert (question.keywords or None) == seen["keywords"]
        assert question.answer_notes == seen["answer_notes"]
        assert question.workspace_path == seen["workspace_path"]
        assert question.few_shot_examples == seen["few_shot_examples"]
        assert question.sources == seen["sources"]


def test_question_metadata_is_read_from_properties(shared: Path) -> None:
    question = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld").entries[2].question
    assert question.author == {"@type": "Person", "name": "Ada", "email": "ada@example.org"}
    assert question.custom_metadata == {"difficulty": "hard", "nested": {"a": [1, 2.5, None, True]}, "count": 3}
    assert question.few_shot_examples == [{"question": "q1?", "answer": "a1"}, {"question": "q2?", "answer": "a2"}]


def test_an_id_in_the_file_wins_and_a_missing_one_is_the_fingerprint(shared: Path) -> None:
    by_file = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld")
    assert by_file.entries[3].id == "my/custom id #7"
    legacy = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld")
    assert [entry.id for entry in legacy.entries] == [question_fingerprint("No id here?"), "urn:uuid:q2"]


def test_custom_properties_and_scenarios_are_carried_along(shared: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld")
    assert document.custom_properties == {"lab": "Interop", "n": 5, "obj": {"k": ["v"]}}
    assert [s["name"] for s in load_checkpoint(shared / "checkpoints/08_scenario.jsonld").scenarios] == ["pressure"]


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
        rubric.of_type(type_name).append(TRAIT_TYPES[type_name].model_validate(stored))
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


def test_a_new_benchmark_has_the_shape_that_upstream_reads(shared: Path, tmp_path: Path) -> None:
    document = BenchmarkDocument(name="Minimal", creator="me")
    document.add(Question(question="What is 6 x 7?", raw_answer="42", id="urn:uuid:q"))
    ours = json.loads(save_checkpoint(document, tmp_path / "m").read_text())
    theirs = json.loads((shared / "checkpoints/01_minimal_default_template.jsonld").read_text())
    assert _shape(ours) == _shape(theirs)
    assert ours["@context"] == theirs["@context"]
    assert ours["additionalProperty"] == theirs["additionalProperty"]


def test_changing_a_template_changes_only_it(shared: Path, tmp_path: Path) -> None:
    original = json.loads((shared / "checkpoints/10_legacy_input.jsonld").read_text())
    document = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld")
    document.entries[0].question.answer_template = "class Answer(BaseAnswer): ..."
    saved = json.loads(save_checkpoint(document, tmp_path / "c.jsonld").read_text())
    expected = copy.deepcopy(original)
    expected["dataFeedElement"][0]["item"]["hasPart"]["text"] = "class Answer(BaseAnswer): ..."
    for owner, before in ((saved, expected), (saved["dataFeedElement"][0], expected["dataFeedElement"][0])):
        assert owner["dateModified"] != before["dateModified"]
        before["dateModified"] = owner["dateModified"]
    assert saved == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", "Another text?"), ("raw_answer", "b"), ("keywords", ["new", "ü"]), ("keywords", []),
        ("author", {"name": "Ada"}), ("author", None), ("sources", [{"url": "x"}]), ("answer_notes", "n"),
        ("workspace_path", "a/b"), ("few_shot_examples", [{"question": "q", "answer": "a"}]),
        ("custom_metadata", {"my_custom_field": None, "other": [1]}), ("custom_metadata", None),
        ("question_rubric", {"regex_traits": [{"name": "r", "pattern": "x"}]}), ("answer_template", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("index", [0, 1])
def test_every_field_survives_a_change_in_a_legacy_file(
    field: str, value: Any, index: int, shared: Path, tmp_path: Path
) -> None:
    document = load_checkpoint(shared / "checkpoints/10_legacy_input.jsonld")
    setattr(document.entries[index].question, field, value)
    expected = [entry.question.model_copy() for entry in document.entries]
    again = load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld"))
    for entry, before in zip(again.entries, expected, strict=True):
        read = entry.question.model_copy(update={"date_modified": before.date_modified})
        if field == "question_rubric" and entry is again.entries[index]:
            assert Rubric.model_validate(read.question_rubric) == Rubric.model_validate(value)
            read = read.model_copy(update={"question_rubric": before.question_rubric})
        assert read == before
    assert again.entries[0].source["item"]["extraField"] == 1


def test_finished_and_order_and_deletion_reach_the_file(shared: Path, tmp_path: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld")
    document.entries[0].finished = False
    del document.entries[1]
    document.entries.reverse()
    again = load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld"))
    assert [(e.id, e.finished) for e in again.entries] == [(e.id, e.finished) for e in document.entries]


def test_root_changes_keep_the_rest(shared: Path, tmp_path: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld")
    document.name, document.creator = "New", {"@type": "Person", "name": "Ada"}
    document.custom_properties = {"n": 6, "extra": None}
    data = json.loads(save_checkpoint(document, tmp_path / "c.jsonld").read_text())
    assert data["creator"] == {"@type": "Person", "name": "Ada"}
    assert data["additionalProperty"] == [
        {"@type": "PropertyValue", "name": "benchmark_format_version", "value": "3.0.0-jsonld"},
        {"@type": "PropertyValue", "name": "n", "value": 6},
        {"@type": "PropertyValue", "name": "extra"},
    ]
    assert load_checkpoint(tmp_path / "c.jsonld").custom_properties == {"n": 6, "extra": None}


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
    assert "'r'" in notes[0]
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


def test_duplicate_ids_keep_all_questions(tmp_path: Path) -> None:
    twice = [element("Same?") | {"extra": n} for n in range(3)] + [element("x") | {"@id": "Same?-1"}]
    path = checkpoint(tmp_path, *twice)
    document, notes = read_checkpoint(path)
    assert [e.id for e in document.entries] == ["Same?", "Same?-2", "Same?-3", "Same?-1"]
    assert len(notes) == 2
    again = load_checkpoint(save_checkpoint(document, path))
    assert [e.id for e in again.entries] == ["Same?", "Same?-2", "Same?-3", "Same?-1"]
    assert [e.source.get("extra") for e in again.entries] == [0, 1, 2, None]


def test_a_written_id_goes_before_a_computed_one(tmp_path: Path) -> None:
    without = {k: v for k, v in element("Same?").items() if k != "@id"}
    document, _ = read_checkpoint(
        checkpoint(tmp_path, without, element("Same?") | {"@id": question_fingerprint("Same?")})
    )
    assert document.entries[1].id == question_fingerprint("Same?")
    again = load_checkpoint(save_checkpoint(document, tmp_path / "c.jsonld"))
    assert [e.id for e in again.entries] == [e.id for e in document.entries]


def test_an_identity_survives_a_change_of_the_text(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, {k: v for k, v in element("Old?").items() if k != "@id"})
    document = load_checkpoint(path)
    document.entries[0].question.question = "New?"
    assert load_checkpoint(save_checkpoint(document, path)).entries[0].id == question_fingerprint("Old?")


@pytest.mark.parametrize(
    "odd", ["text", None, {"@type": "DataFeedItem"}, {"item": {"text": ""}}, {"item": {"text": 7}}]
)
def test_an_element_without_a_question_stays_in_the_file(odd: Any, tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element(), odd)
    document, notes = read_checkpoint(path)
    assert len(document.entries) == 1
    assert "Entry 2 is kept in the file but not used" in notes[0]
    assert resaved(path) == json.loads(path.read_text())


def test_a_workspace_path_that_leaves_the_root_is_not_used(tmp_path: Path) -> None:
    listed = [{"@type": "PropertyValue", "name": "workspace_path", "value": "../secrets"}]
    path = checkpoint(tmp_path, element(additionalProperty=listed))
    document, notes = read_checkpoint(path)
    assert document.entries[0].question.workspace_path is None
    assert "leaves the workspace root" in notes[0]
    assert resaved(path) == json.loads(path.read_text())


def test_lists_and_single_objects_are_read_alike(tmp_path: Path) -> None:
    part = {"@type": "SoftwareSourceCode", "text": "class Answer: ..."}
    answer = {"@type": "Answer", "text": "a"}
    done = {"@type": "PropertyValue", "name": "finished", "value": True}
    path = checkpoint(
        tmp_path,
        element("1", hasPart=[part], acceptedAnswer=[answer], additionalProperty=done, keywords="one"),
    )
    document = load_checkpoint(path)
    entry = document.entries[0]
    assert (entry.question.answer_template, entry.question.raw_answer) == ("class Answer: ...", "a")
    assert (entry.finished, entry.question.keywords) == (True, ["one"])
    entry.question.answer_template = "changed"
    item = json.loads(save_checkpoint(document, path).read_text())["dataFeedElement"][0]["item"]
    assert item["hasPart"] == [part | {"text": "changed"}]


def test_keys_of_providers_never_reach_a_file(tmp_path: Path) -> None:
    override = {"model_name": "m", "endpoint_api_key": "sk-secret-7", "interface": "openai_endpoint"}
    agentic = rating("a", "GlobalAgenticRubricTrait", kind="boolean", model_override=override)
    path = checkpoint(tmp_path, element(), rating=[agentic], hasPart=[{"modelOverride": {"anthropic_api_key": "sk-2"}}])
    document, notes = read_checkpoint(path)
    assert "API key" in notes[0]
    assert "sk-secret-7" not in document.model_dump_json()
    saved = save_checkpoint(document, path).read_text()
    assert "sk-" not in saved
    assert '"model_name": "m"' in saved


def test_the_file_that_was_there_stays_as_a_backup(tmp_path: Path) -> None:
    document = BenchmarkDocument(name="one")
    path = save_checkpoint(document, tmp_path / "b.jsonld")
    path.chmod(0o640)
    document.name = "two"
    save_checkpoint(document, path)
    assert load_checkpoint(path).name == "two"
    assert json.loads((tmp_path / "b.jsonld.bak").read_text())["name"] == "one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.jsonld", "b.jsonld.bak"]


def test_what_cannot_be_written_leaves_the_good_file_alone(tmp_path: Path) -> None:
    document = BenchmarkDocument(name="good")
    document.add(Question(question="Why?", raw_answer="a"))
    path = save_checkpoint(document, tmp_path / "b.jsonld")
    before = path.read_bytes()
    document.entries[0].question.custom_metadata = {"odd": object()}
    with pytest.raises(InputError, match="has no JSON form"):
        save_checkpoint(document, path)
    document.entries[0].question.custom_metadata = None
    document.entries[0].question.question_rubric = {"regex_traits": [{"name": "r", "pattern": "("}]}
    with pytest.raises(InputError, match="rubric cannot be saved"):
        save_checkpoint(document, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["b.jsonld"]


def test_dates_in_metadata_become_texts(tmp_path: Path) -> None:
    document = BenchmarkDocument(name="b")
    document.add(Question(question="Why?", raw_answer="a", custom_metadata={"at": datetime(2026, 1, 2, 3, 4)}))
    again = load_checkpoint(save_checkpoint(document, tmp_path / "b"))
    assert again.entries[0].question.custom_metadata == {"at": "2026-01-02T03:04:00"}


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(FileFormatError, match="could not be written"):
        save_checkpoint(BenchmarkDocument(name="b"), folder / "b.jsonld")


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.jsonld").mkdir()
    with pytest.raises(FileFormatError, match="could not be written"):
        save_checkpoint(BenchmarkDocument(name="b"), tmp_path / "b.jsonld")
    assert [p.name for p in tmp_path.iterdir()] == ["b.jsonld"]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("b", "b.jsonld"),
        ("b.json", "b.json"),
        ("b.jsonld", "b.jsonld"),
        ("b.v2", "b.v2.jsonld"),
        ("new/b", "new/b.jsonld"),
    ],
)
def test_the_name_ends_as_upstream_expects(given: str, written: str, tmp_path: Path) -> None:
    assert save_checkpoint(BenchmarkDocument(name="b"), tmp_path / given) == tmp_path / written


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1,\n oops', "not valid JSON: .* in line 2"),
        (b"[1]", "is not a benchmark"),
        (b"{}", "is not a benchmark"),
        (b'{"dataFeedElement": 7}', "is not a benchmark"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_benchmark_is_refused_plainly(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "b.jsonld"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as refusal:
        load_checkpoint(path)
    assert refusal.value.path == str(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"nothing\.jsonld cannot be read"):
        load_checkpoint(tmp_path / "nothing.jsonld")


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(load_checkpoint(path).entries) == 1


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _shape(v) for k, v in value.items()}
    return [_shape(v) for v in value] if isinstance(value, list) else type(value)


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
