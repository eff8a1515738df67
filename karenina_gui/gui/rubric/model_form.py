"""The forms of traits that a model judges, that an agent investigates, and whose mentions a model ticks off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.kinds import OUTCOMES
from karenina_gui.gui.rubric.ordered_rows import RowColumn, rows_of
from karenina_gui.gui.rubric.outcome_form import OutcomeForm, draw_direction
from karenina_gui.gui.rubric.values import outcome
from karenina_gui.runs.models import ModelShelf
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.rubric.metric import METRICS

DEEP = "deep_judgment_"
STATEMENT = [RowColumn("text", "Statement", "1fr", "area")]

MODES = {"tp_only": "What is mentioned of what should be", "full_matrix": "Also what should not be mentioned"}
SEES = {
    "trace_and_workspace": "The answer with all its steps, and the files",
    "trace_only": "The answer with all its steps, no files",
    "workspace_only": "Only the files",
}
FIGURES = {
    "precision": "Precision: of what is mentioned, the share that should be",
    "recall": "Recall: of what should be mentioned, the share that is",
    "f1": "F1: precision and recall in one figure",
    "specificity": "Specificity: of what should not be mentioned, the share that is not",
    "accuracy": "Accuracy: the share of all statements that is as it should be",
}


def draw_llm(form: TraitForm) -> None:
    OutcomeForm(form, tuple(OUTCOMES))
    form.tick("include_ground_truth", "Show the reference answer to the judge of this trait", False)
    _deep_judgment(form)


def draw_agentic(form: TraitForm, shelf: ModelShelf) -> None:
    OutcomeForm(form, tuple(OUTCOMES))
    form.choice("context_mode", "What the agent sees", SEES, "trace_and_workspace")
    form.tick("materialize_trace", "Give the steps as a file to search, not in the prompt (for long ones)", False)
    form.tick("persist_trace", "Keep that file in the workspace afterwards", False)
    with ui.element("div").classes("field-row"):
        form.values.setdefault("max_turns", 15)
        form.values.setdefault("timeout_seconds", 120)
        form.number("max_turns", "Most turns", "of the agent")
        form.number("timeout_seconds", "Most seconds", "for its investigation")
    _model(form, shelf)


def draw_metric(form: TraitForm) -> None:
    form.values.setdefault("evaluation_mode", "tp_only")
    with ui.element("div").classes("field-row"):
        mode = form.choice("evaluation_mode", "What is counted", MODES, "tp_only")
        with ui.element("div"):
            draw_direction(form, "")
    with form.section("Figures"):
        figures = ui.element("div").classes("trait-figures").props('role="group" aria-label="Figures"')
        form.problems_below("metrics")
    with form.section("Should be mentioned", "one statement a line"):
        rows_of(form, "tp_instructions", STATEMENT, "statement", least=1)
    without = ui.element("div").classes("field")

    def draw_mode() -> None:
        figures.clear()
        without.clear()
        full = form.values.get("evaluation_mode") == "full_matrix"
        with figures:
            _figures(form, full)
        with without:
            if full:
                with form.section("Should not be mentioned", "one statement a line"):
                    rows_of(form, "tn_instructions", STATEMENT, "wrong statement", least=1)

    draw_mode()
    mode.on_value_change(draw_mode)
    form.tick("repeated_extraction", "Count what is mentioned twice only once", True)


def _figures(form: TraitForm, full: bool) -> None:
    chosen = list(form.values.get("metrics") or [])

    def turn(name: str, on: bool) -> None:
        kept = [each for each in form.values.get("metrics") or [] if each != name]
        form.set("metrics", [*kept, name] if on else kept)

    for name in METRICS["full_matrix"]:
        box = ui.checkbox(FIGURES[name], value=name in chosen).props("dense")
        box.on_value_change(lambda event, name=name: turn(name, bool(event.value)))
        if not full and name not in METRICS["tp_only"] and name not in chosen:
            box.disable()
            box.tooltip("Only where it is also listed what should not be mentioned")


def _deep_judgment(form: TraitForm) -> None:
    """Folded; open where somebody has set something."""
    place = ui.element("div")

    def draw() -> None:
        place.clear()
        with place:
            if outcome(form.values) == "template":
                ui.label("Deep judgment is not there for several fields.").classes("hint")
                return
            with ui.expansion("Deep judgment", value=bool(form.values.get(f"{DEEP}enabled"))).classes("trait-fold"):
                _deep_settings(form)

    draw()
    form.rows_say(lambda _: draw() if bool(place.default_slot.children) and _stale(form, place) else None)


def _stale(form: TraitForm, place: ui.element) -> bool:
    shown_as_none = isinstance(place.default_slot.children[0], ui.label)
    return shown_as_none != (outcome(form.values) == "template")


def _deep_settings(form: TraitForm) -> None:
    with ui.element("div").classes("trait-fold-body"):
        ui.label(
            "The judge first looks for excerpts that bear on the trait, explains itself, and only then decides. It "
            "costs several calls. A run does so for the traits that are ticked here, unless its option “Evidence for "
            "traits” says otherwise."
        ).classes("hint")
        form.tick(f"{DEEP}enabled", "Judge this trait deeply", False)
        form.tick(f"{DEEP}excerpt_enabled", "Look for excerpts first", True)
        form.tick(f"{DEEP}search_enabled", "Check the excerpts by a web search", False)
        with ui.element("div").classes("field-row"):
            run = "as the run"
            form.number(f"{DEEP}max_excerpts", "Most excerpts", placeholder=run)
            form.number(f"{DEEP}fuzzy_match_threshold", "Likeness, 0 to 1", placeholder=run)
            form.number(f"{DEEP}excerpt_retry_attempts", "Further attempts", placeholder=run)


def _model(form: TraitForm, shelf: ModelShelf) -> None:
    """A trait keeps a copy of a model; one that came in a file need not be among those that are kept here."""
    kept = {name: model for name, model in shelf.kept.all().items() if shelf.can_be_agent(model)}
    override: dict[str, Any] | None = form.values.get("model_override") or None
    names: dict[str, str] = {JUDGE: "The judge of the run", **{f"kept {name}": name for name in kept}}
    chosen = JUDGE if override is None else _name_of(override, kept)
    if chosen is None:
        chosen = OWN
        names[OWN] = f"{_called(override)} (of this trait, not on the Models page)"

    def choose(value: str) -> None:
        if value == JUDGE:
            form.set("model_override", None)
        elif value == OWN:
            form.set("model_override", override)
        else:
            form.set("model_override", copied(kept[value.removeprefix("kept ")]))

    with form.section("Investigated by", "a copy of the model: later changes on the Models page do not reach it"):
        control = ui.select(names, value=chosen).props("outlined dense options-dense").classes("inp")
        control.props["aria-label"] = "Investigated by"
        control.on_value_change(lambda event: choose(event.value))
        form.problems_below("model_override")


JUDGE = "judge"
OWN = "own"


def copied(model: ModelConfig) -> dict[str, Any]:
    """A model as a trait keeps it: what is set, never a key."""
    return model.model_dump(mode="json", exclude_defaults=True)


def _name_of(override: dict[str, Any], kept: Mapping[str, ModelConfig]) -> str | None:
    """The place in the list of the kept model that is the same; None: none is."""
    try:
        own = copied(ModelConfig.model_validate(override))
    except ValidationError:
        return None
    own.pop("id", None)
    for name, model in kept.items():
        if {key: value for key, value in copied(model).items() if key != "id"} == own:
            return f"kept {name}"
    return None


def _called(override: dict[str, Any] | None) -> str:
    found = override or {}
    return str(found.get("model_name") or found.get("id") or "A model that cannot be read")
