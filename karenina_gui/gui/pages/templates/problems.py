"""Messages about a template without technical prefixes, for an editor that shows the line."""

from __future__ import annotations

import re

from karenina_gui.gui.pages.templates.comparisons import OPTIONS, SETTINGS
from karenina_gui.schemas.template_placeholders import OPEN
from karenina_gui.schemas.verified_field import DESCRIPTION_REQUIRED

UNREADABLE = "Python can’t read this line. Check the brackets, quotes, commas, and colons here and in the line above."
_FRAME = "Error executing template code: "
# `compile` names the source <string>, and `ast.parse` <unknown>.
_VALIDATION = re.compile(r"\d+ validation errors? for \w+\n(.*)", re.DOTALL)
_SETTING = re.compile(r"^(\w+)[\w.\[\]'-]*\n  (.+?) \[type=(\w+)", re.MULTILINE)
_WHOLE = re.compile(r"^  (.+?) \[type=", re.MULTILINE)
_NO_NUMBER = re.compile(r"not even with its own expected value: could not convert string to float: '(.*)'")
_OF_A_FIELD = re.compile(r"\w+(?::| (?:has no|is extracted|can never|fails an|passes only|accepts) )")
_TOLERANCE = re.compile(
    r"\w+=\S+ is (\S+) of the expected value: (.*)\. Write mode=\S+ if \S+ is meant in the unit of the value\."
)
_IN_FORM = (
    r"a tolerance of \1 \2. If you mean it in the value’s unit, "
    rf"choose “{OPTIONS['absolute']}” under {SETTINGS['mode']}."
)
RULES_OF_SETTINGS = {
    "NumericGraded.cutoff must be > 0": f"“{SETTINGS['cutoff']}” must be more than 0.",
    "NumericGraded.full_credit must satisfy 0 <= full_credit < cutoff": (
        f"“{SETTINGS['full_credit']}” must be at least 0 and less than “{SETTINGS['cutoff']}”."
    ),
    "NumericRangeGraded requires min < max": f"“{SETTINGS['min']}” must be less than “{SETTINGS['max']}”.",
    "NumericRangeGraded.margin must be > 0": f"“{SETTINGS['margin']}” must be more than 0.",
    "NumericThresholdGraded.margin must be > 0": f"“{SETTINGS['margin']}” must be more than 0.",
}
"""Errors of comparisons, whose wording karenina prescribes, in the words of the form."""
# An empty box stands for it in the form.
_PLACEHOLDER = f": write it in the place of “{OPEN}”."
_KIND = re.compile(r"^(Syntax|Value|Type|Name|Import|NotImplemented|Permission|Memory|Recursion)Error: ")
_AT_LINE = re.compile(r" \(detected at line \d+\)$")
_SYNTAX = re.compile(r"(.*) \(<(?:string|unknown)>, line \d+\)", re.DOTALL)


def plain_message(message: str, *, in_form: bool = False) -> str:
    """Return the message without its technical prefix and line number.

    `in_form`: the reader does not see the code, so settings have their names in the form.
    """
    text = message.removeprefix(_FRAME).strip()
    if text == DESCRIPTION_REQUIRED:
        return "Enter the description (“What to extract”): the judge relies on it."
    if (number := _NO_NUMBER.search(text)) and number[1] != OPEN:
        return f"“{number[1]}” is not a number. Write it with a decimal point and without commas or units."
    if syntax := _SYNTAX.fullmatch(text):
        return UNREADABLE if syntax[1] == "invalid syntax" else f"Syntax error: {_AT_LINE.sub('', syntax[1])}."
    if (validation := _VALIDATION.search(text)) and (report := _validation_message(validation[1], in_form=in_form)):
        return report
    # The name of a field stays as it is.
    sentence = text if _OF_A_FIELD.match(text) else text[:1].upper() + text[1:]
    return _TOLERANCE.sub(_IN_FORM, sentence.replace(_PLACEHOLDER, ".")) if in_form else sentence


def plain_error(text: str) -> str:
    """Return an error of the author's code without its kind, where the message says as much."""
    return _KIND.sub("", text)


def _validation_message(report: str, *, in_form: bool) -> str:
    """Return a sentence for each setting in pydantic's report; empty: it names none."""
    if settings := _SETTING.findall(report):
        return " ".join(dict.fromkeys(_setting_problem(*groups, in_form=in_form) for groups in settings))
    whole = _WHOLE.search(report)
    problem = whole[1].removeprefix("Value error, ") if whole else ""
    if in_form and problem in RULES_OF_SETTINGS:
        return RULES_OF_SETTINGS[problem]
    return problem and f"{problem}."


def _setting_problem(name: str, message: str, kind: str, *, in_form: bool) -> str:
    title = SETTINGS.get(name, name)
    if title != name and not in_form:
        title = f"{title} ({name})"
    if kind in ("float_parsing", "float_type", "int_parsing", "int_type", "int_from_float"):
        return f"{title}: enter a {'whole number' if kind.startswith('int') else 'number'}."
    if kind == "missing":
        return f"{title}: enter a value."
    if kind == "greater_than_equal":
        return f"{title}: enter {message.rpartition(' ')[2]} or more."
    sentence = message.removeprefix("Value error, ")
    return f"{title}: {sentence[:1].lower()}{sentence[1:].removesuffix('.')}."
