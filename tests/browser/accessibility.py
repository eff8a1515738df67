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

    A page that was light is dark afterwards, and the other way round.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    page.mouse.move(640, 799)  # over nothing
    dark = bool(page.evaluate(DARK))
    page.evaluate(STILL)
    rules = {"runOnly": {"type": "tag", "values": RULES}, "rules": {name: {"enabled": False} for name in OF_COLOURS}}
    found = _lines(page, page.evaluate(CHECK, [part, {**rules, **BRIEF}]))
    found += _colours(page, part)
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.wait_for_function(f"{DARK} === {str(not dark).lower()}")
    page.evaluate(STILL)
    return found + _colours(page, part)


def _colours(page: Page, part: str | None) -> list[str]:
    """What the rules of colours find, which take three times as long as all others: of each look, one element."""
    rules = {"runOnly": {"type": "rule", "values": OF_COLOURS}}
    return _lines(page, page.evaluate(CHECK_LOOKS, [part, {**rules, **BRIEF}]))


def _lines(page: Page, found: list[dict[str, Any]]) -> list[str]:
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


BRIEF = {"resultTypes": ["violations"], "preload": False}

CHECK = """async ([part, options]) =>
  (await axe.run(part ? { include: [[part]] } : document, options)).violations"""

CHECK_LOOKS = """async ([part, options]) => {
  const roots = part ? [...document.querySelectorAll(part)] : [document.body];
  const behind = new Map([[null, ""]]);
  const ground = (each) => {
    if (!behind.has(each)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(each);
      const own = backgroundColor === "rgba(0, 0, 0, 0)" && opacity === "1" && backgroundImage === "none";
      behind.set(each, ground(each.parentElement) + (own ? "" : `${backgroundColor} ${backgroundImage} ${opacity};`));
    }
    return behind.get(each);
  };
  const isText = (node) => node.nodeType === 3 && node.data.trim();
  const speaks = (each) => each.matches("input, textarea, select") || [...each.childNodes].some(isText);
  const isSeen = (each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const looks = new Map();
  for (const root of roots)
    for (const each of [root, ...root.querySelectorAll("*")])
      if (speaks(each) && each.checkVisibility()) {
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(each);
        const look = [each.localName, each.className, color, fontSize, fontWeight, textShadow, ground(each)].join("|");
        // What lies below something else tells nothing, so one that is seen is better than the first.
        const known = looks.get(look);
        if (!known || (!known.seen && isSeen(each))) looks.set(look, { each, seen: isSeen(each) });
      }
  const include = [...looks.values()].map(({ each }) => each);
  return include.length ? (await axe.run({ include }, options)).violations : [];
}"""

DARK = "document.body.classList.contains('body--dark')"

STILL = """async () => {
  const moving = (each) => each.playState === "running" && each.effect?.getComputedTiming().endTime !== Infinity;
  for (let calm = 0; calm < 4; calm = document.getAnimations().some(moving) ? 0 : calm + 1)
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
}"""
"""Waits until nothing moves and no colour turns any more."""

IN_POPUPS = """() => [...document.querySelectorAll("[id^=q-portal--menu] [id], [id^=q-portal--tooltip] [id]")]
    .map((each) => `'#${each.id}'`)"""
