"""Texts of traits kept by the browser until they are saved or stored as drafts.

See `session/outbox.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.rubric.function_editor import FunctionEditor
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.session.nicegui_internals import set_unseen
from karenina_gui.gui.session.outbox import Outbox, buffer_in_outbox

NEW = "+"
"""Prefix of the number of a trait that was never saved."""

Snapshot = dict[str, str]


class TraitTexts:
    """Outbox adapter of one trait list.

    A text is identified by its trait and its path in the trait's values.
    """

    def __init__(
        self,
        outbox: Outbox | None,
        place: str,
        rubric: RubricDraft,
        show: Callable[[TraitDraft], None],
        saving: Callable[[], bool],
    ) -> None:
        """`show` displays and saves a trait whose text was restored. `outbox` None: nothing is kept.

        `saving` returns True while the rubric is being saved; texts are not settled until it ends.
        """
        self.rubric, self.show, self.saving = rubric, show, saving
        self._outbox, self._place = outbox, place
        self._names: dict[TraitDraft, str] = {}
        """{trait: its name in the browser} for traits whose forms were shown."""
        self._controls: dict[tuple[TraitDraft, str], ValueElement[Any]] = {}
        if outbox is not None:
            outbox.watch(place, "the rubric", self)

    def watch(self, trait: TraitDraft, path: str, control: ValueElement[Any]) -> None:
        """Keep the text of a control in the browser until it is settled."""
        if self._outbox is None:
            return
        name = self._names.setdefault(trait, name_of(trait))
        self._controls[trait, path] = control
        place, base = f"{self._place}#{name}.{path}", str(control.value or "")
        if isinstance(control, FunctionEditor):
            control.keep_in_browser(place, base)
        else:
            buffer_in_outbox(control, place, base)

    def snapshot(self) -> Snapshot:
        """Return the current texts of all traits edited here. Pass it to `settle` once they are saved."""
        return {
            f"{name}.{path}": text
            for trait, name in self._names.items()
            if trait in self.rubric.traits
            for path, text in _texts(trait.values)
        }

    def settle(self, stored: Snapshot) -> None:
        """Settle texts that are saved, or stored as drafts."""
        if self._outbox is None:
            return
        for trait, name in self._names.items():
            # The trait got its stored name, or was renamed: the browser must find its texts by the new name.
            if (now := name_of(trait)) != name:
                self._outbox.rename_paths(self._place, name, now)
                self._names[trait] = now
                stored = {_with_name(path, name, now): text for path, text in stored.items()}
        self._outbox.settle_cells(self._place, stored, list(map(name_of, self.rubric.traits)))

    def cell(self, path: str) -> TraitText:
        """See `frame.outbox.Texts`."""
        name, _, within = path.partition(".")
        return TraitText(self, name, within)

    def find(self, name: str) -> TraitDraft | None:
        """Return the trait with this name in the browser. None: it no longer exists."""
        return next((each for each in self.rubric.traits if name_of(each) == name), None)

    def add(self, name: str) -> TraitDraft:
        """Add a trait in place of one that no longer exists."""
        type_name, _, number = name.partition(":")
        trait = self.rubric.add(type_name, {})
        trait.number = number.removeprefix(NEW) if number.startswith(NEW) else ""
        return trait

    def control(self, trait: TraitDraft, path: str) -> ValueElement[Any] | None:
        """Return the control of a text. None: it is not on the page."""
        found = self._controls.get((trait, path))
        return None if found is None or found.is_deleted else found


@dataclass(frozen=True)
class TraitText:
    """Text returned by the browser."""

    of: TraitTexts
    name: str
    """Name of the trait, see `name_of`."""
    path: str

    @property
    def shown_by(self) -> int | None:
        trait = self.of.find(self.name)
        control = self.of.control(trait, self.path) if trait else None
        return control.id if control is not None else None

    def recover(self, value: Any, base: Any) -> bool:
        """Restore a text. If the stored text has changed since, the trait becomes a conflict."""
        trait = self.of.find(self.name)
        now = _get_text(trait.values, self.path) if trait else ""
        if now == value:
            self._settle(value)
            return False
        trait = trait or self.of.add(self.name)
        _set_at(trait.values, self.path, value)
        self.of.rubric.touch(trait, self.path.partition(".")[0])
        if now != base and trait.stored is not None:
            trait.state = "clash"
        self.of.show(trait)
        return True

    def resume(self, value: Any) -> None:
        trait = self.of.find(self.name)
        control = self.of.control(trait, self.path) if trait else None
        if control is not None and control.value != value:
            set_unseen(control, value)
        elif trait and _get_text(trait.values, self.path) == value:
            self._settle(value)

    def _settle(self, value: str) -> None:
        if not self.of.saving():
            self.of.settle({f"{self.name}.{self.path}": value})


def name_of(trait: TraitDraft) -> str:
    """Return the name of a trait in the browser, without dots. It lasts as long as the stored name."""
    if trait.stored is not None:
        return f"{trait.type_name}:{quote(str(trait.stored.get('name')), safe='').replace('.', '%2E')}"
    trait.number = trait.number or uuid4().hex
    return f"{trait.type_name}:{NEW}{trait.number}"


def _with_name(path: str, before: str, now: str) -> str:
    return now + path[len(before) :] if path.startswith(f"{before}.") else path


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in parts:
            yield from _texts(each, f"{path}.{key}" if path else str(key))


def _get_text(value: Any, path: str) -> str:
    """Return the text at a path; empty: none."""
    for key in path.split("."):
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return str(value or "")


def _set_at(value: Any, path: str, text: str) -> None:
    """Set the text at a path. Missing rows of a list are added."""
    key, _, rest = path.partition(".")
    if isinstance(value, list):
        value += [{} for _ in range(int(key) + 1 - len(value))]
        _set_at(value[int(key)], rest, text)
    elif rest:
        _set_at(value.setdefault(key, []), rest, text)
    else:
        value[key] = text
