"""Questions come in from tables by column names, and every row is accounted for."""

from __future__ import annotations

import ast
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.tables.question_import import (
    ImportPlan,
    KeywordColumn,
    guess_columns,
    import_questions,
    read_headers,
    unused_columns,
)
from karenina_gui.formats.tables.rejected_rows import refused_csv
from karenina_gui.formats.tables.table_reader import read_table
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "mac_roman", "utf-16"])
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
        question="q", raw_answer="a", id="key", keywords=(KeywordColumn("tags", ";"),), answer_notes="hint",
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
    assert [refused.row for refused in report.refused] == [3, 4, 5, 6, 9]
    reasons = [refused.reason for refused in report.refused]
    for reason, part in zip(reasons, ["no question", "no reference", "3 cells", "line 6", "line 9"], strict=True):
        assert part in reason


def test_exact_duplicates_are_reported_and_not_imported(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer\nWhy?,a\nWhy?,a\nWhy? ,a\nWhy?,b\n")
    report = import_questions(path, PLAN)
    assert [q.question for q in report.questions] == ["Why?", "Why? "]
    assert [(d.row, d.first_row, d.same_answer) for d in report.duplicates] == [(3, 2, True), (5, 2, False)]


def test_one_id_for_two_questions_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer,id\nWhy?,a,1\nHow?,b,1\nWhy?,a,2\n")
    report = import_questions(path, ImportPlan(question="Question", raw_answer="Answer", id="id"))
    assert [q.id for q in report.questions] == ["1", "2"]
    assert report.refused[0].reason == "its ID “1” belongs to another question, in row 2"


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
    assert [refused.row for refused in report.refused] == [2, 3, 6]
    assert report.unit == "line"


MAC_AND_WINDOWS = [
    "Größe über Straße",
    "café déjà vu",
    "don’t “quote” this",
    "français",
    "dose–response",
    "Œuvre",
    "Ça va… là",
]


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman"])
@pytest.mark.parametrize("text", MAC_AND_WINDOWS)
def test_a_table_saved_on_a_mac_or_on_windows_keeps_its_letters(text: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(f"Question,Answer\r{text},42\r".encode(encoding))
    assert read_table(tmp_path / "t.csv").rows[0].values["Question"] == text


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\x81\x8d\x01,2\n")
    with pytest.raises(FileFormatError, match="is not text in UTF-8, UTF-16, Windows-1252, or MacRoman"):
        read_table(tmp_path / "t.csv")


ASKED = {"role": "user", "content": "Which gene?"}


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([ASKED], "Which gene?"),
        ([{"role": "system", "content": "Be brief."}, ASKED], "Be brief.\n\nWhich gene?"),
        ([{"role": "user", "content": [{"type": "text", "text": "Which gene?"}]}], "Which gene?"),
    ],
)
def test_a_prompt_of_messages_is_the_question(messages: list[Any], text: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps([{"input": messages, "target": "BCL2"}]))
    report = import_questions(tmp_path / "t.json", ImportPlan("input", "target"))
    assert ([each.question for each in report.questions], report.refused) == ([text], [])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([ASKED, {"role": "assistant", "content": "BCL2."}, ASKED], "contains 3 messages; a question is one message"),
        ([{"role": "wizard", "content": "?"}], "unknown role “wizard”"),
        (["Which gene?"], "contains a list, not text"),
    ],
)
def test_a_list_that_is_no_single_prompt_is_refused(value: list[Any], reason: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps([{"input": value, "target": "BCL2"}]))
    (refused,) = import_questions(tmp_path / "t.json", ImportPlan("input", "target")).refused
    assert reason in refused.reason


@pytest.mark.parametrize(
    ("choices", "lines"),
    [
        (["BCL2", "TP53"], "A) BCL2\nB) TP53"),
        ("['BCL2', 'TP53']", "A) BCL2\nB) TP53"),
        ({"label": ["A", "B"], "text": ["BCL2", "TP53"]}, "A) BCL2\nB) TP53"),
        ("BCL2; TP53", "A) BCL2\nB) TP53"),
        (["(A) BCL2", "(B) TP53"], "(A) BCL2\n(B) TP53"),
    ],
)
def test_choices_are_added_to_the_question(choices: Any, lines: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps([{"question": "Which?", "target": "A", "choices": choices}]))
    (question,) = import_questions(tmp_path / "t.json", ImportPlan("question", "target", choices="choices")).questions
    assert question.question == f"Which?\n\n{lines}"


def test_columns_that_are_not_imported_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Question,Answer,Answer,choices,level\nWhich?,A,B,x;y,1\n")
    table = read_table(tmp_path / "t.csv")
    assert unused_columns(table, ImportPlan("Question", "Answer")) == (
        "Not imported: “Answer (2)”, “choices”, and “level”. The questions do not contain the choices in “choices”, "
        "unless their texts have them. The column “Answer (2)” is a second “Answer”."
    )
    whole = ImportPlan("Question", "Answer", choices="choices", metadata=("level", "Answer (2)"))
    assert unused_columns(table, whole) == ""


@pytest.mark.parametrize("name", ["q.json", "q.jsonl", "q.txt"])
def test_a_json_list_of_objects_reads_like_lines(name: str, tmp_path: Path) -> None:
    rows = [{"Question": "Why?", "Answer": "a", "tags": ["x", "y"]}, {"Question": "How?", "Answer": "b"}]
    path = write(tmp_path, json.dumps(rows, indent=1), name)
    assert read_headers(path) == ["Question", "Answer", "tags"]
    plan = ImportPlan(question="Question", raw_answer="Answer", keywords=(KeywordColumn("tags"),))
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
    with pytest.raises(InputError, match=r"no column “Answer”.* “Question”, “answer”"):
        import_questions(write(tmp_path, "Question,answer\nWhy?,a\n"), PLAN)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "q.csv", "is empty"),
        ('"a"b,c\n1,2\n', "q.csv", "header row of q.csv cannot be read"),
        ("{oops", "q.json", "not valid JSON"),
        ("[]", "q.json", "contains no objects"),
        ("oops\noops", "q.jsonl", "contains no objects .line 1: invalid JSON at character 1: a value is missing"),
        (b"a\x00b", "q.csv", "is not text"),
        ('{"dataFeedElement": []}', "q.json", "is a benchmark file, not a table of questions"),
        ('["Why?", "How?"]', "q.json", r"entry 1: expected an object, found text.* Write each question as"),
        ('{"a": [{"x": 1}], "b": [{"y": 1}]}', "q.json", "contains several lists: “a”, “b”"),
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


@pytest.mark.parametrize(
    "names",
    [
        ["Frage", "Antwort", "Stichwörter", "Bemerkungen", "Verfasserin", "Quelle"],
        ["Fragetext", "Musterloesung", "SCHLAGWOERTER", "Anmerkung", "Autor", "Quellen"],
        ["Énoncé", "Réponse attendue", "Mots-clés", "Remarques", "Auteur", "Source"],
        ["Pregunta", "Respuesta correcta", "Palabras clave", "Observaciones", "Autora", "Fuente"],
        ["Domanda", "Risposta", "Parole chiave", "Commento", "Autore", "Fonte"],
        ["Questão", "Resposta certa", "Palavras-chave", "Observações", "Autor", "Fontes"],
    ],
)
def test_columns_are_found_by_their_names_in_other_languages(names: list[str], tmp_path: Path) -> None:
    fields = ["question", "raw_answer", "keywords", "answer_notes", "author", "sources"]
    assert guess_columns(["Nr", *names]) == dict(zip(fields, names, strict=True))
    decomposed = [unicodedata.normalize("NFD", name) for name in names]
    assert guess_columns(decomposed) == dict(zip(fields, decomposed, strict=True))
    path = write(tmp_path, f"Stand: gestern;;;;;;\n1;2;3;4;5;6\n{';'.join(names)}\nA?;B;C;D;E;F\n")
    assert read_headers(path) == names


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


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_title_lines_above_the_header_are_passed_over_and_counted(tmp_path: Path, end: str) -> None:
    lines = ["Exam of spring; written by Ada", "", "Question;Answer;Tags", "Why?;a;x", "How?;;y"]
    path = write(tmp_path, end.join(lines))
    table = read_table(path)
    assert (table.header_row, table.headers) == (3, ["Question", "Answer", "Tags"])
    assert [number for number, _ in table.first_rows] == [1, 3, 4, 5]
    report = import_questions(path, PLAN)
    assert ([found.row for found in report.imported], [row.row for row in report.refused]) == ([4], [5])


def test_another_row_can_be_chosen_as_the_header(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer\nFrage,Antwort\nWhy?,a\n")
    assert read_table(path).header_row == 1
    table = read_table(path, header_row=2)
    assert (table.headers, [row.number for row in table.rows]) == (["Frage", "Antwort"], [3])
    with pytest.raises(FileFormatError, match=r"Row 7 of q\.csv contains no column names"):
        read_table(path, header_row=7)


def test_a_file_without_a_header_is_read_by_numbered_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "Which gene is mutated?,TP53\nWhich protein is inhibited?,BCL2\n")
    table = read_table(path)
    assert (table.header_row, table.headers) == (0, ["Column 1", "Column 2"])
    report = import_questions(path, ImportPlan(question="Column 1", raw_answer="Column 2"))
    assert [(found.row, found.question.raw_answer) for found in report.imported] == [(1, "TP53"), (2, "BCL2")]


def test_names_that_are_missing_or_repeated_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer,Answer,,Answer (2),\nWhy?,a,b,c,d,\n")
    assert read_table(path).rows[0].values == {
        "Question": "Why?", "Answer": "a", "Answer (3)": "b", "Column 4": "c", "Answer (2)": "d",
    }  # fmt: skip


def test_a_first_line_that_names_the_delimiter_is_obeyed(tmp_path: Path) -> None:
    assert read_headers(write(tmp_path, "sep=|\nQuestion|Answer, in full\nWhy?|a, b\n")) == [
        "Question",
        "Answer, in full",
    ]


def test_keywords_come_from_several_columns_each_with_its_separator(tmp_path: Path) -> None:
    path = write(tmp_path, 'Question,Answer,Tags,Area,Level\nWhy?,a,"x, y",Cell biology/Cancer,"easy, for now"\n')
    columns = (KeywordColumn("Tags"), KeywordColumn("Area", "/"), KeywordColumn("Level", ""))
    plan = ImportPlan(question="Question", raw_answer="Answer", keywords=columns)
    assert import_questions(path, plan).questions[0].keywords == ["x", "y", "Cell biology", "Cancer", "easy, for now"]


def test_author_workspace_sources_and_examples_are_taken_over(tmp_path: Path) -> None:
    header = ["Question", "Answer", "author", "email", "workspace", "few_shot", "source"]
    row = [
        "Why?",
        "a",
        "Ada",
        "ada@example.org",
        "task_01",
        '[{"question": "1+1?", "answer": "2"}]',
        "A book\nhttps://example.org",
    ]
    path = write(tmp_path, json.dumps([header, row]), "q.json")
    guessed = guess_columns(read_headers(path))
    question = import_questions(
        path,
        ImportPlan(
            question="Question", raw_answer="Answer", author=guessed["author"], author_email=guessed["author_email"],
            workspace_path=guessed["workspace_path"], few_shot_examples=guessed["few_shot_examples"],
            sources=guessed["sources"],
        ),
    ).questions[0]  # fmt: skip
    assert question.author == {"name": "Ada", "email": "ada@example.org"}
    assert question.workspace_path == "task_01"
    assert question.few_shot_examples == [{"question": "1+1?", "answer": "2"}]
    assert question.sources == [{"name": "A book"}, {"url": "https://example.org"}]


def test_a_row_is_refused_for_a_workspace_outside_the_root_or_examples_that_are_none(tmp_path: Path) -> None:
    path = write(tmp_path, "Question,Answer,where,shots\nWhy?,a,../x,\nHow?,b,,1+1 is 2\n")
    plan = ImportPlan(question="Question", raw_answer="Answer", workspace_path="where", few_shot_examples="shots")
    report = import_questions(path, plan)
    assert [refused.row for refused in report.refused] == [2, 3]
    assert "outside the workspace root" in report.refused[0].reason
    assert "holds no examples; write them as" in report.refused[1].reason


def test_a_list_named_after_questions_is_the_table_and_one_question_by_itself_a_row(tmp_path: Path) -> None:
    record = {"question": "Why?", "answer": "a"}
    exam = {"id": 7, "author": "Ada", "questions": [record], "sources": [{"url": "https://example.org"}]}
    table = read_table(write(tmp_path, json.dumps(exam), "q.json"))
    assert [row.values for row in table.rows] == [record]
    assert table.remarks == ["Questions are read from the list “questions”. Other parts of the file are ignored."]
    alone = {**record, "few_shot_examples": [record], "input": [{"role": "user", "content": "Why?"}]}
    assert [row.values for row in read_table(write(tmp_path, json.dumps(alone), "one.json")).rows] == [alone]


def test_objects_inside_objects_are_reached_by_their_path(tmp_path: Path) -> None:
    record = {"item": {"text": "Why?", "lang": "en"}, "answer": "a", "scores": {f"model {n}": n for n in range(99)}}
    path = write(tmp_path, json.dumps({"version": 2, "items": [record]}), "q.json")
    table = read_table(path)
    assert table.headers == ["item", "item.text", "item.lang", "answer", "scores"]
    assert table.remarks == ["Questions are read from the list “items”. Other parts of the file are ignored."]
    plan = ImportPlan(question="item.text", raw_answer="answer", metadata=("item.lang",))
    assert import_questions(path, plan).questions[0].custom_metadata == {"item.lang": "en"}
    refused = import_questions(path, ImportPlan(question="item", raw_answer="answer")).refused[0]
    assert refused.reason == (
        "column “item” contains an object, not text; choose one of its parts: “item.text”, “item.lang”"
    )


def test_refused_rows_go_out_as_a_table_that_is_safe_to_open_and_comes_back_mended(tmp_path: Path) -> None:
    path = write(tmp_path, 'Question,Answer\nWhy?,a\n,=1+1\n"broken"x,c\n@home?,\n')
    table = read_table(path)
    text = refused_csv(table, import_questions(path, PLAN).refused)
    lines = text.split("\r\n")
    assert lines[0] == "Row in the file,Reason skipped,Question,Answer"
    assert lines[1] == "3,column “Question” is empty: no question text,,'=1+1"
    assert lines[2].startswith("4,line 4: text follows the closing quotation mark of a cell,")
    mended = write(tmp_path, text.replace("text,,'=1+1", "text,How much?,'=1+1"), "mended.csv")
    report = import_questions(mended, PLAN)
    assert [(q.question, q.raw_answer) for q in report.questions] == [("How much?", "=1+1")]


@pytest.mark.parametrize("name", ["q.jsonl", "q.json"])
def test_a_name_that_stands_twice_in_one_object_refuses_it_so_that_no_value_is_lost(tmp_path: Path, name: str) -> None:
    doubled, sound = '{"question": "a?", "answer": "1", "question": "b?"}', '{"question": "c?", "answer": "2"}'
    path = tmp_path / name
    path.write_text(f"{doubled}\n{sound}" if name == "q.jsonl" else f"[{doubled}, {sound}]")
    table = read_table(path)
    assert [row.values["question"] for row in table.rows] == ["c?"]
    ((number, reason),) = [(each.row, each.reason) for each in table.refused]
    assert (number, reason) == (1, "duplicate names: “question”")


def test_a_text_of_a_million_characters_is_refused_in_every_kind_of_file(tmp_path: Path) -> None:
    for name, content in (
        ("q.csv", "Question,Answer\n{},a\nWhy?,b"),
        ("q.json", '[{{"Question": "{}", "Answer": "a"}}, {{"Question": "Why?", "Answer": "b"}}]'),
    ):
        report = import_questions(write(tmp_path, content.format("q" * 1_000_001), name), PLAN)
        assert [found.question for found in report.questions] == ["Why?"]
        assert "column “Question” has more than 1,000,000 characters" in report.refused[0].reason
