"""Notice on the pages of a benchmark whose linked file was changed outside."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.authoring.comparison.linked_files import LinkedFileState
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.session.window import Window
from karenina_gui.text import join_list, quantity


def file_banner(window: Window, benchmark_id: int) -> None:
    """Show the notice while the file has other content than the user last dealt with."""
    container = ui.element("div").classes("absence").props('role="status"')
    links = window.services.editor.links

    def show() -> None:
        container.clear()
        state = links.state(benchmark_id)
        if state is None or state.condition == "same":
            return
        with container, note(state_text(state), "plain" if state.condition == "changed" else "warn") as line:
            if state.condition == "changed":
                button("Compare", lambda: ui.navigate.to(comparison_address(benchmark_id)))
                button("Mark as seen", mark_as_seen, look="quiet")
            else:
                button("Linked file…", lambda: ui.navigate.to(f"/benchmarks/{benchmark_id}/versions"), look="quiet")
        line.classes("note-deleted")

    async def mark_as_seen() -> None:
        try:
            await window.write(links.settle, benchmark_id)
        except InputError as error:
            window.notify(str(error), "bad")

    show()
    window.listen(window.services.linked_file_changed, lambda changed: show() if changed == benchmark_id else None)


def comparison_address(benchmark_id: int) -> str:
    """Address of the comparison of a benchmark with its linked file."""
    return f"/benchmarks/{benchmark_id}/versions/compare?with=linked"


def state_text(state: LinkedFileState) -> str:
    """State of a linked file in one or two sentences."""
    name = state.path.name
    if state.condition == "missing":
        return f"{name} is no longer in its folder. The benchmark here is unaffected."
    if state.condition == "broken":
        return f"{name} can’t be read now: {state.problem} It is read again once it changes."
    if state.condition == "same":
        return f"{name} has no changes that you haven’t seen."
    counts = [(state.changed, "changed"), (state.added, "added"), (state.deleted, "deleted")]
    parts = [f"{quantity(count, 'question')} {word}" for count, word in counts if count]
    if state.details:
        parts.append("benchmark details changed")
    what = "differs from this benchmark" if state.never_seen else "changed on disk"
    return f"{name} {what}: {join_list(parts)}. Nothing here was changed."
