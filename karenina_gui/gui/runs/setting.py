"""One setting of a run by its place in `VerificationConfig`, such as `few_shot_config.pool_k`: the usual value, the
limits that the model gives it, and what is wrong with what somebody enters.

Settings of a run stand in a dict that holds what is not usual, as `VerificationConfig` would read it from a file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from karenina_gui.schemas.config import FewShotConfig, PromptConfig, VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits

Settings = dict[str, Any]

OWN: Settings = {"async_max_workers": 4, "replicate_count": 3, "fixed_judges": True}
"""Usual here, where `VerificationConfig` has another default."""


def _whole(config: VerificationConfig, *, apart: Collection[str] = ()) -> Settings:
    """All fields, those too that are left out of files where they are as they always were."""
    fields = {name: getattr(config, name) for name in VerificationConfig.model_fields if name not in apart}
    return fields | config.model_dump(mode="json", exclude=set(apart))


_USUAL = _whole(VerificationConfig(**OWN))
"""What a run goes by where nobody chose otherwise."""

MODELS = ("answering_models", "parsing_models")
"""Fields that are chosen by name."""
APART = (*MODELS, "conditions")
"""Fields that are no single settings: they have places of their own on the page."""
PARTS: dict[str, type[BaseModel]] = {
    "few_shot_config": FewShotConfig,
    "prompt_config": PromptConfig,
    "workspace_limits": WorkspaceLimits,
}
"""Settings that are records, whose fields are set one by one."""
_NOTHING: dict[str, Settings] = {"few_shot_config": {"source": "disabled"}, "prompt_config": {}, "workspace_limits": {}}
"""Records with which a run does what it does without any."""


def changed_settings(config: VerificationConfig) -> Settings:
    """What is not usual in a configuration, without its models and conditions."""
    full = _whole(config, apart=APART)
    brief = config.model_dump(mode="json", exclude=set(APART), exclude_defaults=True)
    return {name: brief.get(name, value) for name, value in full.items() if value != _USUAL[name]}


def usable(settings: Mapping[str, Any]) -> Settings:
    """Those that the present version takes; the others are left out."""
    kept = {name: each for name, each in settings.items() if name not in APART}
    while True:
        try:
            VerificationConfig.model_validate(kept)
            return kept
        except ValidationError as fault:
            refused = {problem["loc"][0] for problem in fault.errors(include_url=False) if problem["loc"]}
            kept = {name: value for name, value in kept.items() if name not in refused} if refused else {}


def usual(path: str) -> Any:
    root, _, leaf = path.partition(".")
    return _NOTHING[root].get(leaf, _default(path)) if leaf else _USUAL[root]


def value(settings: Mapping[str, Any], path: str) -> Any:
    root, _, leaf = path.partition(".")
    return _record(settings, root).get(leaf, _default(path)) if leaf else settings.get(root, _USUAL[root])


def with_value(settings: Mapping[str, Any], path: str, entered: Any) -> Settings:
    """The settings with this one; None: as usual, where the setting itself cannot be None."""
    root, _, leaf = path.partition(".")
    others = {name: each for name, each in settings.items() if name != root}
    if entered is None:
        entered = usual(path)
    if not leaf:
        return others if entered == _USUAL[root] else {**others, root: entered}
    record = {**_record(settings, root), leaf: entered}
    record = {name: each for name, each in record.items() if each != _default(f"{root}.{name}")}
    return others if record == _NOTHING[root] else {**others, root: record}


def problem(path: str, entered: Any, most: float | None = None) -> str | None:
    """Why a setting cannot be this; None: it can. `most`: what a page allows, where the model would take more."""
    limits = numbers(path, most)
    return None if entered is None or limits is None or limits.hold(entered) else limits.sentence


class Numbers:
    """Which numbers a field takes."""

    def __init__(self, info: FieldInfo, most: float | None) -> None:
        marks = {name: getattr(mark, name) for mark in info.metadata for name in _MARKS if hasattr(mark, name)}
        self.whole = float not in (info.annotation, *get_args(info.annotation))
        self.least: float | None = marks.get("ge")
        self.above: float | None = marks.get("gt")
        self.most: float | None = min((each for each in (marks.get("le"), most) if each is not None), default=None)

    def hold(self, number: float) -> bool:
        return (
            (not self.whole or number == int(number))
            and (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
        )

    @property
    def sentence(self) -> str:
        """`A whole number from 1 to 64.`"""
        kind = "A whole number" if self.whole else "A number"
        top = "" if self.most is None else f", {self.most:g} at most"
        if self.least is not None:
            return f"{kind} from {self.least:g} to {self.most:g}." if top else f"{kind}, {self.least:g} or more."
        return f"{kind}{top}." if self.above is None else f"{kind} above {self.above:g}{top}."


_MARKS = ("ge", "gt", "le")


def numbers(path: str, most: float | None = None) -> Numbers | None:
    """None: the field takes no number."""
    info = field(path)
    kinds = set(get_args(info.annotation) or (info.annotation,)) - {type(None)}
    return Numbers(info, most) if kinds <= {int, float} else None


def field(path: str) -> FieldInfo:
    """Errors: KeyError where there is none."""
    root, _, leaf = path.partition(".")
    return PARTS[root].model_fields[leaf] if leaf else VerificationConfig.model_fields[root]


def _record(settings: Mapping[str, Any], root: str) -> Mapping[str, Any]:
    """Empty is not the same as none: without a record, no examples are shown."""
    record: Mapping[str, Any] | None = settings.get(root)
    return _NOTHING[root] if record is None else record


def _default(path: str) -> Any:
    return field(path).get_default(call_default_factory=True)
