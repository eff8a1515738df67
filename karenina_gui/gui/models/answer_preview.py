"""Preview of a file of recorded answers for a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from karenina_gui.formats.recorded_answers import MatchedTraces, RecordedFile
from karenina_gui.gui.components.elements import note
from karenina_gui.gui.components.html import table
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.rejected_rows import rejected_rows
from karenina_gui.schemas.messages import final_answer
from karenina_gui.schemas.question import Question
from karenina_gui.text import quantity
from karenina_gui.traces.dialogues import JudgedPart, judged_text
from karenina_gui.traces.provider_formats import replicates, to_messages

FIRST = 4
LONGEST = 160
"""Maximum number of characters of a preview cell."""


def draw_answers(
    recorded: RecordedFile, matched: MatchedTraces, questions: Sequence[Question], part: JudgedPart | None = None
) -> None:
    """Show the first answers with their questions, and list everything that has no match.

    `part`: judged part of conversations; None: the default.
    """
    texts = {question.id: question.question for question in questions}
    if not matched.traces:
        note(
            "No answer matches a question of this benchmark. Check that the question column has question IDs or texts.",
            "warn",
        )
    else:
        first = [
            (_short(texts[key]), *_summarize_answer(answer, part))
            for key, answer in list(matched.traces.items())[:FIRST]
        ]
        caption = "First answers"
        ui.label(caption).classes("h3")
        made = ui.html(table(("Question", "Replicates", "Answer"), first, caption=caption, numeric=[1]))
        made.classes("import-preview").props(f'tabindex="0" role="region" {aria_label(caption)}')
    headers = (f"{recorded.unit.capitalize()} in the file", "Reason")
    rejected_rows("Skipped rows", headers, [(f"{row.row:,}", row.reason) for row in recorded.refused])
    reasons = {
        "No question has this ID or text.": matched.unknown,
        "Its question is answered under another ID.": matched.repeated,
        "The question with this ID has another text. If it is the same question, leave out the text.": matched.doubtful,
    }
    unmatched = [(_short(key), reason) for reason, keys in reasons.items() for key in keys]
    rejected_rows("Answers without a question", ("In the file", "Reason"), unmatched)
    others = [(model or "(no name)", f"{count:,}") for model, count in recorded.others.items()]
    rejected_rows("Answers of other models, left out", ("Model", "Answers"), others)
    missing = [
        (_short(texts[key]), "Runs with this model report an error for this question.") for key in matched.missing
    ]
    rejected_rows("Questions without an answer", ("Question", "Effect"), missing)


def summary(matched: MatchedTraces, questions: int) -> str:
    """Summarize the import in one sentence."""
    return f"Imported answers to {len(matched.traces):,} of {quantity(questions, 'question')}."


def _summarize_answer(answer: Any, part: JudgedPart | None) -> tuple[str, str]:
    """Return the number of replicates and the first answer."""
    if isinstance(answer, str | dict):
        return "all", _short(_final(answer, part))
    answers = replicates(answer)
    present = [item for item in answers if item is not None]
    count = (
        "all"
        if len(answers) == 1
        else f"{len(present)}"
        if len(present) == len(answers)
        else f"{len(present)} of {len(answers)}"
    )
    return count, _short(_final(present[0], part))


def _final(answer: Any, part: JudgedPart | None) -> str:
    """Return the text that will be judged."""
    if isinstance(answer, str):
        return answer
    messages = to_messages(answer)
    return judged_text(messages, part) or final_answer(messages)[0] or "(no final message)"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
