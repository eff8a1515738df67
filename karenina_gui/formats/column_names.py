"""What the names of columns say about what they hold. Whole names only: a `q` somewhere in a name says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

GUESSES = {
    "question": "question question_text prompt query problem input text",
    "raw_answer": """raw_answer answer reference_answer correct_answer expected_answer gold_answer ground_truth
        reference expected gold target ideal solution label""",
    "id": "id question_id qid",
    "keywords": "keywords keyword tags tag topics topic categories category subject",
    "answer_notes": "answer_notes notes note comments comment",
    "author": "author author_name created_by",
    "author_email": "author_email email e_mail",
    "sources": "sources source",
    "answer_template": "answer_template template",
    "workspace_path": "workspace_path workspace",
    "few_shot_examples": "few_shot_examples few_shot examples",
}
"""Field: the column names that mean it, best first; spaces, hyphens and case do not matter."""

# Of recorded answers.
QUESTION_COLUMNS = ("question_id", "id", "qid", "short_qid", "question", "question_text", "prompt")
ANSWER_COLUMNS = (
    "response", "llm_response", "raw_llm_response", "model_answer", "model_response", "output", "completion",
    "trace", "messages", "conversation", "generated_answer", "answer",
)  # fmt: skip
REPLICATE_COLUMNS = ("replicate", "trial", "repetition", "sample")

KNOWN = {*(word for words in GUESSES.values() for word in words.split()), *QUESTION_COLUMNS, *ANSWER_COLUMNS}


def plain_name(header: str) -> str:
    """`Reference Answer ` and `reference-answer` as `reference_answer`."""
    return re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_")


def guess_columns(headers: Sequence[str]) -> dict[str, str]:
    """{field: column}, for the columns whose names say what they hold; each column is used once."""
    by_name = {plain_name(header): header for header in reversed(headers)}
    found: dict[str, str] = {}
    for name, spellings in GUESSES.items():
        column = next((by_name.pop(s) for s in spellings.split() if s in by_name), None)
        if column is not None:
            found[name] = column
    return found
