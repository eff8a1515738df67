"""Details page of a benchmark: name, description, settings, and trust in its code where that has an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.checkpoints.root import RESERVED
from karenina_gui.formats.k_eval.dataset_reader import DATASET_HASH, dataset_hash
from karenina_gui.gui.forms.form import draw_field
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, heading, key_values, note, pane, scrolling, toolbar
from karenina_gui.gui.kit.metadata_rows import from_rows, repeated_names, to_rows
from karenina_gui.gui.pages.benchmarks.export import export_benchmark
from karenina_gui.gui.pages.workspaces.root_form import RootForm
from karenina_gui.gui.records.benchmark_draft import BenchmarkDraft
from karenina_gui.gui.records.form_field import Column, FormField
from karenina_gui.gui.session.app_context import Confinement
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark import BenchmarkDocument

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

TRUSTED = "Trusted on {since}. This benchmark’s code that needs full Python runs unsandboxed on this computer."
UNTRUSTED = (
    "Code that needs full Python isn’t run, because this computer can’t sandbox it. If you know the author, you can "
    "trust the benchmark."
)
RIGHTS = (
    "Code that needs full Python will run unsandboxed, with your permissions: it can read and change your files and "
    "use the network. Only its running time stays limited."
)
LATER = (
    "This also applies to questions and traits added later, and only on this computer. Trust the benchmark only if you "
    "know who wrote it."
)


def draw(window: Window, route: PageRoute) -> None:
    BenchmarkDetails(window, route["b"])


class BenchmarkDetails:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.draft = BenchmarkDraft(window, benchmark_id)
        with pane("Benchmark details"):
            with toolbar("Benchmark"):
                heading("Benchmark details", 1)
                ui.space()
                button("Export file", lambda: export_benchmark(window, benchmark_id), icon="download")
            with scrolling(), ui.element("div").classes("form"):
                self._about()
                with ui.element("div").classes("group"):
                    heading("Workspaces")
                    RootForm(window, benchmark_id)
                with ui.element("div").classes("group"):
                    heading("Review")
                    self._separate_review()
                CodeTrust(window, benchmark_id)

    def _about(self) -> None:
        self._draw(NAME, DESCRIPTION)
        with ui.element("div").classes("field-row"):
            self._draw(VERSION, CREATOR)
        self._draw(METADATA)
        self.dates = ui.element("div").classes("hint")
        self._show_dates()
        self.draft.listen(self._show_dates, "saved", "elsewhere")

    def _draw(self, *fields: FormField[BenchmarkDocument]) -> None:
        for spec in fields:
            draw_field(spec, self.draft.form_field(spec))

    def _show_dates(self, *_: object) -> None:
        document = self.draft.document
        self.dates.clear()
        created, modified = day_and_time(document.date_created), day_and_time(document.date_modified)
        dates = [("Created", created), *([("Modified", modified)] if modified != created else [])]
        if data_set := dataset_hash(document):
            dates.append(("Dataset (SHA-256)", data_set))
        with self.dates:
            key_values(dates)

    def _separate_review(self) -> None:
        editor, library = self.window.services.editor, self.window.services.library
        here = library.benchmarks.on_this_computer(self.benchmark_id)
        box = ui.checkbox("Authors can’t finish their own questions", value=here.separate_review).props("dense")
        ui.label("Compares the author of a question with your name in Settings. Applies on this computer.").classes(
            "hint"
        )
        box.on_value_change(
            lambda event: self.window.write(editor.reviews.separate, self.benchmark_id, bool(event.value))
        )


def _creator(document: BenchmarkDocument) -> str:
    """Return the creator: a name, or that of a record, whose name alone is editable."""
    creator = document.creator
    return str(creator.get("name", "")) if isinstance(creator, dict) else creator


def _with_creator(document: BenchmarkDocument, value: Any) -> dict[str, Any]:
    creator = document.creator
    return {"creator": {**creator, "name": value or ""} if isinstance(creator, dict) else value or ""}


def _with_facts(document: BenchmarkDocument, rows: list[dict[str, Any]]) -> dict[str, Any]:
    facts, before = from_rows(rows, document.custom_properties) or {}, document.custom_properties
    if taken := [name for name in facts if name in RESERVED or name == DATASET_HASH]:
        raise InputError(f"“{taken[0]}” is reserved in benchmark files. Choose another name.")
    # The rows omit the hash, which belongs to the source file, so a save must carry it along.
    dataset = {DATASET_HASH: before[DATASET_HASH]} if DATASET_HASH in before else {}
    return {"custom_properties": {**dataset, **facts}}


def _without_hash(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name != DATASET_HASH}


NAME, DESCRIPTION, VERSION, CREATOR, METADATA = (
    FormField[BenchmarkDocument]("name", "Name", model=BenchmarkDocument),
    FormField[BenchmarkDocument]("description", "Description", kind="area", model=BenchmarkDocument),
    FormField[BenchmarkDocument]("version", "Version", model=BenchmarkDocument),
    FormField[BenchmarkDocument]("creator", "Creator", read=_creator, write=_with_creator),
    FormField[BenchmarkDocument](
        "custom_properties",
        "Metadata",
        "any other fields, such as license: CC BY 4.0",
        "rows",
        read=lambda document: to_rows(_without_hash(document.custom_properties)),
        write=_with_facts,
        doubt=repeated_names,
        columns=(Column("key", "Name"), Column("value", "Value", width="2fr")),
        add="Add field",
    ),
)


class CodeTrust:
    """Section of the details page about code that can’t be confined here; hidden where nothing is to be decided."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.editor = window.services.editor
        self._confinement: Confinement | None = None
        with ui.element("div").classes("group") as self._section:
            heading("Code")
            self._content = ui.element("div").classes("rows")
        self._section.set_visibility(False)
        window.listen(window.services.changes_of(self.benchmark_id), lambda _: self.show())
        ui.timer(0, self._begin, once=True)

    async def _begin(self) -> None:
        """Ask for the confinement off the event loop: the first answer takes a moment."""
        self._confinement = await run.io_bound(self.window.services.confinement)
        self.show()

    def show(self) -> None:
        """Redraw the current state."""
        confinement = self._confinement
        if confinement is None or self._content.is_deleted:
            return
        try:
            since = self.window.services.library.benchmarks.trusted_at(self.benchmark_id)
        # The page itself reports a deleted benchmark.
        except NotFoundError:  # the page says so
            return
        self._content.clear()
        self._section.set_visibility(not confinement.confined)
        with self._content:
            if since is None:
                ui.label(UNTRUSTED).classes("hint")
                with ui.element("div"):
                    button("Trust code…", self._ask, icon="lock_open")
            else:
                note(TRUSTED.format(since=day_and_time(since)), "warn")
                with ui.element("div"):
                    button("Withdraw trust", self._withdraw, icon="lock")

    def _ask(self) -> None:
        with dialog("Trust this benchmark?") as confirmation:
            ui.label(RIGHTS)
            ui.label(LATER)
            with dialog_actions():
                button("Cancel", confirmation.close)

                async def trust() -> None:
                    confirmation.close()
                    await self._set_trust(True)

                button("Trust benchmark", trust, look="main")

    async def _withdraw(self) -> None:
        await self._set_trust(False)

    async def _set_trust(self, trusted: bool) -> None:
        try:
            await self.window.write(self.editor.set_trusted, self.benchmark_id, trusted)
        except NotFoundError as error:
            self.window.notify(str(error), "bad")
