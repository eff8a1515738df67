"""`--traces NAME=FILE`: recorded answers for the `manual` models of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.outcome import warn
from karenina_gui.errors import ConfigurationError, InputError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.benchmark import Benchmark
    from karenina_gui.formats.recorded_answers import RecordedFile


def with_traces(config: VerificationConfig, options: Sequence[str], benchmark: Benchmark) -> VerificationConfig:
    """Configuration with the recorded answers. Raises `InputError` for an invalid option."""
    traces = {}
    for option in options:
        name, equals, file = option.partition("=")
        if not equals or not file:
            raise InputError(f"Write --traces {option} as NAME=FILE, such as --traces recorded=answers.json")
        _check_name(name, config)
        traces[name] = _traces(name, file, benchmark)
    models = [_with_recorded(model, traces) for model in config.answering_models]
    without = [str(model.id) for model in models if model.interface == "manual" and model.manual_traces is None]
    if without:
        raise ConfigurationError(f"The model “{without[0]}” needs recorded answers: add --traces {without[0]}=FILE")
    return config.model_copy(update={"answering_models": models})


def _check_name(name: str, config: VerificationConfig) -> None:
    manual = [str(model.id) for model in config.answering_models if model.interface == "manual"]
    if name not in manual:
        listed = ", ".join(manual) or "none"
        raise InputError(f"--traces names “{name}”, but the answering models with interface manual are: {listed}.")


def _traces(name: str, file: str, benchmark: Benchmark) -> dict[str, object]:
    from karenina_gui.formats.recorded_answers import match_traces

    recorded = _read_file(file)
    for refused in recorded.refused:
        warn(f"Skipped {recorded.unit} {refused.row} of {file}: {refused.reason}")
    matched = match_traces(recorded.answers, benchmark)
    if not matched.traces:
        raise InputError(f"No answer in {file} matches a question of this benchmark. Check the IDs or question texts.")
    if matched.unknown:
        warn(f"{name}: {quantity(len(matched.unknown), 'answer')} without a matching question.")
    return matched.traces


def _read_file(file: str) -> RecordedFile:
    """Read `FILE`, or `FILE#COLUMN` to name the column of the answers."""
    from karenina_gui.formats.recorded_answers import TraceColumns, guess_trace_columns, read_traces
    from karenina_gui.formats.tables.table_reader import read_headers

    path, _, column = (file, "", "") if Path(file).is_file() else file.rpartition("#")
    if not column:
        return read_traces(file)
    headers = read_headers(path)
    question = guess_trace_columns(headers).get("question")
    if question is None:
        raise InputError(f"{path} needs a column that identifies the question, such as question_id or question.")
    return read_traces(path, TraceColumns(question, column))


def _with_recorded(model: ModelConfig, traces: dict[str, dict[str, object]]) -> ModelConfig:
    return model.model_copy(update={"manual_traces": traces[str(model.id)]}) if str(model.id) in traces else model
