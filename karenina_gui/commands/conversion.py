"""`karenina-gui import`: a spreadsheet becomes a benchmark."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from karenina_gui.commands.outcome import DONE, PARTLY
from karenina_gui.errors import InputError

NAME = "import"
SUMMARY = "Make a benchmark out of a table of questions (CSV, TSV, JSON Lines, JSON)."
DETAILS = """
    A column that is not named is found by its own name where that is plain (question, answer, id, keywords, notes,
    author, sources, template). The columns that are used are printed.

    --template gives every question the same answer template. In it, {{raw_answer}} stands for the row's reference
    answer as a Python value, and {{column}} for the value of any column:

      class Answer(BaseAnswer):
          value: str = VerifiedField(
              description="The final answer.", ground_truth={{raw_answer}}, verify_with=ExactMatch()
          )

    A row that cannot be used is reported with its number; all others come in. A question that is there twice comes in
    once. An existing BENCHMARK.jsonld is replaced, and kept beside it as BENCHMARK.jsonld.bak.

    The exit code is 0 when every row came in, 1 when some were refused, 2 when nothing was written.

    Examples:
      karenina-gui import questions.csv --output mine.jsonld
      karenina-gui import questions.jsonl --output mine.jsonld --question prompt --answer gold --id uid \\
          --template template.py --metadata difficulty
"""

_COLUMNS = {
    "question": ("question", "the text of the question"),
    "answer": ("raw_answer", "the reference answer"),
    "id": ("id", "an id of your own (default: the fingerprint of the question's text)"),
    "keywords": ("keywords", "keywords"),
    "notes": ("answer_notes", "notes about the answer"),
    "author": ("author", "the author's name"),
    "sources": ("sources", "a source, as an address or a title"),
    "template-column": ("answer_template", "an answer template of each row's own"),
}
"""Option: the field of `ImportPlan` that it fills, and what the column holds."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="FILE", help="the table: .csv, .tsv, .jsonl, .ndjson or .json")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="BENCHMARK.jsonld", help="the benchmark to be written"
    )
    for option, (_, holds) in _COLUMNS.items():
        parser.add_argument(f"--{option}", metavar="COLUMN", help=f"column that holds {holds}")
    parser.add_argument(
        "--keyword-separator", default=",", metavar="TEXT", help="what stands between keywords (default: a comma)"
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
    """Exit code as in `DETAILS`."""
    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.tables import read_text
    from karenina_gui.formats.tabular import ImportPlan, import_questions

    columns = _columns(options)
    plan = ImportPlan(
        **columns,
        keyword_separator=options.keyword_separator,
        metadata=tuple(options.metadata),
        template=read_text(options.template) if options.template else None,
        finished=not options.unfinished,
    )
    report = import_questions(options.table, plan)
    for refused in report.refused:
        print(f"Row {refused.row} was left out: {refused.reason}.", file=sys.stderr)
    for again in report.duplicates:
        answers = "" if again.same_answer else ", with another reference answer"
        print(f"Row {again.row} asks the same as row {again.first_row}{answers}; it was left out.", file=sys.stderr)
    if not report.questions:
        raise InputError(f"{options.table} gave no question, so nothing was written.")
    benchmark = Benchmark.create(options.name or options.table.stem, options.description)
    for question in report.questions:
        benchmark.add_question(question, finished=plan.finished)
    path = benchmark.save(options.output)
    used = ", ".join(f"{field} = {column}" for field, column in columns.items())
    print(f"{len(report.questions)} questions are in {path} (columns: {used}).")
    return PARTLY if report.refused else DONE


def _columns(options: argparse.Namespace) -> dict[str, Any]:
    """{field of the plan: column}. InputError: the question or the reference answer cannot be found."""
    from karenina_gui.formats.tabular import guess_columns, read_headers

    headers = read_headers(options.table)
    named = {field: getattr(options, option.replace("-", "_")) for option, (field, _) in _COLUMNS.items()}
    given = {field: column for field, column in named.items() if column is not None}
    guessed = guess_columns([header for header in headers if header not in {*given.values(), *options.metadata}])
    columns = {**guessed, **given}
    for option in ("question", "answer"):
        if _COLUMNS[option][0] not in columns:
            listed = ", ".join(repr(header) for header in headers)
            raise InputError(
                f"Which column of {options.table} holds {_COLUMNS[option][1]}? Name it with --{option}. "
                f"Its columns are: {listed}."
            )
    return columns
