"""Dialog that asks for the name of a file or folder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, field, on_enter, one_at_a_time, text_input


def ask_name(
    title: str, done: str, use: Callable[[str], Awaitable[None]], *, where: str = "", before: str = ""
) -> None:
    """Ask for a name and pass it to `use`. The dialog stays open while `use` raises `InputError`.

    `done`: text of the button.
    """
    with dialog(title, classes="dialog-narrow") as sheet:
        with field("Name", where):
            name = text_input("Name", before).props("autofocus")
            problem = FieldError()

        @one_at_a_time
        async def finish() -> None:
            try:
                await use(name.value or "")
            except InputError as error:
                problem.show_message(str(error))
                return
            sheet.close()

        on_enter(name, finish)
        name.on_value_change(lambda: problem.show_message(None))
        with dialog_actions():
            button("Cancel", sheet.close)
            button(done, finish, look="main")
