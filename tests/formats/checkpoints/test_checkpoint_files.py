"""Checkpoints on the disk: what was there is kept safe, and what cannot be read or written is said plainly."""

from __future__ import annotations

import json
import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library
from tests.formats.checkpoints.small_checkpoint import checkpoint, element, rating


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
    with pytest.raises(InputError, match="can’t be written as JSON"):
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
        (b'{"a": 1,\n oops', r"not valid JSON: .* \(line 2"),
        (b"[1]", "is not a benchmark"),
        (b"{}", "is not a benchmark"),
        (b'{"dataFeedElement": 7}', "is not a benchmark"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "a number that is too long"),
    ],
)
def test_a_file_that_is_no_benchmark_is_refused_plainly(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "b.jsonld"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as refusal:
        load_checkpoint(path)
    assert refusal.value.path == str(path)


def test_half_of_a_character_in_a_file_becomes_a_sign_that_can_be_saved(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element("Who was first? \ud83d"))
    document = load_checkpoint(path)
    question = document.entries[0].question
    assert question.question == "Who was first? \N{REPLACEMENT CHARACTER}"
    with Library.open(tmp_path) as library:
        assert library.benchmarks.document(library.benchmarks.create(document)).entries[0].question == question


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"nothing\.jsonld cannot be read"):
        load_checkpoint(tmp_path / "nothing.jsonld")


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, element())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(load_checkpoint(path).entries) == 1


def test_a_file_without_a_list_of_questions_says_that_it_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonld"
    path.write_text('{"@type": "DataFeed"}')
    document, notes = read_checkpoint(path)
    assert document.entries == []
    assert notes == ["The file has no list of questions ('dataFeedElement'), so the benchmark is empty."]
