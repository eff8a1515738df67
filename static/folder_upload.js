// @ts-check
// Upload of folders: read in the browser and sent in parts, each file with its path.
import { defineComponent } from "vue";
import { address } from "karenina/fetch.js";
import { findRefusal, nextPart, totalSize } from "karenina/folders.js";

/** @typedef {import("karenina/folders.js").FolderFile} FolderFile */

export default defineComponent({
  template: `<input ref="input" type="file" webkitdirectory multiple hidden tabindex="-1" aria-label="Folder"
      @change="sendPicked">`,
  props: { url: String, most: Number, size: Number, largest: Number },
  emits: ["begin", "refused", "failed"],
  /** `number`: that of the last folder; `ended`: numbers of those that are sent no further. */
  setup: () => ({ number: 0, ended: /** @type {Set<number>} */ (new Set()) }),
  methods: {
    pick() {
      this.$refs.input.click();
    },
    /** @param {Event} event */
    sendPicked(event) {
      const input = /** @type {HTMLInputElement} */ (event.target);
      const found = [...input.files ?? []].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
      input.value = "";
      if (found.length) this.send(found, []);
      else this.$emit("refused", { reason: "empty" });
    },
    /**
     * What was dropped, if there is a folder among it.
     * @param {DataTransferItemList} items
     */
    take(items) {
      const entries = [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
      if (!entries.some((entry) => entry.isDirectory)) return false;
      this.walk(entries);
      return true;
    },
    /** @param {FileSystemEntry[]} entries */
    async walk(entries) {
      /** @type {FolderFile[]} */
      const found = [];
      /** @type {string[]} */
      const folders = [];
      try {
        for (let waiting = [...entries]; waiting.length && found.length + folders.length <= this.most;) {
          const entry = /** @type {FileSystemEntry} */ (waiting.pop()), path = entry.fullPath.replace(/^\/+/, "");
          if (entry.isFile) found.push({ file: await readFile(/** @type {FileSystemFileEntry} */ (entry)), path });
          if (!entry.isDirectory) continue;
          folders.push(path);
          waiting = waiting.concat(await readEntries(/** @type {FileSystemDirectoryEntry} */ (entry)));
        }
      } catch {
        return this.$emit("refused", { reason: "unreadable" });
      }
      this.send(found, folders);
    },
    /**
     * @param {FolderFile[]} found
     * @param {string[]} folders
     */
    async send(found, folders) {
      const refusal = findRefusal(found, folders.length, this);
      if (refusal) return this.$emit("refused", refusal);
      const number = ++this.number;
      this.$emit("begin", { number, files: found.length, size: totalSize(found), folders });
      for (let start = 0, part; start < found.length && !this.ended.has(number); start += part.length) {
        part = nextPart(found, start);
        if (!(await this.post(number, part))) return this.$emit("failed", { number });
      }
    },
    /**
     * @param {number} number
     * @param {FolderFile[]} part
     */
    async post(number, part) {
      try {
        const body = new FormData();
        part.forEach(({ file, path }, at) => body.append(`file${at}`, file, encodeURIComponent(`${number}/${path}`)));
        return (await fetch(address(this.url), { method: "POST", body })).ok;
      } catch {
        return false; // it cannot be read any more, or the application is gone
      }
    },
    /** @param {number} number */
    stop(number) {
      this.ended.add(number);
    },
  },
});

/**
 * @param {FileSystemFileEntry} entry
 * @returns {Promise<File>}
 */
const readFile = (entry) => new Promise((done, fail) => entry.file(done, fail));

/**
 * A folder's entries, which come in several pieces.
 * @param {FileSystemDirectoryEntry} folder
 */
async function readEntries(folder) {
  const reader = folder.createReader(), entries = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return entries;
    entries.push(...some);
  }
}
