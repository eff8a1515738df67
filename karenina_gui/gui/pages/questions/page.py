"""Questions page: the list on the left is permanent, the editor on the right follows the URL."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from nicegui import PageArguments, ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.kit.elements import button, empty_state, hold_typing, splitter
from karenina_gui.gui.kit.lazy_render import lazy_render
from karenina_gui.gui.kit.routing import NotFound, Router
from karenina_gui.gui.pages.questions.list import TEXT_OF_NEW_QUESTION, QuestionList
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionFilter

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

FIRST = QuestionFilter(first=1)


def draw(window: Window, route: "PageRoute") -> None:
    benchmark_id = route["b"]
    with splitter(window, "questions", 46) as panes:
        with panes.before:
            questions = QuestionList(window, benchmark_id)
        if "import" in route.query:
            questions.dialogs.import_questions()
        with panes.after:
            Router(
                {
                    "/": _first(window, questions),
                    "/{q}": _editor(window, questions),
                }
            )


def _first(window: Window, questions: QuestionList) -> Callable[[PageArguments], NotFound | None]:
    """Build the page for a URL without a question: its first question, or the empty state."""

    def build(arguments: PageArguments) -> NotFound | None:
        try:
            rows = window.services.library.questions.summaries(questions.benchmark_id, FIRST)
            if not rows:
                _wait_for_questions(window, questions)
                return None
        except NotFoundError as error:  # the benchmark was deleted while the person came back
            return NotFound(str(error))
        questions.mark(rows[0].number)

        def draw_editor() -> None:
            # Importing the editor takes about as long as drawing the list, so the list goes first.
            from karenina_gui.gui.pages.questions import editor  # takes as long to load as the list to be drawn

            with suppress(NotFoundError):  # deleted in this moment: the list goes on to the next one
                query = arguments.query_parameters
                editor.draw(window, questions, rows[0].number, query.get("tab"), query.get("at"))

        lazy_render(draw_editor)
        return None

    return build


def _wait_for_questions(window: Window, questions: QuestionList) -> None:
    """Show the empty state until the benchmark has a question."""
    container = ui.element("div").classes("pane")
    with container:
        _empty_state(questions)

    def refresh() -> None:
        try:
            rows = window.services.library.questions.summaries(questions.benchmark_id, FIRST)
        except NotFoundError:
            return  # the benchmark was deleted; the page says so
        # A question that is added here is opened by the list, on its first tab and with the focus in its text.
        own = questions.adding or (rows and rows[0].number == questions.fresh)
        if rows and not own and not container.is_deleted:
            questions.open(rows[0].number)

    window.listen(window.services.benchmark_changed, lambda _: refresh())


def _empty_state(questions: QuestionList) -> None:
    if scenarios := questions.window.services.library.benchmarks.frame(questions.benchmark_id).scenarios:
        _only_scenarios([str(scenario.get("name") or "unnamed") for scenario in scenarios])
        return
    with empty_state(
        "quiz",
        "No questions yet",
        "Each question is sent to the models. Its answer template defines how answers are checked.",
        level=1,
    ):
        hold_typing(button("New question", questions.new, icon="add", look="main"), TEXT_OF_NEW_QUESTION)
        button("Import questions…", questions.dialogs.import_questions, icon="upload_file")
        if questions.window.services.library.questions.list_deleted(questions.benchmark_id):
            button("Restore deleted questions…", questions.dialogs.restore_questions, icon="restore_from_trash")


def _only_scenarios(names: list[str]) -> None:
    """Explain a benchmark of scenarios: karenina keeps them apart from questions, so it has none to list."""
    with empty_state(
        "account_tree",
        "This benchmark contains scenarios",
        "Scenarios are multi-turn conversations. They are exported unchanged, but you can’t edit or run them here: "
        f"{', '.join(names)}.",
        level=1,
    ):
        button("Benchmarks", lambda: ui.navigate.to("/benchmarks"), icon="inventory_2")


def _editor(window: Window, questions: QuestionList) -> Callable[[PageArguments], Any]:
    # A local import keeps the first draw of the list fast.
    def build(arguments: PageArguments) -> NotFound | None:
        from karenina_gui.gui.pages.questions import editor

        text = arguments.path_parameters["q"]
        try:
            number = int(text) if text.isdecimal() else 0
            questions.mark(number)
            query = arguments.query_parameters
            editor.draw(window, questions, number, query.get("tab"), query.get("at"))
        except NotFoundError as error:
            first = ("First question", f"/benchmarks/{questions.benchmark_id}/questions")
            return NotFound(str(error), "Question not found", (first,))
        return None

    return build
