"""Data about an answer template: its outline, its problems, its verdicts.

Author-written code runs only in a sandbox; these plain models are all that comes back.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TemplateMode = Literal["classic", "verified", "mixed"]
TemplateExecution = Literal["data", "monty", "locked", "unlocked"]
"""Execution of a template.

data: parsed, nothing of it runs; monty: its methods run in Monty, a small Python without any access; locked: code in a
locked process; unlocked: trusted code in a process with limits on time and memory only.
"""
CodeFaultKind = Literal[
    "error", "timeout", "memory", "cpu", "blocked", "crashed", "too_large", "bad_reply", "lost", "refused"
]


class TemplateProblem(BaseModel):
    """One message about a template, with its line.

    `line` is 1-based and `column` 0-based, as in Python; None if the problem has no place.
    """

    model_config = ConfigDict(frozen=True)

    message: str
    severity: Literal["error", "warning"] = "error"
    line: int | None = None
    column: int | None = None
    refused_here: bool = False
    """True if this warning is an error in a template that is written here rather than read from a file."""
    unfinished: bool = False
    """True if a starter's placeholder is still to be replaced."""


class TemplateField(BaseModel):
    """One field that a template declares."""

    name: str
    type: str
    """Type as written by the author: `bool`, `list[str]`, `Literal['x', 'y']`."""
    description: str = ""
    primitive: str | None = None
    """Class name of the comparison (`NumericTolerance`); None for a plain field that `verify()` checks."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the primitive, as JSON."""
    ground_truth: Any = None
    accepts: str | None = None
    """Numbers that pass, such as `accepts 66.5 to 73.5`; None: not a comparison of numbers."""
    notation: str | None = None
    """Notation in which the comparison reads texts, see `VerificationPrimitive.notation`; None: any."""
    weight: float = 1.0
    extraction_hint: str | None = None
    is_trace: bool = False
    """True: checked against the whole trace, never asked of the judge."""


class TemplateOutline(BaseModel):
    """Declarations of a template. `valid` is False if `problems` has an error; then only `problems` is meaningful."""

    valid: bool
    problems: list[TemplateProblem] = Field(default_factory=list)
    class_name: str | None = None
    mode: TemplateMode | None = None
    regex_only: bool = False
    trace_only: bool = False
    """True if a judge is asked nothing (no fields, or trace fields only)."""
    fields: list[TemplateField] = Field(default_factory=list)
    ground_truth: dict[str, Any] | None = None
    """`self.correct` as JSON; None if the template sets none."""
    regex: dict[str, Any] = Field(default_factory=dict)
    """`self.regex`: {name: {pattern, expected, match_type}}."""
    judge_schema: dict[str, Any] | None = None
    """JSON Schema for the judge, without ground truth and trace fields."""
    composition_strategy: str | None = None
    has_granular: bool = False
    execution: TemplateExecution | None = None
    """None: it could not be run."""
    fault: CodeFaultKind | None = None
    """Set if the code could not be run to its end (endless loop, memory, ...); None for an ordinary problem."""

    @property
    def unfinished(self) -> bool:
        """True if placeholders of a starter are its only errors."""
        return not self.valid and all(problem.unfinished for problem in self.problems if problem.severity == "error")

    @property
    def needs_judge(self) -> bool:
        """True if a judge must read the answer before it can be verified."""
        return self.valid and not (self.regex_only or self.trace_only)

    @property
    def sent_schema(self) -> dict[str, Any]:
        """Schema as sent to the judge: `judge_schema` with the notation of dates, and every field may also be null.

        A judge that must fill a field which the answer does not mention would have to invent a value.
        """
        schema = self.judge_schema or {"type": "object", "properties": {}}
        notations = {field.name: field.notation for field in self.fields}
        fields = {
            name: _or_null(_with_notation(spec, notations.get(name)))
            for name, spec in schema.get("properties", {}).items()
        }
        return {**schema, "properties": fields}

    @property
    def first_error(self) -> TemplateProblem | None:
        return next((p for p in self.problems if p.severity == "error"), None)


class AnswerToVerify(BaseModel):
    """One answer on its way into a cell."""

    values: dict[str, Any] | None = None
    """Fields extracted by the judge; None for templates that need none."""
    nulls: list[str] = Field(default_factory=list)
    trace: str = ""
    """Raw response, for trace fields and `verify_regex()`."""
    brief: bool = False
    """True: the verdict leaves out what only a reader of a result needs, that is, the parsed values, the ground truth,
    and all scores."""


class RegexVerdict(BaseModel):
    """Outcome of `verify_regex()`; `performed` is False if the template declares no patterns."""

    performed: bool = False
    success: bool = True
    results: dict[str, bool] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)
    extraction_results: dict[str, Any] = Field(default_factory=dict)
    error: str | None = None


class TemplateVerdict(BaseModel):
    """Outcome of verifying one answer."""

    parsed: dict[str, Any] = Field(default_factory=dict)
    ground_truth: dict[str, Any] | None = None
    field_verification_result: bool | None = None
    """Return value of `verify()`; None if it could not be run (see `error`)."""
    field_results: dict[str, bool | None] | None = None
    field_scores: dict[str, float | None] | None = None
    acceptance: dict[str, str] | None = None
    """Numbers that pass by field, see `TemplateField.accepts`; None: no field compares numbers."""
    composition_strategy: str | None = None
    granular: Any = None
    """Return value of `verify_granular()` (JSON); None if the template has none."""
    regex: RegexVerdict = Field(default_factory=RegexVerdict)
    error: str | None = None
    error_line: int | None = None
    fault: CodeFaultKind | None = None
    """`error`: the template's own code raised. Any other value: the cell was stopped."""
    stdout: str = ""
    """Output of the template, at most 8 KiB."""
    fallback: TemplateExecution | None = None
    """Execution that judged this answer after the one in the outline failed; None: no fallback."""

    @property
    def passed(self) -> bool | None:
        """Overall verdict: True if every performed check passed; None: the template gave none."""
        parts = [self.field_verification_result, self.regex.success if self.regex.performed else None]
        verdicts = [part for part in parts if part is not None]
        return all(verdicts) if verdicts else None


class JudgeReply(BaseModel):
    """A judge's JSON, checked by the template's own model."""

    ok: bool
    values: dict[str, Any] = Field(default_factory=dict)
    """The judge's values unconverted, for `verify`, which converts them once; without trace fields."""
    nulls: list[str] = Field(default_factory=list)
    """Fields that the judge left null; they count as failed but are recorded as None."""
    errors: list[str] = Field(default_factory=list)
    """One sentence per field that does not fit, for the feedback round."""
    fault: CodeFaultKind | None = None
    verdict: TemplateVerdict | None = None
    """Verdict on these values, if it was returned with them; None: call `verify`."""


def _with_notation(spec: dict[str, Any], notation: str | None) -> dict[str, Any]:
    description = str(spec.get("description", ""))
    # A type such as `date` has a format of its own, and an author may have named the notation already.
    if notation is None or "format" in spec or notation in description:
        return spec
    return {**spec, "description": f"{description.rstrip()} (Write it as {notation}.)"}


def _or_null(spec: dict[str, Any]) -> dict[str, Any]:
    if {"type": "null"} in spec.get("anyOf", ()):
        return spec
    # Outside of `anyOf`: they describe the field, not one of its alternatives.
    outer: dict[str, Any] = {name: spec[name] for name in ("title", "description") if name in spec}
    return {**outer, "anyOf": [{name: value for name, value in spec.items() if name not in outer}, {"type": "null"}]}
