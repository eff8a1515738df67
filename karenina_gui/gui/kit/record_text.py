"""Values of questions, traits, and models as text, so that two versions can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from karenina_gui.gui.kit.diff import readable
from karenina_gui.runs.models import interface_title

TITLES: Mapping[str, str] = {
    # traits by type
    "llm_traits": "Judged by a model",
    "regex_traits": "Patterns (regex)",
    "callable_traits": "Python functions",
    "metric_traits": "Precision and recall",
    "agentic_traits": "Agent traits",
    # traits
    "name": "Name",
    "description": "Description",
    "summary": "Summary",
    "kind": "Result",
    "higher_is_better": "Higher is better",
    "classes": "Classes",
    "min_score": "Minimum score",
    "max_score": "Maximum score",
    "include_ground_truth": "Show the reference answer to the judge",
    "deep_judgment_enabled": "Use deep judgment for this trait",
    "deep_judgment_excerpt_enabled": "Collect quotes first",
    "deep_judgment_search_enabled": "Check quotes for hallucinations",
    "deep_judgment_max_excerpts": "Quotes per trait",
    "deep_judgment_fuzzy_match_threshold": "Quote match threshold",
    "deep_judgment_excerpt_retry_attempts": "Quote retries",
    "pattern": "Pattern",
    "case_sensitive": "Case-sensitive",
    "invert_result": "Invert result",
    "source": "Code",
    "evaluation_mode": "Counted statements",
    "metrics": "Computed scores",
    "tp_instructions": "Expected statements",
    "tn_instructions": "Unwanted statements",
    "repeated_extraction": "Count repeated statements once",
    "context_mode": "Agent context",
    "materialize_trace": "Provide trace as file",
    "persist_trace": "Keep trace file",
    "max_turns": "Turn limit",
    "timeout_seconds": "Time limit (s)",
    # sample answers and few-shot examples
    "sample_kind": "Kind of answer",
    "text": "Text",
    "passes": "Should pass",
    "values": "Extracted values",
    "origin": "Source",
    "question": "Question",
    "answer": "Answer",
    # models
    "id": "Name",
    "interface": "Interface",
    "model_name": "Model",
    "model_provider": "Provider",
    "endpoint_base_url": "Base URL",
    "anthropic_base_url": "Base URL",
    "api_key_env": "API key variable",
    "recording": "Recording",
    "system_prompt": "System prompt",
    "temperature": "Temperature",
    "max_tokens": "Max output tokens",
    "request_timeout": "Call timeout (s)",
    "extra_kwargs": "Additional parameters",
    "retry_policy": "Custom retries",
}
"""Titles of settings as in their forms, by their names in files. A name that has no title stands for itself."""
_KINDS = {
    "boolean": "Yes or no",
    "score": "Score",
    "literal": "Class",
    "template": "Structured score",
    "correct": "Correct answer",
    "paraphrase": "Correct, in other words",
    "wrong": "Wrong answer",
    "partial": "Partly correct",
    "refusal": "Refusal",
    "empty": "Empty answer",
    "other": "Other",
}
CHOICES: Mapping[str, Mapping[str, str]] = {
    "kind": _KINDS,
    "sample_kind": _KINDS,
    "evaluation_mode": {"tp_only": "Expected statements only", "full_matrix": "Expected and unwanted statements"},
    "context_mode": {
        "trace_and_workspace": "Trace and files",
        "trace_only": "Trace only",
        "workspace_only": "Files only",
    },
}
"""Titles of choices by setting."""
OWN_NAMES = ("values", "classes", "extra_kwargs")
"""Settings whose entries the author, or a provider, has named: fields of a template, classes, parameters."""


class _YesNoDumper(yaml.SafeDumper):
    """Writes yes and no, as the forms do."""


_YesNoDumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(_BOOL, "yes" if value else "no"))
_BOOL = "tag:yaml.org,2002:bool"


def is_record(value: Any) -> bool:
    """True if the value needs the names of its entries to be understood."""
    if isinstance(value, list):
        return any(isinstance(item, list | Mapping) for item in value)
    return isinstance(value, Mapping)


def record_text(value: Any, *, titled: bool = True) -> str:
    """Format a value; records get one line per entry.

    `titled`: names of settings become their titles. False for names of the author's own, as in metadata.
    """
    if not is_record(value):
        return readable(value)
    data = _readable(value, titled)
    # Without line breaks within values, a difference shows which value has changed.
    return yaml.dump(data, Dumper=_YesNoDumper, allow_unicode=True, sort_keys=False, width=1000).strip() if data else ""


def _readable(value: Any, titled: bool) -> Any:
    """The value without entries that are empty."""
    if isinstance(value, list):
        return [_readable(item, titled) for item in value]
    if not isinstance(value, Mapping):
        return value
    entries = {}
    for name, entry in _items(value, titled):
        title, content = _as_in_form(name, entry) if titled else (str(name), entry)
        entries[title] = _readable(content, titled and name not in OWN_NAMES)
    return {name: entry for name, entry in entries.items() if entry not in (None, "", [], {})}


def _items(record: Mapping[str, Any], titled: bool) -> Iterable[tuple[str, Any]]:
    """Entries of a record. A sample answer has a title of its own for its kind, and an id that no screen shows."""
    if not titled or "passes" not in record:
        return record.items()
    return [("sample_kind" if name == "kind" else name, entry) for name, entry in record.items() if name != "id"]


def _as_in_form(name: str, value: Any) -> tuple[str, Any]:
    if name == "interface":
        value = interface_title(value)
    choices = CHOICES.get(name, {}) if isinstance(value, str) else {}
    return TITLES.get(name, name), choices.get(value, value) if choices else value
