"""Preferences of one person: theme, sizes, the benchmark last open. They are stored in the library."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal, cast

from nicegui import background_tasks

if TYPE_CHECKING:
    from karenina_gui.gui.frame.studio import Studio

Theme = Literal["system", "light", "dark"]


class Preferences:
    """Everything has a default. All windows of a person share the values."""

    def __init__(self, studio: Studio, person: str) -> None:
        self._studio, self._person = studio, person
        self._values = studio.preferences_of(person)
        self._writing: asyncio.Task[None] | None = None

    @property
    def theme(self) -> Theme:
        """`system` follows the computer's setting."""
        return cast(Theme, self._kept("theme", "system"))

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._keep("theme", theme)

    @property
    def benchmark(self) -> int | None:
        """The benchmark that was open last; it may be gone."""
        return cast("int | None", self._kept("benchmark", None))

    @benchmark.setter
    def benchmark(self, benchmark_id: int | None) -> None:
        self._keep("benchmark", benchmark_id)

    @property
    def navigation(self) -> bool:
        """Whether the navigation on the left is shown."""
        return bool(self._kept("navigation", True))

    @navigation.setter
    def navigation(self, shown: bool) -> None:
        self._keep("navigation", shown)

    @property
    def question_tab(self) -> str:
        """The tab of the question editor that was open last."""
        return str(self._kept("question_tab", "question"))

    @question_tab.setter
    def question_tab(self, name: str) -> None:
        self._keep("question_tab", name)

    @property
    def author(self) -> dict[str, str]:
        """Name, e-mail and institution (`affiliation`) of whoever writes questions here; those that are set."""
        return {str(part): str(text) for part, text in dict(self._kept("author", {})).items() if text}

    @author.setter
    def author(self, author: dict[str, str]) -> None:
        self._keep("author", author)

    @property
    def run_defaults(self) -> dict[str, Any]:
        """Settings with which the first run of a benchmark begins, by their names in `VerificationConfig`."""
        return dict(self._kept("run_defaults", {}))

    @run_defaults.setter
    def run_defaults(self, defaults: dict[str, Any]) -> None:
        self._keep("run_defaults", defaults)

    def split(self, name: str, default: float) -> float:
        """Size of the first pane of a splitter, in percent."""
        return float(self._kept(f"split:{name}", default))

    def keep_split(self, name: str, percent: float) -> None:
        self._keep(f"split:{name}", percent)

    async def stored(self) -> None:
        """Wait until the last change made here is in the library."""
        if self._writing is not None:
            await self._writing

    def _kept(self, key: str, default: Any) -> Any:
        return self._values.get(key, default)

    def _keep(self, key: str, value: Any) -> None:
        if self._values.get(key) != value:
            self._values[key] = value
            writing = self._studio.write(self._studio.desk.preferences.save, self._person, key, value)
            self._writing = background_tasks.create(writing, name="store a preference")
