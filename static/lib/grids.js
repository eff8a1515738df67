// @ts-check
// Grids of NiceGUI.
import { waitFor } from "karenina/waiting.js";

/**
 * Wait for the component of a grid; null: the page was left meanwhile.
 * @param {number} id
 */
export const waitForGrid = (id) =>
  waitFor(() => {
    const component = getElement(id);
    return component?.api && !component.api.isDestroyed() && component;
  });
