"""Justification of each field and agentic trait of a result, with addresses for the panes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karenina_gui.evidence.justification import FileMention, Justification, Kind, PassagePlace, Piece, Subject, justify
from karenina_gui.gui.kit.expected_found import field_rows, format_value
from karenina_gui.gui.kit.html import with_named_characters
from karenina_gui.gui.pages.results.conversation import conversation
from karenina_gui.gui.pages.results.evidence_markup import Kind as SubjectKind
from karenina_gui.gui.pages.results.investigations import InvestigationPane, investigations
from karenina_gui.gui.pages.results.rendered_text import browser_places
from karenina_gui.schemas.result import VerificationResult

ANSWER = "answer"
"""Name of the answering model's trace."""
EXCERPT = 160
"""Maximum characters of a passage in the list."""


def is_agentic(result: VerificationResult) -> bool:
    """Return True if the result has an investigation or a workspace."""
    trace = result.template.investigation_trace if result.template else None
    of_traits = result.rubric.agentic_trait_investigation_traces if result.rubric else None
    return result.workspace is not None or bool(result.investigations or trace or any((of_traits or {}).values()))


def subject_key(kind: str, name: str) -> str:
    """Return the key of a field or trait in URLs."""
    return f"{kind}:{name}"


def justifications(result: VerificationResult) -> dict[str, dict[str, Any]]:
    """Return by `subject_key`: {title, value, note, places, files, trace (the one about it)}.

    A place: {trace, message, key, begin, end, where, ground, text}, with offsets in UTF-16 units; a file: {path, name
    (display form), first, last, known}.
    """
    panes = investigations(result)
    answer = pieces(ANSWER, conversation(result), "answer")
    reports = {pane.number: pieces(pane.name, pane.items, "report") for pane in panes}
    paths = [change.path for change in result.workspace.changes] if result.workspace else []
    subjects = _subjects(result)
    names = [name for _, name, _ in subjects]
    by_subject: dict[str, dict[str, Any]] = {}
    for kind, name, value in subjects:
        about = [pane for pane in panes if _is_about(pane, kind, name)]
        own = [piece for pane in about for piece in reports[pane.number]]
        alone = kind == "trait" and any(pane.traits == (name,) for pane in about)
        reasons = justify(Subject(name, kind, names, alone), value, [*own, *answer], files=paths)
        trace = about[0].name if about else ANSWER
        by_subject[subject_key(kind, name)] = {"trace": trace} | _as_dict(kind, name, value, reasons)
    return by_subject


def _subjects(result: VerificationResult) -> list[tuple[SubjectKind, str, Any]]:
    """Return (kind, name, value) of fields, then of traits."""
    fields: list[tuple[SubjectKind, str, Any]] = [("field", name, value) for name, value in _fields(result).items()]
    return fields + [("trait", name, value) for name, value in _traits(result).items()]


def pieces(trace: str, items: Sequence[Mapping[str, Any]], last: Kind) -> list[Piece]:
    """Return the texts of a trace by the model or its tools, the last first; `last`: its kind."""
    texts = []
    for item in items:
        # The prompt is no evidence, although it can contain the same words.
        if item["sent"]:
            continue
        if item["text"] and not item["results"]:
            texts.append(Piece(trace, item["number"], "text0", last if item["final"] else "said", item["text"]))
        texts += [
            Piece(trace, item["number"], f"result{index}", "result", result["text"])
            for index, result in enumerate(item["results"])
        ]
    return sorted(texts, key=lambda piece: piece.kind != last)


def agentic_traits(result: VerificationResult) -> list[str]:
    """Return the names of traits judged by agents."""
    return list(_traits(result))


def _fields(result: VerificationResult) -> dict[str, Any]:
    template = result.template
    if template is None:
        return {}
    read = template.parsed_llm_response or {}
    return {row.name: read.get(row.name) for row in field_rows(template)}


def _traits(result: VerificationResult) -> dict[str, Any]:
    """Return the traits, also those without a score, with the fields of each form combined."""
    rubric = result.rubric
    if rubric is None:
        return {}
    traits: dict[str, Any] = dict.fromkeys(rubric.agentic_trait_investigation_traces or ())
    for key, score in (rubric.agentic_trait_scores or {}).items():
        name, dot, field = key.partition(".")
        if not dot:
            traits[name] = score
        elif isinstance(form := traits.get(name), dict):
            form[field] = score
        else:
            traits[name] = {field: score}
    return traits


def _is_about(pane: InvestigationPane, kind: str, name: str) -> bool:
    return name in pane.traits if kind == "trait" else not pane.traits


def _as_dict(kind: str, name: str, value: Any, reasons: Justification) -> dict[str, Any]:
    return {
        "kind": kind,
        "title": name,
        "value": ""
        if isinstance(value, dict) or (kind == "trait" and value is None)
        else with_named_characters(format_value(value)),
        "note": reasons.note,
        "places": _distinct_places(reasons),
        "files": [_file(file) for file in reasons.files],
    }


_IN_INVESTIGATION: dict[Kind, str] = {"report": "Report", "said": "Judge", "result": "Result"}
_IN_ANSWER: dict[Kind, str] = {"answer": "Answer", "said": "Agent", "result": "Agent’s result"}


def _distinct_places(reasons: Justification) -> list[dict[str, Any]]:
    """Return the passages without those at the same place."""
    # Parts of a list often come from the same sentence, which users cannot tell apart.
    distinct: dict[tuple[str, int, str, str], dict[str, Any]] = {}
    for entry in map(_passage, reasons.places):
        distinct.setdefault((entry["trace"], entry["message"], entry["key"], entry["text"]), entry)
    return list(distinct.values())


def _passage(passage: PassagePlace) -> dict[str, Any]:
    piece = passage.piece
    where = _IN_ANSWER if piece.trace == ANSWER else _IN_INVESTIGATION
    places = browser_places(piece.text, (passage.begin, passage.end))
    begin, end = places[passage.begin], places[passage.end]
    return {
        "trace": piece.trace,
        "message": piece.message,
        "key": piece.key,
        "begin": begin,
        "end": end,
        "where": where[piece.kind],
        "ground": passage.ground,
        "text": _excerpt(passage),
    }


def _excerpt(passage: PassagePlace) -> str:
    """Return the passage; a short value with some context."""
    text = passage.piece.text
    around = 0 if passage.ground != "value" else 40
    first, last = max(0, passage.begin - around), min(len(text), passage.end + around)
    excerpt = with_named_characters(" ".join(text[first:last].split()))
    excerpt = ("…" if around and first else "") + excerpt + ("…" if around and last < len(text) else "")
    return excerpt if len(excerpt) <= EXCERPT else excerpt[: EXCERPT - 1] + "…"


def _file(mention: FileMention) -> dict[str, Any]:
    return {
        "path": mention.path,
        "name": with_named_characters(mention.path),
        "first": mention.first,
        "last": mention.last,
        "known": mention.exists,
    }
