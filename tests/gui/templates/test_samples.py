"""Sample answers in the Template tab, with the verdict of the template on each."""

from __future__ import annotations

import re
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.schemas.sample_answer import SampleAnswer, sample_answers, with_samples
from tests.gui.desktop import Desktop
from tests.until import until

DOSE = """class Answer(BaseAnswer):
    dose: float = VerifiedField(
        description="The dose in mg.", ground_truth=300, verify_with=NumericTolerance(tolerance=0.05, mode="relative")
    )
"""
STRICT = DOSE.replace("300", "400")


class Bench:
    """The tab Sample answers of one question."""

    def __init__(self, user: User, application: Application) -> None:
        self.desktop, self.application = Desktop(user, application.services()), application
        self.benchmark = application.editor.create_benchmark("Doses")
        self.number = application.editor.add_question(self.benchmark, "Which dose?", "300 mg").summary.number
        application.editor.edit(self.benchmark, self.number, {"answer_template": DOSE})

    async def open(self) -> None:
        await self.desktop.load(f"/benchmarks/{self.benchmark}/questions/{self.number}?tab=template")
        if not self.samples:
            self.show_tab("samples")

    def show_tab(self, name: str) -> None:
        (tabs,) = [each for each in self.desktop.elements(ui.tabs) if each.value in ("samples", "try")]
        tabs.set_value(name)

    @property
    def samples(self) -> list[SampleAnswer]:
        return sample_answers(self.application.editor.question(self.benchmark, self.number).entry.question)

    def keep(self, *samples: SampleAnswer) -> None:
        """Change the samples elsewhere."""
        metadata = with_samples(None, samples)
        self.application.editor.edit(self.benchmark, self.number, {"custom_metadata": metadata})

    async def says(self, text: str) -> None:
        await until(lambda: text in self.texts())

    def texts(self) -> list[str]:
        return [each.text for each in self.desktop.elements(ui.label) if each.text]

    def button(self, text: str) -> ui.button:
        (found,) = [each for each in self.desktop.elements(ui.button) if each.text == text]
        return found

    def openers(self) -> list[Any]:
        return [each for each in self.desktop.client.layout.descendants() if "sample-opener" in each.classes]

    def names(self) -> list[str]:
        """What screen readers say of each sample."""
        return [str(each.props.get("aria-label")) for each in self.openers()]

    def menu_item(self, title: str, place: int) -> None:
        """Choose a command in the menu of a sample."""
        items = [each for each in self.desktop.client.layout.descendants() if isinstance(each, ui.menu_item)]
        chosen = [each for each in items if any(getattr(part, "text", "") == title for part in each.descendants())]
        UserInteraction(self.desktop.user, {chosen[place]}, None).click()

    def open_row(self, place: int) -> None:
        listener = next(each for each in self.openers()[place]._event_listeners.values() if each.type == "click")
        self.desktop.client.handle_event(
            {
                "id": self.openers()[place].id,
                "client_id": self.desktop.client.id,
                "listener_id": listener.id,
                "args": [],
            }
        )


@pytest.fixture
def bench(user: User, application: Application) -> Bench:
    return Bench(user, application)


async def test_starter_samples_are_tested_at_once(bench: Bench) -> None:
    await bench.open()
    await until(lambda: bench.button("Add starter samples").enabled)
    await bench.desktop.press("Add starter samples")
    await bench.says("3 of 3 as expected.")
    assert [(each.kind, each.passes, each.values) for each in bench.samples] == [
        ("correct", True, {"dose": 300.0}),
        ("refusal", False, {"dose": None}),
        ("empty", False, {"dose": None}),
    ]
    await until(lambda: bench.names()[0] == "Correct answer. Passes, as expected.")
    assert bench.names()[1:] == ["Refusal. Fails, as expected.", "Empty answer. Fails, as expected."]
    row = bench.application.library.questions.summary(bench.benchmark, bench.number)
    await until(lambda: bench.application.library.questions.summary(bench.benchmark, bench.number).samples_wrong == 0)
    assert row.samples == 3


async def test_an_edit_of_the_template_tests_the_samples_again(bench: Bench) -> None:
    bench.keep(SampleAnswer(text="300 mg", values={"dose": 300}), SampleAnswer(text="?", values=None))
    await bench.open()
    await bench.says("1 of 2 as expected, 1 not read yet.")
    await bench.says("Not read yet: let a judge read it, or enter values.")
    bench.application.editor.edit(bench.benchmark, bench.number, {"answer_template": STRICT})
    await bench.says("0 of 2 as expected, 1 wrong verdict, 1 not read yet.")
    await bench.says("Fails, but should pass.")
    renamed = DOSE.replace("    dose:", "    amount:")
    for template in (DOSE, renamed):
        bench.application.editor.edit(bench.benchmark, bench.number, {"answer_template": template})
    await bench.says("1 of 2 as expected, 1 not read yet.")
    bench.application.editor.edit(bench.benchmark, bench.number, {"answer_template": renamed + DOSE.partition("\n")[2]})
    await bench.says("No value yet for the field dose.")


async def test_text_values_and_expectation_are_edited_in_the_row(bench: Bench) -> None:
    bench.keep(SampleAnswer(id="a", text="About 250 mg", values={"dose": 250.0}, judge="opus"))
    await bench.open()
    await bench.says("0 of 1 as expected, 1 wrong verdict.")
    bench.open_row(0)
    await until(lambda: bench.desktop.fields("Value of dose"))
    await bench.says("by opus")
    value = bench.desktop.fields("Value of dose")[0]  # the other one belongs to the trial
    value.set_value("a lot")
    await bench.says("dose: “a lot” is not a number.")
    value.set_value("310")
    await until(lambda: bench.samples[0].values == {"dose": 310.0})
    assert bench.samples[0].judge is None
    await bench.says("1 of 1 as expected.")
    await bench.desktop.type("Answer text", "About 310 mg")
    await until(lambda: bench.samples[0].text == "About 310 mg")
    assert bench.samples[0].values == {"dose": 310.0}, "values entered by hand stay"
    (expected,) = [each for each in bench.desktop.elements(ui.select) if "Should pass" in each.options.values()]
    expected.set_value(False)
    await bench.says("Passes, but should fail.")
    assert bench.samples[0].passes is False


async def test_a_judges_values_go_with_the_text_that_it_read(bench: Bench) -> None:
    bench.keep(SampleAnswer(id="a", text="About 300 mg", values={"dose": 300.0}, judge="opus"))
    await bench.open()
    bench.open_row(0)
    await bench.desktop.type("Answer text", "About 200 mg")
    await until(lambda: bench.samples[0].text == "About 200 mg")
    assert (bench.samples[0].values, bench.samples[0].judge) == (None, None)


async def test_a_deleted_sample_comes_back_to_its_place(bench: Bench, user: User) -> None:
    bench.keep(*(SampleAnswer(id=each, text=each, values={"dose": 300}) for each in "abc"))
    await bench.open()
    await until(lambda: len(bench.openers()) == 3)
    bench.menu_item("Delete", 1)
    await until(lambda: [each.id for each in bench.samples] == ["a", "c"])
    await bench.desktop.press("Undo")
    await until(lambda: [each.id for each in bench.samples] == ["a", "b", "c"])
    await bench.says("3 of 3 as expected.")
    bench.menu_item("Duplicate", 2)
    await until(lambda: [each.text for each in bench.samples] == ["a", "b", "c", "c"])
    assert len({each.id for each in bench.samples}) == 4


async def test_an_answer_of_the_trial_is_kept_with_its_verdict(bench: Bench) -> None:
    await bench.open()
    bench.show_tab("try")
    await bench.desktop.type("Value of dose", "12")
    await bench.desktop.press("Keep as sample")
    await until(lambda: len(bench.samples) == 1)
    kept = bench.samples[0]
    assert (kept.kind, kept.passes, kept.values) == ("wrong", False, {"dose": 12.0})
    await bench.says("1 of 1 as expected.")


async def test_metadata_rows_keep_the_samples(bench: Bench, user: User) -> None:
    bench.keep(SampleAnswer(id="a", text="300 mg", values={"dose": 300}))
    await bench.desktop.load(f"/benchmarks/{bench.benchmark}/questions/{bench.number}?tab=question")
    await user.should_not_see("sample_answers")
    await bench.desktop.press("Add field")
    await bench.desktop.type(re.escape("Name, line 1"), "difficulty")
    await bench.desktop.type(re.escape("Value, line 1"), "easy")

    def metadata() -> dict[str, Any]:
        question = bench.application.editor.question(bench.benchmark, bench.number).entry.question
        return dict(question.custom_metadata or {})

    await until(lambda: metadata().get("difficulty") == "easy")
    assert len(bench.samples) == 1
    await bench.desktop.type(re.escape("Name, line 1"), "sample_answers")
    await bench.says("“sample_answers” is in use for the application’s own data. Choose another name.")
    assert len(bench.samples) == 1
