"""Presets: a file of upstream's comes in, is used for a run, and goes out again; all of it by keyboard as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations


def test_a_preset_file_is_imported_used_changed_and_exported(
    page: Page, address: str, shared: Path, tmp_path: Path
) -> None:
    page.goto(f"{address}/presets")
    expect(page.get_by_role("heading", name="Presets", exact=True)).to_be_visible()
    assert violations(page) == []  # as long as there are none
    page.get_by_role("button", name="Import preset…").first.click()
    page.locator(".dialog input[type=file]").set_input_files(shared / "results" / "preset-example.json")
    expect(page.get_by_role("heading", name="Preset One")).to_be_visible()
    expect(page.get_by_text("j (fj)")).to_be_visible()
    assert "***" not in page.content()

    page.get_by_role("button", name="Use in run").click()
    expect(page.get_by_text("Added to the Models page: a and j.")).to_be_visible()
    expect(page.get_by_role("checkbox", name="a", exact=True).first).to_be_checked()
    page.get_by_label("Replicates", exact=True).fill("4")
    page.get_by_role("button", name="Update preset").click()
    expect(page.get_by_text("Updated preset “Preset One”.")).to_be_visible()

    page.goto(f"{address}/presets")
    expect(page.get_by_text("1 model · 1 judge · 4 replicates · Template")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export preset").click()
    saved = json.loads(download.value.path().read_text())
    assert saved["config"]["replicate_count"] == 4
    assert [model["model_name"] for model in saved["config"]["answering_models"]] == ["fake"]
    page.get_by_role("button", name="Delete preset").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Preset One")).to_be_visible()


@pytest.mark.thorough
def test_what_a_preset_file_holds_and_a_preset_does_not_is_said_until_it_is_read(
    page: Page, address: str, shared: Path, tmp_path: Path
) -> None:
    odd = json.loads((shared / "results" / "preset-example.json").read_text())
    odd |= {"id": "odd", "name": "Odd"}
    odd["config"]["wonder"] = 7
    odd["config"]["answering_models"][0]["endpoint_api_key"] = "sk-never-kept-0123456789"
    (tmp_path / "odd.json").write_text(json.dumps(odd))
    page.goto(f"{address}/presets?import=1")
    page.locator(".dialog input[type=file]").set_input_files(tmp_path / "odd.json")
    said = page.get_by_role("dialog", name="Imported with warnings")
    expect(said).to_contain_text("unknown settings were skipped: wonder")
    expect(said).to_contain_text("the API key in the file was not imported")
    assert "sk-never" not in page.content()
    said.get_by_role("button", name="Close").click()
    expect(said).to_be_hidden()
    page.get_by_role("button", name="Delete preset").click()


@pytest.mark.thorough
def test_choices_are_kept_as_a_preset_by_keyboard_alone(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/run")
    expect(page.get_by_role("button", name="Save as preset…")).to_be_visible()
    page.get_by_role("button", name="Save as preset…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Preset name")).to_be_focused()
    page.keyboard.type("Careful", delay=30)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved preset “Careful”.")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_label("Command", exact=True)).to_be_focused()
    page.keyboard.type("presets")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Careful")).to_be_visible()
