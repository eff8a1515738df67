"""Questions come in from tables by column names, and every row is accounted for."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.tabular import ImportPlan, guess_columns, import_questions, read_headers
from karenina_gui.schemas.question import question_fingerprint

PLAN = ImportPlan(question="Question", raw_answer="Answer")


def write(folder: Path, content: str | bytes, name: str = "q.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_dialect_reads_the_same(delimiter: str, end: str, tmp_path: Path) -> None:
    rows = [["Question", "Answer", "n"], ['"What, or; which|one?"', "a", "1"], ['"two\nlines ""quoted"""', "b", ""]]
    path = write(tmp_path, end.join(delimiter.join(row) for row in rows) + end)
    report = import_questions(path, PLAN)
    assert [q.question for q in report.questions] == ["What, or; which|one?", 'two\nlines "quoted"']
    assert (report.refused, report.duplicates) == ([], [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_each_encoding_reads_the_same(encoding: str, tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer\nWo ist die Brücke – hier?,Köln\n".encode(encoding))
    question = import_questions(path, PLAN).questions[0]
    assert (question.question, question.raw_answer) == ("Wo ist die Brücke – hier?", "Köln")


def test_every_field_is_taken_from_its_column(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "q,a,key,tags,hint,who,where,level\nWhy?,So,k1,a; b ;a,careful,Ada,https://example.org/x,3\nHow?,Thus,,,,,,\n",
    )
    plan = ImportPlan(
        question="q", raw_answer="a", id="key", keywords="tags", keyword_separator=";", answer_notes="hint",
        author="who", sources="where", metadata=("level",),
    )  # fmt: skip
    first, second = import_questions(path, plan).questions
    assert first.model_dump(exclude={"date_created", "date_modified"}, exclude_none=True) == {
        "question": "Why?", "raw_answer": "So", "id": "k1", "keywords": ["a", "b"], "answer_notes": "careful",
        "author": {"name": "Ada"}, "sources": [{"url": "https://example.org/x"}], "custom_metadata": {"level": "3"},
    }  # fmt: skip
    assert second.model_dump(exclude={"date_created", "date_modified"}, exclude_none=True) == {
        "question": "How?", "raw_answer": "Thus", "id": question_fingerprint("How?"), "keywords": [],
    }  # fmt: skip


def test_broken_rows_are_refused_by_number_and_the_others_come_in(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'Question,Answer\nWhy?,a\n,b\nHow?,\nToo,many,cells\n"broken"x,c\n\nWhen?,d\n"never closed,e\nWho?,f\n',
    )
    report = import_questions(path, PLAN)
    assert [q.question for q in report.questions] == ["Why?", "When?", "Who?"]
    assert [refused.row for refused in report.refused] == [2, 3, 4, 5, 7]
    reasons = [refused.reason for refused in report.refused]
    for reason, part in zip(reasons, ["no question", "no reference", "3 cells", "line 6", "line 9"], strict=True):
        assert part in reason


def test_exact_duplicates_are_reported_and_not_imported(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer\nWhy?,a\nWhy?,a\nWhy? ,a\nWhy?,b\n")
    report = import_questions(path, PLAN)
    assert [q.question for q in report.questions] == ["Why?", "Why? "]
    assert [(d.row, d.first_row, d.same_answer) for d in report.duplicates] == [(2, 1, True), (4, 1, False)]


def test_one_id_for_two_questions_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer,id\nWhy?,a,1\nHow?,b,1\nWhy?,a,2\n")
    report = import_questions(path, ImportPlan(question="Question", raw_answer="Answer", id="id"))
    assert [q.id for q in report.questions] == ["1", "2"]
    assert report.refused[0].reason == "its id '1' belongs to another question, in row 1"


def test_json_lines_keep_what_can_be_read(tmp_path: Path) -> None:
    lines = [
        '{"Question": "Why\u2028?", "Answer": 42}',
        "{broken",
        "[1]",
        '{"Question": "How?", "Answer": ["x", 1]}',
        "",
        '{"Answer": "x"}',
    ]
    report = import_questions(write(tmp_path, "\n".join(lines), "q.jsonl"), PLAN)
    assert [(q.question, q.raw_answer) for q in report.questions] == [("Why\u2028?", "42"), ("How?", '["x", 1]')]
    assert [refused.row for refused in report.refused] == [2, 3, 5]


@pytest.mark.parametrize("name", ["q.json", "q.jsonl", "q.txt"])
def test_a_json_list_of_objects_reads_like_lines(name: str, tmp_path: Path) -> None:
    rows = [{"Question": "Why?", "Answer": "a", "tags": ["x", "y"]}, {"Question": "How?", "Answer": "b"}]
    path = write(tmp_path, json.dumps(rows, indent=1), name)
    assert read_headers(path) == ["Question", "Answer", "tags"]
    plan = ImportPlan(question="Question", raw_answer="Answer", keywords="tags")
    assert [q.keywords for q in import_questions(path, plan).questions] == [["x", "y"], []]


def test_a_template_receives_the_rows_values_as_literals(tmp_path: Path) -> None:
    nasty = 'a"b\\c\'"""\n{{Question}} {x}'
    path = write(tmp_path, json.dumps([{"Question": "Why?", "Answer": nasty, "limits": [1, None]}]), "q.json")
    template = "answer = {{raw_answer}}\nlimits = {{ limits }}\nkept = f'{{other}}'\n"
    plan = ImportPlan(question="Question", raw_answer="Answer", template=template, finished=True)
    report = import_questions(path, plan)
    source = report.questions[0].answer_template
    assert source is not None
    values = [ast.literal_eval(node.value) for node in ast.parse(source).body[:2] if isinstance(node, ast.Assign)]
    assert values == [nasty, [1, None]]
    assert "{{other}}" in source
    assert report.finished


def test_a_rows_own_template_goes_first(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer,code\nWhy?,a,own\nHow?,b,\n")
    plan = ImportPlan(question="Question", raw_answer="Answer", answer_template="code", template="t = {{code}}")
    assert [q.answer_template for q in import_questions(path, plan).questions] == ["own", "t = ''"]


def test_a_plan_with_an_unknown_column_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column 'Answer'.* 'Question', 'answer'"):
        import_questions(write(tmp_path, "Question,answer\nWhy?,a\n"), PLAN)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "q.csv", "is empty"),
        ("a,a\n1,2\n", "q.csv", "several columns of the name 'a'"),
        ('"a"b,c\n1,2\n', "q.csv", "no header line"),
        ("{oops", "q.json", "not valid JSON"),
        ("[]", "q.json", "holds no objects"),
        ("oops\noops", "q.jsonl", "holds no objects to read .row 1: it is not valid JSON"),
        (b"PK\x03\x04\x00\x00", "q.csv", "is no text"),
    ],
)
def test_an_unreadable_file_is_refused_plainly(content: str | bytes, name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=message):
        import_questions(write(tmp_path, content, name), PLAN)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_headers(tmp_path / "none.csv")


def test_columns_are_guessed_by_their_names_only() -> None:
    assert guess_columns(["Frequency", "Question Text", "Expected-Answer", "Sequence", "TAGS", "uuid"]) == {
        "question": "Question Text", "raw_answer": "Expected-Answer", "keywords": "TAGS",
    }  # fmt: skip
    assert guess_columns(["sequence", "liquid"]) == {}
    assert guess_columns(["text", "question", "reference", "answer", "id"]) == {
        "question": "question", "raw_answer": "answer", "id": "id",
    }  # fmt: skip


def test_published_question_sets_import_whole(shared: Path) -> None:
    if not (shared / "data/gsm8k.jsonl").exists():
        pytest.skip("needs the published data")
    gsm8k = import_questions(shared / "data/gsm8k.jsonl", ImportPlan(question="question", raw_answer="answer"))
    assert (len(gsm8k.questions), gsm8k.refused, gsm8k.duplicates) == (400, [], [])
    path = shared / "data/bixbench-mcq-gpt-4o.csv"
    assert guess_columns(read_headers(path)) == {"question": "question", "raw_answer": "target"}
    rows = import_questions(path, ImportPlan(question="question", raw_answer="target", id="short_qid"))
    assert (len(rows.questions) + len(rows.duplicates), rows.refused) == (296, [])


@pytest.mark.parametrize(
    "text",
    [
        "Question;Answer\nWhy, and how?;So, so\n",
        "Question, in full;Answer\nWhy, and how, and when?;So\nWhere?;There\n",
    ],
)
def test_semicolons_divide_a_table_whose_texts_have_commas(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    headers = read_headers(path)
    assert headers[1] == "Answer"
    assert len(headers) == 2
