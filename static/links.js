// Below a proxy's path, a link that the page's own markup made gets that path before anybody follows or copies it.
(() => {
  const prefix = window.path_prefix;
  if (!prefix) return;
  const complete = (event) => {
    const link = event.target.closest?.('a[href^="/"]');
    const path = link?.getAttribute("href");
    if (path && !path.startsWith("//") && path !== prefix && !path.startsWith(prefix + "/")) {
      link.setAttribute("href", prefix + path);
    }
  };
  for (const kind of ["pointerover", "pointerdown", "focusin", "click"]) addEventListener(kind, complete, true);
})();
