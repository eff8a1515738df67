// @ts-check
// File tree of a workspace. Folders are fetched in parts as they are opened; names are shown as text only.
import { defineComponent } from "vue";
import { targetElement } from "karenina/dom.js";
import { fetchJson } from "karenina/fetch.js";
import { findMove, hasModifier } from "karenina/keys.js";
import { PART, rowIcon, treeRows } from "karenina/tree.js";

/** @typedef {import("karenina/tree.js").Folder} Folder */
/** @typedef {import("karenina/tree.js").Row} Row */

export default defineComponent({
  template: `
    <div class="file-tree fills" ref="tree" role="tree" :aria-label="label" :aria-busy="busy"
      data-own-keys="Delete F2 J K" @keydown="moveByKey" @dragover="chooseFolderBelow">
      <div v-for="row in rows" :key="row.key" role="treeitem" class="file-tree-row line gap-4" :class="looks(row)"
        :data-path="row.path"
        :aria-level="row.level" :aria-expanded="row.kind === 'folder' ? !!open[row.path] : null"
        :aria-selected="row.path === selected && !row.note" :aria-disabled="row.note && !row.more ? true : null"
        :tabindex="row.key === tabStop ? 0 : -1" :style="{ paddingLeft: 6 + (row.level - 1) * 14 + 'px' }"
        @click="choose(row, true)" @focus="active = row.key">
        <q-icon v-if="row.kind === 'folder'" class="file-tree-arrow"
          :name="open[row.path] ? 'expand_more' : 'chevron_right'"
          aria-hidden="true" />
        <span v-else class="file-tree-arrow" aria-hidden="true"></span>
        <q-icon v-if="!row.note" class="file-tree-icon" :name="icon(row)" aria-hidden="true" />
        <span class="file-tree-name grow">{{ row.name }}</span>
        <span v-if="row.link" class="file-tree-words rigid one-line muted figures">link</span>
        <span v-if="row.words" class="file-tree-words rigid one-line muted figures">{{ row.words }}</span>
      </div>
    </div>`,
  props: { url: String, label: String },
  emits: ["choose", "remove", "rename"],
  data() {
    return {
      folders: /** @type {Record<string, Folder>} */ ({}),
      open: /** @type {Record<string, boolean>} */ ({ "": true }),
      selected: "",
      active: "",
      busy: true,
    };
  },
  /** Numbers by folder. `turns`: how often it was loaded; `wanted`: how many entries are wanted at least. */
  setup: () => ({
    turns: /** @type {Record<string, number>} */ ({}),
    wanted: /** @type {Record<string, number>} */ ({}),
  }),
  computed: {
    rows() {
      return treeRows(this.folders, this.open);
    },
    tabStop() {
      return this.rows.some((row) => row.key === this.active) ? this.active : this.rows[0]?.key;
    },
  },
  mounted() {
    this.refresh();
  },
  methods: {
    /** @param {Row} row */
    looks(row) {
      return {
        "file-tree-on": row.path === this.selected && !row.note,
        "file-tree-note": row.note,
        "file-tree-more": row.more,
        "file-tree-off": row.kind === "outside" || row.kind === "other",
      };
    },
    /** @param {Row} row */
    icon(row) {
      return rowIcon(row, this.open[row.path]);
    },
    /**
     * @param {string} folder
     * @param {number} start
     * @returns {Promise<Folder>}
     */
    async fetchPart(folder, start) {
      const query = new URLSearchParams({ folder, start: String(start) });
      const failed = { problem: "Couldn’t load this folder.", entries: [], more: 0 };
      return await fetchJson(`${this.url}?${query}`).catch(() => failed);
    },
    /**
     * Load as much of a folder as was shown before. Of several loads at once, the last one begun counts.
     * @param {string} folder
     */
    async load(folder) {
      const turn = (this.turns[folder] = (this.turns[folder] ?? 0) + 1);
      const most = Math.max(PART, this.folders[folder]?.entries?.length ?? 0, this.wanted[folder] ?? 0);
      /** @type {Folder} */
      const found = { entries: [], more: 1 };
      while (found.more && found.entries.length < most) {
        const part = await this.fetchPart(folder, found.entries.length);
        if (turn !== this.turns[folder]) return;
        if (part.problem) return void (this.folders[folder] = part);
        found.entries.push(...part.entries);
        found.more = part.more;
        if (!part.entries.length) break;
      }
      this.folders[folder] = found;
    },
    async refresh() {
      const at = this.rows.findIndex((row) => row.key === this.active);
      const inside = this.$refs.tree?.contains(document.activeElement);
      await Promise.all(
        Object.keys(this.open).filter((folder) => this.open[folder]).map((folder) => this.load(folder)),
      );
      this.busy = false;
      if (at < 0 || this.rows.some((row) => row.key === this.active)) return;
      const next = this.rows[Math.min(at, this.rows.length - 1)];
      this.active = next?.key ?? "";
      if (inside) this.focus();
    },
    /**
     * Open the folders around an entry and mark it.
     * @param {string} path
     */
    async reveal(path) {
      const parts = path.split("/");
      for (let length = 1; length < parts.length; length++) this.open[parts.slice(0, length).join("/")] = true;
      await this.refresh();
      this.selected = this.active = path;
      await this.$nextTick();
      this.element()?.scrollIntoView({ block: "nearest" });
    },
    /** @returns {HTMLElement | undefined} the row that has the focus, or would get it */
    element() {
      const rows = /** @type {HTMLElement[]} */ ([...this.$refs.tree.children]);
      return rows.find((each) => each.tabIndex === 0);
    },
    async focus() {
      await this.$nextTick();
      (this.element() || this.$refs.tree).focus();
    },
    /**
     * @param {Row} row
     * @param {boolean} turn whether a folder opens or closes
     */
    async choose(row, turn) {
      this.active = row.key;
      if (row.more) return this.showMore(row.path);
      if (row.note) return;
      this.selected = row.path;
      if (row.kind === "folder" && turn) await this.turnFolder(row, !this.open[row.path]);
      this.$emit("choose", { path: row.path, kind: row.kind, open: turn });
    },
    /**
     * @param {Row} row
     * @param {boolean} open
     */
    async turnFolder(row, open) {
      this.open[row.path] = open;
      if (open) await this.load(row.path);
    },
    /** @param {string} folder */
    async showMore(folder) {
      const before = this.folders[folder].entries.length;
      this.wanted[folder] = before + PART; // also for a look that overtakes this one
      await this.load(folder);
      this.active = this.folders[folder].entries?.[before]?.path ?? this.active;
      this.focus();
    },
    /** @param {KeyboardEvent} event */
    moveByKey(event) {
      if (hasModifier(event)) return;
      const at = this.rows.findIndex((row) => row.key === this.tabStop), row = this.rows[at];
      if (!row) return;
      const to = findMove(event.key, at, this.rows.length, { page: 12 });
      const folder = row.kind === "folder";
      if (to !== undefined) this.focusRow(to);
      else if (event.key === "ArrowRight" && folder) {
        this.open[row.path] ? this.focusRow(at + 1) : this.turnFolder(row, true);
      } else if (event.key === "ArrowLeft" && folder && this.open[row.path]) this.turnFolder(row, false);
      else if (event.key === "ArrowLeft" && row.level > 1) {
        this.focusRow(this.rows.slice(0, at).findLastIndex((each) => each.level < row.level));
      } else if (event.key === "Enter" || event.key === " ") this.choose(row, true);
      else if (event.key === "Delete" && !row.note) this.$emit("remove", { path: row.path });
      else if (event.key === "F2" && !row.note) this.$emit("rename", { path: row.path });
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    /** @param {number} at */
    focusRow(at) {
      const row = this.rows[at];
      if (!row) return;
      this.active = row.key;
      this.focus();
    },
    /**
     * Files are dropped into the folder over which they are held.
     * @param {DragEvent} event
     */
    chooseFolderBelow(event) {
      const held = /** @type {HTMLElement | null | undefined} */ (targetElement(event)?.closest(".file-tree-row"));
      const path = held?.dataset.path;
      const row = this.rows.find((each) => each.path === path && !each.note);
      if (row && row.path !== this.selected) this.choose(row, false);
    },
  },
});
