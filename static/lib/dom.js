// @ts-check
// Elements of the page: making them, and questions about them.

/**
 * @param {string} name
 * @param {string} [look] classes
 * @param {...(string | Node)} content
 */
export function element(name, look, ...content) {
  const made = document.createElement(name);
  if (look) made.className = look;
  made.append(...content);
  return made;
}

/**
 * A sign beside words that say the same.
 * @param {string} name
 */
export function icon(name) {
  const made = element("i", "q-icon notranslate material-icons", name);
  made.setAttribute("aria-hidden", "true");
  return made;
}

/**
 * @param {string} path
 * @param {string} text
 * @param {string} [look] classes
 */
export function link(path, text, look = "results-link") {
  const made = /** @type {HTMLAnchorElement} */ (element("a", look, text));
  made.href = path;
  return made;
}

/**
 * Save what is at this address as a file.
 * @param {string} address
 * @param {string} name
 */
export function saveAs(address, name) {
  const made = link(address, "", "");
  made.download = name;
  made.click();
}

/**
 * Let Escape empty a search field before it does anything else.
 * @param {HTMLInputElement | null | undefined} search
 */
export function clearOnEscape(search) {
  search?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !search.value) return;
    event.preventDefault();
    search.value = "";
    search.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

export const isDark = () => document.body.classList.contains("body--dark");

/**
 * Call `act` after every change between light and dark; returns a function that ends this.
 * @param {() => void} act
 */
export function watchColors(act) {
  const observer = new MutationObserver(act);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}

/**
 * The element where an event happened.
 * @param {Event} event
 */
export const targetElement = (event) => (event.target instanceof Element ? event.target : null);

/**
 * The dialogs that are open, the last one on top.
 * @returns {HTMLElement[]}
 */
export const openDialogs = () => [
  ...document.querySelectorAll(/** @type {"div"} */ (".q-dialog .q-dialog__inner:not([class*=leave-active])")),
];
