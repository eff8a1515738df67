"""Preferences of one user (theme, pane sizes, last benchmark), stored in the library."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal, cast

from nicegui import background_tasks

if TYPE_CHECKING:
    from karenina_gui.gui.session.app_context import AppContext

Theme = Literal["system", "light", "dark"]


class Preferences:
    """Preferences with defaults; all windows of a user share the values."""

    def __init__(self, services: AppContext, person: str) -> None:
        self._services, self._person = services, person
        self._values = services.preferences_of(person)
        self._writing: asyncio.Task[None] | None = None

    @property
    def theme(self) -> Theme:
        """Theme; `system` follows the operating system."""
        return cast(Theme, self._value("theme", "system"))

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._set_value("theme", theme)

    @property
    def benchmark(self) -> int | None:
        """Benchmark that was last open; it may be deleted."""
        return cast("int | None", self._value("benchmark", None))

    @benchmark.setter
    def benchmark(self, benchmark_id: int | None) -> None:
        self._set_value("benchmark", benchmark_id)

    @property
    def navigation(self) -> bool:
        """True if the sidebar is shown."""
        return bool(self._value("navigation", True))

    @navigation.setter
    def navigation(self, visible: bool) -> None:
        self._set_value("navigation", visible)

    @property
    def question_tab(self) -> str:
        """Tab of the question editor that was last open."""
        return str(self._value("question_tab", "question"))

    @question_tab.setter
    def question_tab(self, name: str) -> None:
        self._set_value("question_tab", name)

    @property
    def template_view(self) -> str:
        """View of templates: `form` or `code`."""
        return str(self._value("template_view", "form"))

    @template_view.setter
    def template_view(self, name: str) -> None:
        self._set_value("template_view", name)

    @property
    def samples_judge(self) -> str:
        """Name of the model that last read sample answers; empty: none did."""
        return str(self._value("samples_judge", ""))

    @samples_judge.setter
    def samples_judge(self, name: str) -> None:
        self._set_value("samples_judge", name)

    @property
    def author(self) -> dict[str, str]:
        """Name, e-mail, and institution (`affiliation`) of the user as an author; only those that are set."""
        return {str(part): str(text) for part, text in dict(self._value("author", {})).items() if text}

    @author.setter
    def author(self, author: dict[str, str]) -> None:
        self._set_value("author", author)

    @property
    def run_defaults(self) -> dict[str, Any]:
        """Settings of the first run of a benchmark, by their names in `VerificationConfig`."""
        return dict(self._value("run_defaults", {}))

    @run_defaults.setter
    def run_defaults(self, defaults: dict[str, Any]) -> None:
        self._set_value("run_defaults", defaults)

    @property
    def problems_open(self) -> bool:
        """True if the Problems panel is shown."""
        return bool(self._value("problems_open", False))

    @problems_open.setter
    def problems_open(self, visible: bool) -> None:
        self._set_value("problems_open", visible)

    @property
    def problem_filter(self) -> tuple[str, str]:
        """Severities and part that the Problems panel shows; empty: its defaults."""
        level, part = self._value("problem_filter", ("", ""))
        return str(level), str(part)

    @problem_filter.setter
    def problem_filter(self, chosen: tuple[str, str]) -> None:
        self._set_value("problem_filter", list(chosen))

    @property
    def draft_model(self) -> str:
        """Name of the model that last drafted a template or traits; empty: none yet."""
        return str(self._value("draft_model", ""))

    @draft_model.setter
    def draft_model(self, name: str) -> None:
        self._set_value("draft_model", name)

    def draft_instructions(self, kind: str) -> str:
        """Instructions for models that draft; empty: the default."""
        return str(self._value(f"draft_instructions:{kind}", ""))

    def save_draft_instructions(self, kind: str, text: str) -> None:
        self._set_value(f"draft_instructions:{kind}", text)

    def comment_draft(self, number: int) -> str:
        """Comment on a question that the user began to write."""
        return str(self._value(f"comment_draft:{number}", ""))

    def save_comment_draft(self, number: int, text: str) -> None:
        self._set_value(f"comment_draft:{number}", text)

    def question_filters(self, benchmark_id: int) -> dict[str, str]:
        """Saved filters of the question list by name, each as in its address."""
        return {str(name): str(written) for name, written in dict(self._value(f"filters:{benchmark_id}", {})).items()}

    def save_question_filters(self, benchmark_id: int, filters: dict[str, str]) -> None:
        self._set_value(f"filters:{benchmark_id}", filters)

    def columns(self, table: str) -> list[dict[str, Any]]:
        """Order, widths, and visibility of the columns of a table; empty: its default."""
        return list(self._value(f"columns:{table}", []))

    def save_columns(self, table: str, states: list[dict[str, Any]]) -> None:
        self._set_value(f"columns:{table}", states)

    def split_size(self, name: str, default: float) -> float:
        """Size of a splitter's first pane in percent."""
        return float(self._value(f"split:{name}", default))

    def save_split_size(self, name: str, percent: float) -> None:
        self._set_value(f"split:{name}", percent)

    def is_unfolded(self, name: str) -> bool:
        """True if the user opened this part of a page."""
        return bool(self._value(f"fold:{name}", False))

    def save_unfolded(self, name: str, unfolded: bool) -> None:
        self._set_value(f"fold:{name}", unfolded)

    async def flush(self) -> None:
        """Wait until the last change is in the library."""
        if self._writing is not None:
            await self._writing

    def _value(self, key: str, default: Any) -> Any:
        return self._values.get(key, default)

    def _set_value(self, key: str, value: Any) -> None:
        if self._values.get(key) != value:
            self._values[key] = value
            writing = self._services.write(self._services.library.preferences.save, self._person, key, value)
            self._writing = background_tasks.create(writing, name="store a preference")
