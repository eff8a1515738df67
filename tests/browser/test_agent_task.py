"""From an empty library to the evidence of a failed field: a task with files for an agent, and an agent that judges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from karenina_gui.store.library import Library
from tests.browser.conftest import open_advanced, served
from tests.browser.template_views import open_code
from tests.twin import Asked, Call, Reply, Twin, fitting

pytestmark = pytest.mark.browser

QUESTION = "Which sample in counts.csv has the most reads? Write its name into result.txt, and nothing else."
COUNTS = "sample,reads\nS1,417\nS2,902\nS3,981\nS4,655\n"
TEMPLATE = """class Answer(BaseAnswer):
    sample: str = VerifiedField(
        description="The sample that result.txt names; empty without the file.",
        ground_truth="S3",
        verify_with=ExactMatch(),
    )
    one_line: bool = VerifiedField(
        description="True if result.txt has one line.", ground_truth=True, verify_with=BooleanMatch()
    )
"""
SLOW = 30_000
"""Milliseconds for what several processes take part in."""


def script() -> Callable[[Asked], Reply]:
    """An agent that is right once, in whichever replicate comes first, and a judge that looks into the files."""
    tasks = count()

    def reply(asked: Asked) -> Reply:
        if asked.schema is not None and not asked.tools:
            return Reply(data=_read(asked))
        if not asked.tools:
            return Reply(text="Hello.")
        return _judged(asked) if asked.model == "auditor" else _worked(asked, tasks)

    return reply


def _worked(asked: Asked, tasks: Iterator[int]) -> Reply:
    calls = [
        (Call("list_files"), "I look at what there is."),
        (Call("read_file", {"path": "counts.csv"}), "Now the counts."),
    ]
    done = len(asked.results)
    if done < len(calls):
        call, text = calls[done]
        return Reply(text, calls=[call])
    if done == len(calls):
        found = {"path": "result.txt", "content": "S3\n" if next(tasks) == 0 else "S2\n"}
        return Reply("I write down the name.", calls=[Call("write_file", found)])
    return Reply("The name of the sample is in result.txt.")


def _judged(asked: Asked) -> Reply:
    if not asked.results:
        return Reply("I look at what the agent left.", calls=[Call("list_files")])
    if len(asked.results) == 1:
        files = [Call("read_file", {"path": name}) for name in ("counts.csv", "result.txt")]
        return Reply("Now the files.", calls=files)
    sample = re.findall(r"\bS\d\b", asked.results[-1][1])[0]
    return Reply(
        f"sample: {sample} (result.txt:1). Going by counts.csv:4, S3 has the most reads, 981.\n\n"
        "one_line: yes. result.txt has one line (result.txt:1)."
    )


def _read(asked: Asked) -> dict[str, object]:
    assert asked.schema is not None
    named = re.search(r"^sample: (S\d)", asked.text, re.MULTILINE)
    if "sample" not in asked.schema["properties"] or named is None:
        return dict(fitting(asked.schema))  # a test of the connection
    return {"sample": named[1], "one_line": "one_line: yes" in asked.text}


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(script()) as twin:
        yield twin


@pytest.fixture
def empty_library(tmp_path: Path) -> Iterator[str]:
    """Address of an application without benchmarks, models and runs."""
    folder = tmp_path / "data"
    Library.open(folder).close()
    with served(folder) as address:
        yield address
    assert "Traceback" not in (folder / "server.log").read_text()


def test_a_task_with_files_leads_to_the_evidence_of_a_failed_field(
    new_page: Callable[..., Page], empty_library: str, twin: Twin, tmp_path: Path
) -> None:
    page = new_page(once=True)
    page.goto(empty_library)
    write_question(page)
    give_files(page, tmp_path / "tasks")
    write_template(page)
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", name="No models yet")).to_be_visible()
    for name, tools in (("clerk", True), ("auditor", False)):
        add_model(page, name, twin, works=tools)
    start_run(page, tmp_path / "tasks")
    read_result(page)


def write_question(page: Page) -> None:
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    page.locator(".empty").get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("Tasks with files")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    page.get_by_role("button", name="New question", exact=True).first.click()
    page.wait_for_url(re.compile(r"/questions/\d+$"))
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_label("Reference answer").fill("S3, with 981 reads.")
    expect(page.get_by_role("heading", level=1, name=QUESTION)).to_be_visible()
    expect(page.get_by_text(re.compile(r"Saved \d\d:\d\d:\d\d"))).to_be_visible()


def give_files(page: Page, root: Path) -> None:
    page.get_by_role("tab", name="Workspace").click()
    expect(page.get_by_text("Files for agents")).to_be_visible()
    page.get_by_label("Workspace root").fill(str(root))
    expect(page.get_by_text("It can be created")).to_be_visible()
    page.get_by_role("button", name="Create folder").click()
    page.get_by_label("Workspace folder path").fill("reads")
    page.get_by_role("button", name="Create folder").click()
    expect(page.get_by_text("No files yet. Add files")).to_be_visible()
    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name", exact=True).fill("counts.csv")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("treeitem", name=re.compile("^counts.csv")).click()
    text = page.locator(".workspace-file .cm-content")
    text.click()
    page.keyboard.insert_text(COUNTS)
    expect(text).to_contain_text("S4,655")
    expect(page.get_by_role("treeitem", name=f"counts.csv {len(COUNTS)} bytes")).to_be_visible()
    expect(page.get_by_text(f"1 file, {len(COUNTS)} bytes")).to_be_visible()
    assert (root / "reads" / "counts.csv").read_text() == COUNTS


def write_template(page: Page) -> None:
    page.get_by_role("tab", name="Template").click()
    open_code(page).click()
    page.keyboard.insert_text(TEMPLATE)
    expect(page.get_by_text("No problems: 2 fields")).to_be_visible()
    page.get_by_role("button", name="Mark finished", exact=True).first.click()
    expect(page.get_by_text("1 of 1 ready")).to_be_visible()


def add_model(page: Page, name: str, twin: Twin, *, works: bool) -> None:
    page.get_by_role("button", name="New model").first.click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("new model")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Model", exact=True).fill(name)
    page.get_by_label("Base URL", exact=True).fill(f"{twin.address}/v1")
    if works:
        open_advanced(page)
        page.get_by_role("button", name='Expand "Agent settings"').click()
        page.get_by_role("button", name="Workspace tools: Read only").click()
        page.get_by_role("checkbox", name="Write files").click()
        expect(page.get_by_role("checkbox", name="Read files")).to_be_checked()
        expect(page.get_by_role("checkbox", name="Write files")).to_be_checked()
    page.get_by_role("button", name="Test connection").click()
    expect(page.locator(".connection-ok", has_text="Base URL")).to_be_visible(timeout=SLOW)
    expect(page.locator(".connection-failed")).to_have_count(0)


def start_run(page: Page, root: Path) -> None:
    page.get_by_role("link", name="New run", exact=True).click()
    expect(page.get_by_text("1 question will run.")).to_be_visible()
    page.get_by_role("checkbox", name="clerk").first.click()
    page.get_by_role("checkbox", name="auditor").last.click()
    page.get_by_label("Replicates", exact=True).fill("2")
    expect(page.get_by_text("2 jobs = 1 question × 1 model × 2 replicates")).to_be_visible()
    doubt = page.get_by_text("1 question about files that the agent leaves, but the judge sees only the answer.")
    expect(doubt).to_be_visible()
    expect(page.get_by_text(f"Agents work in copies of the workspaces in {root}.")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the judge sees only the answer")
    dialog.get_by_role("button", name="Back").click()
    expect(dialog).to_be_hidden()
    open_advanced(page)
    page.locator(".run-form-group").get_by_role("button", name="Agentic judging").click()
    page.get_by_role("checkbox", name="Investigate before filling fields").click()
    expect(doubt).to_be_hidden()
    expect(page.get_by_text("up to 2 investigations by judging agents")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/1$"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=2 * SLOW)
    expect(page.get_by_text("50% · 1 of 2 results")).to_be_visible()
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.locator("#results-count")).to_have_text("2 results")
    for verdict in ("Passed", "Wrong"):
        expect(page.locator(".results-grid .ag-row", has_text=verdict)).to_have_count(1)
    assert [path.relative_to(root).as_posix() for path in sorted(root.rglob("*"))] == ["reads", "reads/counts.csv"]


def read_result(page: Page) -> None:
    page.locator(".results-grid .ag-row", has_text="Wrong").dblclick()
    page.wait_for_url(re.compile(r"/results/\d+"))
    expect(page.get_by_text("sample = “S2”, expected “S3”.")).to_be_visible()
    expect(field(page, "sample")).to_contain_text(re.compile("S2.*S3.*differs"))
    expect(field(page, "one_line")).to_contain_text(re.compile("yes.*yes.*matches"))

    answer = page.get_by_role("tabpanel", name="Answer")
    expect(answer.get_by_text("4 turns · 3 tool calls (list_files 1, read_file 1, write_file 1)")).to_be_visible()
    expect(answer.get_by_role("article").filter(has_text="I look at what there is.")).to_contain_text(
        re.compile("Calls.*list_files.*no arguments", re.DOTALL)
    )
    page.get_by_role("combobox", name="Filter messages").select_option("tool calls only")
    expect(answer.get_by_role("article")).to_have_count(6)
    expect(answer).to_contain_text("S3,981")
    writing = answer.get_by_role("article").filter(has_text="I write down the name.")
    expect(writing).to_contain_text(re.compile(r"write_file.*result\.txt.*S2", re.DOTALL))
    writing.scroll_into_view_if_needed()

    page.get_by_role("tab", name=re.compile("^Workspace")).click()
    expect(page.get_by_role("option", name=re.compile("result.txt"))).to_have_count(1)
    expect(page.get_by_role("region", name="Lines of result.txt")).to_contain_text("S2")

    page.get_by_role("link", name="Why sample?").click()
    expect(page.get_by_role("tab", name="Investigation")).to_have_attribute("aria-selected", "true")
    passage = page.locator(".trace-passage").first
    expect(passage).to_be_in_viewport()
    expect(passage).to_have_text("sample: S2 (result.txt:1). Going by counts.csv:4, S3 has the most reads, 981.")
    reasons = page.get_by_role("region", name="Why sample")
    expect(reasons).to_contain_text("Report, message 7")
    reasons.get_by_text("result.txt, line 1").click()
    expect(page.get_by_role("tab", name=re.compile("^Workspace"))).to_have_attribute("aria-selected", "true")
    expect(page.locator(".changed-line-mark")).to_contain_text("S2")

    page.get_by_role("link", name=re.compile(r"replicate \d.*Passed")).click()
    expect(field(page, "sample")).to_contain_text(re.compile("S3.*S3.*matches"))


def field(page: Page, name: str) -> Locator:
    """Its row in the table of fields."""
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=f"Why {name}?"))
