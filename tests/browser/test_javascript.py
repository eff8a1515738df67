"""Tests of scripts, written in `tests/javascript/` and played in Chromium: one case for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from karenina_gui.gui.kit.html import with_named_characters
from tests.browser.modules import module_page

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[1] / "javascript"
TESTS = {
    name: file.name
    for file in sorted(FOLDER.glob("*.js"))
    for name in re.findall(r'^test\("(.*?)"', file.read_text("utf-8"), re.MULTILINE)
}
"""Files of the tests by their names."""
PLAY = "([file, name]) => import('/tests/javascript/' + file).then(() => tests.get(name)())"


@pytest.fixture(scope="module")
def modules(chromium: Browser) -> Iterator[Page]:
    """A page on which all files of tests are loaded."""
    with module_page(chromium) as page:
        page.evaluate("import('/tests/javascript/testing.js').then((module) => { window.tests = module.tests })")
        for file in dict.fromkeys(TESTS.values()):
            page.evaluate(f"import('/tests/javascript/{file}')")
        yield page


@pytest.mark.parametrize(("name", "file"), TESTS.items(), ids=TESTS)
def test_javascript(modules: Page, name: str, file: str) -> None:
    modules.evaluate(PLAY, [file, name])


def test_no_test_in_javascript_is_left_out(modules: Page) -> None:
    assert modules.evaluate("[...tests.keys()]") == list(TESTS)


def test_the_browser_and_the_server_know_the_same_signs(modules: Page) -> None:
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF and code != 0x0D)
    here = with_named_characters(text)
    there = modules.evaluate("(text) => import('/static/lib/trace.js').then(({ nameSigns }) => nameSigns(text))", text)
    assert here == there and "U+200B" in here
