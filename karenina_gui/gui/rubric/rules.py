"""What is wrong with a trait, at its field, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.template_fields import row_problem
from karenina_gui.gui.rubric.values import class_rows, field_rows, outcome, packed, text_rows
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.problems import problem_at_its_field
from karenina_gui.schemas.rubric import trait_type

Problems = dict[str, str]
"""{field, or `field.row` (from 0): what is wrong}."""

LONGEST_PATTERN = 20_000
"""Characters; making one ready takes about a second for each hundred thousand."""

TITLES = {
    "name": "name", "pattern": "pattern", "classes": "classes", "fields": "fields", "metrics": "figures",
    "tp_instructions": "what should be mentioned", "tn_instructions": "what should not be mentioned",
    "min_score": "lowest score", "max_score": "highest score", "source": "function", "max_turns": "turns",
    "timeout_seconds": "time", "materialize_trace": "trace in a file", "description": "meaning",
    "model_override": "who investigates",
}  # fmt: skip
"""How a sentence names a field."""


def problems(type_name: str, values: Record, taken: Mapping[str, str]) -> Problems:
    """Everything that keeps a trait from being kept; `taken` maps names of other traits to whose they are."""
    found = _name(values, taken)
    if outcome(values) == "score":
        found |= _range(values)
    if outcome(values) == "literal":
        found |= _classes(values)
    if outcome(values) == "template":
        found |= _fields(values)
    found |= _OF_TYPE.get(type_name, _nothing)(values)
    return found or _whatever_else(type_name, values)


def doubts(type_name: str, values: Record) -> Problems:
    """What is kept, but should be looked at again."""
    if type_name in ("llm", "agentic") and not str(values.get("description") or "").strip():
        whom = "agent" if type_name == "agentic" else "model"
        return {"description": f"Say what to look for: without it the {whom} sees only the name."}
    return {}


def named(found: Problems) -> str:
    """The fields that are still wrong, for a sentence."""
    names = dict.fromkeys(TITLES.get(key.partition(".")[0], key.partition(".")[0].replace("_", " ")) for key in found)
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _name(values: Record, taken: Mapping[str, str]) -> Problems:
    name = str(values.get("name") or "").strip()
    if not name:
        return {"name": "Give the trait a name."}
    if "." in name:
        return {"name": "A name cannot hold a full stop: results use it to name the fields of a trait. Use _ instead."}
    if name in taken:
        whose = taken[name]
        if whose == "":
            return {"name": f"Another trait here is called “{name}”. Names must differ, whatever the kind."}
        return {
            "name": f"“{name}” is also a trait of {whose}. A run puts both rubrics together, and would refuse two "
            "traits of one name."
        }
    return {}


def _range(values: Record) -> Problems:
    found: Problems = {}
    lowest, highest = values.get("min_score"), values.get("max_score")
    for key, value in (("min_score", lowest), ("max_score", highest)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            found[key] = f"‘{value}’ is not a whole number."
    if not found and lowest is not None and highest is not None and lowest >= highest:
        found["max_score"] = "The highest score must be above the lowest."
    return found


def _classes(values: Record) -> Problems:
    found: Problems = {}
    rows = class_rows(values)
    if len(rows) < 2:
        found["classes"] = "Give at least two classes to choose from."
    elif len(rows) > 20:
        found["classes"] = f"At most 20 classes; these are {len(rows)}."
    seen: set[str] = set()
    for index, row in enumerate(values.get("classes") or ()):
        name = str(row.get("name") or "").strip()
        text = str(row.get("description") or "").strip()
        if name.lower() in seen:
            found[f"classes.{index}"] = f"“{name}” is there twice; capitals make no difference."
        elif text and not name:
            found[f"classes.{index}"] = "Give the class a name."
        elif name and not text:
            found[f"classes.{index}"] = f"Say when “{name}” fits."
        if name:
            seen.add(name.lower())
    return found


def _fields(values: Record) -> Problems:
    found: Problems = {}
    if not any(str(row.get("name") or "").strip() for row in field_rows(values)):
        found["fields"] = "Give at least one field to fill in."
    seen: set[str] = set()
    for index, row in enumerate(values.get("fields") or ()):
        name = str(row.get("name") or "").strip()
        if not name and str(row.get("description") or "").strip():
            found[f"fields.{index}"] = "Give the field a name."
        elif name and not name.isidentifier():
            found[f"fields.{index}"] = f"“{name}” is no name for a field: use letters, digits and _, no spaces."
        elif name in seen:
            found[f"fields.{index}"] = f"“{name}” is there twice."
        elif name and (problem := row_problem(row)):
            found[f"fields.{index}"] = f"Default: {problem}"
        seen.add(name or "\0")
    return found


def _regex(values: Record) -> Problems:
    pattern = str(values.get("pattern") or "")
    if not pattern:
        return {"pattern": "Give the pattern to look for."}
    if len(pattern) > LONGEST_PATTERN:
        return {
            "pattern": f"The pattern is too long: {len(pattern):,} characters, at most {LONGEST_PATTERN:,}. Divide it "
            "among several traits."
        }
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return {"pattern": f"This is no regular expression yet: {fault}."}
    return {}


def _callable(values: Record) -> Problems:
    if values.get("source") is None and values.get("callable_code"):
        return {}
    if not str(values.get("source") or "").strip():
        return {"source": "Write the function."}
    try:
        # `ast.parse` may fail when another thread parses, see `sandbox/inside/syntax_tree.py`.
        compile(str(values["source"]), "<string>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"source": "Python cannot read the function yet."}
    return {}


def _metric(values: Record) -> Problems:
    found: Problems = {}
    full = values.get("evaluation_mode", "tp_only") == "full_matrix"
    if not values.get("metrics"):
        found["metrics"] = "Tick at least one figure."
    elif not full and (extra := {"specificity", "accuracy"} & set(values["metrics"])):
        names = " and ".join(sorted(extra))
        found["metrics"] = f"{names.capitalize()} can only be counted with a list of what should not be mentioned."
    if not text_rows(values, "tp_instructions"):
        found["tp_instructions"] = "List at least one thing that a good answer mentions."
    if full and not text_rows(values, "tn_instructions"):
        found["tn_instructions"] = "List at least one thing that a good answer does not mention."
    return found


def _agentic(values: Record) -> Problems:
    found: Problems = {}
    if values.get("materialize_trace") and values.get("context_mode") == "workspace_only":
        found["materialize_trace"] = (
            "The agent is set to see only the files, so there is no trace to put into one. Untick this, or let it see "
            "the trace."
        )
    for key in ("max_turns", "timeout_seconds"):
        value = values.get(key)
        if key in values and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            found[key] = "This must be a whole number, 1 or more."
    if override := values.get("model_override"):
        try:
            ModelConfig.model_validate(override)
        except ValidationError:
            found["model_override"] = "The model that came with the trait cannot be read. Choose another one."
    return found


def _llm(values: Record) -> Problems:
    found: Problems = {}
    for key in ("deep_judgment_max_excerpts", "deep_judgment_excerpt_retry_attempts"):
        value = values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            found[key] = "This must be a whole number, or empty."
    threshold = values.get("deep_judgment_fuzzy_match_threshold")
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        found["deep_judgment_fuzzy_match_threshold"] = "This must be a number from 0 to 1, or empty."
    return found


def _nothing(values: Record) -> Problems:
    return {}


_OF_TYPE: dict[str, Any] = {
    "llm": _llm,
    "regex": _regex,
    "callable": _callable,
    "metric": _metric,
    "agentic": _agentic,
}


def _whatever_else(type_name: str, values: Record) -> Problems:
    """The schema has the last word, so that nothing is kept that a run would refuse."""
    try:
        trait_type(type_name).model_validate(packed(type_name, values))
    except ValidationError as error:
        place = error.errors(include_url=False)[0]["loc"]
        return {str(place[0]) if place else "name": problem_at_its_field(error)}
    return {}
