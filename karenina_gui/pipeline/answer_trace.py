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
        context.warnings.append(f"Couldn’t save the trace as a file, so the prompt contains it: {error}.")
        yield None
        return
    try:
        yield file
    finally:
        if keep:
            context.warnings.append(_location_text(context, file))
        else:
            try:
                file.remove()
            except OSError as error:
                context.warnings.append(f"Couldn’t remove the trace file: {error}.")


def _location_text(context: VerificationContext, file: TraceFile) -> str:
    """Location of a kept trace file. A file in a working copy is removed together with the copy."""
    if file.workspace is None:
        return f"The trace was saved in {file.path}."
    name = file.path.relative_to(file.workspace).as_posix()
    if context.workspace_is_copy and context.workspace_cleanup:
        return f"The trace file {name} is deleted with the working copy. To save it, keep working copies after the job."
    return f"The trace was saved as {name} in {file.workspace.name}."
