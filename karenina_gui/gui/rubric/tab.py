"""The tab Rubric of a question."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.elements import scrolling
from karenina_gui.gui.rubric.rubric_record import RubricOwner
from karenina_gui.gui.rubric.trait_list import TraitList


def question_traits(draft: QuestionDraft) -> TraitList:
    with scrolling("Rubric"), ui.element("div").classes("form form-wide"):
        ui.label("Traits rate the answers to this question, in addition to the benchmark’s traits.").classes("hint")
        traits = TraitList(draft.window, RubricOwner(draft.benchmark_id, draft.number))
    traits.shown = lambda: draft.window.preferences.question_tab == "rubric"
    return traits
