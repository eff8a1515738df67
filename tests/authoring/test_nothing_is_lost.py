"""What upstream loses between opening a file and saving it stays: one edit changes one place of the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.schemas.rubric import Rubric

FILES = (
    "01_minimal_default_template",
    "02_ids_metadata_workspace_fewshot",
    "04a_all_global_traits_dj_saved",
    "05_question_rubric_all_types",
    "07_template_zoo",
    "10_legacy_input",
)
EDITS: dict[str, tuple[Any, set[str]]] = {
    "question": ("What has changed?", {"item/text", "@id"}),
    "raw_answer": ("Another answer", {"item/acceptedAnswer/text"}),
    "answer_template": ("class Answer(BaseAnswer):\n    pass\n", {"item/hasPart/text", "item/hasPart[0]/text"}),
    "answer_notes": ("A note", {"item/additionalProperty:answer_notes"}),
    "keywords": (["one", "two"], {"item/keywords", "keywords"}),
    "finished": (None, {"item/additionalProperty:finished"}),
    "workspace_path": ("tasks/new", {"item/additionalProperty:workspace_path"}),
    "sources": ([{"name": "A book"}], {"item/additionalProperty:sources"}),
    "author": ({"name": "A. Nother"}, {"item/additionalProperty:author"}),
    "few_shot_examples": (
        [{"question": "1 + 1?", "answer": "2"}],
        {"item/additionalProperty:few_shot_examples"},
    ),
    "custom_metadata": ({"my_custom_field": "another"}, {"item/additionalProperty:custom_*"}),
}
"""Field of a question: a new value (None: the opposite), and the places of its entry that may change.

The id of a question follows its text, unless the file gives it an id of its own."""


@pytest.mark.parametrize("field", EDITS)
@pytest.mark.parametrize("name", FILES)
def test_an_edit_changes_its_own_place_and_nothing_else(
    name: str, field: str, editor: BenchmarkEditor, shared: Path, tmp_path: Path
) -> None:
    original = shared / "checkpoints" / f"{name}.jsonld"
    benchmark = editor.files.import_benchmark(original).benchmark_id
    row = editor.library.questions.summaries(benchmark)[0]
    value, allowed = EDITS[field]
    # A finished question says that it was edited since its review.
    allowed = allowed | {"item/additionalProperty:changed_since_review"}
    entry = editor.question(benchmark, row.number).entry
    wanted = not entry.finished if field == "finished" else value
    editor.edit(benchmark, row.number, {field: wanted})
    saved = editor.files.export_benchmark(benchmark, tmp_path / original.name)
    changed = set(differences(json.loads(original.read_bytes()), json.loads(saved.read_bytes())))
    places = {f"dataFeedElement[0]/{place}" for place in allowed}
    changed = {place for place in changed if not place.endswith("dateModified")}
    assert changed
    assert changed <= places
    again = load_checkpoint(saved).entries[0]
    assert (again.finished if field == "finished" else getattr(again.question, field)) == wanted


@pytest.mark.parametrize("copy", ["file", "duplicate"])
def test_the_mark_changed_since_review_survives_export_and_import(
    editor: BenchmarkEditor, tmp_path: Path, copy: str
) -> None:
    benchmark, question = written(editor)
    editor.edit(benchmark, question, {"finished": True})
    editor.edit(benchmark, question, {"raw_answer": "6 mg"})
    if copy == "file":
        file = editor.files.export_benchmark(benchmark, tmp_path / "edited.jsonld")
        other = editor.files.import_benchmark(file).benchmark_id
    else:
        other = editor.files.add_benchmark(editor.library.benchmarks.document(benchmark))
    (row,) = editor.library.questions.summaries(other)
    assert (row.finished, row.changed_since_review) == (True, True)

    editor.edit(other, row.number, {"raw_answer": "5 mg"})  # as reviewed
    assert not editor.question(other, row.number).summary.changed_since_review
    again = load_checkpoint(editor.files.export_benchmark(other, tmp_path / "again.jsonld"))
    assert not again.entries[0].changed_since_review
    assert "changed_since_review" not in (tmp_path / "again.jsonld").read_text()


def test_the_mark_of_a_file_may_have_no_hash_and_needs_a_finished_question(
    editor: BenchmarkEditor, tmp_path: Path
) -> None:
    benchmark, question = written(editor)
    editor.edit(benchmark, question, {"finished": True})
    file = editor.files.export_benchmark(benchmark, tmp_path / "b.jsonld")
    data = json.loads(file.read_text())
    properties = data["dataFeedElement"][0]["item"]["additionalProperty"]
    for finished, mark, changed in ((True, True, True), (True, "yes", False), (False, True, False)):
        marked = {"finished": finished, "changed_since_review": mark}
        others = [each for each in properties if each["name"] not in marked]
        data["dataFeedElement"][0]["item"]["additionalProperty"] = [
            *others, *({"@type": "PropertyValue", "name": name, "value": value} for name, value in marked.items()),
        ]  # fmt: skip
        file.write_text(json.dumps(data))
        (row,) = editor.library.questions.summaries(editor.files.import_benchmark(file).benchmark_id)
        assert (row.finished, row.changed_since_review) == (finished, changed)


@pytest.mark.parametrize("field", ["name", "description", "version"])
@pytest.mark.parametrize("name", [*FILES, "08_scenario"])
def test_an_edit_of_the_benchmark_changes_its_own_place_and_nothing_else(
    name: str, field: str, editor: BenchmarkEditor, shared: Path, tmp_path: Path
) -> None:
    original = shared / "checkpoints" / f"{name}.jsonld"
    benchmark = editor.files.import_benchmark(original).benchmark_id
    editor.edit_benchmark(benchmark, {field: "Something else"})
    saved = editor.files.export_benchmark(benchmark, tmp_path / original.name)
    changed = set(differences(json.loads(original.read_bytes()), json.loads(saved.read_bytes())))
    assert changed == {field, "dateModified"}


def test_an_edited_trait_leaves_the_other_twenty_two_as_they_were(
    editor: BenchmarkEditor, shared: Path, tmp_path: Path
) -> None:
    original = shared / "checkpoints" / "04a_all_global_traits_dj_saved.jsonld"
    benchmark = editor.files.import_benchmark(original).benchmark_id
    rubric = editor.library.benchmarks.frame(benchmark).rubric
    assert rubric is not None
    stored = rubric.model_dump(mode="json", exclude_defaults=True)
    stored["regex_traits"][0]["description"] = "Changed by hand"
    editor.edit_benchmark(benchmark, {"rubric": stored})
    saved = editor.files.export_benchmark(benchmark, tmp_path / original.name)
    before, after = load_checkpoint(original).rubric, load_checkpoint(saved).rubric
    assert before is not None
    assert after is not None
    assert len(after.traits) == 23
    before.regex_traits[0].description = "Changed by hand"
    assert after == before
    old, new = (json.loads(file.read_bytes())["rating"] for file in (original, saved))
    changed = [trait["name"] for trait, was in zip(new, old, strict=True) if trait != was]
    assert changed == [before.regex_traits[0].name]


def test_loss_9_what_cannot_be_written_leaves_the_file_whole(editor: BenchmarkEditor, tmp_path: Path) -> None:
    """Upstream writes in place: a date in the metadata, or a key in a trait, leaves half a file over the good one."""
    benchmark, question = written(editor)
    file = editor.files.export_benchmark(benchmark, tmp_path / "good.jsonld")
    good = file.read_bytes()
    judge = {"id": "j", "model_name": "j", "interface": "openai_endpoint", "endpoint_api_key": "sk-very-secret"}
    trait = {"name": "tidy", "kind": "boolean", "higher_is_better": True, "model_override": judge}
    editor.edit_benchmark(benchmark, {"rubric": {"agentic_traits": [trait]}})
    editor.edit(benchmark, question, {"custom_metadata": {"measured": date(2026, 1, 2)}})
    editor.files.export_benchmark(benchmark, file)
    again = load_checkpoint(file)
    assert again.entries[0].question.custom_metadata == {"measured": "2026-01-02"}
    assert again.rubric is not None
    assert (again.rubric.agentic_traits[0].model_override or {})["model_name"] == "j"
    assert b"sk-very-secret" not in file.read_bytes()
    assert (tmp_path / "good.jsonld.bak").read_bytes() == good
    assert {each.name for each in tmp_path.iterdir() if each.is_file()} == {"good.jsonld", "good.jsonld.bak"}


def test_loss_10_settings_ranges_and_names_survive(editor: BenchmarkEditor, tmp_path: Path) -> None:
    """Upstream forgets `include_ground_truth`, 0..1 scores, deep judgment, dynamic traits and parts of names."""
    judged = {
        "name": "grounded", "kind": "score", "min_score": 0, "max_score": 1, "include_ground_truth": True,
        "deep_judgment_enabled": True, "deep_judgment_max_excerpts": 4,
    }  # fmt: skip
    rubric = {
        "llm_traits": [judged],
        "dynamic": {"regex_traits": [{"name": "units", "pattern": "mg", "summary": "dosage"}]},
    }
    benchmark, question = written(editor)
    editor.edit(
        benchmark, question, {"question_rubric": rubric, "custom_metadata": {"my_custom_field": 1, "custom_x": 2}}
    )
    editor.edit_benchmark(benchmark, {"rubric": rubric})
    document = load_checkpoint(editor.files.export_benchmark(benchmark, tmp_path / "all.jsonld"))
    kept = document.entries[0].question
    assert kept.custom_metadata == {"my_custom_field": 1, "custom_x": 2}
    for found in (document.rubric, Rubric.model_validate(kept.question_rubric)):
        assert found is not None
        trait = found.llm_traits[0]
        assert {name: getattr(trait, name) for name in judged} == judged
        assert found.dynamic is not None
        assert found.dynamic.regex_traits[0].pattern == "mg"


def test_loss_11_a_static_trait_leaves_dynamic_ones_and_a_new_question_keeps_all_it_has(
    editor: BenchmarkEditor, tmp_path: Path
) -> None:
    """Upstream drops stored dynamic traits when a static one is added, and fields of new questions."""
    benchmark, question = written(editor)
    dynamic = {"regex_traits": [{"name": "units", "pattern": "mg"}]}
    editor.edit(benchmark, question, {"question_rubric": {"dynamic": dynamic}})
    static = [{"name": "short", "pattern": "^.{1,80}$"}]
    editor.edit(benchmark, question, {"question_rubric": {"dynamic": dynamic, "regex_traits": static}})
    fields = {
        "keywords": ["k"], "workspace_path": "task_1", "answer_template": "class Answer(BaseAnswer):\n    pass\n",
    }  # fmt: skip
    editor.edit(benchmark, question, fields)
    kept = load_checkpoint(editor.files.export_benchmark(benchmark, tmp_path / "all.jsonld")).entries[0].question
    rubric = Rubric.model_validate(kept.question_rubric)
    assert [trait.name for trait in rubric.regex_traits] == ["short"]
    assert rubric.dynamic is not None
    assert [trait.name for trait in rubric.dynamic.regex_traits] == ["units"]
    assert {name: getattr(kept, name) for name in fields} == fields


def test_loss_12_neither_a_repeated_id_nor_a_bad_pattern_hides_anything(
    editor: BenchmarkEditor, shared: Path, tmp_path: Path
) -> None:
    """Upstream shows one of two questions with the same id, and opens no file with a broken pattern."""
    data = json.loads((shared / "checkpoints" / "02_ids_metadata_workspace_fewshot.jsonld").read_bytes())
    for element in data["dataFeedElement"]:
        element["@id"] = "the-same"
    broken = {
        "@type": "Rating", "name": "broken", "additionalType": "karenina:GlobalRegexTrait",
        "additionalProperty": [{"@type": "PropertyValue", "name": "pattern", "value": "(unclosed"}],
    }  # fmt: skip
    data["rating"] = [broken]
    file = tmp_path / "odd.jsonld"
    file.write_text(json.dumps(data))
    imported = editor.files.import_benchmark(file)
    assert len(editor.library.questions.summaries(imported.benchmark_id)) == len(data["dataFeedElement"]) == 4
    assert any("broken" in note for note in imported.notes)
    saved = json.loads(editor.files.export_benchmark(imported.benchmark_id, tmp_path / "saved.jsonld").read_bytes())
    assert saved["rating"] == [broken]


def written(editor: BenchmarkEditor) -> tuple[int, int]:
    benchmark = editor.create_benchmark("Nothing is lost")
    return benchmark, editor.add_question(benchmark, "How much?", "5 mg").summary.number


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Places in which two JSON values differ; named properties are compared by name."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            where = f"{place}/{key}" if place else key
            if key not in before or key not in after:
                yield where
            else:
                yield from differences(before[key], after[key], where)
    elif is_named(before) and is_named(after):
        named = ({each["name"]: each for each in values} for values in (before, after))
        old, new = named
        for name in {**old, **new}:
            if old.get(name) != new.get(name):
                yield f"{place}:{'custom_*' if name.startswith('custom_') else name}"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif before != after:
        yield place


def is_named(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and each.get("@type") == "PropertyValue" for each in value
    )
