"""Validation of a trait: problems by field, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from karenina_gui.gui.kit.record_text import TITLES
from karenina_gui.gui.pages.rubric.form_values import class_rows, field_rows, outcome, text_rows, to_record
from karenina_gui.gui.pages.rubric.kinds import FUNCTION, Record
from karenina_gui.gui.pages.rubric.template_fields import row_problem
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.pattern_faults import fault_sentence
from karenina_gui.schemas.problems import problem_at_its_field
from karenina_gui.schemas.rubric import trait_type
from karenina_gui.text import join_list

Problems = dict[str, str]
"""{field, or `field.row` (row from 0): problem}."""

LONGEST_PATTERN = 20_000
"""Maximum number of characters. Compilation takes about one second per 100,000."""

NAMES = {
    "source": "function",
    "timeout_seconds": "time limit",
    "materialize_trace": "trace file",
    "model_override": "agent model",
}
"""Names of fields in messages, where they differ from the titles of the form."""


def problems(type_name: str, values: Record, taken: Mapping[str, str]) -> Problems:
    """Return all problems that block a save. `taken`: {name of another trait: its owner}."""
    problems = _name(values, taken)
    if outcome(values) == "score":
        problems |= _range(type_name, values)
    if outcome(values) == "literal":
        problems |= _classes(values)
    if outcome(values) == "template":
        problems |= _fields(values)
    problems |= _OF_TYPE.get(type_name, _no_problems)(values)
    return problems or _schema_problem(type_name, values)


def doubts(type_name: str, values: Record) -> Problems:
    """Return warnings, which do not block a save."""
    if type_name in ("llm", "agentic") and not str(values.get("description") or "").strip():
        whom = "agent" if type_name == "agentic" else "judge"
        return {"description": f"Describe what to look for. Otherwise the {whom} sees only the name."}
    return {}


def field_names(problems: Problems) -> str:
    """Return the invalid fields as a list in words."""
    keys = dict.fromkeys(key.partition(".")[0] for key in problems)
    return join_list([NAMES.get(key) or TITLES.get(key, key.replace("_", " ")).lower() for key in keys])


def _name(values: Record, taken: Mapping[str, str]) -> Problems:
    name = str(values.get("name") or "").strip()
    if not name:
        return {"name": "Enter a name."}
    if "." in name:
        return {"name": "Names can’t contain a period. Use _ instead."}
    if name in taken:
        whose = taken[name]
        if whose == "":
            return {"name": f"Another trait in this rubric is named “{name}”. Choose another name."}
        return {"name": f"“{name}” is also a trait of {whose}. Runs combine both rubrics, so choose another name."}
    return {}


def _range(type_name: str, values: Record) -> Problems:
    problems: Problems = {}
    defaults = {key: trait_type(type_name).model_fields[key].default for key in ("min_score", "max_score")}
    scores = defaults | {key: value for key, value in values.items() if value is not None}
    lowest, highest = scores["min_score"], scores["max_score"]
    for key, value in (("min_score", lowest), ("max_score", highest)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            problems[key] = f"“{value}” is not a whole number."
    if not problems and lowest is not None and highest is not None and lowest >= highest:
        problems["max_score"] = "The maximum must be greater than the minimum."
    return problems


def _classes(values: Record) -> Problems:
    problems: Problems = {}
    rows = class_rows(values)
    if len(rows) < 2:
        problems["classes"] = "Add at least two classes."
    elif len(rows) > 20:
        problems["classes"] = f"Use at most 20 classes. There are {len(rows)}."
    seen: set[str] = set()
    for index, row in enumerate(values.get("classes") or ()):
        name = str(row.get("name") or "").strip()
        if problem := _class_problem(name, str(row.get("description") or "").strip(), seen):
            problems[f"classes.{index}"] = problem
        if name:
            seen.add(name.lower())
    return problems


def _class_problem(name: str, text: str, seen: set[str]) -> str | None:
    if name.lower() in seen:
        return f"“{name}” is already a class (case is ignored)."
    if text and not name:
        return "Enter a class name."
    if name and not text:
        return f"Describe when “{name}” applies."
    return None


def _fields(values: Record) -> Problems:
    problems: Problems = {}
    if not any(str(row.get("name") or "").strip() for row in field_rows(values)):
        problems["fields"] = "Add at least one field."
    seen: set[str] = set()
    for index, row in enumerate(values.get("fields") or ()):
        name = str(row.get("name") or "").strip()
        if problem := _field_problem(name, row, seen):
            problems[f"fields.{index}"] = problem
        # Rows without a name are not duplicates of one another, and no name contains a NUL.
        seen.add(name or "\0")
    return problems


def _field_problem(name: str, row: Record, seen: set[str]) -> str | None:
    if not name:
        return "Enter a field name." if str(row.get("description") or "").strip() else None
    if not name.isidentifier():
        return f"“{name}” is not a valid field name. Use letters, digits and _."
    if name in seen:
        return f"“{name}” is already a field."
    problem = row_problem(row)
    return f"Default: {problem}" if problem else None


def _regex(values: Record) -> Problems:
    pattern = str(values.get("pattern") or "")
    if not pattern:
        return {"pattern": "Enter a pattern."}
    if len(pattern) > LONGEST_PATTERN:
        return {
            "pattern": f"The pattern is too long ({len(pattern):,} characters; maximum {LONGEST_PATTERN:,}). "
            "Split it into several traits."
        }
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return {"pattern": fault_sentence(fault)}
    return {}


def _callable(values: Record) -> Problems:
    if values.get("source") is None and values.get("callable_code"):
        return {}
    source = str(values.get("source") or "")
    if not source.strip():
        return {"source": "Enter a function."}
    if source.strip() == FUNCTION.strip():
        return {"source": "The function is not finished: write what it looks for instead of “…”."}
    try:
        # `ast.parse` may fail when another thread parses, see `sandbox/inside/syntax_tree.py`.
        compile(source, "<string>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"source": "The function has a syntax error."}
    return {}


def _metric(values: Record) -> Problems:
    problems: Problems = {}
    full = values.get("evaluation_mode", "tp_only") == "full_matrix"
    if not values.get("metrics"):
        problems["metrics"] = "Select at least one score."
    elif not full and {"specificity", "accuracy"} & set(values["metrics"]):
        problems["metrics"] = "Specificity and accuracy need a list of unwanted statements."
    if not text_rows(values, "tp_instructions"):
        problems["tp_instructions"] = "Add at least one expected statement."
    if full and not text_rows(values, "tn_instructions"):
        problems["tn_instructions"] = "Add at least one unwanted statement."
    return problems


def _agentic(values: Record) -> Problems:
    problems: Problems = {}
    if values.get("materialize_trace") and values.get("context_mode") == "workspace_only":
        problems["materialize_trace"] = (
            "The agent sees only the workspace files, not the trace. Turn this off, or change the agent context."
        )
    for key in ("max_turns", "timeout_seconds"):
        value = values.get(key)
        if key in values and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            problems[key] = "Enter a whole number, 1 or more."
    if override := values.get("model_override"):
        try:
            ModelConfig.model_validate(override)
        except ValidationError:
            problems["model_override"] = "The trait’s model can’t be read. Choose another model."
    return problems


def _llm(values: Record) -> Problems:
    problems: Problems = {}
    for key in ("deep_judgment_max_excerpts", "deep_judgment_excerpt_retry_attempts"):
        value = values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            problems[key] = "Enter a whole number, or leave this empty."
    threshold = values.get("deep_judgment_fuzzy_match_threshold")
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        problems["deep_judgment_fuzzy_match_threshold"] = "Enter a number from 0 to 1, or leave this empty."
    return problems


def _no_problems(values: Record) -> Problems:
    return {}


_OF_TYPE: dict[str, Any] = {
    "llm": _llm,
    "regex": _regex,
    "callable": _callable,
    "metric": _metric,
    "agentic": _agentic,
}


def _schema_problem(type_name: str, values: Record) -> Problems:
    """Validate with the schema, so that no trait is saved that a run would reject."""
    try:
        trait_type(type_name).model_validate(to_record(type_name, values))
    except ValidationError as error:
        path = error.errors(include_url=False)[0]["loc"]
        return {str(path[0]) if path else "name": problem_at_its_field(error)}
    return {}
