"""Single settings of a run by path in `VerificationConfig`, such as `few_shot_config.pool_k`: defaults and limits.

Settings are stored as a dict of non-default values, in the format that `VerificationConfig` reads from files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from karenina_gui.gui.kit.number_text import NumberLimits
from karenina_gui.schemas.verification_config import FewShotConfig, PromptConfig, VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits

Settings = dict[str, Any]

GUI_DEFAULTS: Settings = {"async_max_workers": 4, "replicate_count": 3, "fixed_judges": True}
"""Defaults of this application that differ from `VerificationConfig`."""


def _dump_all(config: VerificationConfig, *, apart: Collection[str] = ()) -> Settings:
    """Dump all fields, including those that files omit at their defaults."""
    fields = {name: getattr(config, name) for name in VerificationConfig.model_fields if name not in apart}
    return fields | config.model_dump(mode="json", exclude=set(apart))


_DEFAULTS = _dump_all(VerificationConfig(**GUI_DEFAULTS))
"""Default of each setting."""

MODELS = ("answering_models", "parsing_models")
"""Fields with models, which are chosen by name."""
EXCLUDED = (*MODELS, "conditions")
"""Fields with their own controls, which are no single settings."""
PARTS: dict[str, type[BaseModel]] = {
    "few_shot_config": FewShotConfig,
    "prompt_config": PromptConfig,
    "workspace_limits": WorkspaceLimits,
}
"""Settings that are records, whose fields are set one by one."""
_EMPTY_RECORDS: dict[str, Settings] = {
    "few_shot_config": {"source": "disabled"},
    "prompt_config": {},
    "workspace_limits": {},
}
"""Records with the same effect as no record."""


def changed_settings(config: VerificationConfig) -> Settings:
    """Return the non-default settings without models and conditions."""
    full = _dump_all(config, apart=EXCLUDED)
    brief = config.model_dump(mode="json", exclude=set(EXCLUDED), exclude_defaults=True)
    return {name: brief.get(name, value) for name, value in full.items() if value != _DEFAULTS[name]}


def usable(settings: Mapping[str, Any]) -> Settings:
    """Return the settings that this version accepts."""
    accepted = {name: value for name, value in settings.items() if name not in EXCLUDED}
    # Without one setting, another one may become invalid: repeat until all are accepted.
    while True:
        try:
            VerificationConfig.model_validate(accepted)
            return accepted
        except ValidationError as fault:
            refused = {problem["loc"][0] for problem in fault.errors(include_url=False) if problem["loc"]}
            accepted = {name: value for name, value in accepted.items() if name not in refused} if refused else {}


def default_value(path: str) -> Any:
    root, _, leaf = path.partition(".")
    return _EMPTY_RECORDS[root].get(leaf, _default(path)) if leaf else _DEFAULTS[root]


def value(settings: Mapping[str, Any], path: str) -> Any:
    root, _, leaf = path.partition(".")
    return _record(settings, root).get(leaf, _default(path)) if leaf else settings.get(root, _DEFAULTS[root])


def with_value(settings: Mapping[str, Any], path: str, entered: Any) -> Settings:
    """Return settings with one value changed; None resets it unless the setting accepts None."""
    root, _, leaf = path.partition(".")
    others = {name: value for name, value in settings.items() if name != root}
    if entered is None:
        entered = default_value(path)
    if not leaf:
        return others if entered == _DEFAULTS[root] else {**others, root: entered}
    record = {**_record(settings, root), leaf: entered}
    # Settings hold only what differs from the defaults, also within records.
    record = {name: value for name, value in record.items() if value != _default(f"{root}.{name}")}
    return others if record == _EMPTY_RECORDS[root] else {**others, root: record}


def limits(path: str, most: float | None = None) -> NumberLimits | None:
    """Return the range of a field; None: it is not a number. `most`: a lower limit of the page than the model's."""
    info = field(path)
    kinds = set(get_args(info.annotation) or (info.annotation,)) - {type(None)}
    return NumberLimits.of(info, most) if kinds <= {int, float} else None


def field(path: str) -> FieldInfo:
    """Return the field's definition. Raises KeyError if it does not exist."""
    root, _, leaf = path.partition(".")
    return PARTS[root].model_fields[leaf] if leaf else VerificationConfig.model_fields[root]


def _record(settings: Mapping[str, Any], root: str) -> Mapping[str, Any]:
    """Return a record of the settings."""
    # An empty record is not the same as none: without one, no examples are shown.
    record: Mapping[str, Any] | None = settings.get(root)
    return _EMPTY_RECORDS[root] if record is None else record


def _default(path: str) -> Any:
    return field(path).get_default(call_default_factory=True)
