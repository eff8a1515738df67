// What was typed in the last fraction of a second is sent before the page goes.
addEventListener("beforeunload", () => document.activeElement?.dispatchEvent(new Event("change", { bubbles: true })));

// What is too large for one message over the socket goes by HTTP. What follows waits for it, so that the order holds;
// what cannot be sent now is tried again until it is. The page is not left unasked meanwhile.
(() => {
  const HALF = /\\u[dD][89a-fA-F]/; // in JSON: half of a character, as some programs put into the clipboard
  const MOST = 900000; // characters of a message; NiceGUI drops those of a million
  const CERTAIN = 400000; // no more than doubled when it is written as JSON
  const AGAIN = 1000; // milliseconds
  const queue = [], refused = new Map(); // of each control: what is said below it
  let plain = null, socket = null;

  const inside = (event) => event.args.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  const large = (event) => inside(event) > CERTAIN && JSON.stringify(event).length > MOST;
  // Nothing can store half of a character, so what stands for an unknown one takes its place.
  const whole = (
    part,
  ) => (HALF.test(part) ? JSON.stringify(JSON.parse(part, (_, value) => value?.toWellFormed?.() ?? value)) : part);
  const isText = (event) => event.args[0]?.startsWith('"'); // the whole text of a field, not a change of it

  function add(event) {
    const last = queue.at(-1);
    const newer = queue.length > 1 && isText(event) && last.id === event.id && last.listener_id === event.listener_id;
    if (newer) queue[queue.length - 1] = event;
    else if (queue.push(event) === 1) sendAll();
  }

  async function sendAll() {
    for (; queue.length; queue.shift()) {
      if (large(queue[0])) await post(queue[0]);
      else plain.call(socket, "event", queue[0]);
    }
  }

  async function post(event) {
    for (;;) {
      const body = JSON.stringify(event), address = `${window.path_prefix || ""}/api/windows/${event.client_id}/events`;
      const answer = await fetch(address, { method: "POST", body }).catch(() => null);
      if (answer?.ok || answer?.status === 413) return say(event.id, !answer.ok);
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  // Below the control, for as long as it is so. What is sent by no control is a copy of what one has sent.
  function say(id, tooLarge) {
    const control = getHtmlElement(id)?.closest("label.q-field, .nicegui-codemirror");
    if (!tooLarge || !control) {
      refused.get(id)?.remove();
      refused.delete(id);
    } else if (!refused.get(id)?.isConnected) {
      const words = document.createElement("div");
      words.className = "field-error";
      words.setAttribute("role", "alert");
      words.textContent = "Not saved: this text is too long. Shorten it to 20 million characters.";
      control.after(words);
      refused.set(id, words);
    }
  }

  Object.defineProperty(window, "socket", {
    get: () => socket,
    set(made) { // once, by NiceGUI
      socket = made;
      plain = made.emit;
      made.emit = function (name, ...rest) {
        if (name === "event") rest[0].args = rest[0].args.map(whole);
        if (name !== "event" || !(queue.length || large(rest[0]))) return plain.call(this, name, ...rest);
        add(rest[0]);
        return this;
      };
    },
  });

  addEventListener("beforeunload", (event) => {
    const unsaved = queue.length || [...refused.values()].some((words) => words.isConnected);
    if (unsaved) event.preventDefault();
  }, true);

  // A short text in a control whose long one was refused.
  addEventListener("input", (event) => {
    const control = event.target.closest?.("label.q-field");
    const [id] = [...refused].find(([, words]) => words.previousElementSibling === control) ?? [];
    if (id !== undefined && event.target.value.length < MOST) say(id, false);
  });
})();

// See `when_still`: true when nobody is in this part of the page, which then stays so until it is let go.
window.holdStill = (id) => {
  const place = getHtmlElement(id);
  if (!place || place.contains(document.activeElement)) return false;
  place.inert = true;
  return true;
};
window.letGo = (id) => {
  const place = getHtmlElement(id);
  if (place) place.inert = false;
};
