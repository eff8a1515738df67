"""What an accessibility check finds on a page as it is now: WCAG 2.2 A and AA and good practice, in light and dark."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules that depend on colours: all that can differ between light and dark."""


def violations(page: Page, part: str | None = None) -> list[str]:
    """One line each. `part`: selector of what is looked at; None: the whole page.

    A page that was light is dark afterwards, and the other way round: turning the colours is the longest part of it.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    page.mouse.move(640, 799)  # over nothing
    dark = bool(page.evaluate(DARK))
    found = _check(page, part, {"type": "tag", "values": RULES})
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.wait_for_function(f"{DARK} === {str(not dark).lower()}")
    return found + _check(page, part, {"type": "rule", "values": OF_COLOURS})


def _check(page: Page, part: str | None, rules: dict[str, Any]) -> list[str]:
    page.evaluate(STILL)
    options = {"runOnly": rules, "resultTypes": ["violations"], "preload": False}
    looked_at = {"include": [[part]]} if part else None
    found = page.evaluate("([part, options]) => axe.run(part ?? document, options)", [looked_at, options])["violations"]
    lines = [f"{each['id']}: {node['target']} {node['html'][:160]}" for each in found for node in each["nodes"]]
    popups = page.evaluate(IN_POPUPS) if lines else []
    return [line for line in lines if not _excused(line, popups)]


def _excused(line: str, popups: list[str]) -> bool:
    """What the libraries do by design, and no more than that.

    Quasar draws menus and tooltips at the end of the page, beside its landmarks (`region`, a best practice and no
    rule of WCAG). CodeMirror scrolls its list of words by the arrow keys of the editor, which keeps the focus.
    """
    rule, _, where = line.partition(": ")
    if rule == "region":
        return any(identity in where for identity in popups)
    return rule == "scrollable-region-focusable" and "#cm-ac-" in where


DARK = "document.body.classList.contains('body--dark')"

STILL = """async () => {
  const moving = (each) => each.playState === "running" && each.effect?.getComputedTiming().endTime !== Infinity;
  for (let calm = 0; calm < 4; calm = document.getAnimations().some(moving) ? 0 : calm + 1)
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
}"""
"""Waits until nothing moves and no colour turns any more."""

IN_POPUPS = """() => [...document.querySelectorAll("[id^=q-portal--menu] [id], [id^=q-portal--tooltip] [id]")]
    .map((each) => `'#${each.id}'`)"""
