"""Short description of a model for lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.html import Html, icon, link, tag
from karenina_gui.runs.models import KeyState, ModelCatalog
from karenina_gui.runs.problems.models import fault_of
from karenina_gui.schemas.model_config import ModelConfig


@dataclass
class ModelWords:
    """Descriptions of models, with the titles of their interfaces."""

    catalog: ModelCatalog

    @cached_property
    def titles(self) -> dict[str, str]:
        """{interface: title}."""
        return {spec.name: spec.title for spec in self.catalog.interfaces()}

    def line(self, name: str, model: ModelConfig, *, faulty: bool = True) -> Html:
        """Return interface, model unless it is its name, key state, recording and system prompt.

        `faulty` False: without a fault, which is told elsewhere.
        """
        system = f"“{model.system_prompt}”" if model.system_prompt else ""
        return tag(
            "span",
            self.titles.get(model.interface, model.interface),
            f" · {model.model_name}" if model.model_name != name else None,
            *self._state(model, faulty=faulty),
            tag("span", system, class_="model-words-prompt cut", title="System prompt") if system else None,
            class_="model-words line wraps muted small",
        )

    def _state(self, model: ModelConfig, *, faulty: bool) -> list[Html]:
        if fault := fault_of(model, self.catalog):
            mark = tag("span", icon("warning"), _first_sentence(fault), class_="chip chip-warn", title=fault)
            return [mark] if faulty else []
        marks = []
        if label := self.recording(model):
            marks.append(tag("span", label, class_="chip chip-plain", title="Replays a recording"))
        key = self.catalog.key(model)
        if key is not None and key.is_set:
            marks.append(tag("span", f"{key.variable} is set", class_="chip chip-plain"))
        elif key is None and self.catalog.is_local(model):
            marks.append(tag("span", "local, no key needed", class_="chip chip-plain"))
        return marks

    def recording(self, model: ModelConfig) -> str | None:
        """Return the label of the model's recording. None: no recording, or an unreadable one."""
        try:
            return self.catalog.recording_label(model)
        except InputError:
            return None


ORIGINS = {
    "environment": "set as an environment variable",
    "session": "used until you quit",
    "remembered": "saved on this computer",
    None: "not set",
}
"""{origin of a key: description}."""


def key_words(key: KeyState | None, needed: str | None = None, *, local: bool = True) -> Html:
    """Return the state of a key. `key` None: not needed, unless the server requires one in `wanted`.

    `local` False: whether a key is needed depends on the provider, which is not known.
    """
    if key is None and needed:
        text = f"This server requires an API key. Enter {needed}, or name another variable above."
        return tag("span", icon("key_off"), tag("span", text), class_="key text-warn")
    if key is None and not local:
        return tag("span", icon("key"), "The provider determines if a key is needed.", class_="key")
    if key is None:
        return tag("span", icon("check"), "Local server: no API key needed.", class_="key key-set")
    looks = "key key-set" if key.is_set else "key text-warn"
    glyph = icon("key" if key.is_set else "key_off")
    return tag("span", glyph, tag("span", f"{key.variable} is {ORIGINS[key.origin]}."), class_=looks)


def enter_key(key: KeyState) -> Html:
    """Return a link to the page for entering the key."""
    return link(f"/keys?enter={key.variable}", f"Enter {key.variable}")


def _first_sentence(text: str) -> str:
    return text.split(".")[0]
