"""A question: the prompt, the reference answer, and the check of an answer."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

PREVIOUS_IDS = "previous_ids"
"""Key of `custom_metadata`: a list of the question's earlier ids, to which results still refer."""


_NO_CHANGE = {"id", "date_created", "date_modified"}
"""Fields whose assignment does not modify a question."""


class Question(BaseModel):
    """One unit of evaluation (`questions.md`, section 5.3).

    Unknown fields are rejected. `tags` is read as `keywords`; if both are given, `keywords` wins.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    question: str = Field(min_length=1)
    """The prompt, sent to the answering model unchanged."""
    raw_answer: str
    """Reference answer for people. Sent only to judges of LLM traits with `include_ground_truth`."""
    keywords: list[str] = Field(default_factory=list)
    id: str = ""
    """32 hexadecimal digits: MD5 of the question text (UTF-8), updated when the text changes; a given id stays."""
    date_created: str = Field(default_factory=lambda: datetime.now().isoformat())
    date_modified: str = Field(default_factory=lambda: datetime.now().isoformat())
    """Updated when a field other than `id` and `date_created` changes."""
    answer_notes: str | None = None
    author: dict[str, Any] | None = None
    sources: list[dict[str, Any]] | None = None
    answer_template: str | None = None
    """Source of a `BaseAnswer` subclass; None: the question cannot be verified by template yet."""
    workspace_path: str | None = None
    """Folder of an agent task, relative to the benchmark's workspace root."""
    question_rubric: dict[str, Any] | None = None
    """Traits of this question only, as dumped by `Rubric`."""
    few_shot_examples: list[dict[str, Any]] | None = None
    """Pairs `{"question": ..., "answer": ...}`; never sent to a judge."""
    custom_metadata: dict[str, Any] | None = None

    _needs_id: ClassVar[bool] = True

    @property
    def previous_ids(self) -> list[str]:
        """Ids under which the question has older results."""
        # Metadata comes from files, so the value need not be a list.
        ids = (self.custom_metadata or {}).get(PREVIOUS_IDS)
        return [str(id_) for id_ in ids] if isinstance(ids, list) else []

    def __setattr__(self, name: str, value: Any) -> None:
        before = self.__dict__.get(name)
        super().__setattr__(name, value)
        # Assigning an equal value must not make the question look edited.
        if name not in _NO_CHANGE and self.__dict__.get(name) != before:
            self.__dict__["date_modified"] = datetime.now().isoformat()

    @model_validator(mode="before")
    @classmethod
    def _accept_tags(cls, data: Any) -> Any:
        if isinstance(data, dict) and "tags" in data:
            data = dict(data)
            tags = data.pop("tags")
            data.setdefault("keywords", tags)
        return data

    @field_validator("workspace_path")
    @classmethod
    def _inside_the_root(cls, path: str | None) -> str | None:
        return checked_workspace_path(path)

    @model_validator(mode="after")
    def _fill_id(self) -> Question:
        if self._needs_id and (not self.id or "id" not in self.model_fields_set):
            # An assignment would be validated, and so call this again.
            self.__dict__["id"] = question_fingerprint(self.question)
        return self


class EditableQuestion(Question):
    """A question that is being written: `question` and `id` may be empty.

    Without an id it is neither run nor exported.
    """

    question: str = ""
    raw_answer: str = ""

    _needs_id: ClassVar[bool] = False


def question_fingerprint(text: str) -> str:
    """MD5 of the question text (UTF-8) as 32 hexadecimal digits (`questions.md`, section 3.2)."""
    # MD5 is the specification's choice; FIPS builds of Python allow it only with this flag.
    return hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()


def checked_workspace_path(path: str | None) -> str | None:
    """Return the path. Raises `ValueError` if it would leave the workspace root (`..`, absolute, drive letter)."""
    if path is None or not path.strip():
        return None
    if _leaves_root(path):
        raise ValueError(
            f"The workspace folder “{path}” is outside the workspace root. Use a folder inside it, such as “task_01”."
        )
    if not path.isprintable():
        visible = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in path)
        raise ValueError(
            f"The workspace folder “{visible}” contains an invisible character, such as a line break. Use a name like "
            "“task_01”."
        )
    return path


def _leaves_root(path: str) -> bool:
    parts = [part.strip() for part in path.replace("\\", "/").split("/")]
    drive = parts[0][1:2] == ":"
    # Windows drops dots and blanks at the end of a name, so that `.. .` leads to the parent folder as well.
    above = any(part.startswith("..") and not part.strip(" .") for part in parts)
    return path.startswith(("/", "\\", "~")) or above or drive or all(part in ("", ".") for part in parts)
