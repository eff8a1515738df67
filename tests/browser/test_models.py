"""The Models page, as a person keeps models there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_advanced
from tests.twin import Asked, Reply, Twin, fitting

pytestmark = pytest.mark.browser


def test_a_model_is_kept_as_it_is_typed_and_its_mistakes_are_told_at_their_fields(page: Page, address: str) -> None:
    new_model(page, address, "careful one")
    page.get_by_label("Base URL", exact=True).fill("localhost:8000")
    expect(page.get_by_text("Start the URL with http:// or https://.")).to_be_visible()
    page.get_by_label("Base URL", exact=True).fill("http://localhost:8000")
    expect(page.get_by_text("Start the URL with http:// or https://.")).to_be_hidden()
    page.reload()
    expect(page.get_by_label("Name", exact=True)).to_have_value("careful one")
    expect(page.get_by_label("Base URL", exact=True)).to_have_value("http://localhost:8000")


@pytest.mark.thorough
def test_a_server_on_this_computer_that_wants_a_key_is_given_one(page: Page, address: str) -> None:
    def script(asked: Asked) -> Reply:
        if asked.key != "right":
            return Reply(status=401, message="Incorrect API key provided.")
        return Reply(data=fitting(asked.schema)) if asked.schema else Reply(text="OK")

    with Twin(script) as twin:
        new_model(page, address, "guarded")
        page.get_by_label("Model", exact=True).fill("m")
        page.get_by_label("Base URL", exact=True).fill(f"{twin.address}/v1")
        expect(page.get_by_text("Local server: no API key needed.")).to_be_visible()
        page.get_by_role("button", name="Test connection").click()
        expect(page.get_by_text("This server requires an API key. Enter OPENAI_API_KEY")).to_be_visible()
        expect(page.get_by_text("Local server: no API key needed.")).to_be_hidden()
        page.get_by_role("button", name="Enter key…").click()
        expect(page.get_by_label("API key variable")).to_have_value("OPENAI_API_KEY")
        sheet = page.get_by_role("dialog", name="Enter key OPENAI_API_KEY")
        sheet.locator("input[type=password]").fill("right")
        sheet.get_by_role("button", name="Set key").click()
        expect(page.get_by_text(re.compile("OPENAI_API_KEY is used until you quit"))).to_be_visible()
        page.get_by_role("button", name="Test connection").click()
        expect(page.locator(".connection-ok").filter(has_text="API key")).to_be_visible()


def new_model(page: Page, address: str, name: str) -> None:
    page.goto(f"{address}/models")
    page.get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile("new model"))
    page.get_by_label("Name", exact=True).fill(name)
    expect(page.locator(".model-list-entry[aria-current]")).to_contain_text(name)


@pytest.mark.thorough
def test_the_form_follows_list_and_address_through_new_rename_delete_and_undo(page: Page, address: str) -> None:
    new_model(page, address, "first")
    open_advanced(page)
    page.get_by_role("textbox", name="System prompt").fill("The first.")
    firsts = page.url
    page.get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("new model")
    expect(page.get_by_role("textbox", name="System prompt")).to_have_value("")
    expect(page).not_to_have_url(firsts)
    seconds = page.url
    page.get_by_label("Name", exact=True).fill("second")
    page.get_by_role("textbox", name="System prompt").fill("The second.")
    see_model(page, "second", "The second.")
    page.get_by_role("button", name="New model").click()
    see_model(page, "new model", "")
    expect(page).not_to_have_url(seconds)
    page.go_back()
    see_model(page, "second", "The second.")
    expect(page).to_have_url(seconds)
    page.get_by_role("button", name="Delete model").click()
    expect(page.locator(".model-list-entry", has_text="second")).to_have_count(0)
    expect(page.get_by_label("Name", exact=True)).not_to_have_value("second")
    expect(page).not_to_have_url(seconds)
    page.get_by_role("button", name="Undo").click()
    see_model(page, "second", "The second.")
    expect(page).to_have_url(seconds)
    page.locator(".model-list-entry", has_text="first").click()
    see_model(page, "first", "The first.")
    page.get_by_label("Name", exact=True).fill("first of all")
    see_model(page, "first of all", "The first.")
    expect(page).to_have_url(firsts)
    page.reload()
    see_model(page, "first of all", "The first.")
    page.goto(f"{address}/models?name=second")
    see_model(page, "second", "The second.")
    page.wait_for_url(seconds)


def see_model(page: Page, name: str, prompt: str) -> None:
    """List and form show it."""
    expect(page.locator(".model-list-entry[aria-current] b")).to_have_text(name)
    expect(page.get_by_role("heading", level=1, name=name, exact=True)).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value(name)
    expect(page.get_by_role("textbox", name="System prompt")).to_have_value(prompt)
