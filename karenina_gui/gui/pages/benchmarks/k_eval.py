"""Dialog that imports a k-eval configuration and its dataset as a benchmark and a preset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_catalog import free_name
from karenina_gui.errors import InputError
from karenina_gui.formats.k_eval.config_reader import KEvalFile, benchmark_of, read_k_eval
from karenina_gui.formats.k_eval.dataset_reader import read_dataset
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.gui.kit.consent import access_note
from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.kit.html import Html, join_html, table, tag
from karenina_gui.gui.kit.routing import navigate_if_present
from karenina_gui.gui.kit.uploads import FileDrop
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import interface_title, models_of
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.preset import LONGEST_NAME, Preset
from karenina_gui.schemas.question import Question
from karenina_gui.store.actors import one_command
from karenina_gui.text import quantity

MOST_QUESTIONS = 3
"""Maximum number of questions in the preview of a dataset."""
YAML = ".yaml,.yml"
JSONL = ".jsonl,.ndjson,.json,.txt"
ABOUT = (
    "Creates a benchmark with k-eval scores from a configuration (YAML) and its dataset (JSON Lines), and a preset "
    "with its conditions, models, and replicates. Nothing in the files is executed, no model is called, and nothing is "
    "saved until you confirm."
)


@dataclass(frozen=True)
class ImportedKEval:
    benchmark_id: int
    preset: Preset

    @property
    def address(self) -> str:
        """URL of the Run page with the preset."""
        return f"/benchmarks/{self.benchmark_id}/run?preset={quote(self.preset.id, safe='')}"


def open_files(
    services: AppContext, file: KEvalFile, questions: list[Question], dataset: Path, reviewed: bool
) -> ImportedKEval:
    """Save the benchmark and the preset.

    Raises `InputError` if the files cannot be imported; nothing is saved then.
    """
    assert file.config is not None
    catalog = services.library.presets
    taken = {preset.name for preset in catalog.all().values()}
    # `free_name` may append a number, so leave room for it.
    name = free_name(file.name[: LONGEST_NAME - 8], taken)
    about = f"From the k-eval configuration {file.path.name}, version {file.version}."
    preset = Preset(name=name, description=about, config=file.config)
    document = benchmark_of(file, questions, dataset, reviewed=reviewed)
    with one_command("import", file=file.path.name):
        return ImportedKEval(services.editor.files.add_benchmark(document), catalog.save(preset))


def take_back(services: AppContext, opened: ImportedKEval) -> None:
    """Undo `open_files`."""
    with one_command():
        services.editor.delete_benchmark(opened.benchmark_id)
        # The user may have deleted the preset already.
        if opened.preset.id in services.library.presets.all():
            services.library.presets.delete(opened.preset.id)


class KEvalImportDialog(ui.dialog):
    """Import dialog. `show` starts with the choice of a configuration."""

    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window
        self.props('aria-label="Import k-eval configuration"')
        with self:
            self.sheet = ui.element("div").classes("dialog opening")

    def show(self) -> None:
        """Open the dialog, with the file dropped on the window if there is one."""
        handed = self.window.pop_staged_file()
        self._ask()
        self.open()
        if handed is not None:
            background_tasks.create(self.show_file(handed), name="look at a dropped configuration", context=self.sheet)

    def _ask(self, problem: str = "") -> None:
        self._start("Import k-eval configuration")
        with self.sheet:
            ui.label(ABOUT).classes("hint")
            if problem:
                note(problem, "bad").classes("k-eval-lines")
            FileDrop("Choose the configuration, or drop it here", YAML, self.show_file)
            self._actions()

    async def show_file(self, path: Path) -> None:
        """Preview a configuration."""
        try:
            file = await run.io_bound(read_k_eval, path, self.window.services.runs.models.keys)
        except InputError as error:
            self._ask(_without_folder(error, path))
            return
        # NiceGUI's `io_bound` returns None while the application shuts down.
        if file is not None and not self.sheet.is_deleted:
            self._draw(file)

    def _draw(self, file: KEvalFile, problem: str = "") -> None:
        self._start(f"Import {file.name or file.path.name}")
        with self.sheet:
            self._draw_problems(file)
            if file.config is None or file.dataset is None:
                note("Fix the file and choose it again.", "bad")
                self._actions(again=True)
                return
            ui.html(join_html([_about(file), _conditions(file.config.conditions)])).classes("full-width k-eval-tables")
            dataset = file.dataset
            ui.label(
                f"Its dataset is {Path(dataset.path).name}: one question per line, with “{dataset.question_key}” and "
                f"“{dataset.answer_key}”."
            ).classes("hint")
            if problem:
                note(problem, "bad").classes("k-eval-lines")

            async def take(path: Path) -> None:
                try:
                    questions = await run.io_bound(read_apart, read_dataset, path, dataset)
                except InputError as error:
                    self._draw(file, str(error))
                    return
                if questions is not None and not self.sheet.is_deleted:
                    self._draw_whole(file, questions, path)

            FileDrop(f"Choose {Path(dataset.path).name}, or drop it here", JSONL, take)
            self._actions(again=True)

    def _draw_whole(self, file: KEvalFile, questions: list[Question], dataset: Path) -> None:
        config = file.config
        assert config is not None
        self._start(f"Import {file.name}")
        with self.sheet:
            self._draw_problems(file)
            ui.html(join_html([_about(file), _conditions(config.conditions), _questions(questions)])).classes(
                "full-width k-eval-tables"
            )
            jobs = len(questions) * len(config.conditions) * config.replicate_count
            ui.label(
                f"{quantity(len(questions), 'question')} × {quantity(len(config.conditions), 'condition')} × "
                f"{quantity(config.replicate_count, 'replicate')} = {quantity(jobs, 'answer')}, each judged once."
            ).classes("k-eval-jobs")
            reviewed = ui.checkbox("Mark questions finished")
            ui.label("For a reviewed dataset. Otherwise, review and mark each question before you run.").classes("hint")
            problem = ui.element("div").classes("full-width")

            async def go() -> None:
                # A second click would create a second benchmark.
                act.disable()
                try:
                    await self._open(file, questions, dataset, bool(reviewed.value))
                except InputError as error:
                    act.enable()
                    problem.clear()
                    with problem:
                        note(str(error), "bad")

            act = button("Import configuration", go, look="main")
            self._actions(act, again=True)

    async def _open(self, file: KEvalFile, questions: list[Question], dataset: Path, reviewed: bool) -> None:
        services = self.window.services
        opened = await self.window.write(open_files, services, file, questions, dataset, reviewed)
        services.emit_preset_changed(opened.preset.id)

        async def undo() -> None:
            # Leave the Run page before its benchmark is deleted.
            ui.navigate.to("/benchmarks")
            await self.window.write(take_back, services, opened)
            services.emit_preset_changed(opened.preset.id)

        rest = "" if reviewed else " Review its questions and mark them finished."
        self.window.notify(f"Created the benchmark and preset “{opened.preset.name}”.{rest}", "good", undo)
        self.close()
        navigate_if_present(self, opened.address)

    def _draw_problems(self, file: KEvalFile) -> None:
        """Show problems first, then unknown settings, unset variables, remarks, and what the models would reach."""
        _note_lines("Fix these problems first:", file.problems, "bad")
        if file.unknown:
            _note_lines("Unknown settings, ignored (check the spelling):", file.unknown, "warn")
        if file.unset:
            names = ", ".join(file.unset)
            _note_lines(
                "Not set. Before you run, add these on the API keys page, or set them as environment variables:",
                [names],
                "warn",
            )
        _note_lines("", file.notes, "plain")
        if file.config is not None:
            consents = self.window.services.runs.consents
            if reach := consents.missing(*models_of(file.config)):
                access_note("Its models", reach)

    def _start(self, title: str) -> None:
        self.sheet.clear()
        with self.sheet:
            dialog_title(title)

    def _actions(self, main: ui.button | None = None, *, again: bool = False) -> None:
        with dialog_actions() as row:
            if again:
                button("Choose another file", self._ask)
            button("Cancel", self.close)
            if main is not None:
                main.move(row)


def _note_lines(head: str, lines: list[str], tone: Literal["plain", "warn", "bad"]) -> None:
    if lines:
        note("\n".join([head, *lines] if head else lines), tone).classes("k-eval-lines")


def _without_folder(error: InputError, path: Path) -> str:
    """Return the message without the temporary folder of the upload."""
    return str(error).replace(str(path), path.name)


def _about(file: KEvalFile) -> Html:
    config = file.config
    assert config is not None
    (agent,), (judge,) = config.answering_models, config.parsing_models
    rows = [
        ("Agent", f"{agent.model_name} (Claude Code)"),
        ("Judge", f"{judge.model_name} ({interface_title(judge.interface)}), temperature {judge.temperature:g}"),
        ("Replicates", f"{config.replicate_count}"),
        ("Concurrent jobs", f"{config.async_max_workers}"),
    ]
    return table(("Setting", "Value"), rows, caption=f"Version {file.version}")


def _conditions(conditions: list[Condition]) -> Html:
    rows = [
        (
            condition.name,
            condition.system_prompt or "",
            "\n".join(f"{name}: {server.reach}" for name, server in (condition.mcp_servers or {}).items()) or "none",
            _required_calls(condition),
        )
        for condition in conditions
    ]
    return table(("Condition", "System prompt", "MCP servers", "Required tool calls"), rows, caption="Conditions")


def _required_calls(condition: Condition) -> str:
    if condition.require_mcp_tool_use:
        return "at least one successful call" if condition.require_mcp_tool_success else "at least one call"
    return "if any, at least one successful" if condition.require_mcp_tool_success else "none"


def _questions(questions: list[Question]) -> Html:
    rows = [(question.question, question.raw_answer) for question in questions[:MOST_QUESTIONS]]
    more = len(questions) - MOST_QUESTIONS
    made = table(("Question", "Reference answer"), rows, caption=quantity(len(questions), "question"))
    return join_html([made, tag("p", f"and {more:,} more", class_="result-muted") if more > 0 else None])
