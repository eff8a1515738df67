"""Checkpoints load and save with nothing lost, and a change changes only what was changed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.rubric import (
    Rubric,
)
from tests.formats.checkpoints.small_checkpoint import checkpoint, element, resaved

ALL_FILES = [
    "01_minimal_default_template", "02_ids_metadata_workspace_fewshot", "04a_all_global_traits_dj_saved",
    "05_question_rubric_all_types", "07_template_zoo", "08_scenario", "10_legacy_input",
]  # fmt: skip


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


def test_a_file_with_scenarios_says_that_they_are_not_run(shared: Path) -> None:
    _, notes = read_checkpoint(shared / "checkpoints/08_scenario.jsonld")
    assert "The file contains 1 scenario. Scenarios are exported unchanged, but not run here." in notes


def test_custom_properties_and_scenarios_are_carried_along(shared: Path) -> None:
    document = load_checkpoint(shared / "checkpoints/02_ids_metadata_workspace_fewshot.jsonld")
    assert document.custom_properties == {"lab": "Interop", "n": 5, "obj": {"k": ["v"]}}
    assert [s["name"] for s in load_checkpoint(shared / "checkpoints/08_scenario.jsonld").scenarios] == ["pressure"]


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
    assert "Entry 2 is preserved but not used" in notes[0]
    assert resaved(path) == json.loads(path.read_text())


def test_a_thousand_parts_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    _, notes = read_checkpoint(checkpoint(tmp_path, element(), *[None] * 1500))
    assert len(notes) == 1001
    assert notes[-1] == "There are 500 more warnings about this file."


def test_a_workspace_path_that_leaves_the_root_is_not_used(tmp_path: Path) -> None:
    listed = [{"@type": "PropertyValue", "name": "workspace_path", "value": "../secrets"}]
    path = checkpoint(tmp_path, element(additionalProperty=listed))
    document, notes = read_checkpoint(path)
    assert document.entries[0].question.workspace_path is None
    assert "outside the workspace root" in notes[0]
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


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _shape(v) for k, v in value.items()}
    return [_shape(v) for v in value] if isinstance(value, list) else type(value)


def test_a_placeholder_id_gives_way_to_that_of_the_text_and_is_not_written_again(tmp_path: Path) -> None:
    odd = {**element("Why?"), "@id": question_fingerprint("New question")}
    document, notes = read_checkpoint(checkpoint(tmp_path, odd, element("How?")))
    assert [entry.id for entry in document.entries] == [question_fingerprint("Why?"), "How?"]
    assert notes == ["The ID of the question “Why?” was a placeholder. It is now derived from the text."]
    written = resaved(tmp_path / "bench.jsonld")
    assert written["dataFeedElement"][0]["@id"] == question_fingerprint("Why?")


def test_a_placeholder_id_that_a_person_gave_is_written(tmp_path: Path) -> None:
    document = BenchmarkDocument(name="b")
    document.add(Question(question="Why?", raw_answer="", id=question_fingerprint("New question")))
    assert save_checkpoint(document, tmp_path / "b.jsonld").exists()
