// @ts-check
// Files that an agent changed: a list, and the lines of the chosen file before, after, and as a diff. Lists and lines
// are fetched, drawn as far as they are seen, and shown as text only, whatever they contain.
import { defineComponent, markRaw } from "vue";
import { fetchJson } from "karenina/fetch.js";
import { formatLength, formatSize } from "karenina/format.js";
import { findMove } from "karenina/keys.js";
import { nameSigns } from "karenina/trace.js";

/**
 * @typedef {{
 *   name: string, path: string, kind: string, before: number | null, after: number | null, number: number
 * }} Changed a file, with its sizes
 */
/** @typedef {[sign: string, before: number | null, after: number | null, text: string]} Line */

/** @type {Record<string, string>} */
const KINDS = { added: "note_add", modified: "edit_document", deleted: "delete" };
// A list that changes twice before a frame is drawn, and is scrolled in between, keeps as many rows as it had there. So
// each state of a file has a list of its own, and so has each search for files (`key`).
const LONGEST = 2000; // characters of a line that are shown
const MANY = 12; // so many files can be searched

export default defineComponent({
  template: `
    <section class="changes" aria-label="Workspace">
      <div class="changes-about edge hint"><slot></slot></div>
      <p v-if="problem" class="trace-note" role="alert">{{ problem }} <button type="button" class="trace-button"
        @click="load">Try again</button></p>
      <div v-else-if="files.length" class="changes-body stack fills">
        <div class="changes-files edge stack">
          <input v-if="files.length > ${MANY}" class="trace-search box" type="search" v-model="query"
            placeholder="Find a file"
            aria-label="Find a file" />
          <q-virtual-scroll :key="query" ref="list" class="changes-list" role="listbox" tabindex="0"
            aria-label="Changed files" :aria-activedescendant="listed.includes(file) ? 'changes-' + at : null"
            :items="listed" :virtual-scroll-item-size="30" @keydown="walk" v-slot="{ item }">
            <div :key="item.number" role="option" :id="'changes-' + item.number" class="changes-file"
              :aria-selected="item.number === at ? 'true' : 'false'"
              :title="item.name" @click="open(item.number)">
              <q-icon :name="icon(item)" aria-hidden="true" /><span
                class="changes-path cut"><span>{{ item.name }}</span></span>
              <span class="changes-kind" :class="'changes-' + item.kind">{{ item.kind }}</span><span
                class="changes-size">{{ sizes(item) }}</span></div>
          </q-virtual-scroll>
          <p v-if="!listed.length" class="trace-note">No files match.</p>
        </div>
        <div v-if="file" class="changes-view stack grow">
          <div class="changes-bar edge line gap-10">
            <code class="changes-name grow cut" :title="file.name">{{ file.name }}</code>
            <div v-if="states.length > 1" class="changes-states" role="group" aria-label="Version">
              <button v-for="each in states" type="button" class="trace-button"
                :aria-pressed="each === state ? 'true' : 'false'"
                @click="showState(each)">{{ each }}</button></div></div>
          <p v-for="each in said" class="changes-note hint">{{ each }}</p>
          <q-virtual-scroll v-if="rows.length" :key="at + state" ref="lines" class="changes-lines fills scrolls"
            role="region" tabindex="0"
            :aria-label="'Lines of ' + file.name" :items="rows"
            :virtual-scroll-item-size="19" :virtual-scroll-slice-size="60" v-slot="{ item, index }">
            <div :key="index" class="changed-line" :class="looks(item)"><span v-if="sides.before"
              class="changed-line-number rigid muted figures">{{ item[1] }}</span>
              <span v-if="sides.after" class="changed-line-number rigid muted figures">{{ item[2] }}</span><span
                class="changed-line-sign">{{ item[0] }}</span><span
                class="changed-line-text grow prose">{{ lineText(item) }}</span></div>
          </q-virtual-scroll>
        </div>
      </div>
    </section>`,
  props: { url: String },
  data() {
    return {
      /** @type {Changed[]} */
      files: [],
      loaded: false,
      problem: "",
      query: "",
      at: -1,
      state: "Diff",
      /** @type {Line[]} */
      lines: [],
      whole: false,
      note: "",
      /** @type {[first: number, last: number]} */
      marked: [0, 0],
      missing: "",
    };
  },
  /** `wanted`: what is shown once the list is there. */
  setup: () => ({ wanted: /** @type {[string, number, number] | null} */ (null) }),
  computed: {
    listed() {
      const words = this.query.trim().toLowerCase();
      return markRaw(words ? this.files.filter((file) => file.name.toLowerCase().includes(words)) : this.files);
    },
    /** @returns {Changed | null} */
    file() {
      return this.files[this.at] ?? null;
    },
    states() {
      return this.whole && this.file?.kind === "modified" ? ["Diff", "Before", "After"] : [];
    },
    sides() { // which line numbers there are
      return {
        before: this.state !== "After" && this.file?.kind !== "added",
        after: this.state !== "Before" && this.file?.kind !== "deleted",
      };
    },
    rows() {
      const left = /** @type {Record<string, string>} */ ({ Before: "+", After: "-" })[this.state];
      return markRaw(left ? this.lines.filter((line) => line[0] !== left) : this.lines);
    },
    said() {
      const said = [this.missing, this.note];
      if (this.lines.length && !this.whole) said.push("Only the changed lines and a few lines around them are saved.");
      if (this.whole && !this.lines.length) {
        said.push(this.file?.kind === "modified" ? "No lines changed." : "The file is empty.");
      }
      if (this.lines.length && this.marked[0] && !this.rows.some(this.isMarked)) {
        said.push(`Line ${this.marked[0]} is not among the saved lines.`);
      }
      return said.filter(Boolean);
    },
  },
  watch: {
    query() {
      this.$nextTick(this.dropTabStop);
    },
  },
  mounted() {
    this.load();
  },
  methods: {
    async load() {
      this.problem = "";
      try {
        /** @type {Changed[]} */
        const found = await fetchJson(this.url);
        this.files = markRaw(found.map((file, number) => ({ ...file, number })));
        this.loaded = true;
      } catch {
        this.problem = "Couldn’t load the list of files.";
        return;
      }
      this.$nextTick(this.dropTabStop);
      if (this.wanted) this.show(...this.wanted);
      else if (this.files.length) this.open(0);
    },
    // Quasar lets what scrolls be focused, which then counts as a child of the list that is no option.
    dropTabStop() {
      this.$refs.list?.$el.querySelector(".q-virtual-scroll__content")?.removeAttribute("tabindex");
    },
    /**
     * @param {number} number
     * @param {[first: number, last: number]} marked
     */
    async open(number, marked = [0, 0]) {
      const other = number !== this.at;
      Object.assign(this, { at: number, marked, missing: "" });
      if (other) {
        Object.assign(this, { lines: [], note: "", whole: false });
        try {
          const found = await fetchJson(this.url + "/" + number);
          if (number !== this.at) return; // another one was chosen meanwhile
          Object.assign(this, { lines: markRaw(found.lines), whole: found.whole, note: found.note ?? "" });
        } catch {
          this.problem = "Couldn’t load the file.";
          return;
        }
        this.state = "Diff";
      }
      this.$nextTick(() => {
        this.$refs.list?.scrollTo(this.listed.findIndex((file) => file.number === number));
        this.scrollToMark();
      });
    },
    /** Scrolls to the marked lines: a list that was only just drawn may lose its first jump. */
    scrollToMark(tries = 10) {
      const line = this.rows.findIndex(this.isMarked);
      if (line < 0) {
        this.$refs.lines?.scrollTo(0);
        return;
      }
      this.$refs.lines?.scrollTo(line, "center-force");
      setTimeout(() => {
        const marked = this.$el?.querySelector?.(".changed-line-mark");
        if (marked) marked.scrollIntoView({ block: "center" });
        else if (tries) this.scrollToMark(tries - 1);
      }, 60);
    },
    /**
     * Opens a file by its path, with lines marked (0: none).
     * @param {string} path
     * @param {number} first
     * @param {number} last
     */
    show(path, first, last) {
      this.wanted = [path, first, last];
      if (!this.loaded) return; // `load` does it then
      this.query = "";
      const file = this.files.find((each) => each.path === path);
      if (file) this.open(file.number, [first, last]);
      else {
        if (this.files.length) this.open(0);
        this.missing = `${nameSigns(path)} is not among the changed files.`;
      }
    },
    /** @param {string} state */
    showState(state) {
      this.state = state;
      this.$nextTick(() => this.scrollToMark());
    },
    /**
     * Lines are those of the file as it was left; of a deleted one, those that it had.
     * @param {Line} line
     * @returns {boolean}
     */
    isMarked(line) {
      const number = this.file?.kind === "deleted" ? line[1] : line[2];
      return number !== null && this.marked[0] > 0 && number >= this.marked[0] && number <= this.marked[1];
    },
    /** @param {KeyboardEvent} event */
    walk(event) {
      const here = this.listed.findIndex((file) => file.number === this.at);
      const to = findMove(event.key, here, this.listed.length, { page: 10 });
      if (to === undefined) return;
      event.preventDefault();
      this.open(this.listed[to].number);
    },
    /** @param {Changed} file */
    icon(file) {
      return KINDS[file.kind];
    },
    /** @param {Line} line */
    looks(line) {
      /** @type {Record<string, string>} */
      const kinds = { "+": "changed-line-in", "-": "changed-line-out", "…": "changed-line-gap" };
      return [kinds[line[0]], { "changed-line-mark": this.isMarked(line) }];
    },
    /** @param {Line} line */
    lineText([sign, , , text]) {
      if (sign === "…") return "unchanged lines";
      return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${formatLength(text)})` : text;
    },
    /** @param {Changed} file */
    sizes(file) {
      const words = [file.before, file.after].filter((size) => size !== null).map((size) => formatSize(size));
      return words[0] === words[1] ? words[0] : words.join(" → ");
    },
  },
});
