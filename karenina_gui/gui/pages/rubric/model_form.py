"""Forms of traits that use a model: judged, agentic, and precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.form_values import outcome
from karenina_gui.gui.pages.rubric.kinds import OUTCOMES, Record
from karenina_gui.gui.pages.rubric.ordered_rows import OrderedRows, RowColumn
from karenina_gui.gui.pages.rubric.outcome_form import OutcomeForm, draw_direction
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.runs.models import can_be_agent
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric.metric import METRICS
from karenina_gui.store.models import Models

DEEP = "deep_judgment_"
STATEMENT = [RowColumn("text", "Statement", area=True)]

MODES = {"tp_only": "Expected statements only", "full_matrix": "Expected and unwanted statements"}
SEES = {
    "trace_and_workspace": "Trace and files",
    "trace_only": "Trace only",
    "workspace_only": "Files only",
}
FIGURES = {
    "precision": "Precision: share of mentioned statements that are expected",
    "recall": "Recall: share of expected statements that are mentioned",
    "f1": "F1: harmonic mean of precision and recall",
    "specificity": "Specificity: share of unwanted statements that are not mentioned",
    "accuracy": "Accuracy: share of all statements that are as intended",
}


def draw_llm(form: TraitForm) -> None:
    OutcomeForm(form, tuple(OUTCOMES))
    form.tick("include_ground_truth", "Show the reference answer to the judge")
    _deep_judgment(form)


def draw_agentic(form: TraitForm, models: Models) -> None:
    OutcomeForm(form, tuple(OUTCOMES))
    form.choice("context_mode", "Agent context", SEES, "trace_and_workspace")
    form.tick(
        "materialize_trace",
        "Provide trace as file",
        "For long traces: the agent searches the file, and the prompt stays short.",
    )
    form.tick("persist_trace", "Keep trace file", "Only useful if working copies aren’t removed.")
    with ui.element("div").classes("field-row"):
        form.number("max_turns", "Turn limit")
        form.number("timeout_seconds", "Time limit (s)")
    _model(form, models)


def draw_metric(form: TraitForm) -> None:
    with ui.element("div").classes("field-row"):
        form.choice("evaluation_mode", "Counted statements", MODES, "tp_only")
        with ui.element("div"):
            draw_direction(form, "")
    with form.section("Computed scores"):
        figures = ui.element("div").classes("trait-figures").props('role="group" aria-label="Computed scores"')
        form.problems_below("metrics")
    with form.section("Expected statements", "one per line"):
        OrderedRows(form, "tp_instructions", STATEMENT, "statement", least=1)
    without = ui.element("div").classes("field")

    drawn: str | None = None

    def draw_mode(_: object = None) -> None:
        nonlocal drawn
        mode = form.values.get("evaluation_mode", "tp_only")
        if mode == drawn:
            return
        drawn = mode
        figures.clear()
        without.clear()
        full = mode == "full_matrix"
        with figures:
            _metrics(form, full)
        with without:
            if full:
                with form.section("Unwanted statements", "one per line"):
                    OrderedRows(form, "tn_instructions", STATEMENT, "unwanted statement", least=1)

    draw_mode()
    form.on_problems(draw_mode)
    form.tick("repeated_extraction", "Count repeated statements once")


def _metrics(form: TraitForm, full: bool) -> None:
    for name in METRICS["full_matrix"]:
        spec = FormField[Record](
            f"metrics.{name}",
            FIGURES[name],
            kind="switch",
            read=partial(_is_chosen, name),
            write=partial(_choose, name),
        )
        made = form.draw(spec)
        if not full and name not in METRICS["tp_only"] and not made.edit.mine:
            assert isinstance(made, BoundField) and isinstance(made.control, ui.checkbox)
            made.control.disable()
            made.control.tooltip("Requires a list of unwanted statements")


def _is_chosen(name: str, values: Record) -> bool:
    return name in (values.get("metrics") or [])


def _choose(name: str, values: Record, on: bool) -> Record:
    others = [metric for metric in values.get("metrics") or [] if metric != name]
    return {"metrics": [*others, name] if on else others}


def _deep_judgment(form: TraitForm) -> None:
    """Draw the deep judgment section, expanded if it is enabled."""
    element = ui.element("div")
    drawn: bool | None = None

    def draw(_: object = None) -> None:
        nonlocal drawn
        values = form.values
        is_available = outcome(values) != "template"
        if is_available == drawn:
            return
        drawn = is_available
        element.clear()
        with element:
            if not is_available:
                ui.label("Deep judgment isn’t available for structured scores.").classes("hint")
                return
            with ui.expansion("Deep judgment", value=bool(values.get(f"{DEEP}enabled"))).classes("trait-fold"):
                _deep_settings(form)

    draw()
    form.on_problems(draw)


def _deep_settings(form: TraitForm) -> None:
    with ui.element("div").classes("trait-fold-body"):
        ui.label(
            "The judge first collects quotes, then reasons, then decides. This takes several calls. Runs do this for "
            "traits where it is on, unless their option “Deep judgment for traits” says otherwise."
        ).classes("hint")
        form.tick(f"{DEEP}enabled", "Use deep judgment for this trait")
        form.tick(f"{DEEP}excerpt_enabled", "Collect quotes first")
        form.tick(f"{DEEP}search_enabled", "Check quotes for hallucinations")
        with ui.element("div").classes("field-row"):
            run = "run setting"
            form.number(f"{DEEP}max_excerpts", "Quotes per trait", "maximum", placeholder=run)
            form.number(f"{DEEP}fuzzy_match_threshold", "Quote match threshold", placeholder=run)
            form.number(f"{DEEP}excerpt_retry_attempts", "Quote retries", placeholder=run)


def _model(form: TraitForm, models: Models) -> None:
    """Draw the agent model. A trait holds a copy, so a model from a file need not be among the saved ones."""
    saved = {name: model for name, model in models.all().items() if can_be_agent(model)}
    own: dict[str, Any] | None = form.values.get("model_override") or None
    names: dict[str, str] = {JUDGE: "The run’s judge", **{f"{SAVED}{name}": name for name in saved}}

    def read(values: Record) -> str:
        override = values.get("model_override") or None
        return JUDGE if override is None else _name_of(override, saved) or OWN

    def write(_: Record, value: str) -> Record:
        if value in (JUDGE, OWN):
            return {"model_override": None if value == JUDGE else own}
        return {"model_override": model_override(saved[value.removeprefix(SAVED)])}

    if read(form.values) == OWN:
        names[OWN] = f"{_label(own)} (from this trait)"
    with form.section("Agent model", "a copy; later edits on the Models page don’t apply"):
        form.select(FormField[Record]("model_override", "Agent model", read=read, write=write), names)


JUDGE = "judge"
OWN = "own"
SAVED = "saved:"
"""Keys of the choices. A saved model's name follows the last."""


def model_override(model: ModelConfig) -> dict[str, Any]:
    """Return the configuration that a trait stores: explicit settings, without secrets."""
    return model.model_dump(mode="json", exclude_defaults=True)


def _name_of(override: dict[str, Any], saved: Mapping[str, ModelConfig]) -> str | None:
    """Return the choice of an equal saved model. None: no saved model is equal."""
    try:
        own = model_override(ModelConfig.model_validate(override))
    except ValidationError:
        return None
    # Names differ between a saved model and its copy in a file, so ids are not compared.
    own.pop("id", None)
    for name, model in saved.items():
        if {key: value for key, value in model_override(model).items() if key != "id"} == own:
            return f"{SAVED}{name}"
    return None


def _label(override: dict[str, Any] | None) -> str:
    model = override or {}
    return str(model.get("model_name") or model.get("id") or "Unreadable model")
