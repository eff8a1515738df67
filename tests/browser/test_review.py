"""Review by keyboard alone: two questions go back to their author, the others are finished."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import build
from karenina_gui.settings import Settings
from tests.browser.accessibility import violations
from tests.browser.test_main_job_by_keyboard import Keys

pytestmark = pytest.mark.browser

TEXTS = ("Which enzyme do statins inhibit?", "What is 6 x 7?", "Who was first?", "Which vitamin reverses warfarin?")


@pytest.fixture(scope="module")
def data(data: Path) -> Path:
    """With a benchmark of four questions by Ada for each test, none of them finished."""
    application = build(Settings(data=data))
    try:
        for place in (1, 2):
            benchmark = application.editor.create_benchmark(f"To review {place}")
            for number, text in enumerate(TEXTS, 1):
                application.editor.add_question(benchmark, text, f"The answer to {number}", {"name": "Ada"})
    finally:
        application.close()
    return data


@pytest.fixture
def questions(address: str, copies: Iterator[int]) -> str:
    """Where the questions of a benchmark of Ada's are listed."""
    return f"{address}/benchmarks/{next(copies)}/questions"


def name(page: Page, address: str, person: str) -> None:
    """Enter the name of the person in front of the screen."""
    page.goto(f"{address}/settings")
    page.get_by_role("textbox", name=re.compile("^(Author: )?Name$")).fill(person)
    page.get_by_role("textbox", name=re.compile("^(Author: )?Name$")).press("Tab")
    page.wait_for_timeout(600)


def test_a_reviewer_returns_two_and_finishes_the_rest(page: Page, address: str, questions: str) -> None:
    name(page, address, "Grace")
    page.goto(questions)
    page.get_by_role("row", name=re.compile(re.escape(TEXTS[0]))).click()
    expect(page.get_by_role("heading", level=1, name=TEXTS[0])).to_be_visible()
    page.goto(f"{page.url.partition('#')[0]}?tab=review")
    for number, text in enumerate(TEXTS, 1):
        expect(page.get_by_role("heading", level=1, name=text)).to_be_visible()
        expect(page.get_by_role("list", name="Checklist").get_by_text("Reference answer.")).to_be_visible()
        expect(page.get_by_text(f"The answer to {number}")).to_be_hidden()
        page.keyboard.press("x")
        expect(page.get_by_text(f"The answer to {number}", exact=True)).to_be_visible()
        if number in (1, 3):
            page.keyboard.press("r")
            expect(page.get_by_role("textbox", name="What should change")).to_be_focused()
            page.keyboard.type(f"Please look at {number} again.")
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
            expect(page.get_by_role("button", name="Return", exact=True)).to_be_focused()
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("f")
    expect(page.get_by_text("No other question waits for you.")).to_be_visible()
    assert violations(page) == []
    name(page, address, "Ada")
    page.goto(f"{questions}#finished=waiting")
    expect(page.get_by_role("row", name=re.compile("Returned to its author"))).to_have_count(2)
    expect(page.get_by_text(re.compile("^2 of 4"))).to_be_visible()
    page.get_by_role("row", name=re.compile(re.escape(TEXTS[2]))).click()
    expect(page.get_by_text("Please look at 3 again.")).to_be_visible()
    page.get_by_role("button", name="Ask for review").click()
    expect(page.get_by_text(re.compile("^1 of 4"))).to_be_visible()


@pytest.mark.thorough
def test_two_people_edit_and_comment_the_same_question(
    page: Page, new_page: Callable[..., Page], address: str, questions: str
) -> None:
    """With keys alone, each in a window of their own; both edits and both comments stay, and each sees the other's."""
    ada, grace = page, new_page()
    name(ada, address, "Ada")
    name(grace, address, "Grace")
    ada.goto(questions)
    ada.get_by_role("row", name=re.compile(re.escape(TEXTS[-1]))).click()
    expect(ada.get_by_role("heading", level=1, name=TEXTS[-1])).to_be_visible()
    question = re.sub(r"[#?].*", "", ada.url)
    for page in (ada, grace):
        page.goto(f"{question}?tab=question")
        expect(page.get_by_role("textbox", name="Notes")).to_be_visible()
    keys = {page: Keys(page) for page in (ada, grace)}
    keys[ada].tab_to(ada.get_by_role("textbox", name="Notes"))
    keys[grace].tab_to(grace.get_by_role("textbox", name="Reference answer"))
    for letter in "abcdef":
        keys[ada].press(letter)
        keys[grace].press(letter)
    for page in (ada, grace):
        expect(page.get_by_role("textbox", name="Notes")).to_have_value("abcdef")
        expect(page.get_by_role("textbox", name="Reference answer")).to_have_value(re.compile("abcdef$"))
    # The same field, one after the other.
    keys[ada].write("Ada's notes")
    expect(grace.get_by_role("textbox", name="Notes")).to_have_value("Ada's notes")
    keys[grace].tab_to(grace.get_by_role("textbox", name="Notes"))
    keys[grace].write("Grace's notes")
    keys[ada].tab_to(ada.get_by_role("textbox", name="Reference answer"), "Shift+Tab")
    expect(ada.get_by_role("textbox", name="Notes")).to_have_value("Grace's notes")

    for page, person in ((ada, "Ada"), (grace, "Grace")):
        keys[page].tab_to(page.get_by_role("tab", name="Question", exact=True), "Shift+Tab")
        keys[page].press("End", "Enter")
        keys[page].tab_to(page.get_by_role("textbox", name="New comment"))
        keys[page].type(f"{person} says so.")
        keys[page].tab_to(page.get_by_role("button", name="Comment", exact=True))
        keys[page].press("Enter")
    for page in (ada, grace):
        comments = page.get_by_role("list", name="Comments").get_by_role("listitem")
        expect(comments).to_have_count(2)
        expect(comments.nth(0)).to_contain_text("Ada says so.")
        expect(comments.nth(1)).to_contain_text("Grace says so.")
    keys[grace].tab_to(grace.get_by_role("button", name="Mark done").first, "Shift+Tab")
    keys[grace].press("Enter")
    expect(ada.get_by_role("button", name="Reopen")).to_be_visible()
    assert violations(ada) == []
    # Grace's undo is about what she did, and leaves Ada's edits alone.
    keys[grace].press("Control+z", "Control+z")
    expect(grace.get_by_text("Grace says so.", exact=True)).to_be_hidden()
    expect(ada.get_by_text("Grace says so.", exact=True)).to_be_hidden()
    expect(ada.get_by_text("Ada says so.", exact=True)).to_be_visible()
