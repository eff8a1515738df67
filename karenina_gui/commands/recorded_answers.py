"""`--traces NAME=FILE`: recorded answers for the `manual` models of a configuration."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.outcome import warn
from karenina_gui.errors import ConfigurationError, InputError
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity, quote_list, verb

if TYPE_CHECKING:
    from collections import Counter

    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.recorded_answers import RecordedFile


def with_traces(config: VerificationConfig, options: argparse.Namespace, benchmark: Benchmark) -> VerificationConfig:
    """Configuration with the recorded answers. Raises `InputError` for an invalid option."""
    files = dict(_split("--traces", option) for option in options.traces)
    models = dict(_split("--traces-model", option) for option in options.traces_model)
    for name in (*files, *models):
        _check_name(name, config)
    answering = []
    for model in config.answering_models:
        name = str(model.id)
        if name in files:
            names = [models[name]] if name in models else [name, *filter(None, [model.model_name])]
            traces = _traces(name, files[name], benchmark, names, options)
            model = model.model_copy(update={"manual_traces": traces})
        elif model.interface == "manual" and model.manual_traces is None:
            raise ConfigurationError(f"The model “{name}” needs recorded answers: add --traces {name}=FILE")
        answering.append(model)
    return config.model_copy(update={"answering_models": answering})


def _split(flag: str, option: str) -> tuple[str, str]:
    name, equals, value = option.partition("=")
    if flag == "--traces" and not value:
        raise InputError(f"Write --traces {option} as NAME=FILE, such as --traces recorded=answers.json")
    if not equals:
        raise InputError(f"Write --traces-model {option} as NAME=MODEL, such as --traces-model recorded=gpt-4o")
    return name, value


def _check_name(name: str, config: VerificationConfig) -> None:
    manual = [str(model.id) for model in config.answering_models if model.interface == "manual"]
    if name not in manual:
        listed = ", ".join(manual) or "none"
        raise InputError(f"--traces names “{name}”, but the answering models with interface manual are: {listed}.")


def _traces(
    name: str, file: str, benchmark: Benchmark, models: Sequence[str], options: argparse.Namespace
) -> dict[str, object]:
    """Answers by question. `models`: names under which the file may have the model's answers."""
    from karenina_gui.formats.recorded_answers import match_traces
    from karenina_gui.traces.dialogues import with_judged_part

    recorded = _read_file(name, file, models)
    for refused in recorded.refused:
        warn(f"Skipped {recorded.unit} {refused.row} of {file}: {refused.reason}")
    if recorded.others:
        warn(f"{name}: {quantity(recorded.others.total(), 'answer')} of {quote_list(recorded.others)} left out.")
    matched = match_traces(recorded, benchmark, by_id=options.traces_by_id)
    if matched.doubtful:
        raise InputError(
            f"{quantity(len(matched.doubtful), 'question ID')} in {file} {verb(len(matched.doubtful), 'has', 'have')} "
            f"another text in this benchmark, such as {matched.doubtful[0]}. If these are the same questions, add "
            "--traces-by-id"
        )
    if not matched.traces:
        raise InputError(f"No answer in {file} matches a question of this benchmark. Check the IDs or question texts.")
    if matched.repeated:
        warn(f"{name}: {quantity(len(matched.repeated), 'answer')} left out: answered under another ID already.")
    if matched.unknown:
        warn(f"{name}: {quantity(len(matched.unknown), 'answer')} without a matching question.")
    _warn_of_endings(name, matched.traces, options)
    return with_judged_part(matched.traces, options.dialogues)


def _warn_of_endings(name: str, traces: dict[str, object], options: argparse.Namespace) -> None:
    from karenina_gui.traces.dialogues import PARTS, Conversations

    conversations = Conversations.of(traces.values())
    if conversations.need_choice:
        part = PARTS[options.dialogues or conversations.default]
        warn(f"{name}: {conversations.describe()} Judged: {part}. See --dialogues.")


def _read_file(name: str, file: str, models: Sequence[str]) -> RecordedFile:
    """Read `FILE`, or `FILE#COLUMN` to name the column of the answers."""
    from karenina_gui.formats.recorded_answers import (
        TraceColumns,
        answer_table,
        answers_by_question,
        default_columns,
        guess_trace_columns,
        models_of,
        traces_of,
    )

    path, _, column = (file, "", "") if Path(file).is_file() else file.rpartition("#")
    if not column and (recorded := answers_by_question(Path(path))) is not None:
        return recorded
    table = answer_table(Path(path))
    if column:
        guessed = guess_trace_columns(table.headers)
        if "question" not in guessed:
            raise InputError(f"{path} needs a column that identifies the question, such as question_id or question.")
        columns = TraceColumns(guessed["question"], column, text=guessed.get("text"), model=guessed.get("model"))
    else:
        columns = default_columns(table, Path(path))
    if models == [""]:  # --traces-model NAME= : all of them
        columns = replace(columns, model=None)
    counts = models_of(table, columns.model)
    model = next((name_in_file for name_in_file in models if name_in_file in counts), None)
    if model is None:
        _refuse_other_models(name, path, models, counts)
    return traces_of(table, columns, Path(path), model)


def _refuse_other_models(name: str, path: str, models: Sequence[str], counts: Counter[str]) -> None:
    """Raise `InputError` if the file has answers of several models, or of another one than the single one asked for."""
    if len(counts) > 1 or (len(models) == 1 and counts):
        raise InputError(
            f"{path} has answers of other models: {quote_list(counts)}. Choose one, such as "
            f"--traces-model {name}={next(iter(counts))} (or --traces-model {name}= if all are of “{name}”)"
        )
