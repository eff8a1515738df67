"""`karenina-gui import`: make a benchmark from a spreadsheet."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karenina_gui.commands.outcome import DONE, PARTLY, say, warn
from karenina_gui.errors import InputError
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.formats.tables.question_import import ImportReport, KeywordColumn

NAME = "import"
SUMMARY = "Create a benchmark from a table of questions (CSV, TSV, XLSX, JSON Lines, JSON)."
DETAILS = """
    Columns are detected by their names (question, answer, id, keywords, notes, author, sources, template) unless you
    name them. The columns in use are printed. From a workbook, the first sheet with a question and an answer is read,
    unless --sheet names another. Lines above the column names are ignored.

    --template gives every question the same answer template. In it, {{raw_answer}} is replaced by the reference answer
    of the row as a Python value, and {{column}} by the value of any column:

      class Answer(BaseAnswer):
          value: str = VerifiedField(
              description="The final answer.", ground_truth={{raw_answer}}, verify_with=ExactMatch()
          )

    Unusable rows are skipped and reported with their row number in the file (row 1 usually has the column names).
    Duplicate questions are imported once. An existing BENCHMARK.jsonld is replaced; its backup is BENCHMARK.jsonld.bak.

    Exit codes:
      0    all rows were imported
      1    some rows were skipped
      2    nothing was written

    Examples:
      karenina-gui import questions.csv --output mine.jsonld
      karenina-gui import questions.jsonl --output mine.jsonld --question prompt --answer gold --id uid \\
          --template template.py --metadata difficulty
      karenina-gui import exam.xlsx --output mine.jsonld --sheet Items --header-row 3 \\
          --keywords Tags --keyword-separator ";" --keywords Area --keyword-separator /
"""

_COLUMNS = {
    "question": ("question", "the text of the question"),
    "answer": ("raw_answer", "the reference answer"),
    "id": ("id", "your own ID (default: a hash of the question text)"),
    "notes": ("answer_notes", "notes about the answer"),
    "author": ("author", "the name of the author"),
    "author-email": ("author_email", "the email address of the author"),
    "sources": ("sources", "a source, as a URL or a title"),
    "template-column": ("answer_template", "the answer template of the row"),
    "workspace": ("workspace_path", "the workspace folder of the question"),
    "examples": ("few_shot_examples", "few-shot examples, as JSON"),
    "choices": ("choices", "choices, which are added to the text of the question as A), B), and so on"),
}
"""(field of `ImportPlan`, content of the column) by option."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="FILE", help="the table: .csv, .tsv, .xlsx, .jsonl or .json")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="BENCHMARK.jsonld", help="the benchmark file to write"
    )
    for option, (_, holds) in _COLUMNS.items():
        parser.add_argument(f"--{option}", metavar="COLUMN", help=f"column with {holds}")
    parser.add_argument(
        "--keywords", action="append", default=[], metavar="COLUMN", help="column with keywords; may be repeated"
    )
    parser.add_argument(
        "--keyword-separator",
        action="append",
        default=[],
        metavar="TEXT",
        help="separator between keywords (default: a comma); repeat it once per --keywords, in the same order",
    )
    parser.add_argument("--sheet", metavar="NAME", help="sheet of the workbook (default: the first with questions)")
    parser.add_argument(
        "--header-row",
        type=int,
        metavar="NUMBER",
        help="row with the column names; 0: no such row, columns are called “Column 1” and so on",
    )
    parser.add_argument(
        "--metadata",
        action="append",
        default=[],
        metavar="COLUMN",
        help="column to import as metadata; may be repeated",
    )
    parser.add_argument("--template", type=Path, metavar="FILE", help="answer template for rows that have none")
    parser.add_argument("--name", metavar="NAME", help="name of the benchmark (default: the name of the table)")
    parser.add_argument("--description", default="", metavar="TEXT", help="description of the benchmark")
    parser.add_argument(
        "--unfinished", action="store_true", help="mark the questions as unfinished, to review them one by one"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.tables.question_import import ImportPlan, questions_of, unused_columns
    from karenina_gui.formats.tables.table_reader import read_table, read_text

    table = read_table(options.table, options.sheet, options.header_row)
    columns = _columns(options, table.headers)
    keywords = _keywords(options, columns.pop("keywords", None))
    plan = ImportPlan(
        **columns,
        keywords=keywords,
        metadata=tuple(options.metadata),
        template=read_text(options.template) if options.template else None,
        finished=not options.unfinished,
    )
    report = questions_of(table, plan)
    _print_report(report, table.remarks)
    if unused := unused_columns(table, plan):
        say(unused)
    if not report.questions:
        raise InputError(f"No usable questions in {options.table}. Nothing was written.")
    benchmark = Benchmark.create(options.name or options.table.stem, options.description)
    for question in report.questions:
        benchmark.add_question(question, finished=plan.finished)
    path = benchmark.save(options.output)
    used = [f"{field} = {column}" for field, column in columns.items()]
    used += [f"keywords = {keyword.column}" for keyword in keywords]
    say(f"Wrote {quantity(len(report.questions), 'question')} to {path} (columns: {', '.join(used)}).")
    return PARTLY if report.refused else DONE


def _print_report(report: ImportReport, remarks: list[str]) -> None:
    for remark in remarks:
        warn(remark)
    for refused in report.refused:
        warn(f"Skipped {report.unit} {refused.row}: {refused.reason}.")
    for again in report.duplicates:
        answers = "" if again.same_answer else ", but with a different reference answer"
        warn(f"Skipped {report.unit} {again.row}: same question as {report.unit} {again.first_row}{answers}.")


def _keywords(options: argparse.Namespace, guessed: str | None) -> tuple[KeywordColumn, ...]:
    from karenina_gui.formats.tables.question_import import KeywordColumn

    columns = options.keywords or [column for column in [guessed] if column is not None]
    separators = options.keyword_separator or [","]
    return tuple(KeywordColumn(c, separators[min(n, len(separators) - 1)]) for n, c in enumerate(columns))


def _columns(options: argparse.Namespace, headers: list[str]) -> dict[str, Any]:
    """Columns by field of the plan. Raises `InputError` if the question or the reference answer is missing."""
    from karenina_gui.formats.tables.question_import import guess_columns

    named = {field: getattr(options, option.replace("-", "_")) for option, (field, _) in _COLUMNS.items()}
    chosen = {field: column for field, column in named.items() if column is not None}
    taken = {*chosen.values(), *options.metadata, *options.keywords}
    # A column that is named for one field must not be guessed for another.
    columns = {**guess_columns([header for header in headers if header not in taken]), **chosen}
    for option in ("question", "answer"):
        if _COLUMNS[option][0] not in columns:
            listed = ", ".join(repr(header) for header in headers)
            raise InputError(
                f"No column with {_COLUMNS[option][1]} found in {options.table}. Name it with --{option}. "
                f"Columns: {listed}."
            )
    return columns
