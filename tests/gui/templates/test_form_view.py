"""The form of a template in its tab: each control edits its own part of the source."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.analysis.costs import PARTIAL_CREDIT
from karenina_gui.app import Application
from karenina_gui.authoring.template_form import Call, FormEdits, TemplateForm, read_form
from karenina_gui.gui.pages.templates.comparisons import COMPARISONS, OPTIONS, STARTS, settings_of
from karenina_gui.gui.pages.templates.field_card import CASE_MATTERS
from karenina_gui.gui.pages.templates.field_kinds import KINDS, FieldKind, field_name, kind_of
from karenina_gui.gui.pages.templates.starters import STARTERS, Starter
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.primitives import PRIMITIVES
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive
from karenina_gui.schemas.template_placeholders import OPEN
from tests.gui.desktop import Desktop
from tests.until import until

TWO = '''# Checked by hand in 2024.
class Answer(BaseAnswer):
    """Dose and route."""

    dose: float = VerifiedField(
        description="The dose, in mg.",   # per day
        ground_truth=300,
        verify_with=NumericTolerance(tolerance=0.05, mode="relative"),
    )
    route: str = VerifiedField(
        description="How the drug leaves the body.",
        ground_truth="kidneys",
        verify_with=ExactMatch(normalize=["lowercase", "strip"]),
    )
'''
FIRST = "Template field daily_dose"
OWN = """class Answer(BaseAnswer):
    found: str = Field(description="The name that the answer gives.")

    def ground_truth(self):
        self.correct = {"found": "p53"}

    def verify(self) -> bool:
        return self.found == "p53"
"""


class Tab:
    """The Template tab of one question."""

    def __init__(self, desktop: Desktop, application: Application, source: str | None) -> None:
        self.desktop, self.application = desktop, application
        self.benchmark = application.editor.create_benchmark("Doses")
        self.number = application.editor.add_question(self.benchmark, "Which dose?", "300 mg").summary.number
        if source is not None:
            application.editor.edit(self.benchmark, self.number, {"answer_template": source})

    async def open(self) -> None:
        await self.desktop.load(f"/benchmarks/{self.benchmark}/questions/{self.number}?tab=template")

    @property
    def source(self) -> str:
        return self.application.editor.question(self.benchmark, self.number).entry.question.answer_template or ""

    async def saved(self, expected: str) -> None:
        await until(lambda: self.source == expected)

    async def choose(self, label: str, value: str) -> None:
        await until(lambda: self._selects(label))
        self._selects(label)[-1].set_value(value)

    def tick(self, text: str) -> None:
        (box,) = [each for each in self.desktop.elements(ui.checkbox) if each.text == text]
        box.set_value(not box.value)

    def leave(self, card: str) -> None:
        """Take the focus out of a card."""
        (element,) = [each for each in self.desktop.elements(ui.element) if each.props.get("aria-label") == card]
        UserInteraction(self.desktop.user, {element}, None).trigger("focusout")

    def texts(self) -> str:
        return "\n".join(each.text for each in self.desktop.elements(ui.label))

    def _selects(self, label: str) -> list[ui.select]:
        return [each for each in self.desktop.elements(ui.select) if each.props.get("aria-label") == label]


@pytest.fixture
def tab(user: User, application: Application) -> Callable[[str | None], Tab]:
    desktop = Desktop(user, application.services())
    return lambda source: Tab(desktop, application, source)


async def test_every_control_changes_its_own_part_of_the_source(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    steps = [
        ("What to extract: dose", "The dose per day, in mg.", "The dose, in mg.", "The dose per day, in mg."),
        ("Expected value: dose", "350.5", "ground_truth=300", "ground_truth=350.5"),
        ("Tolerance: dose", "10", "tolerance=0.05", "tolerance=0.1"),
        ("Expected value: route", "the liver's bile", '"kidneys"', '"the liver\'s bile"'),
    ]
    expected = TWO
    for label, typed, before, after in steps:
        await opened.desktop.type(label, typed)
        expected = expected.replace(before, after)
        await opened.saved(expected)


async def test_a_decimal_comma_is_read_and_said(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.desktop.type("Expected value: dose", "1.234,5")
    await opened.saved(TWO.replace("ground_truth=300", "ground_truth=1234.5"))
    assert "Read as 1234.5." in opened.texts()
    await opened.desktop.type("Tolerance: dose", "2,5")
    await until(lambda: "tolerance=0.025" in opened.source and "Read as 2.5." in opened.texts())
    await opened.desktop.type("Expected value: dose", "1,234")
    await until(lambda: "“1,234” is not a number. Write it with a decimal point" in opened.texts())
    assert "Read as 1234.5." not in opened.texts()


async def test_the_description_of_words_in_the_answer_is_a_note(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.choose("Type: route", "trace")
    await opened.desktop.type("Description: route", "Says where it goes.")
    await until(lambda: 'description="Says where it goes."' in opened.source)
    assert opened.texts().split("\n").count("What to extract") == 1  # that of the dose


async def test_the_trial_shows_the_description_as_it_is_edited(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    for description in ("The dose per day, in mg.", "The dose a day."):
        await opened.desktop.type("What to extract: dose", description)
        await until(lambda description=description: description in opened.texts())
    assert "The dose, in mg." not in opened.texts()


async def test_a_field_is_renamed_added_moved_and_removed(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await until(lambda: len(opened.desktop.fields("Field name")) == 2)
    opened.desktop.fields("Field name")[0].set_value("Daily dose")
    await opened.saved(TWO.replace("dose: float", "daily_dose: float"))
    card = next(each for each in opened.desktop.elements(ui.element) if each.props.get("aria-label") == FIRST)
    entries = [each for each in card.descendants() if isinstance(each, ui.menu_item)]
    (down,) = [each for each in entries if "Move field down" in _text_of(each)]
    UserInteraction(opened.desktop.user, {down}, None).click()
    await until(lambda: opened.source.index("daily_dose:") > opened.source.index("route:"))
    await opened.desktop.choose("Remove field")  # the last one
    await until(lambda: "daily_dose" not in opened.source)
    await opened.desktop.press("Undo")
    await until(lambda: "daily_dose" in opened.source)
    await opened.desktop.choose("Remove field")
    await until(lambda: "daily_dose" not in opened.source)
    assert "# Checked by hand in 2024." in opened.source
    items = [each for each in opened.desktop.elements(ui.menu_item) if "Yes or no" in _text_of(each)]
    UserInteraction(opened.desktop.user, {items[-1]}, None).click()
    await until(lambda: "claim: bool = VerifiedField(" in opened.source)


async def test_another_comparison_brings_its_own_settings(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.choose("Comparison: dose", "NumericRange")
    await until(lambda: 'NumericRange(min="…", max="…")' in opened.source)
    await until(lambda: "From: enter a number. To: enter a number." in opened.texts())
    await opened.desktop.type("From: dose", "250")
    await opened.desktop.type("To: dose", "350")
    await until(lambda: "NumericRange(min=250, max=350)" in opened.source)
    await until(lambda: "Accepts 250 to 350." in opened.texts())


async def test_a_tolerance_keeps_its_number_in_another_unit(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.choose("Comparison: dose", "NumericTolerance")
    await opened.desktop.type("Tolerance: dose", "7")
    await until(lambda: 'NumericTolerance(tolerance=0.07, mode="relative")' in opened.source)
    await opened.choose("Measured: dose", "absolute")
    await until(lambda: 'NumericTolerance(tolerance=7, mode="absolute")' in opened.source)
    await opened.choose("Measured: dose", "relative")
    await until(lambda: 'NumericTolerance(tolerance=0.07, mode="relative")' in opened.source)


@pytest.mark.parametrize(
    ("comparison", "setting"),
    [("ContainsAny", "text to find"), ("ContainsAll", "text to find"), ("RegexMatch", "pattern")],
)
async def test_a_comparison_without_its_text_is_unfinished(
    tab: Callable[[str | None], Tab], comparison: str, setting: str
) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.choose("Comparison: route", comparison)
    await until(lambda: "Still to do: each empty box and “…” in" in opened.texts().split("\n"))
    assert "not entered yet" not in opened.texts()
    opened.leave("Template field route")
    await until(lambda: f"The {setting} of route is not entered yet." in opened.texts().split("\n"))


async def test_other_names_of_the_expected_value_are_accepted(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.desktop.type("Also accept: route", "Renal\nby urine")
    await until(lambda: '{"renal": "kidneys", "by urine": "kidneys"}' in opened.source)
    await opened.desktop.type("Expected value: route", "Kidney")
    await until(lambda: '{"renal": "kidney", "by urine": "kidney"}' in opened.source)
    verdict = opened.application.editor.templates(opened.benchmark).try_answer(
        opened.source, "", {"dose": 300, "route": "RENAL"}
    )
    assert verdict.field_verification_result is True
    opened.tick("case")
    await until(lambda: 'normalize=["strip", SynonymMap' in opened.source)


async def test_the_type_decides_on_control_and_comparison(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO)
    await opened.open()
    await opened.choose("Type: route", "choice")
    await until(lambda: 'Literal["kidneys", "second", "neither"]' in opened.source)
    await opened.desktop.type("Choices: route", "kidney\nliver")
    await until(lambda: 'Literal["kidney", "liver"]' in opened.source)
    await opened.choose("Expected value: route", "liver")
    await until(lambda: 'ground_truth="liver"' in opened.source)
    assert "verify_with=ExactMatch(" in opened.source  # a choice can be compared so, too
    await opened.choose("Type: route", "date")
    await until(lambda: "verify_with=DateMatch()" in opened.source)


async def test_custom_code_is_shown_and_never_overwritten(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(OWN)
    await opened.open()
    await until(lambda: "Custom code: verify" in opened.texts())
    await opened.desktop.type("What to extract: found", "The protein.")
    await opened.saved(OWN.replace("The name that the answer gives.", "The protein."))
    await opened.desktop.type("Field name", "protein")
    await until(lambda: "Not applied: “found” is used in custom code" in opened.texts())
    assert "protein:" not in opened.source


async def test_source_that_is_no_form_leads_to_the_code(tab: Callable[[str | None], Tab]) -> None:
    opened = tab("class Answer(BaseAnswer:\n")
    await opened.open()
    await until(lambda: "The code has a syntax error. Correct it in the code first." in opened.texts())
    await opened.desktop.press("Show the code")
    await until(lambda: any(each.visible for each in opened.desktop.elements(ui.codemirror)))


async def test_problems_have_the_words_and_links_of_the_view(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(TWO.replace('ExactMatch(normalize=["lowercase", "strip"])', 'DateRange(min="2020-01-01", max="…")'))
    await opened.open()
    await until(lambda: "Still to do: each empty box and “…” in" in opened.texts().split("\n"))
    assert "route" in [each.text for each in opened.desktop.elements(ui.button)]
    (views,) = opened.desktop.elements(ui.toggle)
    views.set_value("code")
    await until(lambda: "Still to do: each “…” in" in opened.texts().split("\n"))
    await until(lambda: "Line 10" in [each.text for each in opened.desktop.elements(ui.button)])
    views.set_value("form")
    await until(lambda: "Still to do: each empty box and “…” in" in opened.texts().split("\n"))


async def test_a_starter_can_be_taken_back(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(None)
    await opened.open()
    await opened.desktop.user.should_see("Start from")
    assert not opened.desktop.elements(ui.codemirror)
    cards = [each for each in opened.desktop.elements(ui.element) if "starter" in each.classes]
    UserInteraction(opened.desktop.user, {cards[2]}, None).click()
    await until(lambda: "ground_truth=300" in opened.source)
    await opened.desktop.choose("Start over")
    await until(lambda: not opened.source)
    await opened.desktop.press("Undo")
    await until(lambda: "ground_truth=300" in opened.source)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_every_comparison_has_a_title_an_example_and_titles_of_its_settings(name: str) -> None:
    assert COMPARISONS[name].title and COMPARISONS[name].example
    for setting in settings_of(name):
        assert setting.title
        assert all(option in OPTIONS for option in setting.options)
    needed = {setting for setting, field in PRIMITIVES[name].model_fields.items() if field.is_required()}
    assert needed - {"threshold"} <= set(STARTS.get(name, {}))


def test_only_comparisons_named_partial_credit_give_values_between_0_and_1() -> None:
    assert "Only comparisons with “Partial credit” in their name give values in between" in PARTIAL_CREDIT.counted
    named = {name for name, text in COMPARISONS.items() if text.title.startswith("Partial credit")}
    graded = {
        name
        for name, kind in PRIMITIVES.items()
        if issubclass(kind, ComparisonPrimitive) and kind.score is not ComparisonPrimitive.score
    }
    assert named == graded and len(graded) == 3


VALUES = {"number": "1", "whole_number": "1", "yes_no": "True", "date": '"2020-01-01"', "choice": '"first"'}
"""Expected values as an author would enter them, as source."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_a_new_field_of_every_kind_only_lacks_what_its_author_enters(kind: FieldKind, sandbox: Sandbox) -> None:
    opened = read_form(TWO)
    assert isinstance(opened, TemplateForm)
    source = FormEdits(opened).add_field(kind.name, kind.annotation, kind.description, kind.expected, kind.comparison)
    form = read_form(source)
    assert isinstance(form, TemplateForm)
    assert kind_of(form.field(kind.name)) == kind
    filled = source.replace(f'"{OPEN}"', VALUES.get(kind.key, '"x"')).replace(OPEN, "it")
    assert sandbox.outline(filled).valid, sandbox.outline(filled).problems


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.title)
def test_every_starter_opens_as_a_form_with_a_control_for_each_field(starter: Starter) -> None:
    form = read_form(starter.write("300 mg"))
    assert isinstance(form, TemplateForm)
    assert all(kind_of(field) is not None for field in form.fields)
    assert all(isinstance(field.comparison, Call) for field in form.fields if field.kind == "verified")


@pytest.mark.parametrize(
    ("annotation", "key"),
    [("Optional[int]", "whole_number"), ("float | None", "number"), ("Optional[list[str]]", "list"), ("Gene", None)],
)
def test_a_field_that_a_judge_may_leave_open_is_of_its_own_kind(annotation: str, key: str | None) -> None:
    form = read_form(TWO.replace("dose: float", f"dose: {annotation}"))
    assert isinstance(form, TemplateForm)
    kind = kind_of(form.field("dose"))
    assert (kind.key if kind else None) == key


def test_titles_become_names() -> None:
    assert [field_name(text) for text in (" Gene name ", "TP53", "", "two  words")] == [
        "gene_name", "TP53", "", "two_words",
    ]  # fmt: skip


def _text_of(item: ui.menu_item) -> str:
    return " ".join(str(getattr(each, "text", "")) for each in item.descendants(include_self=True))


WHOLE = """class Answer(BaseAnswer):
    dose: float = VerifiedField(
        description="The dose.",
        ground_truth=300,
        verify_with=NumericTolerance(tolerance=5, mode="absolute"),
    )
    route: str = VerifiedField(description="The route.", ground_truth="Kidneys", verify_with=ExactMatch())
"""


async def test_whole_numbers_in_settings_and_refused_weights(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(WHOLE)
    await opened.open()
    await until(lambda: len(opened.desktop.fields("Field name")) == 2)
    assert opened.desktop.text("Tolerance: dose") == "5"
    await opened.desktop.type("Weight: dose", "heavy")
    await until(lambda: "Not applied: Enter a number." in opened.texts())
    await opened.desktop.type("Weight: dose", "2")
    await until(lambda: "weight=2" in opened.source and "Not applied" not in opened.texts())


async def test_a_change_of_type_keeps_the_expected_value(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(WHOLE)
    await opened.open()
    for key, written in (("number", '"Kidneys"'), ("list", '["Kidneys"]'), ("text", '"Kidneys"')):
        await opened.choose("Type: route", key)
        await until(lambda written=written: f"ground_truth={written}" in opened.source)
    await opened.choose("Type: dose", "whole_number")
    await until(lambda: "dose: int" in opened.source)
    assert "ground_truth=300" in opened.source
    assert 'NumericTolerance(tolerance=5, mode="absolute")' in opened.source


async def test_synonyms_follow_what_the_comparison_ignores(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(WHOLE)
    await opened.open()
    await opened.desktop.type("Also accept: route", "RENAL\nE=mc2")
    await until(lambda: '{"renal": "kidneys", "e=mc2": "kidneys"}' in opened.source)
    opened.tick("case")
    await until(lambda: '{"RENAL": "Kidneys", "E=mc2": "Kidneys"}' in opened.source)
    await until(lambda: CASE_MATTERS in opened.texts())
    await opened.desktop.type("Expected value: route", "Urine")
    await until(lambda: '{"RENAL": "Urine", "E=mc2": "Urine"}' in opened.source)


SEVERAL = """class Answer(BaseAnswer):
    first: bool = VerifiedField(description="a", ground_truth=True, verify_with=BooleanMatch())
    second: bool = VerifiedField(description="b", ground_truth=True, verify_with=BooleanMatch())

    class VerificationStrategy:
        verify_strategy = AtLeastN(n=1, conditions=[FieldCheck(field="first"), FieldCheck(field="second")])
"""


async def test_a_composition_never_counts_more_than_its_fields_and_follows_their_names(
    tab: Callable[[str | None], Tab],
) -> None:
    opened = tab(SEVERAL)
    await opened.open()
    await opened.desktop.type("Fields that must pass", "3")
    await until(lambda: "Not applied: Enter a whole number from 1 to 2." in opened.texts())
    await opened.desktop.type("Fields that must pass", "2")
    await opened.saved(SEVERAL.replace("n=1", "n=2"))
    opened.tick("second")
    await until(lambda: "Not applied: Select at least 2 fields." in opened.texts())
    opened.desktop.fields("Field name")[0].set_value("claim")
    await until(lambda: 'FieldCheck(field="claim")' in opened.source)
    await until(lambda: "claim" in {each.text for each in opened.desktop.elements(ui.checkbox)})
    await opened.desktop.choose("Remove field")
    await until(lambda: "Not applied: “The answer passes if” uses “second”." in opened.texts())


CHOICE = """class Answer(BaseAnswer):
    kind: Literal["x", "y"] = VerifiedField(
        description="Which.",
        ground_truth="x",
        verify_with=LiteralMatch(),
    )
"""


async def test_the_expected_choice_is_carried_along_while_it_is_edited(tab: Callable[[str | None], Tab]) -> None:
    opened = tab(CHOICE)
    await opened.open()
    await opened.desktop.type("Choices: kind", "xx\ny\ny")
    await until(lambda: 'Literal["xx", "y"]' in opened.source and 'ground_truth="xx"' in opened.source)
    await opened.desktop.type("Choices: kind", "y")
    await until(lambda: 'Literal["y"]' in opened.source)
    await opened.choose("Expected value: kind", "y")
    await until(lambda: 'ground_truth="y"' in opened.source)
