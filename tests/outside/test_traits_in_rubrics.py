"""Traits of a type from outside the package in rubrics, files and the library; with the type, and without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.trait_catalog import TraitCatalog
from karenina_gui.benchmark import Benchmark
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.rubric import (
    DynamicRubric,
    KeptRubricTrait,
    OtherRubricTrait,
    RegexRubricTrait,
    Rubric,
    add_type,
    merge_rubrics,
)
from karenina_gui.store.library import Library
from tests.outside.conftest import SHORT

Make = Callable[..., OtherRubricTrait]
CITES = RegexRubricTrait(name="cites", pattern=r"\[\d\]")
DYNAMIC = {**SHORT, "name": "brief", "unheard": {"of": [1, None]}}


def test_its_fields_are_checked(word_count: Make) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        word_count(most=0)
    assert Rubric(other_traits=[word_count(most=3)]).model_dump()["other_traits"] == [
        {**SHORT, "description": None, "summary": None, "higher_is_better": True}
    ]


def test_a_rubric_without_one_is_written_as_ever() -> None:
    assert "other_traits" not in Rubric(regex_traits=[CITES]).model_dump()


def test_a_rubric_comes_back_from_every_way_of_writing_it_down(word_count: Make) -> None:
    rubric = Rubric(regex_traits=[CITES], other_traits=[word_count(most=3)])
    assert Rubric.model_validate(rubric.model_dump()) == rubric
    assert Rubric.model_validate_json(rubric.model_dump_json(exclude_defaults=True)) == rubric
    assert list(rubric.by_type)[-1] == ("word_count", word_count(most=3))
    assert rubric.only(["short"]).names == ["short"]


def test_names_differ_over_all_types(word_count: Make) -> None:
    with pytest.raises(ValidationError, match=r"Duplicate trait name 'cites'.*Regex and 'word_count'"):
        Rubric(regex_traits=[CITES], other_traits=[word_count("cites")])
    with pytest.raises(ValidationError, match="Duplicate 'word_count' trait name 'short'"):
        Rubric(other_traits=[word_count(), word_count()])
    with pytest.raises(ValidationError, match="contains '\\.'"):
        Rubric(other_traits=[word_count("a.b")])


def test_the_rubrics_of_benchmark_and_question_are_merged_by_the_same_rule(word_count: Make) -> None:
    all_, own = Rubric(other_traits=[word_count()]), Rubric(other_traits=[word_count("brief")])
    merged, provenance = merge_rubrics(all_, own)
    assert merged is not None
    assert merged.names == ["short", "brief"]
    assert provenance == {"short": "global", "brief": "question_specific"}
    with pytest.raises(ValueError, match=r"conflicts between global and question rubrics.*word_count:short"):
        merge_rubrics(all_, all_)


def test_a_benchmark_takes_it_like_any_other_trait(word_count: Make) -> None:
    benchmark = Benchmark.create("b")
    question = benchmark.add_question("Why?", raw_answer="so")
    benchmark.add_global_rubric_trait(word_count())
    benchmark.add_question_rubric_trait(question, word_count("brief", most=3))
    assert benchmark.document.rubric == Rubric(other_traits=[word_count()])
    own = Rubric.model_validate(benchmark.get_question(question).question_rubric)
    assert own.other_traits == [word_count("brief", most=3)]


def test_a_checkpoint_gives_it_back(word_count: Make, tmp_path: Path) -> None:
    path = save_checkpoint(document(), tmp_path / "b.jsonld")
    again, notes = read_checkpoint(path)
    assert notes[1:] == []
    assert again.rubric == document().rubric
    assert again.entries[0].question.question_rubric == document().entries[0].question.question_rubric


def test_the_ratings_of_a_checkpoint_are_of_types_that_upstream_knows(word_count: Make, tmp_path: Path) -> None:
    data = json.loads(save_checkpoint(document(), tmp_path / "b.jsonld").read_text())
    assert [rating["name"] for rating in data["rating"]] == ["cites"]
    assert "rating" not in data["dataFeedElement"][0]["item"]
    assert load_checkpoint(tmp_path / "b.jsonld").custom_properties == {}


def test_a_file_is_written_back_unchanged_where_the_type_is_missing(folder: Path, tmp_path: Path) -> None:
    path = save_checkpoint(document(), tmp_path / "b.jsonld")
    before = path.read_bytes()
    again, notes = read_checkpoint(path)
    assert [type(trait) for trait in again.rubric.other_traits if again.rubric] == [KeptRubricTrait]
    assert notes[0] == (
        "Benchmark: the trait “short” is preserved, but runs skip it. Traits of the type 'word_count' come "
        "from a package that is not installed here."
    )
    assert [note.partition(":")[0] for note in notes] == ["Benchmark", "Benchmark", "Question 'Why?'"]
    assert save_checkpoint(again, path).read_bytes() == before


def test_the_type_is_there_again_once_its_package_is(bring: Callable[[str], ModuleType], tmp_path: Path) -> None:
    path = save_checkpoint(document(), tmp_path / "b.jsonld")
    kept = load_checkpoint(path)
    kind = bring("word_count").WordCount
    save_checkpoint(kept, path)
    rubric = load_checkpoint(path).rubric
    assert rubric is not None
    assert rubric.other_traits == [kind(name="short", most=3)]


def test_what_is_no_trait_stays_in_its_place(word_count: Make, tmp_path: Path) -> None:
    strange = [7, {"name": "no type"}, SHORT, {**SHORT, "most": 9}, {**SHORT, "name": "last"}]
    path = with_items(tmp_path, strange)
    read, notes = read_checkpoint(path)
    assert read.rubric is not None
    assert read.rubric.names == ["short", "last"]
    assert [note.rpartition(": ")[2] for note in notes] == [
        "it is not an object.", "missing.", "another trait has the same name.",
    ]  # fmt: skip
    read.rubric = Rubric(other_traits=[word_count("last", most=3), word_count("new")])
    items = items_in(save_checkpoint(read, path))
    assert items[:2] == strange[:2]
    assert [item["name"] for item in items[2:]] == ["last", "new"]


def test_settings_that_the_type_refuses_are_kept_and_named(word_count: Make, tmp_path: Path) -> None:
    path = with_items(tmp_path, [{**SHORT, "most": 0}])
    read, notes = read_checkpoint(path)
    assert "\n".join(notes) == (
        "Benchmark: the trait “short” is preserved, but runs skip it. Its settings don’t match its type "
        "'word_count': most: must be at least 1."
    )
    assert items_in(save_checkpoint(read, path)) == [{**SHORT, "most": 0}]


def test_traits_that_are_removed_leave_the_file(word_count: Make, tmp_path: Path) -> None:
    path = save_checkpoint(document(), tmp_path / "b.jsonld")
    read = load_checkpoint(path)
    read.rubric = None
    assert "karenina_gui" not in save_checkpoint(read, path).read_text().partition("dataFeedElement")[0]


@pytest.mark.parametrize("installed", [True, False])
def test_the_library_gives_it_back(installed: bool, library: Library, request: pytest.FixtureRequest) -> None:
    if installed:
        request.getfixturevalue("word_count")
    given = document()
    assert library.benchmarks.document(library.benchmarks.create(given)) == given


def test_it_is_copied_to_other_rubrics(word_count: Make, library: Library, sandbox: Any) -> None:
    editor = BenchmarkEditor(library, sandbox)
    number = library.benchmarks.create(document())
    question = library.questions.summaries(number)[0].number
    catalog = TraitCatalog(editor)
    (found,) = catalog.find("short", apart_from=(number, question))
    assert found.type_name == "word_count"
    copied = catalog.copy(found.type_name, found.trait, number, [question])
    assert copied.made == {question: "short 2"}
    catalog.take_back(found.type_name, number, copied)
    own = editor.question(number, question).entry.question.question_rubric or {}
    assert [trait["name"] for trait in own["other_traits"]] == ["brief"]


def test_a_type_needs_a_name_of_its_own(word_count: Make) -> None:
    class Nameless(OtherRubricTrait): ...

    class Llm(OtherRubricTrait):
        type_name: Literal["llm"] = "llm"

    class Twin(OtherRubricTrait):
        type_name: Literal["word_count"] = "word_count"

    with pytest.raises(ValueError, match="Nameless needs a name"):
        add_type(Nameless)
    with pytest.raises(ValueError, match="'llm' is taken by"):
        add_type(Llm)
    with pytest.raises(ValueError, match=r"'word_count' is taken by word_count\.WordCount"):
        add_type(Twin)
    with pytest.raises(ValidationError, match="its traits belong in 'llm_traits'"):
        Rubric.model_validate({"other_traits": [{"type_name": "llm", "name": "x"}]})


def document() -> BenchmarkDocument:
    benchmark = Benchmark.create("b")
    dynamic = DynamicRubric.model_validate({"other_traits": [DYNAMIC]})
    benchmark.set_global_rubric(
        Rubric.model_validate({"regex_traits": [CITES], "other_traits": [SHORT], "dynamic": dynamic})
    )
    own = Rubric.model_validate({"other_traits": [{**SHORT, "name": "brief"}]})
    benchmark.add_question("Why?", raw_answer="so", question_rubric=own.model_dump(mode="json"))
    benchmark.document.date_created = benchmark.document.date_modified = "2026-01-01T00:00:00"
    for entry in benchmark.document.entries:
        entry.question.date_created = entry.question.date_modified = "2026-01-01T00:00:00"
    return benchmark.document


def with_items(folder: Path, items: list[Any]) -> Path:
    path = folder / "b.jsonld"
    listed = [{"@type": "PropertyValue", "name": "karenina_gui_traits", "value": items}]
    path.write_text(json.dumps({"@type": "DataFeed", "name": "b", "additionalProperty": listed, "dataFeedElement": []}))
    return path


def items_in(path: Path) -> list[Any]:
    data = json.loads(path.read_text())
    return next(each["value"] for each in data["additionalProperty"] if each["name"] == "karenina_gui_traits")
