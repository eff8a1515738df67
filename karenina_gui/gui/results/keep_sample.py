"""Keeping the answer of a result as a sample of its question, on which the template is tested from then on."""

from __future__ import annotations

from functools import partial

from karenina_gui.errors import InputError
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.messages import final_answer_of_text
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.result_summaries import StoredResult
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.schemas.sample_answer import SampleAnswer


def can_keep(stored: StoredResult) -> bool:
    """True if the result has an answer."""
    return bool(stored.result.template and stored.result.template.raw_llm_response)


def sample_from(result: VerificationResult, run_name: str) -> SampleAnswer:
    """Return the answer as a sample; its verdict in the run is the expected one until the author decides otherwise."""
    assert result.template is not None
    passes = result.template.verify_result is True
    text = result.template.raw_llm_response or ""
    if final_answer_of_text(text)[0] is None:  # of a recorded dialogue, an earlier message was judged
        text = result.evaluation_input or text
    return SampleAnswer(
        kind="correct" if passes else "wrong",
        text=text,
        passes=passes,
        values=result.template.parsed_llm_response,
        judge=result.metadata.parsing.label if result.metadata.parsing else None,
        origin=f"{run_name}: {result.metadata.answering.label}",
    )


async def keep_sample(window: Window, stored: StoredResult, run: RunSummary) -> None:
    """Add the answer to the samples of its question, with undo."""
    editor, library = window.services.editor, window.services.library
    sample = sample_from(stored.result, run.name)
    # The question may have another number in its benchmark than when it ran, or be gone.
    try:
        number = library.questions.number_of(run.benchmark_id, stored.summary.question_id)
        await window.write(editor.samples.add, run.benchmark_id, number, sample)
    except InputError as error:
        window.notify(str(error), "bad")
        return
    verdict = "should pass" if sample.passes else "should fail"
    window.notify(
        f"Added as a sample answer that {verdict}.",
        undo=partial(window.write, editor.samples.remove, run.benchmark_id, number, sample.id),
    )
