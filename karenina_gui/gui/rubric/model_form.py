"""Forms of traits that use a model: judged, agentic, and precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.form_values import outcome
from karenina_gui.gui.rubric.kinds import OUTCOMES
from karenina_gui.gui.rubric.ordered_rows import RowColumn, rows_of
from karenina_gui.gui.rubric.outcome_form import OutcomeForm, draw_direction
from karenina_gui.runs.models import can_be_agent
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric.metric import METRICS
from karenina_gui.store.models import Models

DEEP = "deep_judgment_"
STATEMENT = [RowColumn("text", "Statement", "1fr", "area")]

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
    form.tick("include_ground_truth", "Show the reference answer to the judge", False)
    _deep_judgment(form)


def draw_agentic(form: TraitForm, models: Models) -> None:
    OutcomeForm(form, tuple(OUTCOMES))
    form.choice("context_mode", "Agent context", SEES, "trace_and_workspace")
    form.tick(
        "materialize_trace",
        "Provide trace as file",
        False,
        "For long traces: the agent searches the file, and the prompt stays short.",
    )
    form.tick("persist_trace", "Keep trace file", False, "Only useful if working copies aren’t removed.")
    with ui.element("div").classes("field-row"):
        form.values.setdefault("max_turns", 15)
        form.values.setdefault("timeout_seconds", 120)
        form.number("max_turns", "Turn limit")
        form.number("timeout_seconds", "Time limit (s)")
    _model(form, models)


def draw_metric(form: TraitForm) -> None:
    form.values.setdefault("evaluation_mode", "tp_only")
    with ui.element("div").classes("field-row"):
        mode = form.choice("evaluation_mode", "Counted statements", MODES, "tp_only")
        with ui.element("div"):
            draw_direction(form, "")
    with form.section("Computed scores"):
        figures = ui.element("div").classes("trait-figures").props('role="group" aria-label="Computed scores"')
        form.problems_below("metrics")
    with form.section("Expected statements", "one per line"):
        rows_of(form, "tp_instructions", STATEMENT, "statement", least=1)
    without = ui.element("div").classes("field")

    def draw_mode() -> None:
        figures.clear()
        without.clear()
        full = form.values.get("evaluation_mode") == "full_matrix"
        with figures:
            _metrics(form, full)
        with without:
            if full:
                with form.section("Unwanted statements", "one per line"):
                    rows_of(form, "tn_instructions", STATEMENT, "unwanted statement", least=1)

    draw_mode()
    mode.on_value_change(draw_mode)
    form.tick("repeated_extraction", "Count repeated statements once", True)


def _metrics(form: TraitForm, full: bool) -> None:
    chosen = list(form.values.get("metrics") or [])

    def turn(name: str, on: bool) -> None:
        kept = [each for each in form.values.get("metrics") or [] if each != name]
        form.set("metrics", [*kept, name] if on else kept)

    for name in METRICS["full_matrix"]:
        box = ui.checkbox(FIGURES[name], value=name in chosen).props("dense")
        box.on_value_change(lambda event, name=name: turn(name, bool(event.value)))
        if not full and name not in METRICS["tp_only"] and name not in chosen:
            box.disable()
            box.tooltip("Requires a list of unwanted statements")


def _deep_judgment(form: TraitForm) -> None:
    """Draw the deep judgment section, expanded if it is enabled."""
    place = ui.element("div")

    def draw() -> None:
        place.clear()
        with place:
            if outcome(form.values) == "template":
                ui.label("Deep judgment isn’t available for structured scores.").classes("hint")
                return
            with ui.expansion("Deep judgment", value=bool(form.values.get(f"{DEEP}enabled"))).classes("trait-fold"):
                _deep_settings(form)

    draw()
    form.on_problems(lambda _: draw() if bool(place.default_slot.children) and _is_stale(form, place) else None)


def _is_stale(form: TraitForm, place: ui.element) -> bool:
    shown_as_none = isinstance(place.default_slot.children[0], ui.label)
    return shown_as_none != (outcome(form.values) == "template")


def _deep_settings(form: TraitForm) -> None:
    with ui.element("div").classes("trait-fold-body"):
        ui.label(
            "The judge first collects quotes, then reasons, then decides. This takes several calls. Runs do this for "
            "traits where it is on, unless their option “Deep judgment for traits” says otherwise."
        ).classes("hint")
        form.tick(f"{DEEP}enabled", "Use deep judgment for this trait", False)
        form.tick(f"{DEEP}excerpt_enabled", "Collect quotes first", True)
        form.tick(f"{DEEP}search_enabled", "Check quotes for hallucinations", False)
        with ui.element("div").classes("field-row"):
            run = "run setting"
            form.number(f"{DEEP}max_excerpts", "Quotes per trait", "maximum", placeholder=run)
            form.number(f"{DEEP}fuzzy_match_threshold", "Quote match threshold", placeholder=run)
            form.number(f"{DEEP}excerpt_retry_attempts", "Quote retries", placeholder=run)


def _model(form: TraitForm, models: Models) -> None:
    """Draw the agent model. A trait holds a copy, so a model from a file need not be among the saved ones."""
    kept = {name: model for name, model in models.all().items() if can_be_agent(model)}
    override: dict[str, Any] | None = form.values.get("model_override") or None
    names: dict[str, str] = {JUDGE: "The run’s judge", **{f"{SAVED}{name}": name for name in kept}}
    chosen = JUDGE if override is None else _name_of(override, kept)
    if chosen is None:
        chosen = OWN
        names[OWN] = f"{_label(override)} (from this trait)"

    def choose(value: str) -> None:
        if value == JUDGE:
            form.set("model_override", None)
        elif value == OWN:
            form.set("model_override", override)
        else:
            form.set("model_override", model_override(kept[value.removeprefix(SAVED)]))

    with form.section("Agent model", "a copy; later edits on the Models page don’t apply"):
        control = ui.select(names, value=chosen).props("outlined dense options-dense").classes("input")
        control.props["aria-label"] = "Agent model"
        control.on_value_change(lambda event: choose(event.value))
        form.problems_below("model_override")


JUDGE = "judge"
OWN = "own"
SAVED = "saved:"
"""Keys of the choices. A saved model's name follows the last."""


def model_override(model: ModelConfig) -> dict[str, Any]:
    """Return the configuration that a trait stores: explicit settings, without secrets."""
    return model.model_dump(mode="json", exclude_defaults=True)


def _name_of(override: dict[str, Any], kept: Mapping[str, ModelConfig]) -> str | None:
    """Return the choice of an equal saved model. None: no saved model is equal."""
    try:
        own = model_override(ModelConfig.model_validate(override))
    except ValidationError:
        return None
    # Names differ between a saved model and its copy in a file, so ids are not compared.
    own.pop("id", None)
    for name, model in kept.items():
        if {key: value for key, value in model_override(model).items() if key != "id"} == own:
            return f"{SAVED}{name}"
    return None


def _label(override: dict[str, Any] | None) -> str:
    found = override or {}
    return str(found.get("model_name") or found.get("id") or "Unreadable model")
