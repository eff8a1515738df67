"""Prompts for models that draft templates and traits, and the JSON that they reply with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.schemas.question import Question

TEMPLATE_INSTRUCTIONS = """\
You draft answer templates for a benchmark of language models. A template lists the fields that a judge extracts from \
an answer, and the value that each field has in a correct answer. The judge sees the answer and the descriptions of \
the fields, but never the expected values. Code then compares the extracted values with the expected ones.

Rules:
- Use as few fields as the question needs, in most cases one. Check what the question asks for, not the reasoning.
- Take each expected value from the reference answer and the notes, not from your own knowledge.
- A description says what to extract, in words that fit any answer, right or wrong: "The number of eggs that the \
answer states." It never contains or hints at the expected value, and neither does the name.
- kind "yes_no": a claim that the answer makes or not; expected "yes" or "no".
- kind "number" or "whole_number": expected as plain digits; tolerance as a fraction of the expected value (0.05 for \
5%), 0 if only the exact number is right.
- kind "text": a name or term of at most four words; other_spellings lists further texts that are right, too.
- kind "choice": choices lists the texts that the judge chooses from, wrong ones among them; expected is one of them.
- kind "list": items holds the expected items in lower case, in any order.
- kind "date": expected as YYYY-MM-DD.
- combine "all" if every field must be right, "any" if one is enough.

Reply with one JSON object: {"fields": [{"name", "description", "kind", "expected", "tolerance", "choices", "items", \
"other_spellings"}], "combine", "code"}. Leave code null, unless fields of these kinds cannot express the check: then \
write a Python class derived from BaseAnswer there."""

TRAIT_INSTRUCTIONS = """\
You suggest rubric traits for a benchmark of language models. A trait rates one quality of an answer that correctness \
does not cover, such as clarity, safety, or the use of evidence. A judge rates each answer by the description alone.

Rules:
- Suggest three to five traits that differ from the existing ones and fit the questions.
- A description says what to look for, and when the answer has the quality and when it has not. It names the meaning \
of the lowest and highest score.
- A trait does not ask if the answer is right.
- kind "boolean": yes or no; kind "score": a number from min_score to max_score.
- higher_is_better is false for faults, such as "speculates".

Reply with one JSON object: {"traits": [{"name", "description", "kind", "min_score", "max_score", \
"higher_is_better"}]}."""

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    # Strict modes of providers want every property required and none besides.
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


KINDS = ("yes_no", "number", "whole_number", "text", "choice", "list", "date")
TEMPLATE_SCHEMA = {
    "title": "TemplateDraft",
    **_object(
        {
            "fields": {
                "type": "array",
                "items": _object(
                    {
                        "name": _TEXT,
                        "description": _TEXT,
                        "kind": {"type": "string", "enum": [*KINDS]},
                        "expected": _TEXT,
                        "tolerance": {"type": "number"},
                        "choices": _TEXTS,
                        "items": _TEXTS,
                        "other_spellings": _TEXTS,
                    }
                ),
            },
            "combine": {"type": "string", "enum": ["all", "any"]},
            "code": {"anyOf": [_TEXT, {"type": "null"}]},
        }
    ),
}
TRAIT_SCHEMA = {
    "title": "TraitSuggestions",
    **_object(
        {
            "traits": {
                "type": "array",
                "items": _object(
                    {
                        "name": _TEXT,
                        "description": _TEXT,
                        "kind": {"type": "string", "enum": ["boolean", "score"]},
                        "min_score": {"type": "integer"},
                        "max_score": {"type": "integer"},
                        "higher_is_better": {"type": "boolean"},
                    }
                ),
            }
        }
    ),
}


def about_question(question: Question) -> str:
    """User message of a draft for one question."""
    written = (question.answer_notes or "").strip()
    notes = f"\n\n<notes>\n{written}\n</notes>" if written else ""
    return (
        f"<question>\n{question.question.strip()}\n</question>\n\n"
        f"<reference_answer>\n{question.raw_answer.strip()}\n</reference_answer>{notes}"
    )


def about_benchmark(name: str, description: str, questions: Sequence[str], traits: Sequence[str]) -> str:
    """User message for suggested traits. `traits`: names of those that exist."""
    listed = "\n".join(f"- {' '.join(text.split())}" for text in questions)
    existing = ", ".join(traits) or "none"
    return (
        f"<benchmark>\n{name}\n{description.strip()}\n</benchmark>\n\n<questions>\n{listed}\n</questions>\n\n"
        f"<existing_traits>\n{existing}\n</existing_traits>"
    )


def feedback(problem: str) -> str:
    """User message after a reply that cannot be used."""
    return (
        f"Your draft cannot be used:\n- {problem}\n\n"
        "Correct that and reply with one complete JSON object in the same form, without any other text."
    )
