// Folders that are handed over: looked through in the browser and sent in parts, each file with its path.
const PART_FILES = 50;
const PART_SIZE = 32 * 1024 * 1024;

export default {
  template: `<input ref="input" type="file" webkitdirectory multiple hidden tabindex="-1" aria-label="Folder"
      @change="picked">`,
  props: { url: String, most: Number, size: Number, largest: Number },
  emits: ["begin", "refused", "failed"],
  created() {
    this.number = 0;
    this.ended = new Set();
  },
  methods: {
    pick() {
      this.$refs.input.click();
    },
    picked(event) {
      const found = [...event.target.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
      event.target.value = "";
      if (found.length) this.send(found, []);
      else this.$emit("refused", { reason: "empty" });
    },
    // What was dropped, if there is a folder among it.
    take(items) {
      const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      if (!entries.some((entry) => entry.isDirectory)) return false;
      this.walk(entries);
      return true;
    },
    async walk(entries) {
      const found = [], folders = [], waiting = [...entries];
      try {
        while (waiting.length && found.length + folders.length <= this.most) {
          const entry = waiting.pop(), path = entry.fullPath.replace(/^\/+/, "");
          if (entry.isFile) found.push({ file: await new Promise((done, fail) => entry.file(done, fail)), path });
          if (!entry.isDirectory) continue;
          folders.push(path);
          const reader = entry.createReader();
          for (let part; (part = await new Promise((done, fail) => reader.readEntries(done, fail))).length;) {
            waiting.push(...part);
          }
        }
      } catch {
        return this.$emit("refused", { reason: "unreadable" });
      }
      this.send(found, folders);
    },
    async send(found, folders) {
      const size = found.reduce((sum, each) => sum + each.file.size, 0);
      const large = found.find((each) => each.file.size > this.largest);
      if (found.length + folders.length > this.most) return this.$emit("refused", { reason: "files" });
      if (size > this.size) return this.$emit("refused", { reason: "size", size });
      if (large) return this.$emit("refused", { reason: "large", path: large.path });
      const number = ++this.number;
      this.$emit("begin", { number, files: found.length, size, folders });
      for (let start = 0, part; start < found.length && !this.ended.has(number); start += part.length) {
        part = this.part(found, start);
        if (!(await this.post(number, part))) return this.$emit("failed", { number });
      }
    },
    part(found, start) {
      let end = start + 1;
      for (let size = found[start].file.size; end < found.length && end - start < PART_FILES; end++) {
        if ((size += found[end].file.size) > PART_SIZE) break;
      }
      return found.slice(start, end);
    },
    async post(number, part) {
      try {
        const form = new FormData();
        part.forEach(({ file, path }, at) => form.append(`file${at}`, file, encodeURIComponent(`${number}/${path}`)));
        return (await fetch(`${window.path_prefix || ""}${this.url}`, { method: "POST", body: form })).ok;
      } catch {
        return false; // it cannot be read any more, or the application is gone
      }
    },
    stop(number) {
      this.ended.add(number);
    },
  },
};
