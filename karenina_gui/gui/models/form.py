"""One model's settings: a change is kept as soon as all fields are right; until then its field says what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.formats.traces import TraceColumns, match_traces, read_traces
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models.draft import SHOWN, ModelDraft
from karenina_gui.gui.parts.elements import bar, button, field, heading, icon_button, text_area, text_input
from karenina_gui.gui.parts.markup import Html, icon, joined, tag
from karenina_gui.gui.parts.uploads import FileDrop
from karenina_gui.gui.runs.plan import problem
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.question import Question

if TYPE_CHECKING:
    from karenina_gui.gui.models.page import ModelsPage

HINTS = {
    "name": "as runs and results call it",
    "model_name": "as the provider calls it",
    "endpoint_base_url": "empty: OpenAI itself",
    "anthropic_base_url": "empty: Anthropic itself",
    "api_key_env": "name of the environment variable that holds the key",
    "recording": "file that a run recorded, or “example”",
    "system_prompt": "sent before every question; may be empty",
    "temperature": "0 to 2; empty: not sent",
    "max_tokens": "at most, in one reply",
    "request_timeout": "seconds; empty: the run’s",
}
TITLES = {
    "name": "Name",
    "model_name": "Model",
    "endpoint_base_url": "Address",
    "anthropic_base_url": "Address",
    "api_key_env": "Key variable",
    "recording": "Recording",
    "system_prompt": "System prompt",
    "temperature": "Temperature",
    "max_tokens": "Tokens",
    "request_timeout": "Time limit",
}


class ModelForm:
    """`page` is told when the name changes."""

    def __init__(self, window: Window, page: ModelsPage, name: str, model: ModelConfig) -> None:
        self._window = window
        self._page = page
        self._shelf = window.studio.runs.models
        self._kept_as = name
        self.draft = ModelDraft.of(name, model)
        self._errors: dict[str, ui.label] = {}
        self._entered: set[str] = set()
        """Fields that somebody has been in: before, an empty one is no mistake."""

    def draw(self) -> None:
        with bar():
            self._title = heading(self._kept_as, 1)
            ui.space()
            self._check = button("Test connection", self._test, icon="wifi_tethering")
            icon_button("delete_outline", "Delete this model", self._page.delete)
        with ui.element("div").classes("scroll"):
            self._form = ui.element("div").classes("form")
        self._fill()

    def _fill(self) -> None:
        self._form.clear()
        self._errors.clear()
        with self._form:
            self._state = ui.html("").classes("full-width")
            self._text("name", self.draft.name)
            with field("Interface", "how the model is reached"):
                specs = {spec.name: spec for spec in self._shelf.interfaces()}
                chosen = ui.select({name: spec.title for name, spec in specs.items()}, value=self.draft.interface)
                chosen.props('outlined dense options-dense aria-label="Interface"').classes("inp")
                chosen.on_value_change(lambda e: self._interface(e.value))
                ui.label(specs[self.draft.interface].description).classes("hint")
            if self.draft.interface == "manual":
                self._recorded_answers()
            else:
                self._text("model_name", self.draft.values.get("model_name") or "")
            self._fields()
        self._say()

    def _fields(self) -> None:
        shown = SHOWN.get(self.draft.interface, ())
        default = next(s.key_variable for s in self._shelf.interfaces() if s.name == self.draft.interface)
        for name in ("endpoint_base_url", "anthropic_base_url", "api_key_env", "recording"):
            if name in shown:
                self._text(name, self.draft.values.get(name) or "", default if name == "api_key_env" else "")
        if "system_prompt" in shown:
            with self._field("system_prompt"):
                area = text_area("System prompt", self.draft.values.get("system_prompt") or "")
                area.on_value_change(lambda e: self._set("system_prompt", e.value))
        with ui.element("div").classes("mf-numbers"):
            for name in ("temperature", "max_tokens", "request_timeout"):
                if name in shown:
                    self._number(name)

    def _field(self, name: str) -> Any:
        place = field(TITLES[name], HINTS[name])
        return _WithError(place, name, self._errors)

    def _text(self, name: str, value: str, placeholder: str | None = "") -> None:
        with self._field(name):
            box = text_input(TITLES[name], value, placeholder=placeholder or "")
            box.on_value_change(lambda e: self._set(name, e.value))

    def _number(self, name: str) -> None:
        with self._field(name):
            box = ui.number(value=self.draft.values.get(name))
            box.props(f'outlined dense debounce="400" aria-label="{TITLES[name]}"').classes("inp")
            box.on_value_change(lambda e: self._set(name, e.value))

    def _interface(self, interface: str) -> None:
        self.draft.interface = interface
        self._entered.clear()
        self._fill()
        self._keep()

    def _set(self, name: str, value: Any) -> None:
        self._entered.add(name)
        if name == "name":
            self.draft.name = value or ""
        else:
            self.draft.values[name] = value
        self._keep()

    def _keep(self) -> None:
        """Save if everything is right."""
        if self._say():
            return
        name = self.draft.name.strip()
        config = self.draft.config()
        self._shelf.kept.save(name, config)
        if name != self._kept_as:
            self._shelf.kept.delete(self._kept_as)
            self._kept_as = name
            self._title.text = name
            self._page.renamed(name)
        self.draft.base = config
        self._page.refresh()
        self._window.note_saved()
        self._show_state(config)

    def _say(self) -> dict[str, str]:
        """Put each message at its field; returns them."""
        taken = [name for name in self._shelf.kept.all() if name != self._kept_as]
        problems = self.draft.problems(taken)
        for name, label in self._errors.items():
            label.text = problems.get(name, "")
            label.set_visibility(name in problems and name in self._entered)
        if not problems:
            self._show_state(self.draft.config())
        else:
            words = " and ".join(TITLES.get(name, name) for name in problems)
            self._state.set_content(_note("edit", f"These settings are kept as soon as {words} fits."))
        return problems

    def _show_state(self, model: ModelConfig) -> None:
        wrong = problem(model, self._shelf)
        key = self._shelf.key(model)
        if wrong:
            content = _note("warning", wrong[0].upper() + wrong[1:], "note note-warn")
        elif key is not None and key.is_set:
            content = _note("key", f"The key in {key.variable} is set.")
        elif label := self._shelf.recording_label(model):
            content = _note("replay", f"Plays back “{label}”; no model is called.")
        else:
            content = joined([])
        self._state.set_content(content)

    async def _test(self) -> None:
        self._entered.update(self._errors)
        if self._say():
            self._window.tell("Complete the marked fields first.", "bad")
            return
        self._check.props("loading")
        report = await run.io_bound(self._shelf.check, self.draft.config())
        self._check.props(remove="loading")
        if report is not None:
            took = f" ({report.seconds:.1f} s)" if report.ok and report.seconds else ""
            self._window.tell(f"{report.message}{took}", "good" if report.ok else "bad")

    def _recorded_answers(self) -> None:
        benchmark = self._window.benchmark()
        count = len(self.draft.answers or {})
        with field("Recorded answers", "a JSON, JSON Lines or CSV file with a question and its answer in each row"):
            ui.label(f"{count:,} questions have recorded answers." if count else "No answers yet.").classes("hint")
            with ui.element("div").classes("field-row"):
                self._question_column = text_input(
                    "Column of the question", placeholder="Column of the question (optional)"
                )
                self._answer_column = text_input("Column of the answer", placeholder="Column of the answer (optional)")
            matched = f"Choose file; matched to “{benchmark.name}”" if benchmark else "Open a benchmark first"
            FileDrop(matched, ".json,.jsonl,.csv", self._read).set_enabled(benchmark is not None)

    async def _read(self, path: Path) -> None:
        question, answer = (str(box.value or "").strip() for box in (self._question_column, self._answer_column))
        columns = TraceColumns(question, answer) if question and answer else None
        try:
            found = await run.io_bound(_answers, path, columns, self._questions())
        except InputError as error:
            self._window.tell(str(error), "bad")
            return
        if found is None:
            return
        answers, message = found
        if not answers:
            self._window.tell("No answer in this file belongs to a question of this benchmark.", "bad")
            return
        self.draft.answers = answers
        self._fill()
        self._keep()
        self._window.tell(message, "good")

    def _questions(self) -> list[Question]:
        desk, benchmark_id = self._window.studio.desk, self._window.benchmark_id
        if benchmark_id is None:
            return []
        return [desk.question(benchmark_id, row.id).entry.question for row in desk.questions(benchmark_id)]


def _note(glyph: str, text: str, looks: str = "note") -> Html:
    return tag("div", icon(glyph), tag("div", text), class_=looks)


def _answers(path: Path, columns: TraceColumns | None, questions: list[Question]) -> tuple[dict[str, Any], str]:
    """Recorded answers by question id, and what there is to say about the file."""
    recorded = read_traces(path, columns)
    matched = match_traces(recorded.answers, questions)
    parts = [f"{len(matched.traces):,} of {len(questions):,} questions have recorded answers now."]
    if matched.unknown:
        parts.append(f"{len(matched.unknown):,} entries belong to no question of this benchmark.")
    if recorded.refused:
        first = recorded.refused[0]
        parts.append(f"{len(recorded.refused):,} rows were refused; row {first.row}: {first.reason}")
    return matched.traces, " ".join(parts)


class _WithError:
    """A field with room for its message below."""

    def __init__(self, place: Any, name: str, errors: dict[str, ui.label]) -> None:
        self._place, self._name, self._errors = place, name, errors

    def __enter__(self) -> None:
        self._inside = self._place.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self._errors[self._name] = ui.label().classes("field-error").props('role="alert"')
        self._errors[self._name].set_visibility(False)
        self._place.__exit__(*exception)
