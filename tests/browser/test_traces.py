"""Traces as they stand on the page, message by message, compared with what was sent, said and given back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from karenina_gui.adapters.patience import Patience
from karenina_gui.app import build
from karenina_gui.gui.pages.results.conversation import conversation
from karenina_gui.schemas.messages import UNREADABLE
from karenina_gui.settings import Settings
from tests.browser.accessibility import violations
from tests.browser.conftest import SIZE, served
from tests.examples import cases
from tests.played_traces import FAMILY, PLAYED, PlayedRun, play

pytestmark = pytest.mark.browser

ALWAYS = ("good", "broken", "long")
"""Of what was played; how the others are told is in `gui/pages/results/test_conversation.py` as well."""
TALL: ViewportSize = {"width": 1280, "height": 40_000}
"""So that the list, which draws what can be seen, draws everything."""
READ = """() => [...document.querySelectorAll('.trace-message')].map((m) => {
  const text = (part, what) => [...part.querySelectorAll(what)].map((each) => each.textContent.trim());
  const parts = (kind) => [...m.querySelectorAll('.trace-' + kind)].map((part) => ({
    name: text(part, '.trace-fold code')[0], marks: text(part, '.trace-tag'),
    back: text(part, '.trace-back')[0] ?? null, text: part.querySelector('.trace-code')?.textContent ?? '',
  }));
  return {
    number: Number(m.querySelector('.trace-number').textContent), title: text(m, 'header b')[0],
    tags: text(m, 'header .trace-tag'), text: m.querySelector('.trace-text')?.textContent ?? '',
    calls: parts('call'), results: parts('result'),
    end: text(m, '.trace-end > span')[0] ?? null,
  };
})"""


@dataclass
class Served:
    """An application with all that was played."""

    address: str
    played: PlayedRun


@pytest.fixture(scope="module")
def traces(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("traces")
    shutil.copytree(first_data, folder / "data")
    application = build(Settings(data=folder / "data"), Patience(max_outage=0))
    try:
        played = play(application, folder / "work")
    finally:
        application.close()
    with served(folder / "data") as address:
        yield Served(address, played)


@pytest.mark.thorough
@pytest.mark.parametrize("name", cases(ALWAYS, [name for name in PLAYED if name not in ALWAYS]))
def test_what_was_played_stands_on_the_page(page: Page, traces: Served, name: str) -> None:
    result, played = traces.played.results[name], PLAYED[name]
    page.set_viewport_size(TALL)
    show(page, traces, name)
    told = "no reply from the model" if name == "unreached" else "sent to the model"
    compare(page.evaluate(READ), conversation(result), told=told)
    answer = page.get_by_role("region", name="Answer", exact=True)
    if played.answer is None:
        expect(answer).to_contain_text(played.why)
    else:
        expect(page.get_by_role("region", name="Answer text")).to_have_text(played.answer)
    if played.head:
        expect(page.locator(".trace-facts")).to_contain_text(played.head)
    page.set_viewport_size(SIZE)
    assert violations(page, ".result-block") + violations(page, ".trace-view") == []


def test_a_search_finds_what_was_cut_at_its_place(page: Page, traces: Served) -> None:
    show(page, traces, "long", unfolded=False)
    expect(page.locator(".trace-facts")).to_contain_text("Cut text: 5.4 MB → 32.8 kB, message 4")
    expect(page.locator(".trace-tag-cut")).to_have_text("cut: 5.4 MB → 32.8 kB")
    search = page.get_by_role("searchbox", name="Search messages")
    search.fill("cut")
    expect(page.locator(".trace-hits")).to_have_text("2")
    search.press("Enter")
    search.press("Enter")
    expect(page.locator(".trace-cut-mark.trace-now")).to_be_in_viewport()
    assert page.locator(".trace-cut-mark").all_inner_texts()[1] == "cut"
    page.get_by_label("Filter messages").select_option("cut texts only")
    expect(page.locator(".trace-message")).to_have_count(1)


@pytest.mark.thorough
def test_a_search_finds_calls_that_were_cut_off_and_where_a_trace_broke(page: Page, traces: Served) -> None:
    show(page, traces, "cut call", unfolded=False)
    page.get_by_role("searchbox", name="Search messages").fill("cut off")
    expect(page.locator(".trace-hits")).to_have_text("3")
    show(page, traces, "error", unfolded=False)
    page.get_by_role("searchbox", name="Search messages").fill("out of order")
    expect(page.locator(".trace-hits")).to_have_text("1")
    page.keyboard.press("Enter")
    expect(page.locator(".trace-end .trace-now")).to_be_in_viewport()


@pytest.mark.thorough
def test_an_output_is_shown_as_in_a_terminal_and_as_it_was_sent(page: Page, traces: Served) -> None:
    page.set_viewport_size(TALL)
    show(page, traces, "colors")
    output = page.locator(".trace-result").first
    expect(output.locator(".ansi-1.ansi-bold")).to_have_text("red")
    output.get_by_role("button", name="Show as sent").click()
    expect(output.locator(".sign")).to_have_count(7)
    assert "\x1b[1;31mred" in (output.locator(".trace-code").text_content() or "")
    output.get_by_role("button", name="Show as in a terminal").click()
    expect(output.locator(".sign")).to_have_count(0)


@pytest.mark.thorough
def test_names_of_tools_are_searched(page: Page, traces: Served) -> None:
    show(page, traces, "repeated", unfolded=False)
    search = page.get_by_role("searchbox", name="Search messages")
    search.fill("list_files")
    expect(page.locator(".trace-hits")).to_have_text("2")
    search.press("Enter")
    expect(page.locator(".trace-fold code .trace-now")).to_have_text("list_files")


@pytest.mark.thorough
def test_a_long_name_of_a_tool_hides_nothing_beside_it(page: Page, traces: Served) -> None:
    name, recorded = "look_up_" * 40, "{half" + "x" * 5000
    items = page.request.get(f"{traces.address}/api/results/{traces.played.ids['good']}/conversation").json()
    items[2]["calls"][0] |= {"name": name, "arguments": recorded, "marks": [UNREADABLE]}
    page.route("**/conversation", lambda route: route.fulfill(json=items))
    show(page, traces, "good", unfolded=False)
    call = page.locator(".trace-call")
    call.scroll_into_view_if_needed()
    for part in (call.get_by_text(UNREADABLE), call.get_by_text("5,005 characters"), call.locator(".trace-peek")):
        expect(part).to_be_in_viewport(ratio=1)
        inner, outer = part.bounding_box(), call.bounding_box()
        assert inner and outer and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    expect(call.locator(".trace-code")).to_have_count(0)
    call.get_by_role("button").click()
    expect(call.locator(".trace-code")).to_have_text(recorded)


@pytest.mark.thorough
def test_all_messages_are_drawn_however_fast_what_is_shown_changes(page: Page, traces: Served) -> None:
    """Also where a jump to a message, which shows all, comes between."""
    show(page, traces, "repeated", unfolded=False)
    for choices, number, shown in ((["failed", ""], None, 9), (["", "failed", "calls"], None, 6), (["failed"], 1, 9)):
        page.evaluate(
            """async ([choices, number]) => {
              const set = async (what, value) => {
                document.querySelector(what).value = value;
                document.querySelector(what).dispatchEvent(new Event('change'));
                for (let tick = 0; tick < 20; tick++) await Promise.resolve();
              };
              for (const choice of choices) await set('.trace-facts select', choice);
              if (number) await set('.trace-jump input', number);
            }""",
            [choices, number],
        )
        expect(page.locator(".trace-message")).to_have_count(shown)


@pytest.mark.thorough
def test_signs_of_direction_turn_nothing(page: Page, traces: Served) -> None:
    """Where the letters stand tells: an override that had an effect would put the first one to the right."""
    show(page, traces, "turned")
    ordered = page.evaluate(
        """() => [...document.querySelectorAll('.result-answer, .trace-text')]
         .filter(e => e.querySelector('.sign')).map(e => {
          const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), lefts = [];
          for (let node = walk.nextNode(); node; node = walk.nextNode())
            for (let i = 0; i < node.length; i++) {
              const range = document.createRange();
              range.setStart(node, i); range.setEnd(node, i + 1);
              const box = range.getBoundingClientRect();
              if (box.width) lefts.push(box.left);
            }
          return lefts.every((left, i) => !i || lefts[i - 1] < left);
        })"""
    )
    assert ordered == [True] * 3


@pytest.mark.thorough
def test_signs_that_nobody_would_see_are_shown_and_searches_pass_over_them(page: Page, traces: Served) -> None:
    show(page, traces, "unseen")
    shown = page.evaluate("[...document.querySelectorAll('.trace-view .sign')].map((each) => each.dataset.sign)")
    assert shown == [
        *("U+FEFF", "U+2060"), *("U+200B", "U+0085", "U+009B"), "U+200B",  # the text; the calls
        *("U+200B", "U+0085", "U+009B"), "U+200B", "U+200B", *("U+200E", "U+E0041"),  # their results; the answer
    ]  # fmt: skip
    search, hits = page.get_by_role("searchbox", name="Search messages"), page.locator(".trace-hits")
    counts = {"password": 2, "pass\u200bword": 2, "bash": 3, "u+009b": 2, "\x9b": 2, "U+E0041": 1}
    for wanted, found in counts.items():
        search.fill(wanted)
        expect(hits).to_have_text(str(found))
    search.fill(FAMILY)
    expect(hits).to_have_text("2")
    search.press("Enter")
    expect(page.locator(".trace-now")).to_have_text(FAMILY)


def show(page: Page, traces: Served, name: str, *, unfolded: bool = True) -> None:
    page.goto(f"{traces.address}/runs/{traces.played.number}/results/{traces.played.ids[name]}")
    expect(page.locator(".trace-message").first).to_be_visible()
    if unfolded:
        unfold(page, len(conversation(traces.played.results[name])))


def unfold(page: Page, messages: int) -> None:
    expect(page.locator(".trace-message")).to_have_count(messages)
    button = page.get_by_role("button", name="Expand all", exact=True)
    if button.count():
        button.click()


def compare(shown: list[dict[str, Any]], items: list[dict[str, Any]], *, told: str) -> None:
    assert [each["number"] for each in shown] == [item["number"] for item in items]
    for each, item in zip(shown, items, strict=True):
        assert each["title"] == item["title"]
        assert each["tags"] == (["judged answer"] if item["final"] else [told] if item["sent"] else [])
        assert each["text"] == ("" if item["results"] else item["text"])
        assert each["end"] == item.get("end")
        assert [(call["name"], call["text"], call["marks"]) for call in each["calls"]] == [
            (call["name"], call["arguments"], [*filter(None, [call["not_run"]]), *call["marks"]])
            for call in item["calls"]
        ]
        assert [(found["name"], found["text"], found["back"]) for found in each["results"]] == [
            (found["name"], found["text"], f"called in message {found['call']}") for found in item["results"]
        ]
        for found, given in zip(each["results"], item["results"], strict=True):
            cut = ["cut: 5.4 MB → 32.8 kB"] if "cut" in given else []
            assert found["marks"] == (["failed"] if given["error"] else []) + cut
