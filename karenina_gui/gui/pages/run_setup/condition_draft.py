"""Editable condition: it holds only valid values; invalid input is kept apart with its error message.

The fields are those of the model form, because a condition overrides fields of a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from pydantic import ValidationError

from karenina_gui.gui.kit.typed_text import strip_control_chars
from karenina_gui.gui.pages.models.agent_fields import FILTER_FIELD, SERVER_FIELD, TOOLS, server_rows
from karenina_gui.gui.pages.models.fields import FIELDS, ModelField
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text.hidden_characters import hidden_sign, with_hidden_signs_as

Mode = Literal["own", "none", "these"]
"""Keep the model's value, remove it, or use that of the condition."""

LONGEST_NAME = 100
NOBODY = ModelConfig(model_name="a model")
"""Model without settings, which shows the effect of a condition alone."""

TOOLS_FIELD = ModelField(
    "workspace_tools",
    "Workspace tools",
    "none selected: no workspace tools",
    "picks",
    read=lambda model: list(model.workspace_tools or ()),
    write=lambda _model, chosen: {"workspace_tools": list(chosen or ()) or None},
    choices={tool: title for tool, (title, _) in TOOLS.items()},
)
SETTINGS: dict[str, ModelField] = {
    "temperature": FIELDS["temperature"],
    "max_tokens": FIELDS["max_tokens"],
    "mcp_tool_filter": FILTER_FIELD,
    "workspace_tools": TOOLS_FIELD,
    "extra_kwargs": FIELDS["extra_kwargs"],
}
"""Fields by their names in `AnsweringSettings`, in display order."""
_SERVERS, _PROMPT = SERVER_FIELD.name, "system_prompt"
WITHOUT_PROMPT = "Enter a system prompt, or choose “None”."
WITHOUT_SERVER = "Add a server, or choose “None”."
WITHOUT_NAME = "Enter a name. Results and charts use it."
UNFINISHED = (WITHOUT_PROMPT, WITHOUT_SERVER, WITHOUT_NAME)
"""Problems of what is not entered yet."""


@dataclass
class ConditionDraft:
    name: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    """Other fields of `Condition` as in files, without defaults."""
    refused: dict[str, tuple[Any, str]] = field(default_factory=dict)
    """Invalid input with the error message by field."""
    _before: dict[str, tuple[Any, tuple[Any, str] | None]] = field(default_factory=dict, compare=False, repr=False)
    """Values before another mode was chosen, in case the user returns to it."""

    @classmethod
    def of(cls, condition: Condition) -> Self:
        fields = condition.model_dump(mode="json", exclude={"name"}).items()
        removing = (_PROMPT, "mcp_servers")  # empty, they say that there shall be none
        explicit = {name: value for name, value in fields if value or (name in removing and value is not None)}
        return cls(condition.name, explicit)

    @classmethod
    def from_memory(cls, memory: Any) -> Self | None:
        """Restore a draft, or return None if this version cannot read it."""
        if not isinstance(memory, Mapping) or not isinstance(fields := memory.get("kept"), Mapping):
            return None
        try:
            condition = Condition.model_validate({**fields, "name": "x"})
        except ValidationError:
            return None
        draft = cls.of(condition)
        draft.name = str(memory.get("name", ""))
        draft.restore_refused(memory)
        return draft

    def restore_refused(self, memory: Mapping[str, Any]) -> None:
        """Restore input that was not valid, or not written yet."""
        for name in memory.get("to_write") or ():
            if name in _EMPTY:
                self.choose(name, "these")
        for name, number in (memory.get("numbers") or {}).items():
            if name in SETTINGS and isinstance(number, int | float):
                self.set_setting(name, number)

    def to_memory(self) -> dict[str, Any]:
        """Convert to JSON, without invalid input."""
        # Invalid rows of servers may contain a key, and keys must not be written to the library.
        refused = {name: entered for name, (entered, _) in self.refused.items()}
        return {
            "name": self.name,
            "kept": deepcopy(self.fields),
            "to_write": [name for name, entered in refused.items() if name in _EMPTY and not entered],
            "numbers": {name: entered for name, entered in refused.items() if isinstance(entered, int | float)},
        }

    def copy(self, name: str) -> Self:
        return type(self)(name, deepcopy(self.fields), deepcopy(self.refused))

    @property
    def condition(self) -> Condition:
        """Build the condition; a missing name and invalid characters of a name become `?`."""
        name = with_hidden_signs_as("?", " ".join(self.name.split())[:LONGEST_NAME])
        return Condition.model_validate({**self.fields, "name": name or "?"})

    @property
    def model(self) -> ModelConfig:
        """Return a model that has only the condition's settings."""
        return self.condition.apply_to(NOBODY)

    # ------------------------------------------------------- system prompt and servers
    def mode(self, name: str) -> Mode:
        """Return the mode of the system prompt or of the servers (`tool_servers`)."""
        if name in self.refused:
            return "these"
        value = self.fields.get("mcp_servers" if name == _SERVERS else name)
        return "own" if value is None else "these" if value else "none"

    def choose(self, name: str, mode: Mode) -> None:
        """Choose a mode; `these` without a value needs one before the run can start."""
        key = "mcp_servers" if name == _SERVERS else name
        if mode == "these":
            if self.mode(name) != "these":
                nothing = (None, ([] if name == _SERVERS else "", _EMPTY[name]))
                self._put_back(name, key, self._before.pop(name, nothing))
            return
        if self.mode(name) == "these":
            self._before[name] = (self.fields.get(key), self.refused.pop(name, None))
        self.fields.pop(key, None)
        if mode == "none":
            self.fields[key] = {} if name == _SERVERS else ""

    def _put_back(self, name: str, key: str, before: tuple[Any, tuple[Any, str] | None]) -> None:
        value, refused = before
        self.fields.pop(key, None)
        if value:
            self.fields[key] = value
        if refused:
            self.refused[name] = refused

    @property
    def prompt(self) -> str:
        return str(self.refused[_PROMPT][0] if _PROMPT in self.refused else self.fields.get(_PROMPT) or "")

    def text(self, part: str) -> str:
        """Return the `name`, `description`, or `prompt`."""
        texts = {"name": self.name, "prompt": self.prompt}
        return texts[part] if part in texts else str(self.fields.get(part) or "")

    def set_text(self, part: str, text: str) -> str | None:
        """Set the `name`, `description`, or `prompt`; return the problem that the text alone has, or None."""
        text = strip_control_chars(text, None)
        if part == "prompt":
            return self._set_prompt(text)
        if part == "name":
            self.name = text
        else:
            self.set_field(part, text)
        return None

    def _set_prompt(self, text: str) -> str | None:
        if not text.strip():
            self.fields.pop(_PROMPT, None)
            self.refused[_PROMPT] = (text, WITHOUT_PROMPT)
            return WITHOUT_PROMPT
        self.refused.pop(_PROMPT, None)
        self.fields[_PROMPT] = text
        return None

    @property
    def servers(self) -> list[dict[str, Any]]:
        """Return the servers as rows of the server form."""
        return deepcopy(self.refused[_SERVERS][0]) if _SERVERS in self.refused else server_rows(self.model)

    def write_servers(self, rows: Sequence[dict[str, Any]]) -> str | None:
        """Set the servers; return the problem, or None."""
        try:
            model = SERVER_FIELD.apply(NOBODY, rows)
            if not rows:
                raise ValueError(WITHOUT_SERVER)
        except ValueError as fault:
            self.refused[_SERVERS] = (deepcopy(list(rows)), str(fault))
            return str(fault)
        self.refused.pop(_SERVERS, None)
        servers = model.tool_servers.items()
        self.fields["mcp_servers"] = {name: server.model_dump(mode="json") for name, server in servers}
        return None

    # ------------------------------------------------------- settings
    @property
    def settings(self) -> dict[str, Any]:
        """Return {name: value} of the settings that the condition overrides."""
        return self.condition.settings.explicit

    def problem(self, name: str) -> str | None:
        """Return the problem of invalid input of a field, or None."""
        return self.refused[name][1] if name in self.refused else None

    def is_given(self, name: str) -> bool:
        return name in self.settings or name in self.refused

    def control_value(self, name: str) -> Any:
        """Return the value of a setting for its control."""
        return self.refused[name][0] if name in self.refused else SETTINGS[name].value_of(self.model)

    def set_setting(self, name: str, value: Any) -> str | None:
        """Override a setting; return the problem, or None."""
        try:
            model = SETTINGS[name].apply(NOBODY, value)
        except ValueError as fault:
            self.refused[name] = (value, str(fault))
            return str(fault)
        self.refused.pop(name, None)
        self.fields["settings"] = {**self.fields.get("settings", {}), name: getattr(model, name)}
        return None

    def unset_setting(self, name: str) -> None:
        """Use the model's own value of a setting."""
        self.refused.pop(name, None)
        settings = {key: value for key, value in self.fields.get("settings", {}).items() if key != name}
        self.set_field("settings", settings)

    # ------------------------------------------------------- the rest
    def flag(self, name: str) -> bool:
        return bool(self.fields.get(name))

    def set_field(self, name: str, value: Any) -> None:
        """Set a rule or the description."""
        self.fields.pop(name, None)
        if value:
            self.fields[name] = value


_EMPTY = {_PROMPT: WITHOUT_PROMPT, _SERVERS: WITHOUT_SERVER}


def usable_conditions(drafts: Iterable[ConditionDraft]) -> list[Condition]:
    """List the valid conditions; `problems` describes the others."""
    conditions: dict[str, Condition] = {}
    for draft in drafts:
        if draft.name.strip():
            conditions.setdefault(draft.condition.name.casefold(), draft.condition)
    return list(conditions.values())


def problems(drafts: Sequence[ConditionDraft]) -> list[str]:
    """List the problems that must be solved before a run can start."""
    messages = []
    for number, draft in enumerate(drafts, 1):
        wrong = name_problem(draft, drafts)
        for message in [*([wrong] if wrong else []), *(why for _, why in draft.refused.values())]:
            condition = f"“{draft.condition.name}”" if draft.name.strip() else f"{number:,}"
            messages.append(f"Condition {condition}: {message}")
    return list(dict.fromkeys(messages))


def name_problem(draft: ConditionDraft, drafts: Iterable[ConditionDraft]) -> str | None:
    """Return the problem of a name, or None."""
    name = " ".join(draft.name.split())
    if not name:
        return WITHOUT_NAME
    if len(name) > LONGEST_NAME:
        return f"Use at most {LONGEST_NAME} characters."
    if hidden := hidden_sign(name):
        return f"The name contains an invisible character ({hidden}). Remove it, or type the name again."
    names = Counter(" ".join(draft.name.split()) for draft in drafts)
    if names[name] > 1:
        return "Another condition has this name. Choose a different one."
    alike = any(other != name and other.casefold() == name.casefold() for other in names)
    return "Another condition’s name differs only in capitals. Choose a different one." if alike else None


def free_name(base: str, taken: Collection[str]) -> str:
    """Return the name, or the first numbered one that is free, ignoring case."""
    lowered = {name.casefold() for name in taken}
    numbered = (f"{base[: LONGEST_NAME - 6]} {number}" for number in range(2, 10_000))
    return next(name for name in (base, *numbered) if name.casefold() not in lowered)


def with_and_without_tools(models: Sequence[ModelConfig]) -> list[ConditionDraft]:
    """Create two conditions that compare answers with and without tools."""
    without = ConditionDraft("without tools", {"mcp_servers": {}, "settings": {"workspace_tools": None}})
    with_tools = ConditionDraft("with tools")
    # Models without tools of their own need servers from the condition.
    if not any(model.tool_servers or model.workspace_tools for model in models):
        with_tools.choose(_SERVERS, "these")
    return [without, with_tools]


def with_and_without_prompt(models: Sequence[ModelConfig]) -> list[ConditionDraft]:
    """Create two conditions that compare answers with and without a system prompt."""
    with_prompt = ConditionDraft("with system prompt")
    if not any(model.system_prompt for model in models):
        with_prompt.choose(_PROMPT, "these")
    return [ConditionDraft("without system prompt", {_PROMPT: ""}), with_prompt]
