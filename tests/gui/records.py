"""Everything that a person saves by name; for each kind the steps by which it is created, opened, edited, deleted."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from html import unescape

from nicegui import app, ui
from nicegui.testing import UserInteraction

from karenina_gui.authoring.trait_catalog import traits_in
from karenina_gui.gui.pages.prices.page import PriceRow
from karenina_gui.gui.pages.rubric.trait_list import TraitListBox
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.gui.desktop import Desktop
from tests.until import until


class Records(ABC):
    """One kind in one window. Each record has a name and one further text."""

    start: str
    """Where they are created."""
    name_field = "Name"
    text_field: str
    delete_button: str
    renamed_later = True
    """Whether a name can change once there is a text."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop, self.services = desktop, desktop.services
        self.benchmark = self.services.editor.create_benchmark("A benchmark of its own")

    @abstractmethod
    async def new(self) -> None:
        """Create one and open it."""

    @abstractmethod
    async def open(self, name: str) -> None:
        """Choose it from the list."""

    @abstractmethod
    def listed(self) -> set[str]:
        """The names in the list, except those that were there at first."""

    @abstractmethod
    def saved(self) -> dict[str, str]:
        """{name: text} in the library, except what was there at first."""

    async def rename(self, name: str) -> None:
        await self.desktop.type(self.name_field, name)

    async def edit(self, text: str) -> None:
        await self.desktop.type(self.text_field, text)

    async def delete(self) -> None:
        await self.desktop.press(self.delete_button)

    async def undo(self) -> None:
        await self.desktop.press("Undo")

    def shown(self) -> tuple[str | None, str | None]:
        """Name and text in the form."""
        return self.desktop.text(self.name_field), self.desktop.text(self.text_field)


class Models(Records):
    start, text_field, delete_button = "/models", "System prompt", "Delete model"

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self._others = set(self.services.library.models.all())

    async def new(self) -> None:
        await self.desktop.press("New model")
        await until(lambda: self.shown() == ("new model", ""))

    async def open(self, name: str) -> None:
        await until(lambda: name in self.desktop.entries())
        await self.desktop.follow(self.desktop.entries()[name])

    def listed(self) -> set[str]:
        return set(self.desktop.entries()) - self._others

    def saved(self) -> dict[str, str]:
        kept = self.services.library.models.all()
        return {name: model.system_prompt or "" for name, model in kept.items() if name not in self._others}

    def delete_elsewhere(self, name: str) -> Callable[[], None]:
        """In another window; returns what restores it there."""
        catalog, changed = self.services.library.models, self.services.models_changed
        deleted = catalog.delete(next(each.number for each in catalog.entries() if each.name == name))
        changed.emit(ModelChange(deleted.number, name, None))

        def restore() -> None:
            changed.emit(ModelChange(deleted.number, None, catalog.restore(deleted).name))

        return restore

    def new_elsewhere(self, name: str) -> None:
        added = self.services.library.models.add(name, ModelConfig(model_name="m", interface="openai_endpoint"))
        self.services.models_changed.emit(ModelChange(added.number, None, name))


class Presets(Records):
    start, text_field, delete_button = "/presets", "Description", "Delete preset"

    async def new(self) -> None:
        await self.desktop.follow(f"/benchmarks/{self.benchmark}/run")
        await self.desktop.press("Save as preset…")
        await self.desktop.type("Preset name", "new preset")
        await self.desktop.press("Save")
        await until(lambda: "new preset" in self.saved())
        await self.desktop.follow("/presets")
        await self.open("new preset")

    async def open(self, name: str) -> None:
        await until(lambda: name in self.desktop.entries())
        await self.desktop.follow(self.desktop.entries()[name])

    def listed(self) -> set[str]:
        return set(self.desktop.entries())

    def saved(self) -> dict[str, str]:
        return {each.name: each.description for each in self.services.library.presets.all().values()}

    def delete_elsewhere(self, name: str) -> Callable[[], None]:
        """In another window; returns what restores it there."""
        catalog = self.services.library.presets
        deleted = catalog.delete(next(key for key, each in catalog.all().items() if each.name == name))
        self.services.emit_preset_changed(deleted.id)

        def restore() -> None:
            self.services.emit_preset_changed(catalog.save(deleted).id)

        return restore

    def new_elsewhere(self, name: str) -> None:
        self.services.emit_preset_changed(
            self.services.library.presets.save(Preset(name=name, config=VerificationConfig())).id
        )


class Conditions(Records):
    """Their cards are list and form at once; the card that was opened last counts as the form."""

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self.start = f"/benchmarks/{self.benchmark}/run"

    async def new(self) -> None:
        await self.desktop.press("Add condition")
        self._turn_to(len(self._names()))

    async def open(self, name: str) -> None:
        await until(lambda: name in self._names())
        self._turn_to(self._names().index(name) + 1)
        if self.shown()[1] is None:
            await self.desktop.press(f"Settings of {self.delete_button.removeprefix('Delete ')}")

    def listed(self) -> set[str]:
        return set(self._names())

    def saved(self) -> dict[str, str]:
        with self.desktop.client:
            person = str(app.storage.browser["id"])
        memory = self.desktop.services.library.run_choices.of(person, [self.benchmark]).get(self.benchmark, {})
        return {each.name: each.text("description") for each in RunDraft.from_memory(memory).conditions}

    def _names(self) -> list[str]:
        return [str(box.value) for box in self.desktop.fields(r"Condition \d+ name")]

    def _turn_to(self, number: int) -> None:
        self.name_field = f"Condition {number} name"
        self.text_field = f"Description, condition {number}"
        self.delete_button = f"Delete condition {number}"


class Traits(Records):
    text_field, delete_button = "Trait description", "Delete trait"

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self.start = f"/benchmarks/{self.benchmark}/rubric"

    async def new(self) -> None:
        if self._lines():
            (menu,) = [each for each in self.desktop.elements(ui.menu) if each.props.get("aria-label") == "New trait"]
            first = next(each for each in menu.descendants() if isinstance(each, ui.menu_item))
            UserInteraction(self.desktop.user, {first}, None).click()
            UserInteraction(self.desktop.user, {menu}, None).trigger("hide")
        else:
            card = next(each for each in self.desktop.elements(ui.element) if "starter" in each.classes)
            UserInteraction(self.desktop.user, {card}, None).trigger("click")
        await until(lambda: self.shown() == ("", ""))

    async def open(self, name: str) -> None:
        (box,) = self.desktop.elements(TraitListBox)
        await until(lambda: name in self._lines())
        UserInteraction(self.desktop.user, {box}, None).trigger("click", self._lines()[name])

    def listed(self) -> set[str]:
        return set(self._lines())

    def saved(self) -> dict[str, str]:
        rubric = self.services.library.benchmarks.frame(self.benchmark).rubric
        stored = rubric.model_dump(mode="json") if rubric else None
        return {trait["name"]: trait["description"] for _, trait in traits_in(stored)}

    def _lines(self) -> dict[str, str]:
        content = "".join(box.rows.content for box in self.desktop.elements(TraitListBox))
        return {unescape(name): key for key, name in re.findall(r'data-key="(\d+)".*?"trait-name">(.*?)<', content)}


class Prices(Records):
    """A price belongs to a provider's name of a model; it is deleted when its fields are emptied."""

    start, renamed_later = "/prices", False

    async def new(self) -> None:
        models = self.services.library.models
        added = models.add("priced", models.all()["sample-careful"].model_copy(update={"interface": "openai_endpoint"}))
        await self.desktop.follow(f"/models?id={added.number}")
        self._turn_to("")

    async def rename(self, name: str) -> None:
        await self.desktop.type("Model", name)
        kept = self.services.library.models
        await until(lambda: name in {each.model_name for each in kept.all().values()})
        await self.desktop.follow(self.start)
        self._turn_to(name)

    async def edit(self, text: str) -> None:
        await self.desktop.type(self.text_field, text)
        await self.desktop.type(self.text_field.replace("Input", "Output"), "10")

    async def open(self, name: str) -> None:
        self._turn_to(name)

    async def delete(self) -> None:
        self._deleted = self.shown()[1] or ""
        await self.desktop.type(self.text_field, "")

    async def undo(self) -> None:
        await self.desktop.type(self.text_field, self._deleted)

    def shown(self) -> tuple[str | None, str | None]:
        return self._name, self.desktop.text(self.text_field)

    def listed(self) -> set[str]:
        rows = self.desktop.elements(PriceRow)
        return {row.model.partition(":")[2] for row in rows if not row.missing}

    def saved(self) -> dict[str, str]:
        prices = self.services.runs.prices.all()
        return {model.partition(":")[2]: f"{price.input:g}" for model, price in prices.items()}

    def _turn_to(self, name: str) -> None:
        self._name, self.text_field = name, f"Input: {name}"


class Benchmarks(Records):
    start, text_field = "/benchmarks", "Description"

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self._others = {each.name for each in self.services.library.benchmarks.summaries()}

    async def new(self) -> None:
        await self.desktop.follow(self.start)
        await self.desktop.press("New benchmark")
        await self.desktop.type("Name", "new benchmark")
        await self.desktop.press("Create")
        await until(lambda: self.desktop.address.endswith("/questions"))
        await self.desktop.follow(self.desktop.address.replace("questions", "details"))

    async def open(self, name: str) -> None:
        await self.desktop.follow(self.start)
        await self.desktop.follow(self._links()[name].replace("questions", "details"))

    async def delete(self) -> None:
        name = self.shown()[0]
        await self.desktop.follow(self.start)
        await self.desktop.press(f"Delete {name}")

    def listed(self) -> set[str]:
        return set(self._links()) - self._others

    def saved(self) -> dict[str, str]:
        rows = self.services.library.benchmarks.summaries()
        return {each.name: each.description for each in rows if each.name not in self._others}

    def _links(self) -> dict[str, str]:
        if self.desktop.address != self.start:
            return {}
        shown = {each.text: str(each.props["href"]) for each in self.desktop.elements(ui.link)}
        return {name: address for name, address in shown.items() if re.fullmatch(r"/benchmarks/\d+/questions", address)}


class Questions(Records):
    """Their list is fetched by the browser, which also opens the next question after one was deleted."""

    name_field, text_field, delete_button = "Question", "Reference answer", "Delete question"

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self.start = f"/benchmarks/{self.benchmark}/questions"

    async def new(self) -> None:
        before = self.desktop.address
        await self.desktop.press("New question (Ctrl+Alt+N)")
        await until(lambda: self.desktop.address != before and self.shown() == ("", ""))

    async def open(self, name: str) -> None:
        number = next(
            row.number for row in self.services.library.questions.summaries(self.benchmark) if row.text == name
        )
        await self.desktop.follow(f"{self.start}/{number}")

    async def delete(self) -> None:
        await super().delete()
        await self.desktop.follow(self.start)

    def listed(self) -> set[str]:
        return set(self.saved())

    def saved(self) -> dict[str, str]:
        return {each.question: each.raw_answer for each in self.services.editor.files.questions(self.benchmark)}


KINDS = (Models, Presets, Conditions, Traits, Prices, Benchmarks, Questions)
