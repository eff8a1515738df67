"""Result of the check of a template: its problems, or a line that says that it has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from karenina_gui.gui.templates.problems import plain_message
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem
from karenina_gui.text import quantity


def draw_state(
    outline: TemplateOutline | None,
    problems: Sequence[TemplateProblem],
    link: Callable[[int], None],
    benchmark_id: int,
    *,
    in_form: bool,
) -> None:
    """Draw the result of a check.

    `outline`: None if there is no template. `link`: draws a link to a line of the source. `in_form`: the form is shown,
    not the code.
    """
    if outline is None and not problems:
        ui.label("No template yet.").classes("hint")
    elif not problems and outline is not None:
        _draw_valid(outline)
    for problem in problems:
        _draw_problem(problem, link, in_form=in_form)
    if outline is not None and outline.fault == "refused":
        _offer_trust(benchmark_id)


def _offer_trust(benchmark_id: int) -> None:
    """Link to the page on which the user can trust the benchmark."""
    with ui.element("div").classes("problem"):
        ui.icon("lock_open")
        ui.link("Trust this benchmark’s code", f"/benchmarks/{benchmark_id}/details")


def _draw_problem(problem: TemplateProblem, link: Callable[[int], None], *, in_form: bool) -> None:
    with ui.element("div").classes(f"problem problem-{problem.severity}"):
        ui.icon("error" if problem.severity == "error" else "warning")
        if problem.line is not None:
            link(problem.line)
        ui.label(plain_message(problem.message, in_form=in_form))


def _draw_valid(outline: TemplateOutline) -> None:
    judging = "filled in by a judge" if outline.needs_judge else "no judge needed"
    counted = [quantity(len(of), noun) for of, noun in ((outline.fields, "field"), (outline.regex, "pattern")) if of]
    parts = [*counted, judging, _EXECUTIONS.get(outline.execution or "")]
    with ui.element("div").classes("problem problem-none"):
        ui.icon("check_circle")
        ui.label(f"No problems: {', '.join(filter(None, parts))}.")


_EXECUTIONS = {
    "data": "read without running code",
    "monty": "sandboxed plain code",
    "locked": "sandboxed full Python",
    "unlocked": "unsandboxed full Python",
}
