"""Recorded answers find their questions, in whatever file they come."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.recorded_answers import (
    RecordedFile,
    TraceColumns,
    answer_table,
    match_traces,
    models_of,
    read_traces,
)
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.schemas.messages import to_stored
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.traces.provider_formats import replicates, to_messages

MESSAGES = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]


def write(folder: Path, content: Any, name: str) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_an_object_maps_questions_to_answers_or_replicates(tmp_path: Path) -> None:
    answers = {"q1": "a", "q2": ["a", "b"], "q3": MESSAGES, "q4": [MESSAGES, "b"], "q5": {"messages": MESSAGES}}
    recorded = read_traces(write(tmp_path, answers, "t.json"))
    assert recorded.answers == answers
    assert recorded.refused == []


def test_an_unreadable_answer_is_refused_alone(tmp_path: Path) -> None:
    recorded = read_traces(write(tmp_path, {"q1": "a", "q2": 7, "q3": [{"role": "wizard", "content": ""}]}, "t.json"))
    assert recorded.answers == {"q1": "a"}
    assert [r.row for r in recorded.refused] == [2, 3]
    assert "“q2”" in recorded.refused[0].reason
    assert "unknown role “wizard”" in recorded.refused[1].reason


def test_rows_of_one_question_are_its_replicates(tmp_path: Path) -> None:
    path = write(tmp_path, "id,response,replicate\nq1,second,2\nq1,first,1\nq2,only,\n,lost,\nq3,x,two\n", "t.csv")
    recorded = read_traces(path)
    assert recorded.answers == {"q1": ["first", "second"], "q2": "only"}
    assert [r.row for r in recorded.refused] == [5, 6]


@pytest.mark.parametrize("first", [0, 1, 5])
def test_numbered_answers_keep_their_places_when_another_is_refused(first: int, tmp_path: Path) -> None:
    lines = [
        {"id": question, "response": response, "trial": first + place}
        for place, (question, response) in enumerate([("q1", "a"), ("q1", None), ("q1", "c")])
    ]
    lines.append({"id": "q2", "response": "only the second", "trial": first + 1})
    recorded = read_traces(write(tmp_path, "\n".join(map(json.dumps, lines)), "t.jsonl"))
    assert recorded.answers == {"q1": ["a", None, "c"], "q2": [None, "only the second"]}
    assert [(r.row, recorded.unit) for r in recorded.refused] == [(2, "line")]


def test_columns_of_recorded_answers_are_found_in_other_languages(tmp_path: Path) -> None:
    path = tmp_path / "antworten.csv"
    path.write_text("Frage;Wiederholung;Antwort\nq1;1;A\nq1;2;B\n", encoding="utf-8")
    assert read_traces(path).answers == {"q1": ["A", "B"]}


def test_an_answer_for_a_taken_place_or_without_a_number_among_others_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "id,response,replicate\nq1,a,1\nq1,b,1\nq1,c,\nq1,d,2\nq1,e,2.5\n", "t.csv")
    recorded = read_traces(path)
    assert recorded.answers == {"q1": ["a", "d"]}
    assert [r.reason for r in recorded.refused] == [
        "replicate 1 of this question is already in row 2",
        "this question has a numbered answer in row 2 but an unnumbered one in row 4; number all of them, or none",
        "column “replicate” must contain a replicate number such as 1 or 2, not “2.5”",
    ]


def test_recorded_answers_come_from_a_workbook_and_from_a_list_inside_an_object(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Answers of spring"], ["Question ID", "Response"], ["q1", 42.0], ["q1", "#N/A"], ["q2", None]):
        sheet.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    recorded = read_traces(path)
    assert recorded.answers == {"q1": "42"}
    assert [r.reason for r in recorded.refused] == [
        "cell B4 contains #N/A; correct it in the sheet", "column “Response” has no answer",
    ]  # fmt: skip
    wrapped = {"model": "x", "results": [{"question_id": "q1", "messages": MESSAGES}]}
    assert read_traces(write(tmp_path, wrapped, "t.json")).answers == {"q1": MESSAGES}
    alone = {"q1": [{"messages": MESSAGES}]}
    assert read_traces(write(tmp_path, alone, "t.json")).answers == alone


def test_a_cell_may_hold_a_message_list(tmp_path: Path) -> None:
    cell = json.dumps(MESSAGES).replace('"', '""')
    path = write(tmp_path, f'question,messages\nWhy?,"{cell}"\nHow?,[1] is a citation\n', "t.csv")
    assert read_traces(path).answers == {"Why?": MESSAGES, "How?": "[1] is a citation"}


def test_a_column_may_lead_into_objects(tmp_path: Path) -> None:
    lines = [
        {"question": "Why?", "responses": {"model.a": "x", "b": {"text": "y"}}},
        {"question": "How?", "responses": {}},
    ]
    path = write(tmp_path, "\n".join(json.dumps(line) for line in lines), "t.jsonl")
    assert read_traces(path, TraceColumns("question", "responses.model.a")).answers == {"Why?": "x"}
    recorded = read_traces(path, TraceColumns("question", "responses.b.text"))
    assert recorded.answers == {"Why?": "y"}
    assert recorded.refused[0].reason == "column “responses.b.text” has no answer"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "doesn’t say which columns"),
        (TraceColumns("q", "nothing"), "has no column “nothing”"),
        (TraceColumns("nothing.here", "a"), r"has no column “nothing\.here”"),
        (TraceColumns("q", "a", "n"), "has no column “n”.* “q”, “a”"),
    ],
)
def test_columns_that_are_not_there_are_named(columns: TraceColumns | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=message):
        read_traces(write(tmp_path, "q,a\n1,2\n", "t.csv"), columns)


def test_answers_find_their_questions_by_id_text_or_fingerprint() -> None:
    questions = [
        Question(question="One?", raw_answer="1", id="urn:uuid:abc"),
        Question(question="Two? ", raw_answer="2"),
        Question(question="Three?", raw_answer="3", id="own id"),
        Question(question="Four?", raw_answer="4", id="x"),
        Question(question="Four?", raw_answer="4", id="y"),
        Question(question="Five?", raw_answer="5"),
    ]
    answers = {"abc": "a", "Two?": "b", question_fingerprint("Three?"): "c", "Four?": "d", "Six?": "e"}
    matched = match_traces(RecordedFile(answers), questions)
    assert matched.traces == {"urn:uuid:abc": "a", questions[1].id: "b", "own id": "c", "x": "d", "y": "d"}
    assert matched.unknown == ["Six?"]
    assert matched.missing == [questions[5].id]


def test_an_id_goes_before_another_questions_text() -> None:
    questions = [Question(question="b", raw_answer="", id="a"), Question(question="a", raw_answer="", id="c")]
    assert match_traces(RecordedFile({"a": "x"}), questions).traces == {"a": "x"}


def test_published_conversations_are_four_replicates_each(shared: Path) -> None:
    source = shared / "data/tau-airline-gpt-4o.json"
    if not source.exists():
        pytest.skip("needs the published conversations")
    recorded = read_traces(source)
    assert (len(recorded.answers), recorded.refused) == (20, [])
    for trials in recorded.answers.values():
        assert len(replicates(trials)) == 4
        assert all(to_messages(trial) for trial in trials)


def test_published_model_answers_match_their_questions(shared: Path) -> None:
    source = shared / "data/gsm8k.jsonl"
    if not source.exists():
        pytest.skip("needs the published data")
    records = [json.loads(line) for line in source.read_text().splitlines()]
    questions = [Question(question=record["question"], raw_answer=record["answer"]) for record in records]
    recorded = read_traces(source, TraceColumns("question", "responses.175b_verification"))
    matched = match_traces(recorded, questions)
    assert (len(matched.traces), matched.unknown, matched.missing) == (400, [], [])


BY_TWO = [
    {"question_id": "q1", "question_text": "One?", "answering_model": "ada", "replicate": 1, "response": "a1"},
    {"question_id": "q1", "question_text": "One?", "answering_model": "bob", "replicate": 1, "response": "b1"},
    {"question_id": "q1", "question_text": "One?", "answering_model": "ada", "replicate": 2, "response": "a2"},
]


def test_answers_belong_to_their_model(tmp_path: Path) -> None:
    path = write(tmp_path, "\n".join(map(json.dumps, BY_TWO)), "t.jsonl")
    recorded = read_traces(path, model="ada")
    assert (recorded.answers, recorded.others, recorded.refused) == ({"q1": ["a1", "a2"]}, {"bob": 1}, [])
    assert read_traces(path, model="bob").answers == {"q1": "b1"}
    with pytest.raises(FileFormatError, match="several models in the column “answering_model”: “ada” and “bob”"):
        read_traces(path)
    all_of_one = TraceColumns("question_id", "response")
    assert read_traces(path, all_of_one).refused == []
    assert models_of(answer_table(path), "answering_model") == {"ada": 2, "bob": 1}


def result(question: str, model: str, answer: str | None, **more: Any) -> VerificationResult:
    metadata = ResultMetadata(
        question_id=question,
        template_id="t",
        question_text=f"Question {question}?",
        answering=ModelIdentity(interface="claude_tool", model_name=model),
        parsing=ModelIdentity(interface="claude_tool", model_name=more.pop("judge", "judge")),
        timestamp="2026-01-01 00:00:00",
        replicate=more.pop("replicate", None),
    )
    template = ResultTemplate(raw_llm_response=answer, trace_messages=more.pop("messages", []))
    return VerificationResult(metadata=metadata, template=template, **more)


@pytest.mark.parametrize("kind", ["json", "csv", "xlsx"])
def test_exported_results_are_answers_of_their_models(kind: str, tmp_path: Path) -> None:
    results = [
        result("q1", "ada", "a1", replicate=1),
        result("q1", "ada", "a1", replicate=1, judge="another"),
        result("q1", "ada", "a2", replicate=2),
        result("q1", "bob", "b1", replicate=1),
        result("q2", "ada", None, replicate=1),
    ]
    path = export_results(results, tmp_path / f"results.{kind}", run=RunInfo.of_files([], "run"))
    recorded = read_traces(path, model="ada")
    assert recorded.answers == {"q1": ["a1", "a2"]}
    assert (recorded.others, recorded.texts["q1"]) == ({"bob": 1}, "Question q1?")
    assert [(each.row, each.reason) for each in recorded.refused] == [(5, "column “response” has no answer")]


def test_exported_results_keep_their_messages(tmp_path: Path) -> None:
    stored = to_stored(to_messages([*MESSAGES, {"role": "user", "content": "Thanks."}]))
    results = [result("q1", "ada", "So.", messages=stored)]
    path = export_results(results, tmp_path / "results.json", run=RunInfo.of_files([], "run"))
    assert read_traces(path).answers == {"q1": stored}


def test_models_with_one_name_are_told_apart_by_their_interfaces(tmp_path: Path) -> None:
    other = result("q1", "ada", "b")
    other.metadata.answering = ModelIdentity(interface="openai_endpoint", model_name="ada")
    path = export_results([result("q1", "ada", "a"), other], tmp_path / "r.json", run=RunInfo.of_files([], "run"))
    assert list(models_of(answer_table(path), "answering_model")) == ["claude_tool:ada", "openai_endpoint:ada"]


@pytest.mark.parametrize("form", [MESSAGES, {"contents": [{"role": "model", "parts": [{"text": "So."}]}]}])
def test_a_cell_with_the_json_of_a_conversation_is_the_conversation(form: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "response"), ("q1", json.dumps(form)), ("q2", '{"answer": 42}')])
    assert read_traces(path).answers == {"q1": form, "q2": '{"answer": 42}'}


def test_an_answer_that_excel_has_cut_is_refused(tmp_path: Path) -> None:
    results = [result("q1", "ada", "long " * 10_000), result("q2", "ada", "short")]
    path = export_results(results, tmp_path / "r.xlsx", run=RunInfo.of_files([], "run"))
    recorded = read_traces(path)
    assert recorded.answers == {"q2": "short"}
    assert "32,767 characters, Excel’s limit for a cell" in recorded.refused[0].reason


def numbered(topic: str) -> list[Question]:
    return [Question(question=f"{topic} {number}?", raw_answer="", id=str(number)) for number in range(1, 4)]


def test_an_id_with_another_text_is_a_doubt() -> None:
    recorded = RecordedFile({str(n): "x" for n in range(1, 4)}, texts={str(n): f"mouse {n}?" for n in range(1, 4)})
    matched = match_traces(recorded, numbered("gold"))
    assert (matched.traces, matched.doubtful) == ({}, ["1", "2", "3"])
    assert match_traces(recorded, numbered("gold"), by_id=True).doubtful == []
    assert set(match_traces(recorded, numbered("mouse")).traces) == {"1", "2", "3"}


def test_an_edited_question_among_others_keeps_its_answer() -> None:
    recorded = RecordedFile({str(n): "x" for n in range(1, 4)}, texts={"1": "gold  1?", "2": "gold 2?", "3": "Gold 3?"})
    matched = match_traces(recorded, numbered("gold"))
    assert (set(matched.traces), matched.doubtful) == ({"1", "2", "3"}, [])


def test_the_text_decides_where_the_ids_are_of_other_questions() -> None:
    recorded = RecordedFile({"1": "b", "9": "a", "8": "again"}, texts={"1": "gold 2?", "9": "gold 1?", "8": "gold 1?"})
    matched = match_traces(recorded, numbered("gold"))
    assert (matched.traces, matched.repeated, matched.doubtful) == ({"2": "b", "1": "a"}, ["8"], [])
