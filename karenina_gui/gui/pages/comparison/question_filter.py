"""Search and filter of compared questions, with the number of each kind."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from karenina_gui.authoring.comparison.differences import ComparedQuestion, Differences, Maker
from karenina_gui.gui.kit.elements import text_input, toolbar
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.comparison.field_view import FIELD_TITLES
from karenina_gui.text import join_list

KINDS = {
    "differing": "All differences",
    "changed": "Changed",
    "there": "Only in the other version",
    "here": "Only here",
    "same": "Same",
}
BY_MAKER: dict[Maker, str] = {"theirs": "Changed there", "ours": "Changed here", "both": "Conflicts"}


class QuestionFilterBar:
    """Controls above the list of questions; `on_change` is called after each change of them."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        with toolbar("Filter") as bar:
            bar.classes("compared-bar")
            self._search = text_input(
                "Search questions", placeholder="Search questions", on_change=lambda _: on_change()
            )
            self._search.props("clearable").classes("question-search")
            self._kind = ui.select(KINDS, value="differing", on_change=lambda _: on_change())
            self._kind.props(f"outlined dense options-dense {aria_label('Show')}").classes("input compared-kind")

    @property
    def text(self) -> str:
        """Text that is searched; empty: none."""
        return str(self._search.value or "").strip().casefold()

    @property
    def allows_details(self) -> bool:
        """True if the list also names differences of the benchmark itself, which are of no question."""
        return self._kind.value == "differing" and not self.text

    def show(self, differences: Differences) -> None:
        """Show the counts of a comparison."""
        counts: dict[str, int] = {
            "differing": len(differences.differing) + bool(differences.details),
            **{str(kind): n for kind, n in differences.counts.items()},
        }
        options: dict[str, str] = {kind: f"{title} ({counts.get(kind, 0):,})" for kind, title in KINDS.items()}
        if differences.by_ancestor:
            for maker, title in BY_MAKER.items():
                options[maker] = f"{title} ({sum(maker in question.makers for question in differences.differing):,})"
        # Another comparison may know no ancestor, and then offers no conflicts.
        self._kind.set_options(options, value=self._kind.value if self._kind.value in options else "differing")

    def matches(self, differences: Differences) -> list[ComparedQuestion]:
        """Questions that match."""
        kind, text = self._kind.value, self.text
        listed = differences.questions if kind == "same" else differences.differing
        matching = [question for question in listed if kind == "differing" or kind in {question.kind, *question.makers}]
        return [
            question
            for question in matching
            if not text or text in question.text.casefold() or text in question.key.casefold()
        ]

    @staticmethod
    def difference_text(question: ComparedQuestion) -> str:
        """Difference of a question in a few words."""
        if question.kind == "changed":
            parts = [
                (word, [FIELD_TITLES[field.name] for field in question.fields if (field.maker == "both") is conflict])
                for word, conflict in (("Conflict", True), ("Changed", False))
            ]
            return " · ".join(f"{word}: {join_list(fields)}" for word, fields in parts if fields)
        if question.kind == "same":
            return "Same"
        return _presence(question)


def _presence(question: ComparedQuestion) -> str:
    where = "Only here" if question.kind == "here" else "Only in the other version"
    if question.maker is None:
        return where
    if question.maker == "both":
        return (
            f"{where}: edited here, deleted there"
            if question.kind == "here"
            else f"{where}: deleted here, edited there"
        )
    if question.kind == "here":
        return f"{where}: {'new' if question.maker == 'ours' else 'deleted there'}"
    return f"{where}: {'new' if question.maker == 'theirs' else 'deleted here'}"
