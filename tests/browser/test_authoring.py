"""Writing a benchmark, as an author does it: questions, templates, trials, traits, files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.template_views import code, description_of, expected_value_of, open_code

pytestmark = pytest.mark.browser

TEMPLATE = """class Answer(BaseAnswer):
    dose_mg: float = VerifiedField(
        description="The dose in milligrams.",
        ground_truth=400,
        verify_with=NumericTolerance(tolerance=0.05),
    )
"""


@pytest.fixture
def example(page: Page, example_copy: str) -> Page:
    """A page on a fresh copy of the example."""
    page.goto(f"{example_copy}/questions")
    expect(page.get_by_text("13 questions", exact=True)).to_be_visible()
    return page


@pytest.fixture
def empty(page: Page, address: str) -> Page:
    """A page on a new benchmark without questions."""
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("Doses")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    return page


@pytest.mark.thorough
def test_the_application_opens_on_the_benchmark_that_was_open_last(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions")
    expect(page.get_by_role("row", name=re.compile("Which enzyme do statins inhibit"))).to_be_visible()
    page.goto(address)
    expect(page).to_have_url(re.compile(r"/benchmarks/1/questions$"))
    expect(page.get_by_role("row", name=re.compile("Which enzyme do statins inhibit"))).to_be_visible()


@pytest.mark.thorough
def test_a_question_is_written_template_and_all_and_survives_a_reload(empty: Page) -> None:
    empty.get_by_role("button", name="New question", exact=True).first.click()
    empty.wait_for_url(re.compile(r"/questions/\d+$"))
    empty.get_by_label("Question", exact=True).fill("What is the daily dose of imatinib in mg?")
    empty.get_by_label("Reference answer").fill("400 mg")
    empty.get_by_role("tab", name="Template").click()
    empty.get_by_role("button", name=re.compile("^Number")).click()
    expect(empty.get_by_text("Still to do: each empty box")).to_be_visible()
    expect(empty.locator(".problem-error, .field-error:visible")).to_have_count(0)
    expect(expected_value_of(empty, "value")).to_have_value("400")
    empty.get_by_role("button", name="Mark finished", exact=True).first.click()
    expect(empty.get_by_role("button", name="Finished, no working template")).to_be_visible()
    expect(empty.get_by_text("0 of 1 ready")).to_be_visible()
    description_of(empty, "value").fill("The number that the answer gives for the daily dose, in mg.")
    expect(empty.get_by_role("button", name="Changed since review")).to_be_visible()
    expect(empty.get_by_text(re.compile(r"Saved \d\d:\d\d:\d\d"))).to_be_visible()
    expect(empty.get_by_text("1 of 1 ready")).to_be_visible()
    empty.reload()
    expect(empty.get_by_role("heading", name="What is the daily dose of imatinib in mg?")).to_be_visible()
    expect(expected_value_of(empty, "value")).to_have_value("400")
    expect(open_code(empty)).to_contain_text("ground_truth=400")


def test_the_first_question_opens_with_the_focus_in_its_text(example: Page, address: str) -> None:
    open_question(example, "Name an antidote for each", tab="Template")
    example.goto(f"{address}/benchmarks")
    example.get_by_role("button", name="New benchmark").click()
    example.get_by_label("Name", exact=True).fill("Empty")
    example.get_by_role("button", name="Create").click()
    expect(example.get_by_role("heading", name="No questions yet")).to_be_visible()
    example.keyboard.press("Control+Alt+n")
    expect(example.get_by_label("Question", exact=True)).to_be_focused()
    example.keyboard.type("What is the daily dose of imatinib?")
    expect(example.get_by_text(re.compile(r"Saved \d\d:\d\d:\d\d"))).to_be_visible()


def test_what_is_typed_fast_into_a_template_arrives_whole_and_is_checked(empty: Page) -> None:
    empty.get_by_role("button", name="New question", exact=True).first.click()
    empty.get_by_role("tab", name="Template").click()
    open_code(empty).click()
    empty.keyboard.type("# " + "a quick brown fox " * 5, delay=8)
    empty.keyboard.press("Enter")
    empty.keyboard.insert_text(TEMPLATE)
    expect(empty.get_by_text("No problems: 1 field")).to_be_visible()
    empty.reload()
    expect(code(empty)).to_contain_text("# " + "a quick brown fox " * 4)
    # Emptied by its author, the editor waits for other code.
    code(empty).press("Control+a")
    code(empty).press("Delete")
    expect(empty.get_by_text("No template yet.")).to_be_visible()
    empty.keyboard.type("# another")
    expect(code(empty)).to_have_text("# another")


@pytest.mark.thorough
def test_code_typed_before_the_messages_of_the_server_arrive_stays(empty: Page) -> None:
    late: list[Callable[[], None]] = []
    slow = ["yes"]

    def connect(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if slow and (late or ".replace(" in str(message)):  # the browser drops what comes out of order
                late.append(lambda: socket.send(message))
            else:
                socket.send(message)

        server.on_message(pass_on)

    empty.route_web_socket(re.compile("socket.io"), connect)
    empty.get_by_role("button", name="New question", exact=True).first.click()
    empty.get_by_role("tab", name="Template").click()
    empty.get_by_role("button", name=re.compile("^Number")).click()
    expect(empty.get_by_text("Still to do:")).to_be_visible()
    empty.reload()
    open_code(empty).press("Control+a")
    empty.keyboard.type("# a quick brown fox")
    slow.clear()
    for deliver in late:
        deliver()
    empty.keyboard.type(" jumps")
    expect(empty.get_by_text("No BaseAnswer subclass found", exact=False).first).to_be_visible()
    expect(code(empty)).to_have_text("# a quick brown fox jumps")


@pytest.mark.thorough
def test_a_mistake_is_shown_at_its_line_and_a_click_leads_there(empty: Page) -> None:
    empty.get_by_role("button", name="New question", exact=True).first.click()
    empty.get_by_role("tab", name="Template").click()
    open_code(empty).click()
    empty.keyboard.insert_text(TEMPLATE.replace("NumericTolerance", "NumericTolerence"))
    expect(empty.locator(".lint-dot.lint-error")).to_have_count(1)
    empty.get_by_role("button", name=re.compile(r"^Line \d")).click()
    expect(code(empty)).to_be_focused()
    expect(empty.get_by_role("row", name=re.compile("Problem"))).to_be_visible()


@pytest.mark.thorough
def test_a_trial_says_field_by_field_what_would_pass(example: Page) -> None:
    open_question(example, "Name an antidote for each", tab="Template")
    example.get_by_role("tab", name="Try it").click()
    example.get_by_role("button", name="Use expected values").click()
    verdict = example.locator(".try-verdict")
    expect(verdict).to_contain_text("Passes")
    example.get_by_label("Value of heparin").fill("vitamin K")
    expect(verdict.get_by_role("row", name=re.compile("heparin.*vitamin K.*protamine.*differs"))).to_be_visible()
    expect(verdict).to_contain_text("Passes")  # two of three are enough
    example.get_by_label("Value of paracetamol").fill("charcoal")
    expect(verdict).to_contain_text("Fails")
    example.get_by_role("tab", name="Judge input").click()
    expect(example.get_by_role("table", name="Judge input")).not_to_contain_text("flumazenil")


def test_the_list_is_searched_filtered_and_cleared(example: Page) -> None:
    example.get_by_label("Search questions").fill("acetylates the enzyme")  # stands in a reference answer only
    expect(example.get_by_text("1 of 13")).to_be_visible()
    example.get_by_label("Search questions").fill("nothing has this")
    expect(example.get_by_text("No questions match")).to_be_visible()
    example.get_by_role("button", name="Clear filters").press("Enter")
    expect(example.get_by_text("13 questions", exact=True)).to_be_visible()
    expect(example.get_by_role("combobox", name="Status filter")).to_be_focused()  # the button itself is gone
    example.get_by_label("Status filter").click()
    example.get_by_role("option", name="Unfinished").click()
    expect(example.get_by_text("1 of 13")).to_be_visible()
    example.reload()
    expect(example.get_by_text("1 of 13")).to_be_visible()


def test_many_questions_are_marked_at_once(example: Page) -> None:
    example.get_by_role("checkbox", name="Column with Header Selection").click()
    expect(example.get_by_text("13 selected")).to_be_visible()
    example.get_by_role("button", name="Mark unfinished").click()
    expect(example.get_by_text("0 of 13 ready")).to_be_visible()
    example.get_by_role("button", name="Undo").click()
    expect(example.get_by_text("12 of 13 ready")).to_be_visible()


@pytest.mark.thorough
def test_keywords_sources_and_facts_are_kept(example: Page) -> None:
    open_question(example, "How is gentamicin eliminated", tab="Question")
    example.get_by_role("combobox", name="Keywords").fill("kidney, route")
    example.keyboard.press("Enter")
    example.get_by_role("button", name="Add source").click()
    example.get_by_label("Title, line 1").fill("A textbook")
    example.get_by_role("button", name="Add field").click()
    example.get_by_label("Name, line 1").fill("difficulty")
    example.get_by_label("Value, line 1").fill("easy")
    example.reload()
    for keyword in ("kidney", "route"):
        expect(example.locator(".q-chip").get_by_text(keyword, exact=True)).to_be_visible()
    expect(example.get_by_label("Title, line 1")).to_have_value("A textbook")
    expect(example.get_by_label("Value, line 1")).to_have_value("easy")


@pytest.mark.thorough
def test_a_file_that_is_no_benchmark_is_refused_with_a_reason(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text("[1, 2, 3]")
    page.goto(f"{address}/benchmarks?import=1")
    page.locator(".dialog input[type=file]").set_input_files(file)
    expect(page.get_by_text("notes.json is not a benchmark")).to_be_visible()


@pytest.mark.thorough
def test_commands_are_reached_by_keys_and_by_the_palette(example: Page) -> None:
    open_question(example, "Which enzyme do statins inhibit")
    example.keyboard.press("j")
    expect(example.get_by_role("heading", name=re.compile("Which four drugs"))).to_be_visible()
    example.keyboard.press("k")
    expect(example.get_by_role("heading", name=re.compile("Which enzyme do statins"))).to_be_visible()
    example.keyboard.press("/")
    expect(example.get_by_label("Search questions")).to_be_focused()
    example.keyboard.type("jjj")  # letters are letters while something is typed
    expect(example.get_by_label("Search questions")).to_have_value("jjj")
    example.keyboard.press("Control+k")
    example.get_by_role("textbox", name="Command").fill("guide")
    example.keyboard.press("Enter")
    expect(example.get_by_role("heading", name="How an answer is checked")).to_be_visible()


@pytest.mark.thorough
def test_a_menu_says_why_a_command_cannot_be_done(page: Page, address: str) -> None:
    page.goto(f"{address}/guide")
    page.get_by_role("menuitem", name="Edit").click()
    item = page.get_by_role("menuitem", name="Delete question")
    expect(item).to_have_attribute("aria-disabled", "true")
    item.hover()
    expect(page.get_by_text("Open a question first.")).to_be_visible()


@pytest.mark.thorough
def test_light_and_dark_are_remembered(page: Page, address: str) -> None:
    page.goto(f"{address}/guide")
    page.get_by_role("button", name=re.compile("^Change theme")).click()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    page.reload()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))


@pytest.mark.thorough
def test_an_address_that_leads_nowhere_says_so(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/9999/questions")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    page.goto(f"{address}/benchmarks/{10**22}/questions")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    page.get_by_role("button", name="All benchmarks").click()
    expect(page.get_by_role("heading", name="Benchmarks")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("place", [".empty", ".nav"])
def test_back_leads_to_an_address_without_a_page_and_to_what_was_before(page: Page, address: str, place: str) -> None:
    page.goto(f"{address}/guide")
    page.goto(f"{address}/nowhere")
    expect(page).to_have_title("Page not found · Karenina")
    page.locator(place).get_by_text("Questions", exact=True).click()
    expect(page).to_have_title("Questions · Karenina")
    expect(page).to_have_url(re.compile(r"/benchmarks/\d+/questions$"))
    page.go_back()
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    expect(page).to_have_title("Page not found · Karenina")
    expect(page).to_have_url(f"{address}/nowhere")
    page.go_back()
    expect(page).to_have_title("Get started · Guide · Karenina")


def open_question(page: Page, text: str, tab: str | None = None) -> None:
    """Click it in the list and wait for its editor."""
    page.get_by_role("row", name=re.compile(re.escape(text))).get_by_text(re.compile(re.escape(text))).click()
    expect(page.get_by_role("heading", name=re.compile(re.escape(text)))).to_be_visible()
    if tab:
        page.get_by_role("tab", name=tab, exact=True).click()


@pytest.mark.thorough
def test_the_arguments_of_a_comparison_are_completed_first(example: Page) -> None:
    example.get_by_role("tab", name="Template").click()
    open_code(example).click()
    example.keyboard.press("Control+End")
    example.keyboard.type("\nx = NumericTolerance(")
    example.keyboard.press("Control+Space")
    offered = example.locator(".cm-tooltip-autocomplete li")
    expect(offered.first).to_contain_text("tolerance=")
    expect(offered.nth(1)).to_contain_text("mode=")
    example.wait_for_timeout(200)  # the list takes no keys in its first moment, lest a typed one chooses from it
    example.keyboard.press("ArrowDown")
    expect(offered.nth(1)).to_have_attribute("aria-selected", "true")
    example.keyboard.press("Enter")
    expect(example.locator(".cm-content")).to_contain_text("x = NumericTolerance(mode=")
    example.keyboard.press("Control+Space")
    expect(offered.first).to_contain_text('"relative"')
    example.keyboard.press("Escape")


@pytest.mark.thorough
def test_typing_right_after_a_starter_replaces_its_placeholder(empty: Page) -> None:
    empty.get_by_role("button", name="New question", exact=True).first.click()
    empty.wait_for_url(re.compile(r"/questions/\d+$"))
    empty.get_by_label("Question", exact=True).fill("Which element has the symbol W?")
    empty.get_by_role("tab", name="Template").click()
    empty.get_by_role("button", name=re.compile("^Text")).click()
    expect(description_of(empty, "name")).to_be_focused()
    empty.keyboard.type("the element")
    expect(description_of(empty, "name")).to_have_value("The name of the element that the answer gives.")
