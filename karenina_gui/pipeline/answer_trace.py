"""Trace of an answer for a judging agent: in its prompt, or as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from karenina_gui.judging.trace_file import TraceFile, write_trace_file
from karenina_gui.pipeline.context import VerificationContext


@contextmanager
def trace_file(
    context: VerificationContext,
    trace: str,
    *,
    keep: bool,
    write: Callable[[str, Path | None, str], Path] = write_trace_file,
) -> Iterator[TraceFile | None]:
    """Trace file for the duration of the investigations, or longer with `keep`.

    None: it could not be written. A warning is added, and the trace becomes part of the prompts.
    """
    try:
        file = TraceFile(write(trace, context.workspace_path, context.question_id), context.workspace_path)
    except OSError as error:
        context.warnings.append(f"The trace could not be saved as a file, so it stands in the prompt: {error}.")
        yield None
        return
    try:
        yield file
    finally:
        if keep:
            context.warnings.append(_kept_message(context, file))
        else:
            try:
                file.remove()
            except OSError as error:
                context.warnings.append(f"The file of the trace could not be removed again: {error}.")


def _kept_message(context: VerificationContext, file: TraceFile) -> str:
    """Location of a kept trace file. A file in a working copy is removed together with the copy."""
    if file.workspace is None:
        return f"The trace was kept in {file.path}."
    name = file.path.relative_to(file.workspace).as_posix()
    if context.workspace_is_copy and context.workspace_cleanup:
        return f"The trace was to be kept as {name}, but goes with the working copy. Keep copies after the job as well."
    return f"The trace was kept as {name} in {file.workspace.name}."
