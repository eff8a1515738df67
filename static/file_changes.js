// The files that an agent left changed: a list, and of the chosen one its lines before, after, and what differs. Lists
// and lines come by fetch, are drawn as far as they are seen, and are shown as text only, whatever they contain.
const KINDS = { added: "note_add", modified: "edit_document", deleted: "delete" };
// A list that changes twice before a frame is drawn, and is scrolled in between, keeps as many rows as it had there. So
// each state of a file has a list of its own, and so has each search for files (`key`).
const LONGEST = 2000; // characters of a line that are shown
const MANY = 12; // so many files can be searched

export default {
  template: `
    <section class="fc" aria-label="Workspace">
      <div class="fc-about"><slot></slot></div>
      <p v-if="problem" class="tv-note" role="alert">{{ problem }} <button type="button" class="tv-b"
        @click="load">Try again</button></p>
      <div v-else-if="files.length" class="fc-body">
        <div class="fc-files">
          <input v-if="files.length > ${MANY}" class="tv-search" type="search" v-model="query" placeholder="Find a file"
            aria-label="Find a file" />
          <q-virtual-scroll :key="query" ref="list" class="fc-list" role="listbox" tabindex="0"
            aria-label="Changed files" :aria-activedescendant="listed.includes(file) ? 'fc-' + at : null"
            :items="listed" :virtual-scroll-item-size="30" @keydown="walk" v-slot="{ item }">
            <div :key="item.number" role="option" :id="'fc-' + item.number" class="fc-file"
              :aria-selected="item.number === at ? 'true' : 'false'"
              :title="item.name" @click="open(item.number)">
              <q-icon :name="icon(item)" aria-hidden="true" /><span class="fc-path"><span>{{ item.name }}</span></span>
              <span class="fc-kind" :class="'fc-' + item.kind">{{ item.kind }}</span><span
                class="fc-size">{{ sizes(item) }}</span></div>
          </q-virtual-scroll>
          <p v-if="!listed.length" class="tv-note">No files match.</p>
        </div>
        <div v-if="file" class="fc-view">
          <div class="fc-bar"><code class="fc-name" :title="file.name">{{ file.name }}</code>
            <div v-if="states.length > 1" class="fc-states" role="group" aria-label="Version">
              <button v-for="each in states" type="button" class="tv-b"
                :aria-pressed="each === state ? 'true' : 'false'" @click="turn(each)">{{ each }}</button></div></div>
          <p v-for="each in said" class="fc-note">{{ each }}</p>
          <q-virtual-scroll v-if="rows.length" :key="at + state" ref="lines" class="fc-lines" role="region" tabindex="0"
            :aria-label="'Lines of ' + file.name" :items="rows"
            :virtual-scroll-item-size="19" :virtual-scroll-slice-size="60" v-slot="{ item, index }">
            <div :key="index" class="fl" :class="looks(item)"><span v-if="sides.before"
              class="fl-n">{{ item[1] }}</span>
              <span v-if="sides.after" class="fl-n">{{ item[2] }}</span><span class="fl-s">{{ item[0] }}</span><span
                class="fl-t">{{ text(item) }}</span></div>
          </q-virtual-scroll>
        </div>
      </div>
    </section>`,
  props: { url: String },
  data() {
    return {
      files: [],
      loaded: false,
      problem: "",
      query: "",
      at: -1,
      state: "Diff",
      lines: [],
      whole: false,
      note: "",
      marked: [0, 0],
      missing: "",
    };
  },
  computed: {
    listed() {
      const words = this.query.trim().toLowerCase();
      return Vue.markRaw(words ? this.files.filter((file) => file.name.toLowerCase().includes(words)) : this.files);
    },
    file() {
      return this.files[this.at] ?? null;
    },
    states() {
      return this.whole && this.file?.kind === "modified" ? ["Diff", "Before", "After"] : [];
    },
    sides() { // which line numbers there are
      return {
        before: this.state !== "After" && this.file.kind !== "added",
        after: this.state !== "Before" && this.file.kind !== "deleted",
      };
    },
    rows() {
      const left = { Before: "+", After: "-" }[this.state];
      return Vue.markRaw(left ? this.lines.filter((line) => line[0] !== left) : this.lines);
    },
    said() {
      const said = [this.missing, this.note];
      if (this.lines.length && !this.whole) said.push("Only the changed lines and a few lines around them are saved.");
      if (this.whole && !this.lines.length) {
        said.push(this.file.kind === "modified" ? "No lines changed." : "The file is empty.");
      }
      if (this.lines.length && this.marked[0] && !this.rows.some(this.isMarked)) {
        said.push(`Line ${this.marked[0]} is not among the saved lines.`);
      }
      return said.filter(Boolean);
    },
  },
  watch: {
    query() {
      this.$nextTick(this.unfocused);
    },
  },
  mounted() {
    this.load();
  },
  methods: {
    async get(url) {
      const reply = await fetch((window.path_prefix || "") + url);
      if (!reply.ok) throw new Error(reply.statusText);
      return await reply.json();
    },
    async load() {
      this.problem = "";
      try {
        this.files = Vue.markRaw((await this.get(this.url)).map((file, number) => ({ ...file, number })));
        this.loaded = true;
      } catch (error) {
        this.problem = "Couldn’t load the list of files.";
        return;
      }
      this.$nextTick(this.unfocused);
      if (this.wanted) this.show(...this.wanted);
      else if (this.files.length) this.open(0);
    },
    // Quasar lets what scrolls be focused, which then counts as a child of the list that is no option.
    unfocused() {
      this.$refs.list?.$el.querySelector(".q-virtual-scroll__content")?.removeAttribute("tabindex");
    },
    async open(number, marked = [0, 0]) {
      const other = number !== this.at;
      Object.assign(this, { at: number, marked, missing: "" });
      if (other) {
        Object.assign(this, { lines: [], note: "", whole: false });
        try {
          const found = await this.get(this.url + "/" + number);
          if (number !== this.at) return; // another one was chosen meanwhile
          Object.assign(this, { lines: Vue.markRaw(found.lines), whole: found.whole, note: found.note ?? "" });
        } catch (error) {
          this.problem = "Couldn’t load the file.";
          return;
        }
        this.state = "Diff";
      }
      this.$nextTick(() => {
        this.$refs.list?.scrollTo(this.listed.findIndex((file) => file.number === number));
        this.reach();
      });
    },
    reach(tries = 10) { // a list that was only just drawn may lose its first jump
      const line = this.rows.findIndex(this.isMarked);
      if (line < 0) return this.$refs.lines?.scrollTo(0);
      this.$refs.lines?.scrollTo(line, "center-force");
      setTimeout(() => {
        const marked = this.$el?.querySelector?.(".fl-mark");
        if (marked) marked.scrollIntoView({ block: "center" });
        else if (tries) this.reach(tries - 1);
      }, 60);
    },
    // Opens a file by its path, with lines marked (0: none).
    show(path, first, last) {
      this.wanted = [path, first, last];
      if (!this.loaded) return; // `load` does it then
      this.query = "";
      const file = this.files.find((each) => each.path === path);
      if (file) this.open(file.number, [first, last]);
      else {
        if (this.files.length) this.open(0);
        this.missing = `${path} is not among the changed files.`;
      }
    },
    turn(state) {
      this.state = state;
      this.$nextTick(this.reach);
    },
    // Lines are those of the file as it was left; of a deleted one, those that it had.
    isMarked(line) {
      const number = this.file.kind === "deleted" ? line[1] : line[2];
      return number !== null && this.marked[0] > 0 && number >= this.marked[0] && number <= this.marked[1];
    },
    walk(event) {
      const here = this.listed.findIndex((file) => file.number === this.at), end = this.listed.length - 1;
      const to = {
        ArrowDown: here + 1,
        ArrowUp: here - 1,
        Home: 0,
        End: end,
        PageDown: here + 10,
        PageUp: here - 10,
      }[event.key];
      if (to === undefined || end < 0) return;
      event.preventDefault();
      this.open(this.listed[Math.min(Math.max(to, 0), end)].number);
    },
    icon(file) {
      return KINDS[file.kind];
    },
    looks(line) {
      const kinds = { "+": "fl-in", "-": "fl-out", "…": "fl-gap" };
      return [kinds[line[0]], { "fl-mark": this.isMarked(line) }];
    },
    text(line) {
      if (line[0] === "…") return "unchanged lines";
      return line[3].length > LONGEST
        ? `${line[3].slice(0, LONGEST)}… (${line[3].length.toLocaleString("en-US")} characters)`
        : line[3];
    },
    sizes(file) {
      const words = [file.before, file.after].filter((size) => size !== null).map(this.size);
      return words[0] === words[1] ? words[0] : words.join(" → ");
    },
    size(bytes) {
      return bytes < 1000
        ? bytes + " B"
        : bytes < 1e6
        ? (bytes / 1000).toFixed(1) + " kB"
        : (bytes / 1e6).toFixed(1) + " MB";
    },
  },
};
