"""Traits of a question or of a benchmark: patterns are edited and tried here, other kinds are shown as they are."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.comparison import written
from karenina_gui.gui.parts.elements import button, chip, empty_state, key_values, scrolling
from karenina_gui.gui.questions.draft import QuestionDraft
from karenina_gui.gui.rubric.regex_form import RegexTraitForm
from karenina_gui.schemas.problems import problem_at_its_field
from karenina_gui.schemas.rubric import Rubric

Record = dict[str, Any]
KINDS = {
    "regex_traits": "Pattern",
    "llm_traits": "Judged by a model",
    "callable_traits": "Python function",
    "metric_traits": "Precision and recall",
    "agentic_traits": "Judged by an agent",
}
NEW = {"name": "", "pattern": "", "case_sensitive": False, "higher_is_better": True}


def question_traits(draft: QuestionDraft) -> None:
    """The tab Rubric of a question."""
    with scrolling(), ui.element("div").classes("form"):
        ui.label("Traits of this question, beside those of the whole benchmark.").classes("hint")
        traits = TraitList(
            draft.window,
            draft.question.question_rubric,
            lambda rubric: draft.save("question_rubric", rubric),
        )
    draft.on_elsewhere(lambda question: traits.show(question.question_rubric))


class TraitList:
    """Works on the rubric as it is stored, so that what it does not understand stays as it is."""

    def __init__(self, window: Window, rubric: Record | None, save: Callable[[Record | None], str | None]) -> None:
        self.window = window
        self.save = save
        self.rubric: Record = deepcopy(rubric) if rubric else {}
        self.place = ui.element("div").classes("traits")
        self._draw()

    def show(self, rubric: Record | None) -> None:
        """A rubric that comes from elsewhere."""
        if (rubric or {}) != self._kept():
            self.rubric = deepcopy(rubric) if rubric else {}
            self._draw()

    def _draw(self) -> None:
        self.place.clear()
        with self.place:
            patterns = self._patterns()
            for index in range(len(patterns)):
                RegexTraitForm(self, index)
            for kind, title in KINDS.items():
                if kind != "regex_traits":
                    for trait in self.rubric.get(kind) or []:
                        _other(trait, title)
            if not any(self.rubric.get(kind) for kind in KINDS):
                with empty_state(
                    "rule",
                    "No traits yet",
                    "A trait looks at how an answer is given. A pattern trait says yes when its pattern is found in "
                    "the answer, for instance a unit or a word that must not be missing.",
                ):
                    button("Add a pattern", self.add, icon="add", look="main")
            else:
                button("Add a pattern", self.add, icon="add").classes("row-add-plain")

    def add(self) -> None:
        """A new pattern; it is kept once it has a name and a pattern."""
        self.rubric.setdefault("regex_traits", []).append(dict(NEW))
        self._draw()

    def remove(self, index: int) -> None:
        """Take a pattern out; a message offers to have it back."""
        trait = self._patterns().pop(index)

        def undo() -> None:
            self._patterns().insert(index, trait)
            self.keep()
            self._draw()

        self.keep()
        self._draw()
        self.window.tell(f"Deleted the trait “{trait.get('name') or 'without a name'}”.", undo=undo)

    def keep(self) -> str | None:
        """Save all that is complete; returns what is wrong, or None."""
        kept = self._kept()
        try:
            Rubric.model_validate(kept)
        except ValidationError as error:
            return problem_at_its_field(error)
        return self.save(kept or None)

    def trait(self, index: int) -> Record:
        return self._patterns()[index]

    def _patterns(self) -> list[Record]:
        return self.rubric.setdefault("regex_traits", [])  # type: ignore[no-any-return]

    def _kept(self) -> Record:
        """The rubric without traits that nobody has begun to write, and without empty lists that it never had."""
        patterns = [trait for trait in self._patterns() if trait.get("name") or trait.get("pattern")]
        rest = {kind: traits for kind, traits in self.rubric.items() if kind != "regex_traits"}
        return {**rest, "regex_traits": patterns} if patterns else {k: v for k, v in rest.items() if v}


def _other(trait: Record, title: str) -> None:
    """A trait of a kind that is evaluated elsewhere: its values, to be read."""
    with ui.element("section").classes("trait").props(f'aria-label="{title}"'):
        with ui.element("div").classes("trait-head"):
            ui.label(str(trait.get("name", ""))).classes("trait-name")
            chip(title)
        shown = [(key.replace("_", " "), written(value)) for key, value in trait.items() if _worth_showing(key, value)]
        key_values(shown)


def _worth_showing(key: str, value: Any) -> bool:
    return key not in ("name", "callable_code") and value not in (None, "", [], {}, False)
