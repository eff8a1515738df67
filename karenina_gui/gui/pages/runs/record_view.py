"""HTML of a run's reproducibility record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.html import Html, icon, join_html, table, tag
from karenina_gui.gui.pages.run_setup.option_text import stored_setting
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.reproducibility import UNCONFINED, ConditionVersion, ModelSettings, Reproducibility
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list

MOST = 200
"""Maximum number of listed questions; the file contains all of them."""
SAID_APART = {"interface", "model_name", "temperature", "max_tokens", "system_prompt"}

NO_RECORD = (
    "No reproducibility record: this run is older than records, or its imported file has none. New runs have one."
)


def record_view(record: Reproducibility, state: str, interfaces: Mapping[str, str]) -> Html:
    """HTML of the record; `state`: a sentence about changes of the benchmark since; `interfaces`: titles by name."""
    parts = [
        ("Reproducibility", _levels(record)),
        ("Benchmark", _benchmark(record, state)),
        ("Conditions", _conditions(record)),
        ("Answering models", _models(record.answering, "Answering models", interfaces)),
        ("Judges", _models(record.judges, "Judges", interfaces)),
        ("Connections", _connections(record)),
        ("Run settings", _settings(record)),
        ("Software", _software(record)),
    ]
    return join_html(_part(title, content) for title, content in parts if content)


def _part(title: str, content: Html) -> Html:
    return tag("section", tag("h3", title, class_="sent-title"), content, class_="sent", aria_label=title)


def _levels(record: Reproducibility) -> Html:
    rows = [
        ("lock", "Fixed", record.fixed),
        ("tune", "Best effort", record.best_effort),
        ("casino", "Not controlled", record.uncontrolled),
    ]
    lines = [
        (tag("span", icon(glyph), title, class_="recording-kind"), _list(items))
        for glyph, title, items in rows
        if items
    ]
    return table(("Level", "Applies to"), lines, caption="Reproducibility")


def _list(sentences: Sequence[str]) -> Html:
    return join_html(tag("div", sentence) for sentence in sentences)


def _benchmark(record: Reproducibility, state: str) -> Html:
    benchmark = record.benchmark
    named = f"{benchmark.name} {benchmark.version}".strip()
    rows: list[tuple[Any, ...]] = [
        ("Benchmark", named, _code(benchmark.sha256)),
        ("Questions", f"{len(record.questions):,} of {benchmark.questions:,}", _code(record.questions_sha256)),
    ]
    if benchmark.published:
        rows.insert(1, ("Published version", benchmark.published, ""))
    if benchmark.rubric_sha256:
        rows.append(("Rubric", ", ".join(benchmark.traits), _code(benchmark.rubric_sha256)))
    whole = table(("Part", "Content", "SHA-256"), rows, caption="Benchmark")
    return join_html([whole, tag("p", state, class_="recording-state"), _questions(record)])


def _questions(record: Reproducibility) -> Html:
    rows = [
        (_code(key), _code(version.template_id or "none"), _code(version.sha256))
        for key, version in list(record.questions.items())[:MOST]
    ]
    more = len(record.questions) - len(rows)
    return tag(
        "details",
        tag("summary", "Questions and templates"),
        table(("Question", "Template (MD5)", "SHA-256"), rows, caption="Questions"),
        tag("p", f"and {more:,} more; the JSON file lists all.", class_="hint") if more > 0 else None,
    )


def _conditions(record: Reproducibility) -> Html | None:
    if not record.conditions:
        return None
    rows = [
        (_condition(condition, baseline=index == 0), condition.description or "", _requirements(condition))
        for index, condition in enumerate(record.conditions)
    ]
    # A column that is empty says nothing.
    some = [column for column in range(3) if any(row[column] for row in rows)]
    titles = ("Condition", "Description", "Required")
    cells = [tuple(row[column] for column in some) for row in rows]
    return table(tuple(titles[column] for column in some), cells, caption="Conditions")


def _condition(condition: ConditionVersion, *, baseline: bool) -> Html:
    mark = tag("span", " (baseline)", class_="result-muted") if baseline and condition.name != "baseline" else None
    return join_html([tag("b", condition.name), mark])


def _requirements(condition: ConditionVersion) -> str:
    required = ["an MCP tool call"] if condition.require_mcp_tool_use else []
    required += ["a successful call"] if condition.require_mcp_tool_success else []
    return join_list(required)


def _models(models: Sequence[ModelSettings], caption: str, interfaces: Mapping[str, str]) -> Html | None:
    if not models:
        return None
    under = any(model.condition for model in models)
    rows = [
        (
            tag("b", model.label),
            *([model.condition or ""] if under else []),
            f"{interfaces.get(name, name)}: {model.settings.get('model_name', '')}",
            _format_number(model.settings.get("temperature"), "not sent"),
            _format_number(model.seed, "none"),
            _format_number(model.settings.get("max_tokens"), ""),
            _tools(model),
            model.settings.get("system_prompt") or tag("span", "none", class_="result-muted"),
        )
        for model in models
        for name in [str(model.settings.get("interface", ""))]
    ]
    head = [
        "Model",
        *(["Condition"] if under else []),
        "Interface",
        "Temperature",
        "Seed",
        "Max output tokens",
        "Configured tools",
        "System prompt",
    ]
    return join_html([table(head, rows, caption=caption), *(_further(model) for model in models)])


def _tools(model: ModelSettings) -> str:
    named = [*model.tool_servers, *model.workspace_tools]
    if model.claude_code_tools:
        where = "sandboxed" if model.claude_code_sandboxed else "unsandboxed"
        named.append(f"{', '.join(model.claude_code_tools)} of Claude Code ({where})")
    return ", ".join(named) or "none"


def _further(model: ModelSettings) -> Html | None:
    """Non-default settings outside the table."""
    usual = ModelConfig(model_name="usual").model_dump(mode="json")
    other_settings = {
        name: value
        for name, value in model.settings.items()
        if name not in SAID_APART and value not in (None, {}, []) and value != usual.get(name)
    }
    if not other_settings:
        return None
    under = f" · {model.condition}" if model.condition else ""
    return _all(f"Other settings of {model.label}{under}", other_settings)


def _connections(record: Reproducibility) -> Html | None:
    if not record.connections:
        return None
    rows = [
        (tag("b", connection.model), _code(connection.address), day_and_time(connection.since))
        for connection in record.connections
    ]
    return table(("Model", "Base URL", "Since"), rows, caption="Base URLs of the models")


def _settings(record: Reproducibility) -> Html:
    usual = VerificationConfig().model_dump(mode="json")
    rows = [stored_setting(name, value) for name, value in record.settings.items() if value != usual.get(name)]
    usually = tag("p", "All defaults.", class_="hint")
    unusual = table(("Setting", "Value"), rows, caption="Settings") if rows else usually
    names = tag("p", "Names and values in files of karenina, including settings without effect here.", class_="hint")
    return join_html([unusual, _all("All settings", record.settings, names)])


_KINDS = {"data": "without code", "code": "with code"}


def _software(record: Reproducibility) -> Html:
    kinds = ", ".join(f"{count} {_KINDS.get(kind, kind)}" for kind, count in sorted(record.templates.items()))
    facts = [
        ("Started", day_and_time(record.started)),
        ("Templates", kinds or "unknown"),
        ("Template sandbox", _sandbox(record)),
    ]
    rows = [*facts, *record.software.items()]
    return table(("Item", "Value"), rows, caption="Software")


def _sandbox(record: Reproducibility) -> str:
    """Return the sandbox of full Python: other templates never run without one."""
    if record.sandbox_level != UNCONFINED:
        return record.sandbox_level or "unknown"
    return "off (trusted): full Python ran unsandboxed" if record.trusted else "on: full Python was refused"


def _all(title: str, values: dict[str, Any], about: Html | None = None) -> Html:
    return tag(
        "details",
        tag("summary", title),
        about,
        tag("pre", _json(values, indent=2), class_="sent-text result-code prose"),
    )


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _format_number(value: Any, otherwise: str) -> str:
    return otherwise if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _code(text: str) -> Html:
    return tag("code", text, class_="result-code")
