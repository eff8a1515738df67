"""Two people at one benchmark: nothing of either is overwritten silently, and nothing that was typed is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import eventually
from tests.browser.template_views import code, open_code

pytestmark = pytest.mark.browser

Windows = tuple[Page, Page]


@pytest.fixture
def question(example_copy: str, page: Page) -> str:
    """Address of the last question of a copy of the example, which has no template."""
    rows = page.request.get(example_copy.replace("/benchmarks/", "/api/benchmarks/") + "/questions").json()["rows"]
    (last,) = [row["number"] for row in rows if row["question"].startswith("How is gentamicin")]
    return f"{example_copy}/questions/{last}"


@pytest.fixture
def windows(page: Page, new_page: Callable[..., Page], question: str) -> Windows:
    """The same question in the windows of two people."""
    return both(page, new_page(), f"{question}?tab=question", "Notes")


def test_typing_over_an_edit_of_somebody_else_shows_both_side_by_side(windows: Windows) -> None:
    one, two = windows
    clash_in_notes(one, two, "Twice a day.", "Once a day.")
    mine, theirs = one.get_by_role("row").filter(has_text="Once a day").get_by_role("cell").all()
    expect(mine).to_have_text("Twice a day.")
    expect(theirs).to_have_text("Once a day.")
    expect(mine.locator("mark")).to_have_text("Twice")
    expect(theirs.locator("mark")).to_have_text("Once")
    expect(two.get_by_label("Notes")).to_have_value("Once a day.")
    one.get_by_role("button", name="Keep mine").click()
    expect(versions(one)).to_be_hidden()
    expect(one.get_by_label("Notes")).to_be_focused()
    two.get_by_label("Question", exact=True).focus()
    expect(two.get_by_label("Notes")).to_have_value("Twice a day.")


@pytest.mark.thorough
def test_an_undecided_edit_is_there_again_after_a_reload_until_it_is_decided(windows: Windows) -> None:
    one, two = windows
    clash_in_notes(one, two, "mine", "theirs")
    reload(one)
    expect(one.get_by_text("your edit isn’t saved yet")).to_be_visible()
    expect(one.get_by_label("Notes")).to_have_value("mine")
    one.get_by_role("button", name="Use other version").click()
    expect(one.get_by_label("Notes")).to_have_value("theirs")
    reload(one)
    expect(one.get_by_label("Notes")).to_have_value("theirs")
    expect(versions(one)).to_be_hidden()


@pytest.mark.thorough
def test_two_edits_are_put_together_in_the_field(windows: Windows) -> None:
    one, two = windows
    one.get_by_label("Notes").fill("Give 4 mg daily, with food.")
    expect(two.get_by_label("Notes")).to_have_value("Give 4 mg daily, with food.")
    clash_in_notes(one, two, "Give 5 mg daily, with food.", "Give 4 mg daily, without food.")
    one.get_by_role("button", name="Merge both").click()
    expect(one.get_by_label("Notes")).to_have_value("Give 5 mg daily, without food.")
    two.get_by_label("Question", exact=True).focus()
    expect(two.get_by_label("Notes")).to_have_value("Give 5 mg daily, without food.")


@pytest.mark.thorough
def test_what_is_typed_before_the_window_is_connected_stays(new_page: Callable[..., Page], question: str) -> None:
    page, address = new_page(once=True), f"{question}?tab=question"
    connecting: list[WebSocketRoute] = []

    def hold(route: WebSocketRoute) -> None:
        connecting.append(route)
        server = route.connect_to_server()
        route.on_message(lambda message: server.send(message))
        server.on_message(lambda message: held.append(message) if held is not None else route.send(message))

    held: list[str | bytes] | None = []
    page.route_web_socket(re.compile("_nicegui_ws"), hold)
    page.goto(address)
    page.get_by_label("Notes").fill("Typed at once.")
    waiting, held = held, None
    for message in waiting:
        connecting[0].send(message)
    expect(page.get_by_text(re.compile("^Saved "))).to_be_visible()
    expect(page.get_by_label("Notes")).to_have_value("Typed at once.")
    reload(page)
    expect(page.get_by_label("Notes")).to_have_value("Typed at once.")


@pytest.mark.thorough
def test_edits_of_different_fields_at_the_same_moment_both_stand(windows: Windows) -> None:
    one, two = windows
    one.get_by_label("Notes").focus()
    two.get_by_label("Reference answer").focus()
    for letter in "abcdefghij":
        one.keyboard.press(letter)
        two.keyboard.press(letter)
    one.get_by_label("Author: Name").fill("Ada")
    two.get_by_label("Author: Email").fill("ada@example.org")
    one.get_by_label("Question", exact=True).focus()
    two.get_by_label("Question", exact=True).focus()
    for page in windows:
        expect(page.get_by_label("Notes")).to_have_value(re.compile("abcdefghij$"))
        expect(page.get_by_label("Reference answer")).to_have_value(re.compile("abcdefghij$"))
        expect(page.get_by_label("Author: Name")).to_have_value("Ada")
        expect(page.get_by_label("Author: Email")).to_have_value("ada@example.org")
        expect(versions(page)).to_be_hidden()


@pytest.mark.thorough
def test_lists_are_shown_side_by_side_too(windows: Windows) -> None:
    one, two = windows
    one.get_by_role("button", name="Add source").click()
    one.get_by_label("Title, line 1").fill("A textbook")
    expect(two.get_by_label("Title, line 1")).to_have_value("A textbook")
    one.get_by_label("Title, line 1").focus()
    two.get_by_label("URL (https://…), line 1").fill("https://example.org/2")
    kept(two, "https://example.org/2")
    one.get_by_label("Title, line 1").press_sequentially(" of 1999")
    cells = one.get_by_role("row").filter(has_text="textbook").get_by_role("cell")
    expect(cells.nth(0)).to_have_text("A textbook of 1999")
    expect(cells.nth(1)).to_have_text("A textbook · https://example.org/2")
    one.get_by_role("button", name="Keep mine").click()
    expect(versions(one)).to_be_hidden()
    two.get_by_label("Notes").focus()
    expect(two.get_by_label("Title, line 1")).to_have_value("A textbook of 1999")


def test_a_template_typed_in_two_windows_at_once_is_nowhere_lost(windows: Windows) -> None:
    one, two = windows
    for page in windows:
        open_template(page)
    # Texts that begin alike would agree for a moment, and the conflict would go from one window to the other.
    for left, right in zip("one = 1", "two = 2", strict=True):
        one.keyboard.press(left)
        two.keyboard.press(right)
    eventually(one, lambda: versions(one).is_visible() or versions(two).is_visible())
    asked, saved = (one, two) if versions(one).is_visible() else (two, one)
    expect(versions(saved)).to_be_hidden()
    mine, theirs = ("one = 1", "two = 2") if asked is one else ("two = 2", "one = 1")
    expect(code(asked)).to_contain_text(mine)
    expect(asked.get_by_role("row").filter(has_text=mine).get_by_role("cell").first).to_have_text(mine)
    expect(asked.get_by_role("row").filter(has_text=theirs).get_by_role("cell").last).to_have_text(theirs)
    reload(asked)
    asked.get_by_role("tab", name="Template (not saved)").click()
    expect(asked.get_by_text("your edit isn’t saved yet")).to_be_visible()
    expect(code(asked)).to_contain_text(mine)
    asked.get_by_role("button", name="Merge both").click()
    expect(versions(asked)).to_be_hidden()
    expect(code(asked)).to_contain_text(re.compile("one = 1.*two = 2|two = 2.*one = 1", re.DOTALL))
    saved.get_by_role("tab", name="Question").focus()
    expect(code(saved)).to_contain_text(re.compile("one = 1.*two = 2|two = 2.*one = 1", re.DOTALL))


@pytest.mark.thorough
def test_a_template_follows_the_other_window_while_nobody_types_in_it(windows: Windows) -> None:
    one, two = windows
    open_template(one)
    open_template(two)
    two.get_by_role("tab", name="Template").focus()
    one.keyboard.type("# a first line")
    expect(code(two)).to_contain_text("# a first line")
    code(two).click()
    two.keyboard.press("Control+End")
    two.keyboard.type(" and more")
    one.get_by_role("tab", name="Template").focus()
    expect(code(one)).to_contain_text("# a first line and more")
    expect(versions(one)).to_be_hidden()
    expect(versions(two)).to_be_hidden()


def test_a_conflict_is_decided_by_keyboard_alone(windows: Windows) -> None:
    one, two = windows
    for page in windows:
        tab_to(page, "Notes", key="Shift+Tab")
    for page, text in ((two, "theirs"), (one, "mine")):
        page.keyboard.press("Control+a")
        page.keyboard.type(text)
        kept(two, "theirs")
    expect(versions(one)).to_be_visible()
    tab_to(one, "Keep mine")
    one.keyboard.press("Enter")
    expect(versions(one)).to_be_hidden()
    expect(one.get_by_label("Notes")).to_be_focused()
    reload(one)
    expect(one.get_by_label("Notes")).to_have_value("mine")


@pytest.mark.thorough
def test_a_conflict_in_a_template_is_decided_by_keyboard_alone(windows: Windows) -> None:
    one, two = windows
    for page in windows:
        open_template(page)
    two.keyboard.type("# theirs")
    kept(two, "# theirs")
    one.keyboard.type("# mine")
    expect(versions(one)).to_be_visible()
    one.keyboard.press("Escape")  # closes the list of words
    one.keyboard.press("Escape")  # the next Tab leaves the text instead of indenting it
    tab_to(one, "Use other version", key="Shift+Tab")
    one.keyboard.press("Enter")
    expect(versions(one)).to_be_hidden()
    expect(code(one)).to_be_focused()
    expect(code(one)).to_contain_text("# theirs")
    one.keyboard.press("Control+z")
    expect(code(one)).to_contain_text("# mine")


@pytest.mark.thorough
def test_the_description_of_a_benchmark_is_never_overwritten_silently(
    page: Page, new_page: Callable[..., Page], example_copy: str
) -> None:
    one, two = both(page, new_page(), f"{example_copy}/details", "Description")
    one.get_by_label("Description", exact=True).fill("About medicines")
    expect(two.get_by_label("Description", exact=True)).to_have_value("About medicines")
    one.get_by_label("Version", exact=True).fill("2")
    two.get_by_label("Description", exact=True).focus()
    one.get_by_label("Description", exact=True).fill("About medicines and doses")
    kept(one, "About medicines and doses")
    two.get_by_label("Description", exact=True).press_sequentially(" of 2026")
    expect(two.get_by_role("cell", name="About medicines and doses")).to_be_visible()
    expect(two.get_by_role("cell", name="About medicines of 2026")).to_be_visible()
    expect(two.get_by_label("Version", exact=True)).to_have_value("2")
    reload(two)
    expect(two.get_by_label("Description", exact=True)).to_have_value("About medicines of 2026")
    two.get_by_role("button", name="Keep mine").click()
    expect(versions(two)).to_be_hidden()
    one.get_by_label("Version", exact=True).focus()
    expect(one.get_by_label("Description", exact=True)).to_have_value("About medicines of 2026")


def test_what_was_typed_into_a_question_deleted_meanwhile_waits_for_it(windows: Windows) -> None:
    one, two = windows
    one.get_by_role("button", name="Delete question").click()
    expect(two.get_by_text("This question was deleted.")).to_be_visible()
    two.get_by_label("Notes").fill("typed too late")
    expect(two.get_by_text("Not saved: the question was deleted")).to_be_visible()
    one.get_by_role("button", name="Undo").click()
    expect(two.get_by_text("This question was deleted.")).to_be_hidden()
    expect(one.get_by_label("Notes")).to_have_value("typed too late")
    expect(two.get_by_text("Not saved: the question was deleted")).to_be_hidden()


@pytest.mark.thorough
def test_a_benchmark_deleted_meanwhile_is_told_of_everywhere_and_takes_nothing_along(
    windows: Windows, new_page: Callable[..., Page], example_copy: str, data: Path
) -> None:
    one, two = windows
    running, about = new_page(), new_page()
    running.goto(f"{example_copy}/run")
    about.goto(f"{example_copy}/details")
    expect(running.get_by_text(re.compile(r"\d{2,} jobs"))).to_be_visible()
    logged = len((data / "server.log").read_text())
    one.goto(example_copy.rsplit("/", 1)[0])
    one.wait_for_function("window.did_handshake")
    row = one.locator("tr").filter(has=one.locator(f'a[href="{path_of(example_copy)}/questions"]'))
    row.get_by_role("button", name=re.compile("^Delete ")).click()
    for page in (two, running, about):
        expect(page.get_by_text(re.compile("^The benchmark “.*” was deleted."))).to_be_visible()
        expect(page.get_by_text("Benchmark deleted")).to_be_visible()
    expect(running.get_by_role("button", name="Start run")).to_be_disabled()
    expect(two.get_by_text("This question was deleted.")).to_be_hidden()
    expect(two.get_by_role("region", name="Question list")).to_have_attribute("inert", "")
    two.get_by_label("Notes").fill("typed too late")
    expect(two.get_by_text("Not saved: the benchmark was deleted")).to_be_visible()
    about.get_by_label("Version", exact=True).fill("9.9.9")
    expect(about.get_by_text("Not saved: the benchmark was deleted")).to_be_visible()
    for keys in ("Control+Alt+n", "Control+Enter", "Control+Alt+n"):
        two.keyboard.press(keys)
    expect(two.locator(".toast").first).to_be_visible()
    one.goto(f"{example_copy}/details")
    expect(one.get_by_text("Benchmark deleted")).to_be_visible()
    two.get_by_role("button", name="Restore benchmark").click()
    expect(one.get_by_label("Version", exact=True)).to_have_value("9.9.9")
    for page in (two, running, about):
        expect(page.get_by_text(re.compile("^The benchmark “.*” was deleted."))).to_be_hidden()
    expect(running.get_by_role("button", name="Start run")).to_be_enabled()
    kept(two, "typed too late")
    expect(two.get_by_role("region", name="Question list")).not_to_have_attribute("inert", "")
    assert "Traceback" not in (data / "server.log").read_text()[logged:]


def path_of(address: str) -> str:
    return re.sub(r"^https?://[^/]+", "", address)


@pytest.mark.thorough
def test_a_value_that_is_refused_is_there_again_after_a_reload(windows: Windows) -> None:
    page, _ = windows
    page.get_by_label("Workspace folder").fill("../secrets")
    expect(page.get_by_text("outside the workspace root")).to_be_visible()
    reload(page)
    expect(page.get_by_label("Workspace folder")).to_have_value("../secrets")
    page.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_text("outside the workspace root")).to_be_visible()
    page.get_by_label("Workspace folder").fill("task_01")
    expect(page.get_by_text("outside the workspace root")).to_be_hidden()
    kept(page, "task_01")
    reload(page)
    expect(page.get_by_label("Workspace folder")).to_have_value("task_01")
    expect(versions(page)).to_be_hidden()


@pytest.mark.thorough
def test_an_edit_appears_everywhere_in_the_other_window(windows: Windows) -> None:
    one, two = windows
    one.get_by_label("Notes").fill("Seen from the other window")
    expect(two.get_by_label("Notes")).to_have_value("Seen from the other window")
    one.get_by_label("Question", exact=True).fill("How does gentamicin leave the body?")
    expect(two.get_by_role("row", name=re.compile("How does gentamicin leave"))).to_be_visible()
    expect(two.get_by_role("heading", name="How does gentamicin leave the body?")).to_be_visible()
    expect(two.get_by_label("Question", exact=True)).to_have_value("How does gentamicin leave the body?")
    one.get_by_role("button", name="New question", exact=False).first.click()
    expect(two.get_by_role("link", name=re.compile("Questions"))).to_contain_text("14")
    expect(two.get_by_text("14 questions", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_a_window_whose_connection_broke_shows_on_return_what_was_edited_meanwhile(windows: Windows) -> None:
    one, two = windows
    two.evaluate("window.socket.disconnect()")
    one.get_by_label("Notes").fill("Written while the other was away")
    kept(one, "Written while the other was away")
    one.get_by_label("Question", exact=True).fill("How is gentamicin got rid of?")
    expect(one.get_by_role("row", name=re.compile("How is gentamicin got rid"))).to_be_visible()
    expect(two.get_by_label("Notes")).not_to_have_value("Written while the other was away")
    two.evaluate(  # the number goes along as where the browser connects again by itself
        "window.socket.io.opts.query.next_message_id = window.nextMessageId; window.socket.connect()"
    )
    expect(two.get_by_label("Notes")).to_have_value("Written while the other was away")
    expect(two.get_by_role("row", name=re.compile("How is gentamicin got rid"))).to_be_visible()
    expect(two.get_by_role("heading", name="How is gentamicin got rid of?")).to_be_visible()


@pytest.mark.thorough
def test_an_address_without_anything_is_answered_with_404(page: Page, address: str) -> None:
    for place in (
        f"/benchmarks/{10**22}/questions", "/benchmarks/x/questions", "/benchmarks/1/questions/99999",
        "/runs/99999", "/nowhere",
    ):  # fmt: skip
        answer = page.context.request.get(address + place)
        assert answer.status == 404, place
    assert page.context.request.get(f"{address}/benchmarks/1/questions/1").status == 200


@pytest.mark.thorough
def test_a_conflict_is_accessible(windows: Windows) -> None:
    one, two = windows
    clash_in_notes(one, two, "mine, it is", "theirs, it is")
    assert violations(one) == []
    for page in (one, two):
        open_template(page)
    two.keyboard.type("# theirs")
    kept(two, "# theirs")
    one.keyboard.type("# mine")
    expect(one.get_by_text("Answer template: changed in another window")).to_be_visible()
    assert violations(one) == []


def both(one: Page, two: Page, place: str, label: str) -> Windows:
    for page in (one, two):
        page.goto(place)
        expect(page.get_by_label(label, exact=True)).to_be_visible()
    return one, two


def clash_in_notes(one: Page, two: Page, mine: str, theirs: str) -> None:
    """The second window saves, while the first is in the field; then the first types."""
    one.get_by_label("Notes").focus()
    two.get_by_label("Notes").fill(theirs)
    kept(two, theirs)
    one.get_by_label("Notes").fill(mine)
    expect(one.get_by_text("changed in another window while you were editing")).to_be_visible()


def open_template(page: Page) -> None:
    page.get_by_role("tab", name="Template").click()
    open_code(page).click()


def reload(page: Page) -> None:
    """Until the window is connected: what is clicked earlier is not heard."""
    page.reload()
    page.wait_for_function("window.did_handshake")


def kept(page: Page, text: str) -> None:
    """Wait until the benchmark holds what was typed."""
    file = re.sub(r"/(questions|details).*", "/file", page.url.replace("/benchmarks/", "/api/benchmarks/"))
    eventually(page, lambda: text in page.request.get(file).text())


def versions(page: Page) -> Locator:
    return page.locator(".clash:visible")


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Go on by keyboard until the focus is on what has this name."""
    for _ in range(90):
        if page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText") == name:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{name} is not reached by {key}")


@pytest.mark.thorough
def test_choices_for_a_run_follow_into_the_other_window(chromium: Browser, example_copy: str) -> None:
    person = chromium.new_context(reduced_motion="reduce")
    first, second = person.new_page(), person.new_page()
    first.goto(f"{example_copy}/run")
    second.goto(f"{example_copy}/run")
    expect(second.get_by_role("button", name="Add condition")).to_be_visible()
    first.get_by_role("button", name="Add condition").click()
    first.get_by_label("Condition 3 name", exact=True).fill("with a hint")
    expect(second.get_by_label("Condition 3 name", exact=True)).to_have_value("with a hint")
    second.get_by_label("Replicates", exact=True).first.fill("7")
    expect(first.get_by_label("Replicates", exact=True).first).to_have_value("7")
    expect(first.get_by_label("Condition 3 name", exact=True)).to_have_value("with a hint")
    person.close()
