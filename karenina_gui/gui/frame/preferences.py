"""What one person prefers: theme, sizes, the benchmark last open. Kept in a small file of the data folder."""

from __future__ import annotations

from typing import Any, Literal, cast

from nicegui import app

Theme = Literal["system", "light", "dark"]


class Preferences:
    """Of the person at this browser; everything has a default. Made while a window is drawn."""

    def __init__(self) -> None:
        # Held on to, because news that come from other threads arrive without a request to find it by.
        self._stored = app.storage.user

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

    def _kept(self, key: str, default: Any) -> Any:
        return self._stored.get(key, default)

    def _keep(self, key: str, value: Any) -> None:
        if self._stored.get(key) != value:
            self._stored[key] = value
