"""Forms of templates: what they show, and edits that change only their own lines."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from karenina_gui import example
from karenina_gui.authoring.template_form import (
    Call,
    CodeValue,
    FormComposition,
    FormEdits,
    FormError,
    TemplateForm,
    read_form,
    write_value,
)
from karenina_gui.example import agents
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from tests.examples import examples
from tests.sandbox.generated_templates import drawn_code, drawn_simple_template, drawn_template
from tests.sandbox.templates import CLASSIC, VERIFIED, outline

UNIT = "    unit: Literal['mg', 'g'] = VerifiedField(description='U', ground_truth='mg', verify_with=LiteralMatch())"
DRUG = (
    """    drug: str = VerifiedField("The drug's name", ground_truth="aspirin", verify_with=ExactMatch(), weight=2)"""
)
STRATEGY = (
    """        verify_strategy = AtLeastN(n=2, conditions=[FieldCheck(field="dose"), FieldCheck(field="drug")])"""
)
LONG = (
    '''\
"""Doses of drugs."""
from typing import Literal

UNITS = {"mg": 1, "g": 1000}  # in milligrams


class Answer(BaseAnswer):
    """What the answer says of the dose."""

    # The dose as the label gives it.
    dose: float = VerifiedField(
        description="Dose in mg",  # not in g
        ground_truth=(
            400
        ),
        verify_with=NumericTolerance(
            tolerance=0.05,
            mode="relative",  # of the expected value
        ),
    )  # checked in 2024
UNIT

DRUG

    class VerificationStrategy:
STRATEGY

    def summary(self):
        return f"{UNITS}"
'''.replace("UNIT\n", f"{UNIT}\n")
    .replace("DRUG\n", f"{DRUG}\n")
    .replace("STRATEGY\n", f"{STRATEGY}\n")
)


def form_of(source: str) -> TemplateForm:
    form = read_form(source)
    assert isinstance(form, TemplateForm), form
    return form


def edited(source: str, edit: Callable[[FormEdits], str]) -> str:
    return edit(FormEdits(form_of(source)))


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_a_form_shows_fields_composition_and_custom_code() -> None:
    form = form_of(LONG)
    assert [(each.name, each.type, each.kind) for each in form.fields] == [
        ("dose", "float", "verified"),
        ("unit", "Literal['mg', 'g']", "verified"),
        ("drug", "str", "verified"),
    ]
    dose, unit, named = form.fields
    assert (dose.description, dose.expected, dose.weight, dose.hint) == ("Dose in mg", 400, 1.0, None)
    assert dose.comparison == Call("NumericTolerance", {"tolerance": 0.05, "mode": "relative"})
    assert (unit.choices, unit.expected) == (("mg", "g"), "mg")
    assert (named.description, named.weight) == ("The drug's name", 2)
    assert form.composition == FormComposition("at_least", ("dose", "drug"), 2)
    assert [block.title for block in form.blocks] == ["UNITS", "summary"]


def test_fields_that_code_compares_are_shown_with_their_descriptions() -> None:
    form = form_of(CLASSIC)
    assert [(each.name, each.kind, each.description) for each in form.fields] == [
        ("year", "plain", "Year as a four digit integer"),
        ("city", "plain", "City name"),
    ]
    assert [block.title for block in form.blocks] == ["ground_truth", "verify"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("class Answer(BaseAnswer)\n    pass", "syntax error"),
        ("x = 1\n", "no class"),
        ("class A(BaseAnswer):\n    pass\nclass B(BaseAnswer):\n    pass\n", "2 classes"),
        ("x = 1\x00", "syntax error"),
    ],
)
def test_sources_without_a_form_say_why(source: str, reason: str) -> None:
    found = read_form(source)
    assert isinstance(found, str) and reason in found


def test_parts_that_are_code_are_locked_one_by_one() -> None:
    dose_line = '    dose: float = VerifiedField("Dose", ground_truth=LIMIT * 2, verify_with=NumericExact())'
    source = (
        f"class Answer(BaseAnswer):\n{dose_line}\n"
        "    other: int = make_field()\n"
        '    many: int = VerifiedField(**settings, description="x")\n'
    )
    dose, other, many = form_of(source).fields
    assert dose.expected == CodeValue("LIMIT * 2") and dose.comparison == Call("NumericExact")
    assert (other.kind, other.description) == ("custom", CodeValue("make_field()"))
    assert many.kind == "custom"
    with pytest.raises(FormError, match="custom code"):
        edited(source, lambda form: form.set_expected("dose", 3))
    with pytest.raises(FormError, match="compared by custom code"):
        edited(source, lambda form: form.set_expected("other", 3))
    after = edited(source, lambda form: form.set_description("dose", "Dose in mg"))
    assert changed_lines(source, after) == [f"- {dose_line}", "+ " + dose_line.replace('"Dose"', '"Dose in mg"')]


EDITS: dict[str, tuple[Callable[[FormEdits], str], list[str]]] = {
    "description": (
        lambda form: form.set_description("dose", "Dose in milligrams"),
        ['-         description="Dose in mg",  # not in g', '+         description="Dose in milligrams",  # not in g'],
    ),
    "description given without its name": (
        lambda form: form.set_description("drug", "Name"),
        [f"- {DRUG}", "+ " + DRUG.replace("The drug's name", "Name")],
    ),
    "expected value in brackets": (
        lambda form: form.set_expected("dose", 200.5),
        ["-             400", "+             200.5"],
    ),
    "one setting of a comparison": (
        lambda form: form.set_comparison("dose", Call("NumericTolerance", {"tolerance": 0.1, "mode": "relative"})),
        ["-             tolerance=0.05,", "+             tolerance=0.1,"],
    ),
    "a setting less": (
        lambda form: form.set_comparison("dose", Call("NumericTolerance", {"tolerance": 0.05})),
        ['-             mode="relative",  # of the expected value'],
    ),
    "another comparison": (
        lambda form: form.set_comparison("unit", Call("ExactMatch", {"normalize": ["strip"]})),
        [f"- {UNIT}", "+ " + UNIT.replace("LiteralMatch()", 'ExactMatch(normalize=["strip"])')],
    ),
    "weight where there is none": (
        lambda form: form.set_weight("dose", 3),
        ["+         weight=3,"],
    ),
    "weight of one": (lambda form: form.set_weight("dose", 1), []),
    "hint on one line": (
        lambda form: form.set_hint("drug", "INN"),
        [f"- {DRUG}", "+ " + DRUG.replace("weight=2", 'weight=2, extraction_hint="INN"')],
    ),
    "type": (
        lambda form: form.set_type("dose", "int"),
        ["-     dose: float = VerifiedField(", "+     dose: int = VerifiedField("],
    ),
    "name, in the composition, too": (
        lambda form: form.rename("dose", "amount"),
        [
            "-     dose: float = VerifiedField(",
            "+     amount: float = VerifiedField(",
            f"- {STRATEGY}",
            "+ " + STRATEGY.replace("dose", "amount"),
        ],
    ),
    "composition": (
        lambda form: form.set_composition(FormComposition("any", ("unit",))),
        [f"- {STRATEGY}", '+         verify_strategy = AnyOf(conditions=[FieldCheck(field="unit")])'],
    ),
    "no composition": (
        lambda form: form.set_composition(FormComposition()),
        ["- ", "-     class VerificationStrategy:", f"- {STRATEGY}"],
    ),
    "a new field": (
        lambda form: form.add_field("cites", "bool", "The answer cites a source", True, Call("BooleanMatch")),
        [
            "+     cites: bool = VerifiedField(",
            '+         description="The answer cites a source",',
            "+         ground_truth=True,",
            "+         verify_with=BooleanMatch(),",
            "+     )",
        ],
    ),
    "a field less": (lambda form: form.remove_field("unit"), [f"- {UNIT}"]),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_edit_changes_only_its_own_lines(name: str, end: str) -> None:
    edit, lines = EDITS[name]
    source = LONG.replace("\n", end)
    after = edited(source, edit)
    assert sorted(changed_lines(source, after)) == sorted(lines)
    assert after.count("\r") == (after.count("\n") if end == "\r\n" else 0)
    form_of(after)


def test_what_was_set_is_shown() -> None:
    source = LONG
    for edit in (
        lambda form: form.set_expected("drug", 'it\'s “x” \\ "y"\n'),
        lambda form: form.set_comparison("drug", Call("ExactMatch", {"normalize": ["strip", synonyms]})),
        lambda form: form.set_hint("drug", "INN"),
        lambda form: form.set_hint("drug", " "),
        lambda form: form.set_type("drug", 'Literal["a", "aspirin"]'),
        lambda form: form.move_field("drug", -1),
    ):
        source = edited(source, edit)  # type: ignore[arg-type]
    named = form_of(source).fields[1]
    assert (named.name, named.expected, named.hint) == ("drug", 'it\'s “x” \\ "y"\n', None)
    assert named.comparison == Call("ExactMatch", {"normalize": ["strip", synonyms]})
    assert named.choices == ("a", "aspirin")


synonyms = Call("SynonymMap", {"mapping": {"mitochondria": "mitochondrion"}})


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda form: form.rename("unit", "class"), "one word of letters"),
        (lambda form: form.rename("unit", "dose"), "already a field"),
        (lambda form: form.rename("unit", "verify"), "meaning of its own"),
        (lambda form: form.remove_field("dose"), "Remove it there first"),
        (lambda form: form.set_weight("dose", -1), "0 or more"),
        (lambda form: form.set_composition(FormComposition("any", ("nowhere",))), "no field “nowhere”"),
    ],
)
def test_edits_that_the_form_cannot_make_say_why(edit: Callable[[FormEdits], str], reason: str) -> None:
    with pytest.raises(FormError, match=reason):
        edited(LONG, edit)


def test_fields_that_custom_code_uses_are_not_renamed_or_removed() -> None:
    for edit in (lambda form: form.rename("year", "date"), lambda form: form.remove_field("year")):
        with pytest.raises(FormError, match="custom code"):
            edited(CLASSIC, edit)


def test_a_field_that_code_compares_can_be_described() -> None:
    source = "class Answer(BaseAnswer):\n    x: int\n    y: int = 3\n"
    source = edited(source, lambda form: form.set_description("x", "How many"))
    source = edited(source, lambda form: form.set_description("y", "How few"))
    assert source == (
        "class Answer(BaseAnswer):\n"
        '    x: int = Field(description="How many")\n'
        '    y: int = Field(default=3, description="How few")\n'
    )


def test_the_last_field_leaves_a_class_that_is_valid() -> None:
    source = 'class Answer(BaseAnswer):\n\tx: str = VerifiedField("X", ground_truth="x", verify_with=ExactMatch())'
    assert edited(source, lambda form: form.remove_field("x")) == "class Answer(BaseAnswer):\n\tpass\n"
    added = edited(source, lambda form: form.add_field("y", "bool", "Y", True, Call("BooleanMatch")))
    assert added.startswith(source + "\n\ty: bool = VerifiedField(\n\t    description")
    assert len(form_of(added).fields) == 2


def drawn_sources() -> list[str]:
    random = Random(7)
    makers = (drawn_template, drawn_simple_template, drawn_code)
    return [makers[number % 3](random) for number in range(examples(150, 510))]


def test_forms_of_generated_templates_show_what_the_sandbox_reads_and_edits_stay_in_their_lines() -> None:
    seen = 0
    for source in [*drawn_sources(), VERIFIED, CLASSIC, LONG]:
        form = read_form(source)
        if isinstance(form, str):
            continue
        seen += 1
        assert form.source.text == source
        for field in form.fields:
            _edits_stay_in_their_lines(source, form, field.name)
        found = outline(source)
        if found.valid:
            assert [each.name for each in found.fields] == [each.name for each in form.fields]
            for shown, read in zip(form.fields, found.fields, strict=True):
                if isinstance(shown.comparison, Call) and not isinstance(shown.expected, CodeValue):
                    assert shown.comparison.name == read.primitive
                if isinstance(shown.description, str):
                    assert shown.description == read.description
    assert seen > examples(110, 400)


def every_template(shared: Path) -> Iterator[str]:
    """Templates of the examples and of published checkpoints, the zoo of templates among them."""
    for path in (example.BENCHMARK, agents.BENCHMARK, *sorted((shared / "checkpoints").glob("*.jsonld"))):
        for entry in load_checkpoint(path).entries:
            if entry.question.answer_template:
                yield entry.question.answer_template


def test_forms_of_published_templates_lose_nothing(shared: Path) -> None:
    shown = 0
    for source in every_template(shared):
        form = read_form(source)
        if isinstance(form, TemplateForm):
            shown += 1
            assert form.source.text == source
            for field in form.fields:
                _edits_stay_in_their_lines(source, form, field.name)
    assert shown >= 30


def _edits_stay_in_their_lines(source: str, form: TemplateForm, name: str) -> None:
    field, edits = form.field(name), FormEdits(form)
    assert edits.move_field(name, -99) == source
    own = range(field.node.lineno, (field.node.end_lineno or 0) + 1)
    tried = [lambda: edits.set_description(name, "Other"), lambda: edits.set_type(name, "complex")]
    if field.kind == "verified":
        tried += [
            lambda: edits.set_expected(name, "other"),
            lambda: edits.set_comparison(name, Call("ContainsAll", {"substrings": ["x"]})),
            lambda: edits.set_weight(name, 7.5),
            lambda: edits.set_hint(name, "Elsewhere"),
        ]
    for edit in tried:
        try:
            after = edit()
        except FormError:
            continue
        matcher = difflib.SequenceMatcher(None, source.splitlines(), after.splitlines(), autojunk=False)
        for kind, start, end, _, _ in matcher.get_opcodes():
            assert kind == "equal" or {*range(start + 1, end + 1)} <= {*own}, (source, after)
        assert isinstance(read_form(after), TemplateForm), after


VALUES = (None, True, 3, -2.5, 1e999, "a'b\"c\\", ["x", 1], {"a": [1.0]}, ("x",), {"a"}, "ß\ud800")


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values_are_written_as_they_are_read(value: object) -> None:
    field = f'VerifiedField("X", ground_truth={write_value(value)}, verify_with=LiteralMatch())'
    assert form_of(f"class Answer(BaseAnswer):\n    x: Any = {field}\n").fields[0].expected == value


PAIR = """class Answer(BaseAnswer):
    # About the dose.
    dose: float = VerifiedField(description="d", ground_truth=1, verify_with=NumericExact())
    # About the route.
    # It may be long.
    route: str = VerifiedField(description="r", ground_truth="x", verify_with=ExactMatch())

    LIMIT = 3

    def helper(self):
        return self.LIMIT
"""


def _edits(source: str) -> FormEdits:
    form = read_form(source)
    assert isinstance(form, TemplateForm)
    return FormEdits(form)


def test_the_comment_above_a_field_goes_with_it() -> None:
    moved = _edits(PAIR).move_field("route", -1)
    assert [line.strip() for line in moved.splitlines()[1:4]] == [
        "# About the route.",
        "# It may be long.",
        _line("route"),
    ]
    assert moved.splitlines()[4].strip() == "# About the dose."
    removed = _edits(PAIR).remove_field("dose")
    assert "About the dose" not in removed and "# About the route." in removed


@pytest.mark.parametrize("name", ["float", "NumericExact", "VerifiedField", "helper", "LIMIT"])
def test_names_that_the_template_needs_itself_are_refused(name: str) -> None:
    with pytest.raises(FormError, match="meaning of its own"):
        _edits(PAIR).rename("dose", name)


def test_a_name_is_written_as_python_reads_it() -> None:
    renamed = _edits(PAIR).rename("dose", "\N{MICRO SIGN}g")
    assert "\N{GREEK SMALL LETTER MU}g: float" in renamed
    assert "    unit: float" in _edits(renamed).rename("\N{GREEK SMALL LETTER MU}g", "unit")


def _line(name: str) -> str:
    return next(line.strip() for line in PAIR.splitlines() if line.strip().startswith(f"{name}:"))
