// @ts-check
// Requests to the application, also below a proxy's path.

/** @param {string} path */
export const address = (path) => (window.path_prefix || "") + path;

/**
 * Fetch the JSON at a path. The page may have requested it already: see `fetch_ahead`.
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function fetchJson(path) {
  const asked = window.ahead?.[path];
  delete window.ahead?.[path];
  let reply = await asked?.catch(() => null);
  if (!reply?.ok) reply = await fetch(address(path));
  if (!reply.ok) throw new Error(reply.statusText);
  return await reply.json();
}

/**
 * The name of the file in a header `Content-Disposition`; empty where there is none.
 * @param {string} disposition
 */
export function parseFileName(disposition) {
  const [, encoded, plain] = disposition.match(/filename\*=utf-8''([^;]+)|filename="([^"]+)"/i) ?? [];
  return encoded ? decodeURIComponent(encoded) : plain ?? "";
}
