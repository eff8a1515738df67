"""`karenina-gui import`: make a benchmark from a spreadsheet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karenina_gui.commands.outcome import DONE, PARTLY
from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.formats.tabular import ImportReport, KeywordColumn

NAME = "import"
SUMMARY = "Make a benchmark out of a table of questions (CSV, TSV, XLSX, JSON Lines, JSON)."
DETAILS = """
    A column that is not named is found by its own name where that is plain (question, answer, id, keywords, notes,
    author, sources, template). The columns that are used are printed. Of a workbook the first sheet with a question and
    an answer is read, unless --sheet names another; lines above the column names are passed over.

    --template gives every question the same answer template. In it, {{raw_answer}} stands for the row's reference
    answer as a Python value, and {{column}} for the value of any column:

      class Answer(BaseAnswer):
          value: str = VerifiedField(
              description="The final answer.", ground_truth={{raw_answer}}, verify_with=ExactMatch()
          )

    A row that cannot be used is reported with the number that it has in the file, where the column names stand in
    row 1 as a rule; all others come in. A question that is there twice comes in
    once. An existing BENCHMARK.jsonld is replaced, and kept beside it as BENCHMARK.jsonld.bak.

    The exit code is 0 when every row came in, 1 when some were refused, 2 when nothing was written.

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
    "id": ("id", "an id of your own (default: the fingerprint of the question's text)"),
    "notes": ("answer_notes", "notes about the answer"),
    "author": ("author", "the author's name"),
    "author-email": ("author_email", "the author's e-mail address"),
    "sources": ("sources", "a source, as an address or a title"),
    "template-column": ("answer_template", "an answer template of each row's own"),
    "workspace": ("workspace_path", "the workspace folder of the question"),
    "examples": ("few_shot_examples", "few-shot examples, as JSON"),
}
"""(field of `ImportPlan`, content of the column) by option."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="FILE", help="the table: .csv, .tsv, .xlsx, .jsonl or .json")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="BENCHMARK.jsonld", help="the benchmark to be written"
    )
    for option, (_, holds) in _COLUMNS.items():
        parser.add_argument(f"--{option}", metavar="COLUMN", help=f"column that holds {holds}")
    parser.add_argument(
        "--keywords", action="append", default=[], metavar="COLUMN", help="column that holds keywords; may be repeated"
    )
    parser.add_argument(
        "--keyword-separator",
        action="append",
        default=[],
        metavar="TEXT",
        help="what stands between keywords (default: a comma); repeated, one for each --keywords in turn",
    )
    parser.add_argument("--sheet", metavar="NAME", help="sheet of the workbook (default: the first with questions)")
    parser.add_argument(
        "--header-row",
        type=int,
        metavar="NUMBER",
        help="row with the column names; 0: there is none, and the columns are called 'Column 1' and so on",
    )
    parser.add_argument(
        "--metadata", action="append", default=[], metavar="COLUMN", help="column to keep as it is; may be repeated"
    )
    parser.add_argument(
        "--template", type=Path, metavar="FILE", help="answer template for rows without one of their own"
    )
    parser.add_argument("--name", metavar="NAME", help="name of the benchmark (default: the table's)")
    parser.add_argument("--description", default="", metavar="TEXT", help="description of the benchmark")
    parser.add_argument(
        "--unfinished", action="store_true", help="leave the questions unfinished, to be reviewed one by one"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.tables import read_table, read_text
    from karenina_gui.formats.tabular import ImportPlan, questions_of

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
    if not report.questions:
        raise InputError(f"{options.table} gave no question, so nothing was written.")
    benchmark = Benchmark.create(options.name or options.table.stem, options.description)
    for question in report.questions:
        benchmark.add_question(question, finished=plan.finished)
    path = benchmark.save(options.output)
    used = [f"{field} = {column}" for field, column in columns.items()]
    used += [f"keywords = {each.column}" for each in keywords]
    print(f"{len(report.questions)} questions are in {path} (columns: {', '.join(used)}).")
    return PARTLY if report.refused else DONE


def _print_report(report: ImportReport, remarks: list[str]) -> None:
    for remark in remarks:
        print(remark, file=sys.stderr)
    row = report.unit.capitalize()
    for refused in report.refused:
        print(f"{row} {refused.row} was left out: {refused.reason}.", file=sys.stderr)
    for again in report.duplicates:
        answers = "" if again.same_answer else ", with another reference answer"
        line = f"{row} {again.row} asks the same as {report.unit} {again.first_row}{answers}; it was left out."
        print(line, file=sys.stderr)


def _keywords(options: argparse.Namespace, guessed: str | None) -> tuple[KeywordColumn, ...]:
    from karenina_gui.formats.tabular import KeywordColumn

    columns = options.keywords or [column for column in [guessed] if column is not None]
    separators = options.keyword_separator or [","]
    return tuple(KeywordColumn(c, separators[min(n, len(separators) - 1)]) for n, c in enumerate(columns))


def _columns(options: argparse.Namespace, headers: list[str]) -> dict[str, Any]:
    """Columns by field of the plan. Raises `InputError` if the question or the reference answer is missing."""
    from karenina_gui.formats.tabular import guess_columns

    named = {field: getattr(options, option.replace("-", "_")) for option, (field, _) in _COLUMNS.items()}
    given = {field: column for field, column in named.items() if column is not None}
    taken = {*given.values(), *options.metadata, *options.keywords}
    # A column that is named for one field must not be guessed for another.
    columns = {**guess_columns([header for header in headers if header not in taken]), **given}
    for option in ("question", "answer"):
        if _COLUMNS[option][0] not in columns:
            listed = ", ".join(repr(header) for header in headers)
            raise InputError(
                f"Which column of {options.table} holds {_COLUMNS[option][1]}? Name it with --{option}. "
                f"Its columns are: {listed}."
            )
    return columns
