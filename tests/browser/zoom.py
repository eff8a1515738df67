"""Controls that a small window cuts off, as at 200% zoom."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.conftest import SIZE

ZOOM = 2
MENUS_MOVE = 400
"""Milliseconds after which an open menu is at its place in a window of another size."""
CUT = """() => {
  const controls = "a[href], button, input, textarea, [role=button], [role=tab], [role=menuitem], [role=checkbox]," +
    " [role=radio], [role=switch], [role=combobox], .cm-content";
  const OVER = "header, footer, .q-dialog, .q-menu, .q-drawer, .problems, label";
  const scrolls = (style, axis) => /auto|scroll/.test(style["overflow" + axis]);
  const isCut = (each) => {
    const box = each.getBoundingClientRect();
    let { left, right, top, bottom } = box;
    let scrolledX = false, scrolledY = false;
    for (let at = each.parentElement; at; at = at.parentElement) {
      const style = getComputedStyle(at), around = at.getBoundingClientRect();
      scrolledX ||= scrolls(style, "X") && at.scrollWidth > at.clientWidth;
      scrolledY ||= scrolls(style, "Y") && at.scrollHeight > at.clientHeight;
      const hiddenX = style.overflowX !== "visible", hiddenY = style.overflowY !== "visible";
      if (hiddenX && !scrolledX && (right > around.right + 1.5 || left < around.left - 1.5)) return "sideways";
      if (hiddenY && !scrolledY && (bottom > around.bottom + 1.5 || top < around.top - 1.5)) return "up or down";
      if (style.position === "fixed") break;
    }
    if (!scrolledX && (right > innerWidth + 1 || left < -1)) return "by the window";
    if (!scrolledY && (bottom > innerHeight + 1 || top < -1)) return "by the window";
    return "";
  };
  const found = [];
  for (const each of document.querySelectorAll(controls)) {
    const box = each.getBoundingClientRect();
    if (!each.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (box.width < 2 || box.height < 2) continue;
    if (each.closest(".ag-root, .skip, [aria-hidden=true], .js-plotly-plot")) continue;
    if (each.closest(".q-tabs--scrollable")) continue; // arrows lead to the others
    const how = isCut(each);
    const name = each.ariaLabel || each.innerText || each.placeholder || each.outerHTML.slice(0, 80);
    if (how) found.push(`${name.trim().slice(0, 60).replace(/\\s+/g, " ")} is cut ${how}`);
    const there = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)?.closest(controls);
    if (!how && there && !there.contains(each) && !each.contains(there) && !there.closest(OVER)) {
      found.push(`${name.trim().slice(0, 60)} is covered by ${there.innerText || there.ariaLabel}`);
    }
    const style = getComputedStyle(each), clips = style.overflowX !== "visible" && style.textOverflow !== "ellipsis";
    if (clips && each.matches("button, [role=tab]") && each.scrollWidth > each.clientWidth + 2) {
      found.push(`The text of ${name.trim().slice(0, 60)} is cut`);
    }
  }
  return [...new Set(found)];
}"""
"""JavaScript function that returns a line for each control that a person cannot see whole, not even by scrolling."""


def cut_controls(page: Page) -> list[str]:
    """Controls of the page that 200% zoom cuts off."""
    page.set_viewport_size({"width": SIZE["width"] // ZOOM, "height": SIZE["height"] // ZOOM})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    if page.locator(".q-menu").count():
        page.wait_for_timeout(MENUS_MOVE)
    try:
        found: list[str] = page.evaluate(CUT)
        return found
    finally:
        page.set_viewport_size(SIZE)
